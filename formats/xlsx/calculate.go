package xlsx

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/calc"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/textclip"
)

// These bound the worksheets of a workbook that is calculated after an edit, in bytes of
// XML: up to the first all cells are held, up to the second where many formulas are without
// a value (about two million cells take 60 MB), up to the third those cells that these
// formulas read. Tests make them smaller.
var (
	maxSmallXML      int64 = 4 << 20
	maxHeldXML       int64 = 128 << 20
	maxCalculatedXML int64 = 1 << 30
)

// calculateAfter fills the formulas that the operations left without a value, in a
// separate pass.
func (e *edit) calculateAfter(ctx context.Context) error {
	former, blank := e.former, e.pass.wb.blank
	if e.passes > 1 { // later passes may have moved the cells
		blank = nil
	}
	plain, err := e.spoolPlain(ctx)
	if err != nil {
		return err
	}
	wb, err := open(ctx, e.src)
	if err != nil {
		return err
	}
	wb.Layouts = book.NewLayouts(bookMarks)
	e.pass = &pass{wb: wb, ed: wb.Package.Edit(), rep: &formats.Report{}}
	e.pass.ed.Deflate(plain)
	s := &structure{wb: wb, ed: e.pass.ed, opt: e.opt}
	c, err := s.calculate(ctx, blank, former)
	if err != nil {
		return err
	}
	if c == nil {
		e.rep.Warnings = appendNew(e.rep.Warnings, []string{"the workbook is too large to calculate its formulas here: its sheets have more than 1 GiB, or its formulas read too many cells"})
		return nil
	}
	e.dropped = droppedValues{}
	e.rep.Calculated += c.known
	effects, warnings := c.said(true)
	e.rep.Effects = append(e.rep.Effects, effects...)
	e.rep.Warnings = appendNew(e.rep.Warnings, warnings)
	return nil
}

// calculation is what became of the formulas without a value.
type calculation struct {
	*structure
	cells  []calc.Result // that had no value, sheet by sheet in reading order
	arrays []calc.CalculatedArray
	former *formerValues
	known  int // of them that have a value now
}

