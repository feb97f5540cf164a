package xlsx

import (
	"context"
	"strconv"
	"strings"
	"time"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/calc"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/textclip"
)

// maxCalculatedXML bounds the worksheets of a workbook that is calculated after an
// edit, in bytes of XML: about two million cells, which take 60 MB while they are.
const maxCalculatedXML = 128 << 20

// calculateAfter fills the formulas that the operations left without a value, in a
// pass of its own.
func (e *edit) calculateAfter(ctx context.Context) error {
	former := e.former
	if err := e.spoolOut(ctx); err != nil {
		return err
	}
	wb, err := open(ctx, e.src)
	if err != nil {
		return err
	}
	e.pass = &pass{wb: wb, ed: wb.Package.Edit(), rep: &formats.Report{}}
	s := &structure{wb: wb, ed: e.pass.ed, opt: e.opt}
	c, err := s.calculate(ctx)
	if err != nil {
		return err
	}
	if c == nil {
		e.rep.Warnings = appendNew(e.rep.Warnings, []string{"the workbook is too large to calculate its formulas here"})
		return nil
	}
	e.dropped = droppedValues{}
	c.former = former
	e.rep.Warnings = appendNew(e.rep.Warnings, c.said(true))
	return nil
}

// calculation is what became of the formulas without a value.
type calculation struct {
	*structure
	book   *calc.Book
	cells  []calc.Place // that had no value, sheet by sheet in reading order
	former *formerValues
}

// calculate calculates the formulas without a value and writes what is known of
// them. It returns nil where the workbook is too large.
func (e *structure) calculate(ctx context.Context) (*calculation, error) {
	size := int64(0)
	for _, s := range e.wb.Sheets {
		size += e.wb.Package.Size(s.Part)
	}
	if size > maxCalculatedXML {
		return nil, nil
	}
	b, err := calc.Load(ctx, e.wb.Workbook)
	if formats.CodeOf(err) == formats.CodeTooLarge {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	now := e.opt.Now
	if now.IsZero() {
		now = time.Now()
	}
	c := &calculation{structure: e, book: b}
	if c.cells, err = calc.CalculateDue(ctx, b, calc.Options{Now: now}); err != nil {
		return nil, err
	}
	return c, c.write(ctx)
}

// write puts the values into the sheets.
func (c *calculation) write(ctx context.Context) error {
	for start := 0; start < len(c.cells); {
		sheet, known, due := c.cells[start].Sheet, 0, &cellref.Set{}
		for ; start < len(c.cells) && c.cells[start].Sheet == sheet; start++ {
			if at := c.cells[start]; c.value(at).Kind() != calc.Unknown {
				due.Add(at.Row, at.Col)
				known++
			}
		}
		if known == 0 {
			continue
		}
		c.rep.Cells += known
		c.setResults(ctx, c.wb.Sheets[sheet].Part, func(at cellref.Cell) *blockCell {
			if !due.Has(at.Row, at.Col) {
				return nil
			}
			return resultOf(c.value(calc.Place{Sheet: sheet, Cell: at}))
		})
	}
	return ctx.Err()
}

func (c *calculation) value(at calc.Place) calc.Value { return c.book.Stored(at) }

// resultOf returns the cell with a value that was calculated.
func resultOf(v calc.Value) *blockCell {
	switch v.Kind() {
	case calc.Text:
		return &blockCell{typ: sheetml.TypeString, v: sheetml.Escape(v.Text())}
	case calc.Bool:
		return &blockCell{typ: sheetml.TypeBool, v: map[bool]string{true: "1", false: "0"}[v.Bool()]}
	case calc.Err:
		return &blockCell{typ: sheetml.TypeError, v: xmlscan.Escape(v.Error().String())}
	}
	return &blockCell{v: storedNumber(v.Num())}
}

// storedNumber returns a number as a file has it: the shortest text that is read
// back as the same number.
func storedNumber(x float64) string {
	if abs := max(x, -x); abs != 0 && (abs < 1e-9 || abs >= 1e21) {
		return strconv.FormatFloat(x, 'E', -1, 64)
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
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

// said describes the calculation for an answer; rest: also what has no value.
func (c *calculation) said(rest bool) []string {
	var set, changed, failed, left outcomeList
	why := map[string]*placeList{}
	var reasons []string
	for _, at := range c.cells {
		sheet := c.wb.Sheets[at.Sheet]
		place := sheet.Name + "!" + cellref.Name(at.Row, at.Col)
		v := c.value(at)
		if v.Kind() == calc.Unknown {
			text := v.Reason().Text
			if why[text] == nil {
				why[text] = &placeList{}
				reasons = append(reasons, text)
			}
			why[text].add(sheet.Name, at.Cell)
			left.n++
			continue
		}
		now := shownValue(*resultOf(v))
		was, known := c.former.of(sheet.Part, at.Cell)
		switch {
		case v.IsError() && known && was.typ != sheetml.TypeError:
			failed.add(place + " " + shownValue(was) + " → " + now)
		case v.IsError() && !known:
			failed.add(place + " " + now)
		case !known && c.former != nil && c.former.lost:
			changed.add(place + " " + now)
		case !known:
			set.add(place + " = " + now)
		case shownValue(was) != now:
			changed.add(place + " " + shownValue(was) + " → " + now)
		}
	}
	if !rest {
		left.n = 0
	}
	return c.sentences(set, changed, failed, left, reasons, why)
}

// sentences are the warnings of an answer.
func (c *calculation) sentences(set, changed, failed, left outcomeList, reasons []string, why map[string]*placeList) []string {
	var out []string
	if set.n > 0 {
		out = append(out, "calculated: "+set.String())
	}
	if changed.n > 0 {
		out = append(out, formats.Count(changed.n, "dependant changed", "dependants changed")+": "+changed.String())
	}
	if failed.n > 0 {
		out = append(out, formats.Count(failed.n, "formula gives an error now", "formulas give an error now")+": "+failed.String())
	}
	if left.n > 0 {
		var said []string
		for _, r := range reasons[:min(len(reasons), maxListed)] {
			said = append(said, why[r].String()+" ("+r+")")
		}
		if more := len(reasons) - maxListed; more > 0 {
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

// maxOutcomes is how many values an answer gives of each kind: enough for a small
// table that was just written.
const maxOutcomes = 10

func (l *outcomeList) add(said string) {
	if l.n++; l.n <= maxOutcomes {
		l.said = append(l.said, said)
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
