package xlsx

import (
	"context"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
)

// maxBlock bounds the cells that are copied, filled or sorted at once.
const maxBlock = 1_200_000

// blockCell is a cell of the file taken out of its place.
type blockCell struct {
	style    int
	hasStyle bool
	typ      sheetml.CellType
	v, is    string // content of v and is, as XML
	f        string // formula, written in the cell or of its group and shifted to the cell
	hasF     bool
	array    *arrayFormula // nil for an ordinary formula
}

// arrayFormula is what an array formula has beside its text.
type arrayFormula struct {
	block cellref.Range
	cm    string // the number of the metadata that make it a dynamic one, else ""
}

// several reports whether the formula fills several cells.
func (a *arrayFormula) several() bool {
	return a.block.R1 != a.block.R2 || a.block.C1 != a.block.C2
}

// moved returns a cell as it is dr rows further down and dc columns to the right. A
// dynamic array formula fills its own cell until it is calculated.
func (c *blockCell) moved(dr, dc int) *blockCell {
	now := *c
	now.f = formula.Move(c.f, dr, dc)
	if c.array != nil {
		b := c.array.block
		if c.array.cm != "" {
			b.R2, b.C2 = b.R1, b.C1
		}
		now.array = &arrayFormula{cellref.Block(b.R1+dr, b.C1+dc, b.R2+dr, b.C2+dc), c.array.cm}
	}
	return &now
}

// arrayRule says which array formulas an operation on cells can take.
type arrayRule int

const (
	arraysOfOneCell arrayRule = iota
	arraysInside              // also those over several cells that lie in the range
	anyArrays
)

// mayTake refuses the array formulas of a sheet that an operation on r cannot take.
func (a arrayRule) mayTake(formulas formulaList, r cellref.Range, sheet string) error {
	for fc := range formulas.places() {
		single := fc.Spill.R1 == fc.Spill.R2 && fc.Spill.C1 == fc.Spill.C2 && !fc.Table
		switch {
		case !meets(fc.Spill, r) || single || a == anyArrays:
		case a == arraysInside && !fc.Table && (fc.Dynamic || fc.Spill.Inside(r)):
		default:
			return formats.Errorf(formats.CodeInvalid, "there is an array formula in %s of sheet %q, which cannot be moved or copied in parts; leave it out, or take all of it", fc.Spill, sheet)
		}
	}
	return nil
}

func (c *blockCell) blank() bool { return c.v == "" && c.is == "" && !c.hasF }

// block are the cells of a part of a sheet.
type block struct {
	sheet  int
	rect   cellref.Range // within what the sheet uses
	cells  map[cellref.Cell]*blockCell
	facts  *facts
	prefix string
	hidden []int // hidden rows of it, in order
	room   *book.Allowance
	filled *cellref.Set // cells of array formulas over several, but those with the formulas
}