// calculate calculates the formulas without a value, but for those of blank that no
// other of them reads, and writes what is known of them. Circular formulas begin with the
// values of former, nil for none. It returns nil where the workbook is too large.
func (e *structure) calculate(ctx context.Context, blank map[string]*cellref.Set, former *formerValues) (*calculation, error) {
	size := int64(0)
	for _, s := range e.wb.Sheets {
		size += e.wb.Package.Size(s.Part)
	}
	if size > maxCalculatedXML {
		return nil, nil
	}
	now, seed := e.opt.Now, uint64(e.opt.Now.UnixNano())
	if now.IsZero() {
		now, seed = time.Now(), rand.Uint64()
	}
	req := calc.Request{Options: calc.Options{Now: now, Otherwise: e.opt.Language, Random: calc.NewRandom(seed)}}
	if len(blank) > 0 {
		req.Blank = func(at calc.Place) bool { return blank[e.wb.Sheets[at.Sheet].Part].Has(at.Row, at.Col) }
	}
	req.Before = func(at calc.Place) calc.Value {
		was, _ := former.of(e.wb.Sheets[at.Sheet].Part, at.Cell)
		return was.operand()
	}
	got, err := e.recalculated(ctx, size, req)
	if formats.CodeOf(err) == formats.CodeTooLarge {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c := &calculation{structure: e, cells: got.Cells, arrays: got.Arrays, former: former}
	if err := c.write(ctx); err != nil {
		return nil, err
	}
	return c, ctx.Err()
}

// recalculated calculates a workbook with so many bytes of worksheets.
func (e *structure) recalculated(ctx context.Context, size int64, req calc.Request) (*calc.Results, error) {
	switch {
	case size > maxHeldXML:
		return calc.RecalculateNeeded(ctx, e.wb.Workbook, req)
	case size > maxSmallXML:
		if got, ok, err := calc.RecalculateFew(ctx, e.wb.Workbook, req); ok || err != nil {
			return got, err
		}
	}
	return calc.Recalculate(ctx, e.wb.Workbook, req)
}

// resultOf returns the cell with a value that was calculated, nil where it stays
// without one.
func resultOf(r *calc.Result) *blockCell {
	typ, content, ok := r.New.Cell()
	if !ok {
		return nil
	}
	return &blockCell{typ: typ, v: content}
}

// hasResult reports whether resultOf has a cell.
func hasResult(r *calc.Result) bool { return r.New.Known() }

// isWritten reports whether writtenOf has a cell.
func isWritten(r *calc.Result) bool {
	had := r.Old.Kind() != calc.Empty
	if had && r.Old.Same(r.New) {
		return false
	}
	return had || hasResult(r)
}

// writtenOf returns what is written into the cell of a result: nil where the file has
// it, and a cell without a value where the value of the file is wrong and no other one
// is known.
func writtenOf(r *calc.Result) *blockCell {
	had := r.Old.Kind() != calc.Empty
	if had && r.Old.Same(r.New) {
		return nil
	}
	if cell := resultOf(r); cell != nil || !had {
		return cell
	}
	return &blockCell{}
}

// write puts the values into the sheets.
func (c *calculation) write(ctx context.Context) error {
	for start := 0; start < len(c.cells); {
		sheet, end, known := c.cells[start].At.Sheet, start, 0
		for ; end < len(c.cells) && c.cells[end].At.Sheet == sheet; end++ {
			if r := &c.cells[end]; hasResult(r) && isWritten(r) {
				known++
			}
		}
		cells := sheetResults(c.cells[start:end])
		start = end
		c.rep.Cells += known
		c.known += known
		var arrays []calc.CalculatedArray
		for _, a := range c.arrays {
			if a.Sheet == sheet {
				arrays = append(arrays, a)
			}
		}
		switch {
		case len(arrays) > 0:
			if err := c.writeArrays(ctx, sheet, cells, arrays); err != nil {
				return err
			}
		case slices.ContainsFunc(cells, func(r calc.Result) bool { return isWritten(&r) }):
			c.setResults(ctx, c.wb.Sheets[sheet].Part, cells.rows(), cells.inOrder())
		}
	}
	return nil
}

// formerValues are values that an edit removed from formulas, by part and place, to
// tell what they were. A later operation that moves cells empties it.
type formerValues struct {
	cells map[string]map[cellref.Cell]blockCell
	n     int
	lost  bool // some are not here
}

// maxFormer bounds the values that an edit remembers.
const maxFormer = 20_000

// note remembers the value of the current cell, which will be at a place.
func (f *formerValues) note(part string, at cellref.Cell, s *sheetml.RowScanner) {
	c := &s.Cell
	if f == nil || c.NoValue() {
		return
	}
	if f.n++; f.n > maxFormer {
		f.lost = true
		return
	}
	if f.cells == nil {
		f.cells = map[string]map[cellref.Cell]blockCell{}
	}
	if f.cells[part] == nil {
		f.cells[part] = map[cellref.Cell]blockCell{}
	}
	f.cells[part][at] = blockCell{typ: c.Type, v: string(s.Text(c.Value))}
}

// of returns what a cell was; known is false for a formula that had no value, or
// whose value is not remembered.
func (f *formerValues) of(part string, at cellref.Cell) (was blockCell, known bool) {
	if f == nil {
		return blockCell{}, false
	}
	was, known = f.cells[part][at]
	return was, known
}

// said describes the calculation for an answer: new values, and what a person should
// look at; rest: also what has no value.
func (c *calculation) said(rest bool) (effects, warnings []string) {
	var set, changed, failed, left outcomeList
	var random, repeated, kept placeList
	why := map[string]*placeList{}
	var reasons []string
	for i := range c.cells {
		r := &c.cells[i]
		sheet := c.wb.Sheets[r.At.Sheet]
		place := func() string { return sheet.Name + "!" + cellref.Name(r.At.Row, r.At.Col) }
		if had := r.Old.Kind() != calc.Empty; had && !isWritten(r) || !had && r.New.Kind() == calc.Empty {
			continue
		}
		if !hasResult(r) {
			text := r.New.Reason().Text
			if why[text] == nil {
				why[text] = &placeList{}
				reasons = append(reasons, text)
			}
			why[text].add(sheet.Name, r.At.Cell)
			left.n++
			continue
		}
		switch {
		case r.Random:
			random.add(sheet.Name, r.At.Cell)
		case r.Repeated == calc.Settled:
			repeated.add(sheet.Name, r.At.Cell)
		case r.Repeated == calc.Kept:
			kept.add(sheet.Name, r.At.Cell)
		}
		// Most of many results are only counted, so texts are made when they are needed.
		now := func() string { return shownValue(*resultOf(r)) }
		was, known := c.formerOf(r)
		fails := r.New.Kind() == calc.Err
		switch {
		case fails && known && was.typ != sheetml.TypeError:
			failed.add(func() string { return place() + " " + shownValue(was) + " → " + now() })
		case fails && !known:
			failed.add(func() string { return place() + " " + now() })
		case !known && c.former != nil && c.former.lost:
			changed.add(func() string { return place() + " " + now() })
		case !known:
			set.add(func() string { return place() + " = " + now() })
		case shownValue(was) != now():
			changed.add(func() string { return place() + " " + shownValue(was) + " → " + now() })
		}
	}
	if !rest {
		left.n = 0
	}
	if set.n > 0 {
		effects = append(effects, "calculated: "+set.String())
	}
	if changed.n > 0 {
		effects = append(effects, formats.Count(changed.n, "dependant changed", "dependants changed")+": "+changed.String())
	}
	if random.n > 0 {
		effects = append(effects, formats.Count(random.n, "formula has", "formulas have")+" a random value, which spreadsheet programs draw anew: "+random.String())
	}
	warnings = failures(failed, left, reasons, why)
	if repeated.n > 0 {
		effects = append(effects, fmt.Sprintf("%s; repeated until no value changed by %v: %s", formats.Count(repeated.n, "formula is circular or reads one that is", "formulas are circular or read one that is"), c.wb.IterateDelta, repeated.String()))
	}
	if kept.n > 0 {
		warnings = append(warnings, fmt.Sprintf("%s and did not settle in %d passes; the values of before stay: %s; spreadsheet programs repeat them when they calculate", formats.Count(kept.n, "formula is circular or reads one that is", "formulas are circular or read one that is"), c.wb.IterateCount, kept.String()))
	}
	spilled, blocked := c.saidOfArrays()
	return append(effects, spilled...), append(warnings, blocked...)
}

// formerOf returns the value that the cell of a result had before the edit.
func (c *calculation) formerOf(r *calc.Result) (was blockCell, known bool) {
	if typ, content, ok := r.Old.Cell(); ok && r.Old.Kind() != calc.Empty {
		return blockCell{typ: typ, v: content}, true
	}
	return c.former.of(c.wb.Sheets[r.At.Sheet].Part, r.At.Cell)
}

// failures are the warnings of an answer.
func failures(failed, left outcomeList, reasons []string, why map[string]*placeList) []string {
	var out []string
	if failed.n > 0 {
		out = append(out, formats.Count(failed.n, "formula gives an error now", "formulas give an error now")+": "+failed.String())
	}
	if left.n > 0 {
		var said []string
		for _, r := range reasons[:min(len(reasons), maxReasons)] {
			said = append(said, why[r].String()+" ("+r+")")
		}
		if more := len(reasons) - maxReasons; more > 0 {
			said = append(said, strconv.Itoa(more)+" more reasons")
		}
		out = append(out, formats.Count(left.n, "formula has no value", "formulas have no value")+": "+strings.Join(said, ", ")+"; spreadsheet programs calculate them when they open the file")
	}
	return out
}

// outcomeList counts outcomes and keeps the first.
type outcomeList struct {
	n    int
	said []string
}

// maxReasons is how many reasons an answer gives why formulas have no value.
const maxReasons = 12

// maxOutcomes is how many values an answer gives of each kind: enough for a small
// table that was just written.
const maxOutcomes = 10

func (l *outcomeList) add(said func() string) {
	if l.n++; l.n <= maxOutcomes {
		l.said = append(l.said, said())
	}
}

// String lists the first outcomes and counts the others.
func (l *outcomeList) String() string {
	s := strings.Join(l.said, ", ")
	if l.n > maxOutcomes {
		s += " and " + strconv.Itoa(l.n-maxOutcomes) + " more"
	}
	return s
}

// operand returns a value as formulas read it; Empty for none.
func (c blockCell) operand() calc.Value {
	text := sheetml.CharData([]byte(c.v))
	switch c.typ {
	case sheetml.TypeString:
		return calc.Str(sheetml.Unescape(text))
	case sheetml.TypeBool:
		return calc.Boolean(sheetml.IsTrue(text))
	case sheetml.TypeNumber:
		if x, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil {
			return calc.Num(x)
		}
	}
	return calc.Value{}
}

// maxShownText bounds a text in an answer, in bytes.
const maxShownText = 60

// shownValue is a value for an answer: numbers with the 15 digits that programs show.
func shownValue(c blockCell) string {
	if c.typ == sheetml.TypeNumber {
		if x, err := strconv.ParseFloat(strings.TrimSpace(c.v), 64); err == nil {
			return strconv.FormatFloat(x, 'g', 15, 64)
		}
	}
	return textclip.HeadBytes(c.said(), maxShownText)
}
