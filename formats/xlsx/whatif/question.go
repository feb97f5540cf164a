package whatif

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/calc"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/numfmt"
	"atelier/formats/xlsx/internal/reader"
)

// What one question may ask.
const (
	MaxScenarios = 50
	MaxSet       = 1000 // cells of one scenario
	MaxRead      = 500  // cells
)

// Question says what to change and what to read. Cells are written Sheet!A1, or as
// the name of one cell; without a sheet they are of the first worksheet.
type Question struct {
	// Set gives cells another content: a number, a text, true or false, nil for an
	// empty cell, a date such as "2026-11-22", or a formula that begins with "=".
	Set       map[string]any
	Scenarios []Scenario
	// Read are cells, ranges, tables and defined names. None stands for the
	// formulas whose values change.
	Read []string
	Goal *Goal

	Language string    // of the program, where the values of the workbook do not tell it; "" when it is not known
	Now      time.Time // what NOW and TODAY return; the zero time is the present
}

// Scenario is a named set of changes. Those of Question.Set apply too, unless the
// scenario sets the same cells.
type Scenario struct {
	Name string
	Set  map[string]any
}

// Goal asks with which number in the cell ByChanging the formula in Cell has a value.
// Min and Max bound the number.
type Goal struct {
	Cell       string
	Value      float64
	ByChanging string
	Min, Max   *float64
}

// asked is a workbook with a question.
type asked struct {
	Question
	src   formats.Source
	wb    *book.Workbook
	book  *calc.Book
	opts  calc.Options
	read  []calc.Area
	vary  calc.Place // by_changing
	goal  calc.Place
	forms *calc.Book // its sheets and names alone
}

// open reads the workbook and calculates the formulas that have no value.
func (q *asked) open(ctx context.Context) error {
	var err error
	if q.book, err = calc.Load(ctx, q.wb); err != nil {
		return err
	}
	q.opts = calc.Options{Otherwise: q.Language, Now: q.Now}
	if q.opts.Now.IsZero() {
		q.opts.Now = time.Now()
	}
	res, err := q.book.Recalculate(ctx, calc.Request{Options: q.opts})
	if err != nil {
		return err
	}
	q.opts.Language = res.Language
	return nil
}

// check reads the members of the question.
func (q *asked) check(ctx context.Context) error {
	if len(q.Set) == 0 && len(q.Scenarios) == 0 && q.Goal == nil && len(q.Read) == 0 {
		return formats.Errorf(formats.CodeInvalid, "nothing is asked: give set, scenarios or goal, and the cells to read")
	}
	if len(q.Scenarios) > MaxScenarios {
		return formats.Errorf(formats.CodeInvalid, "%d scenarios at once; at most %d are calculated", len(q.Scenarios), MaxScenarios)
	}
	seen := map[string]bool{}
	for i, s := range q.Scenarios {
		if s.Name == "" || seen[s.Name] {
			return formats.Errorf(formats.CodeInvalid, "scenario %d needs a name that no other has", i+1)
		}
		seen[s.Name] = true
	}
	for _, text := range q.Read {
		sheet, block, err := reader.OneRange(ctx, q.wb, formats.Selector{Range: text})
		if err != nil {
			return err
		}
		q.read = append(q.read, calc.Area{Sheet: sheet, Range: block})
	}
	return q.checkGoal(ctx)
}

func (q *asked) checkGoal(ctx context.Context) error {
	g := q.Goal
	if g == nil {
		return nil
	}
	if len(q.Scenarios) > 0 {
		return formats.Errorf(formats.CodeInvalid, "goal goes with set, not with scenarios; ask once for each")
	}
	var err error
	if q.goal, err = q.cell(ctx, g.Cell); err != nil {
		return err
	}
	if q.vary, err = q.cell(ctx, g.ByChanging); err != nil {
		return err
	}
	switch {
	case g.Min != nil && g.Max != nil && *g.Min >= *g.Max:
		return formats.Errorf(formats.CodeInvalid, "min of the goal must be less than max")
	case !q.book.HasFormula(q.goal):
		return formats.Errorf(formats.CodeInvalid, "the goal %s has no formula; give a cell whose value is calculated", q.name(q.goal))
	case q.book.HasFormula(q.vary):
		return formats.Errorf(formats.CodeInvalid, "by_changing %s has a formula; give a cell with a number, or an empty one", q.name(q.vary))
	}
	return nil
}

