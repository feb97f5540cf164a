package calc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
)

// tally counts what became of formulas whose value a file has.
type tally struct {
	equal, different, unknown int
	timed                     int // known once the time is, so that the file's value says nothing
	random                    int // drawn, and of the type of the file's value
}

func (t *tally) count(outcome string) {
	switch outcome {
	case "equal":
		t.equal++
	case "different":
		t.different++
	case "timed":
		t.timed++
	case "random":
		t.random++
	default:
		t.unknown++
	}
}

// oracle compares calculated values with those that real workbooks have.
type oracle struct {
	t         *testing.T
	all       tally
	functions map[string]*tally
	reasons   map[string]int
	listed    map[string]int // differences by formula text
}

// timed are options with which the time is known.
var timed = Options{Language: english.Language, Now: time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC), Random: NewRandom(1)}

// isTimed reports whether a value is unknown because the time is, or a random number.
func isTimed(v Value) bool { return v.kind == Unknown && v.Reason().Code == ReasonVolatile }

// realBooks lists the workbooks of the corpus and of the repository.
func realBooks(t *testing.T) []string {
	own, err := filepath.Glob(filepath.Join(formatstest.Root(t), "testdata", "*", "*.xlsx"))
	require.NoError(t, err)
	return append(own, formatstest.CorpusFiles(t, "xlsx/*.xls[xm]")...)
}

// loadFile reads a workbook; nil for a file that is none or is locked.
func loadFile(t *testing.T, path string) *Book {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	wb, err := book.Open(t.Context(), formats.FromBytes(filepath.Base(path), data))
	if err == nil {
		var b *Book
		if b, err = Load(t.Context(), wb); err == nil {
			return b
		}
	}
	var fe *formats.Error
	require.True(t, errors.As(err, &fe), "%s: %v", path, err)
	return nil
}

// eachFormula calls f for the cells that have a formula and a value.
func eachFormula(b *Book, f func(at Place, c *cell, of *form)) {
	for i, s := range b.sheets {
		s.grid.each(cellref.WholeSheet, func(row int, c *cell) bool {
			if c.formula == 0 || c.state != stored {
				return true
			}
			of := b.formulas[c.formula-1]
			if !of.array || row == of.block.R1 && int(c.col) == of.block.C1 {
				f(At(i, row, int(c.col)), c, of)
			}
			return true
		})
	}
}

// Each formula of a real workbook is calculated from the values that the file has
// for the cells it reads, and compared with its own (ATELIER_REPORT).
func TestOracle(t *testing.T) {
	o := &oracle{t: t, functions: map[string]*tally{}, reasons: map[string]int{}, listed: map[string]int{}}
	for _, path := range realBooks(t) {
		b := loadFile(t, path)
		if b == nil {
			continue
		}
		e, later := NewEvaluator(t.Context(), b, english), NewEvaluator(t.Context(), b, timed)
		eachFormula(b, func(at Place, c *cell, f *form) {
			got, err := e.calculateForm(at, f)
			require.NoError(t, err)
			if isTimed(got) {
				o.compareTimed(later, at, f, b.load(c), func() (Value, error) { return later.calculateForm(at, f) })
				return
			}
			if got.kind == ArrayKind {
				got = got.Array().At(0, 0)
			}
			if got.blank() {
				got = Num(0)
			}
			o.compare(filepath.Base(path), b, at, f, got, b.load(c))
		})
	}
	o.report("from the values of the file")
}

// All formulas of real workbooks are calculated from the cells that have none.
func TestOracleFromInputs(t *testing.T) {
	o := &oracle{t: t, functions: map[string]*tally{}, reasons: map[string]int{}, listed: map[string]int{}}
	for _, path := range realBooks(t) {
		b := loadFile(t, path)
		if b == nil {
			continue
		}
		type want struct {
			at Place
			c  *cell
			f  *form
			v  Value
		}
		var all []want
		eachFormula(b, func(at Place, c *cell, f *form) { all = append(all, want{at, c, f, b.load(c)}) })
		drawn := b.drawn(t)
		b.forgetBut(drawn)
		e := NewEvaluator(context.Background(), b, english)
		var later []want
		for _, w := range all {
			got, err := e.Value(w.at)
			require.NoError(t, err)
			if isTimed(got) || drawn[w.at] {
				later = append(later, w)
				continue
			}
			o.compare(filepath.Base(path), b, w.at, w.f, got, w.v)
		}
		if len(later) == 0 {
			continue
		}
		b.Forget()
		e = NewEvaluator(context.Background(), b, timed)
		for _, w := range later {
			o.compareTimed(e, w.at, w.f, w.v, func() (Value, error) { return e.Value(w.at) })
		}
	}
	o.report("from inputs")
}