// readBlock takes the cells of r out of sheet i, of only where it is given those in one of
// its ranges. It refuses array formulas that the rule excludes.
func (e *structure) readBlock(ctx context.Context, i int, r cellref.Range, arrays arrayRule, only ...cellref.Range) (*block, error) {
	budget := 1
	fa, err := scanSheet(ctx, e.wb.Package, e.wb.Sheets[i], scanOptions{budget: &budget})
	if err != nil {
		return nil, err
	}
	if err := arrays.mayTake(fa.formulas, r, e.wb.Sheets[i].Name); err != nil {
		return nil, err
	}
	b := &block{sheet: i, cells: map[cellref.Cell]*blockCell{}, facts: fa, prefix: fa.prefix, room: e.wb.Allowance}
	for s, err := range e.wb.Rows(ctx, e.wb.Sheets[i].Part, book.Window{}) {
		if err != nil {
			return nil, err
		}
		if s.Event == sheetml.RowStart && s.Row >= r.R1 && s.Row <= r.R2 && hiddenRow(s.Raw()[s.Start:]) {
			b.hidden = append(b.hidden, s.Row)
		}
		if s.Event != sheetml.WholeCell || !r.Has(s.Cell.Row, s.Cell.Col) || len(only) > 0 && !anyHas(only, s.Cell.Row, s.Cell.Col) {
			continue
		}
		if err := b.add(s); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// anyHas reports whether a cell is in one of several ranges.
func anyHas(rects []cellref.Range, row, col int) bool {
	return slices.ContainsFunc(rects, func(r cellref.Range) bool { return r.Has(row, col) })
}

// around is the block around several ranges.
func around(rects []cellref.Range) (r cellref.Range) {
	for _, one := range rects {
		r.Add(one.R1, one.C1)
		r.Add(one.R2, one.C2)
	}
	return r
}

// add takes in the current cell of a scan.
func (b *block) add(s *sheetml.RowScanner) error {
	if len(b.cells) >= maxBlock {
		return formats.Errorf(formats.CodeTooLarge, "the range holds more than %d cells; take a smaller one", maxBlock)
	}
	c, err := b.take(s)
	if err != nil {
		return err
	}
	if a := c.array; a != nil && a.several() && len(b.cells) < maxBlock {
		if b.filled == nil {
			b.filled = &cellref.Set{}
		}
		b.filled.AddRange(a.block)
	}
	if !c.blank() || c.style > 0 {
		at := cellref.At(s.Cell.Row, s.Cell.Col)
		b.cells[at] = c
		b.rect.Add(at.Row, at.Col)
	}
	return nil
}

// take copies the current cell of a scan.
func (b *block) take(s *sheetml.RowScanner) (_ *blockCell, err error) {
	c := &s.Cell
	out := &blockCell{style: c.Style, hasStyle: c.HasStyle, typ: c.Type, hasF: c.HasFormula}
	if c.Value.OK() {
		out.v = string(s.Text(c.Value))
	}
	if c.Inline.OK() {
		out.is = string(s.Text(c.Inline))
	}
	if c.HasFormula {
		if c.Formula.OK() {
			out.f = sheetml.CharData(s.Text(c.Formula))
		}
		fa := sheetml.ReadFormulaAttrs(s.Text(c.FormulaTag))
		if fa.Kind == "array" && fa.Ref.R1 == c.Row && fa.Ref.C1 == c.Col {
			out.array = &arrayFormula{fa.Ref, s.CellMetadata()}
		}
		if fa.Kind == "shared" && out.f == "" {
			if m, ok := b.facts.shared[fa.SharedIndex]; ok {
				out.f, err = b.room.Written(m, c.Row, c.Col)
			}
		}
	}
	return out, err
}

// rawCell is the cell element that a plan's cell is written as.
type rawCell struct {
	style    int
	hasStyle bool
	typ      string
	cm       string // the number of its metadata, "" for none
	body     string
}

func (r rawCell) append(b []byte, prefix string, at cellref.Cell) []byte {
	if r.body == "" && !r.hasStyle {
		return b
	}
	v := appendCell(b, prefix, at, r.style, r.hasStyle, value{})
	v = v[:len(v)-2]
	if r.cm != "" {
		v = append(v, ` cm="`+r.cm+`"`...)
	}
	if r.typ != "" {
		v = append(v, ` t="`+r.typ+`"`...)
	}
	if r.body == "" {
		return append(v, '/', '>')
	}
	v = append(append(v, '>'), strings.ReplaceAll(r.body, "\x00", prefix)...)
	return append(append(append(v, '<', '/'), prefix...), 'c', '>')
}

var typeNames = map[sheetml.CellType]string{sheetml.TypeShared: "s", sheetml.TypeInline: "inlineStr", sheetml.TypeString: "str", sheetml.TypeBool: "b", sheetml.TypeError: "e", sheetml.TypeDate: "d"}

// raw gives the cell as it is to be written; \x00 stands for the prefix.
func (c *blockCell) raw(values bool) rawCell {
	r := rawCell{style: c.style, hasStyle: c.hasStyle && c.style > 0}
	elem := func(name, s string) string { return "<\x00" + name + ">" + s + "</\x00" + name + ">" }
	switch {
	case c.hasF && !values && c.array != nil:
		r.cm, r.body = c.array.cm, "<\x00f t=\"array\" ref=\""+c.array.block.String()+"\">"+xmlscan.Escape(c.f)+"</\x00f>"
	case c.hasF && !values:
		if c.f != "" {
			r.body = elem("f", xmlscan.Escape(c.f))
		}
	case c.hasF && c.typ == sheetml.TypeString:
		r.typ, r.body = "inlineStr", elem("is", elem("t", c.v))
		if strings.TrimSpace(c.v) != c.v {
			r.body = strings.Replace(r.body, "<\x00t>", "<\x00t xml:space=\"preserve\">", 1)
		}
	case c.is != "":
		r.typ, r.body = "inlineStr", elem("is", c.is)
	case c.v != "":
		r.typ, r.body = typeNames[c.typ], elem("v", c.v)
	}
	return r
}

// value gives what the cell means, for all that depends on it.
func (c *blockCell) value(values bool, strings *book.SharedStrings) value {
	switch {
	case c.hasF && !values && c.array != nil && c.array.cm != "":
		return value{kind: valDynamic, s: c.f}
	case c.hasF && !values && c.array != nil:
		return value{kind: valArray, s: c.f, block: &c.array.block}
	case c.hasF && !values:
		return value{kind: valFormula, s: c.f}
	case c.is != "":
		return value{kind: valText, s: sheetml.PlainText([]byte(c.is))}
	case c.v == "":
		return value{}
	case c.typ == sheetml.TypeShared:
		return value{kind: valText, s: strings.Text(sheetml.Atoi(sheetml.TrimSpace([]byte(c.v))))}
	case c.typ == sheetml.TypeNumber:
		return value{kind: valNumber, s: sheetml.CharData([]byte(c.v))}
	case c.typ == sheetml.TypeBool:
		return value{kind: valBool, s: sheetml.CharData([]byte(c.v))}
	}
	return value{kind: valText, s: sheetml.Unescape(sheetml.CharData([]byte(c.v)))}
}

// write puts cells into a sheet through a plan, so that tables, dependants and
// the rest follow; a nil cell takes what is there away with its format.
type blockWriter struct {
	e          *structure
	sheet      int
	plan       *plan
	strings    *book.SharedStrings
	tables     []*book.Table
	same       bool                        // as that of the sheet they go to
	tableEdits map[string][]xmlscan.Splice // of table parts
}

func (e *structure) writer(ctx context.Context, b *block, sheet int) (*blockWriter, error) {
	w := &blockWriter{e: e, sheet: sheet, plan: newPlan(e.wb, false), same: true}
	var err error
	if w.strings, err = e.wb.Strings(ctx); err != nil {
		return nil, err
	}
	if w.tables, err = e.wb.TablesOf(ctx, e.wb.Sheets[sheet].Part); err != nil {
		return nil, err
	}
	if b != nil && b.sheet != sheet {
		for s, err := range e.wb.Rows(ctx, e.wb.Sheets[sheet].Part, book.Window{}) {
			if err != nil {
				return nil, err
			}
			w.same = s.Prefix == b.prefix
			break
		}
	}
	return w, nil
}

// put plans one cell.
func (w *blockWriter) put(at cellref.Cell, c *blockCell, values bool) {
	s := w.plan.sheets[w.sheet]
	if s.raws == nil {
		s.raws = map[cellref.Cell]rawCell{}
	}
	if c == nil {
		s.set(at, value{})
		s.raws[at] = rawCell{}
		return
	}
	v := c.value(values, w.strings)
	s.set(at, v)
	if v.block != nil {
		s.arrays = append(s.arrays, at)
	}
	raw := c.raw(values)
	header := false
	for _, t := range w.tables {
		header = header || t.HeaderAt(at) >= 0
	}
	switch {
	case header && !v.formula():
		text, err := headerText(v, at.Col-1)
		if err == nil {
			raw.typ, raw.body = "inlineStr", "<\x00is>"+sheetml.TextElement("\x00", text)+"</\x00is>"
		}
	case !w.same && c.is != "":
		raw.body = "<\x00is>" + sheetml.TextElement("\x00", v.s) + "</\x00is>"
	}
	s.raws[at] = raw
}

// finish writes all that was put.
func (w *blockWriter) finish(ctx context.Context) error {
	f := &finisher{plan: w.plan, wb: w.e.wb, ed: w.e.ed, rw: &formula.Rewriter{}, tableEdits: w.tableEdits}
	if err := f.finish(ctx); err != nil {
		return err
	}
	for _, warning := range w.plan.report.Warnings {
		if warning != signatureWarning {
			w.e.warn("%s", warning)
		}
	}
	s := w.plan.sheets[w.sheet]
	if w.e.rep.Cells = len(s.cells); s.moved != nil {
		w.e.rep.Cells += s.moved.places
	}
	return nil
}