// cell finds one cell.
func (q *asked) cell(ctx context.Context, text string) (calc.Place, error) {
	if strings.TrimSpace(text) == "" {
		return calc.Place{}, formats.Errorf(formats.CodeInvalid, "a cell is missing; a goal takes cell, value and by_changing")
	}
	sheet, r, err := reader.OneRange(ctx, q.wb, formats.Selector{Range: text})
	if err != nil {
		return calc.Place{}, err
	}
	if r.R1 != r.R2 || r.C1 != r.C2 || !q.wb.Sheets[sheet].Worksheet() {
		return calc.Place{}, formats.Errorf(formats.CodeInvalid, "%s is not one cell, such as Sheet1!B2 or the name of a cell", cellref.QuoteArg(text))
	}
	return calc.At(sheet, r.R1, r.C1), nil
}

// name returns the place as people write it.
func (q *asked) name(at calc.Place) string {
	return q.wb.Sheets[at.Sheet].Name + "!" + cellref.Name(at.Row, at.Col)
}

// inputs returns what sets of changes put into cells; later sets win.
func (q *asked) inputs(ctx context.Context, sets ...map[string]any) ([]calc.Input, error) {
	byPlace := map[calc.Place]int{}
	var out []calc.Input
	for _, set := range sets {
		if len(set) > MaxSet {
			return nil, formats.Errorf(formats.CodeInvalid, "%d cells are set at once; at most %d can be", len(set), MaxSet)
		}
		names := make([]string, 0, len(set))
		for name := range set {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			at, err := q.cell(ctx, name)
			if err != nil {
				return nil, err
			}
			in, err := q.input(at, set[name])
			if err != nil {
				return nil, err
			}
			if i, ok := byPlace[at]; ok {
				out[i] = in
				continue
			}
			byPlace[at] = len(out)
			out = append(out, in)
		}
	}
	return q.withSpills(out, byPlace)
}

// withSpills empties the cells that a formula filled which is set to something else, as an
// edit does. It refuses to set some cells of an array only.
func (q *asked) withSpills(inputs []calc.Input, set map[calc.Place]int) ([]calc.Input, error) {
	for _, in := range inputs {
		block, dynamic, ok := q.book.ArrayAt(in.At)
		if !ok {
			continue
		}
		home := calc.At(in.At.Sheet, block.R1, block.C1)
		if _, all := set[home]; !all {
			return nil, formats.Errorf(formats.CodeInvalid, "%s shows a value of the formula in %s, which fills %s; set that cell, or another one", q.name(in.At), q.name(home), block)
		}
		for row := block.R1; row <= block.R2; row++ {
			for col := block.C1; col <= block.C2; col++ {
				at := calc.At(in.At.Sheet, row, col)
				if _, ok := set[at]; ok {
					continue
				}
				if !dynamic {
					return nil, formats.Errorf(formats.CodeInvalid, "%s is part of the array formula in %s; set the whole block, or another cell", q.name(in.At), block)
				}
				set[at] = -1
				inputs = append(inputs, calc.Input{At: at})
			}
		}
	}
	return inputs, nil
}

// needsArray reports whether an edit would store a formula as a dynamic array formula.
func (q *asked) needsArray(typed string) bool {
	if q.forms == nil {
		q.forms = calc.NewBook()
		for _, s := range q.wb.Sheets {
			q.forms.AddSheet(s.Name)
		}
		for _, n := range q.wb.Names {
			q.forms.DefineName(n.Name, n.Local, n.Text)
		}
	}
	return q.forms.NeedsArray(typed)
}

// input returns what a JSON value puts into a cell.
func (q *asked) input(at calc.Place, v any) (calc.Input, error) {
	in := calc.Input{At: at}
	switch v := v.(type) {
	case nil:
	case bool:
		in.Value = calc.Boolean(v)
	case float64:
		in.Value = calc.Num(v)
	case json.Number:
		f, err := v.Float64()
		if err != nil {
			return in, formats.Errorf(formats.CodeInvalid, "the number %s is beyond what a cell can hold", cellref.QuoteArg(v.String()))
		}
		in.Value = calc.Num(f)
	case string:
		if f, ok := strings.CutPrefix(v, "="); ok && strings.TrimSpace(f) != "" {
			if len(f) > formula.MaxBytes {
				return in, formats.Errorf(formats.CodeInvalid, "the formula of %s is too long", q.name(at))
			}
			typed := strings.TrimSpace(f)
			if in.Array = q.needsArray(typed); in.Array {
				in.Formula = formula.StoredArray(typed)
			} else {
				in.Formula = formula.Stored(typed)
			}
			return in, nil
		}
		in.Value = calc.Str(v)
		if _, _, ok := numfmt.ParseDate(v, q.wb.Date1904); ok {
			if x, ok := numfmt.ISOSerial(strings.Replace(v, " ", "T", 1), q.wb.Date1904); ok {
				in.Value = calc.Num(x)
			}
		}
	default:
		return in, formats.Errorf(formats.CodeInvalid, "%s: a value must be a string, number, boolean or null", q.name(at))
	}
	return in, nil
}