func (o *oracle) compare(file string, b *Book, at Place, f *form, got, want Value) {
	outcome := "equal"
	switch {
	case got.kind == Unknown:
		outcome = got.Reason().Text
		o.reasons[string(got.Reason().Code)+": "+outcome]++
	case !sameResult(got, want):
		outcome = "different"
		text := f.text
		if o.listed[file+text]++; o.listed[file+text] <= 40 && len(o.listed) < 200 {
			formatstest.Report(o.t, "calc difference: %s %s =%s: calculated %s, the file has %s", file, b.placeName(at), cellref.QuoteArg(text), shownValue(got), shownValue(want))
		}
	}
	o.count(f, outcome)
}

// compareTimed counts a formula that depends on the time, which is answered with one, or
// that draws a random number, whose value has the type of the file's.
func (o *oracle) compareTimed(e *Evaluator, at Place, f *form, want Value, value func() (Value, error)) {
	got, err := value()
	require.NoError(o.t, err)
	outcome := "timed"
	switch {
	case e.random[at] && got.kind != Unknown:
		outcome = "random"
		require.Equal(o.t, want.kind, got.kind, f.text)
	case got.kind == Unknown:
		outcome = got.Reason().Text
		o.reasons[string(got.Reason().Code)+": "+outcome]++
	}
	o.count(f, outcome)
}

// drawn returns the formulas that draw a random number themselves. Others that read them
// must have the values that follow from those of the file.
func (b *Book) drawn(t *testing.T) map[Place]bool {
	out := map[Place]bool{}
	e := NewEvaluator(t.Context(), b, timed)
	eachFormula(b, func(at Place, _ *cell, f *form) {
		_, err := e.calculateForm(at, f)
		require.NoError(t, err)
	})
	for at := range e.random {
		out[at] = true
	}
	return out
}

// forgetBut makes all formulas due but some.
func (b *Book) forgetBut(keep map[Place]bool) {
	b.Forget()
	for at := range keep {
		b.find(at).state = stored
	}
}

// count counts an outcome for the functions of a formula.
func (o *oracle) count(f *form, outcome string) {
	o.all.count(outcome)
	names := map[string]bool{}
	for t := range formula.Tokens(f.text) {
		if t.Kind == formula.Function {
			names[strings.ToUpper(formula.BareFunction(f.text[t.Start:t.End]))] = true
		}
	}
	if len(names) == 0 {
		names["operators only"] = true
	}
	for name := range names {
		if o.functions[name] == nil {
			o.functions[name] = &tally{}
		}
		o.functions[name].count(outcome)
	}
}

// sameResult compares within the precision of a program.
func sameResult(a, b Value) bool {
	if a.kind != b.kind {
		return false
	}
	if a.kind == Number {
		return a.num == b.num || math.Abs(a.num-b.num) <= max(1e-12*max(math.Abs(a.num), math.Abs(b.num)), 1e-18)
	}
	return a.num == b.num && a.str == b.str
}

func (o *oracle) report(what string) {
	answered := o.all.equal + o.all.different
	all := answered + o.all.timed + o.all.random + o.all.unknown
	blank := 100 * float64(o.all.unknown) / float64(max(all, 1))
	formatstest.Report(o.t, "calc %s: %d formulas, %d equal, %d different, %d known with a time, %d random, %d unknown (%.2f %%)", what, all, o.all.equal, o.all.different, o.all.timed, o.all.random, o.all.unknown, blank)
	for _, name := range slices.SortedFunc(maps.Keys(o.functions), func(a, b string) int { return cmp.Compare(a, b) }) {
		f := o.functions[name]
		formatstest.Report(o.t, "  %-20s %6d equal %4d different %4d with a time %4d random %4d unknown", name, f.equal, f.different, f.timed, f.random, f.unknown)
	}
	for _, r := range slices.Sorted(maps.Keys(o.reasons)) {
		formatstest.Report(o.t, "  unknown %5d: %s", o.reasons[r], r)
	}
	require.LessOrEqual(o.t, 20*o.all.unknown, all, "more than 5 %% of the formulas have no value")
	if answered > 0 {
		require.GreaterOrEqual(o.t, float64(o.all.equal)/float64(answered), 0.99, fmt.Sprintf("%d of %d answers differ", o.all.different, answered))
	}
}
