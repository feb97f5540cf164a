package xlsx

import (
	"bytes"
	"context"
	"slices"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/tree"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
)

// maxFilledPart bounds the XML of a sheet whose lines are filled, in bytes.
const maxFilledPart = 64 << 20

// fill replaces lines of a sheet in src by those of another workbook.
func (s *linesOfSheet) fill(ctx context.Context, src formats.Source, part string, from formats.Source, fromPart string, spans []cellref.Run) (formats.Source, error) {
	if len(spans) == 0 {
		return src, nil
	}
	a, err := open(ctx, src)
	if err != nil {
		return nil, err
	}
	b, err := open(ctx, from)
	if err != nil {
		return nil, err
	}
	if max(a.Package.Size(part), b.Package.Size(fromPart)) > maxFilledPart {
		return nil, formats.Errorf(formats.CodeTooLarge, "%s is too large to take single changes back; take the whole file back", part)
	}
	doc, err := a.Package.ReadXML(ctx, part)
	if err != nil {
		return nil, err
	}
	other, err := b.Package.ReadXML(ctx, fromPart)
	if err != nil {
		return nil, err
	}
	f := &lineFiller{spans: spans, cols: s.Cols}
	if f.to, err = tree.Parse(ctx, doc, nil); err != nil {
		return nil, err
	}
	if f.from, err = tree.Parse(ctx, other, nil); err != nil {
		return nil, err
	}
	ed := a.Package.Edit()
	ed.Set(part, xmlscan.Apply(doc, f.rows()))
	if s.Cols {
		if err := f.tables(ctx, ed, a, part, b, fromPart); err != nil {
			return nil, err
		}
	}
	ed.Fast()
	var out bytes.Buffer
	if err := ed.Write(ctx, &out); err != nil {
		return nil, err
	}
	return formats.FromBytes(src.Name(), out.Bytes()), nil
}

// lineFiller copies lines of one sheet into another.
type lineFiller struct {
	to, from *tree.Tree
	spans    []cellref.Run
	cols     bool
	edits    []xmlscan.Splice
}

// within reports whether a line is one that is copied.
func (f *lineFiller) within(n int) bool {
	return slices.ContainsFunc(f.spans, func(r cellref.Run) bool { return n >= r.At && n < r.At+r.Count })
}

func dataOf(t *tree.Tree) *tree.Node {
	for k := range t.Root.Kids() {
		if k.Local == "sheetData" {
			return k
		}
	}
	return nil
}

// numberedRows pairs the children of both elements that have the same number.
func numberedRows(a, b *tree.Node, number func(n *tree.Node, last int) int, each func(n int, a, b *tree.Node, at int)) {
	next := func(n *tree.Node, last int) int {
		if n == nil {
			return cellref.MaxRow + 1
		}
		return number(n, last)
	}
	at := a.End
	x, y := a.First, b.First
	nx, ny := next(x, 0), next(y, 0)
	for x != nil || y != nil {
		switch {
		case nx < ny:
			each(nx, x, nil, at)
		case ny < nx:
			each(ny, nil, y, at)
		default:
			each(nx, x, y, at)
		}
		stepX, stepY := nx <= ny, ny <= nx
		if stepX {
			at = x.After
			x = x.Next
			nx = next(x, nx)
		}
		if stepY {
			y = y.Next
			ny = next(y, ny)
		}
	}
}

// numberOf is the row of a row element, or the column of a cell; one that does not say
// it follows the last.
func numberOf(n *tree.Node, last int) int {
	end := cellref.ParseEnd(n.AttrLocal("r"))
	if n.Local == "c" && end.Col > 0 {
		return end.Col
	}
	if n.Local == "row" && end.Row > 0 {
		return end.Row
	}
	return last + 1
}

// rows returns the edits that copy the lines.
func (f *lineFiller) rows() []xmlscan.Splice {
	a, b := dataOf(f.to), dataOf(f.from)
	if a == nil || b == nil {
		return nil
	}
	if a.Empty && !b.Empty {
		tag := f.to.Doc[a.Start : a.End-2]
		end := f.from.Doc[b.Close:b.After]
		var body []byte
		for row := range b.Kids() {
			if n := numberOf(row, 0); !f.cols && f.within(n) {
				body = append(body, f.from.Raw(row)...)
			}
		}
		return []xmlscan.Splice{{Start: a.Start, End: a.After, New: slices.Concat(tag, []byte(">"), body, end)}}
	}
	numberedRows(a, b, numberOf, func(n int, x, y *tree.Node, at int) {
		switch {
		case f.cols:
			f.cells(x, y, at)
		case !f.within(n):
		default:
			f.replace(x, y, at)
		}
	})
	return f.edits
}

// replace puts the element y in the place of x, either nil for none.
func (f *lineFiller) replace(x, y *tree.Node, at int) {
	e := xmlscan.Splice{Start: at, End: at}
	if x != nil {
		e.Start, e.End = x.Start, x.After
	}
	if y != nil {
		e.New = f.from.Raw(y)
	}
	if x != nil || y != nil {
		f.edits = append(f.edits, e)
	}
}

// cells copies the cells of a row that are in the columns.
func (f *lineFiller) cells(x, y *tree.Node, at int) {
	if x != nil && y != nil && !x.Empty {
		numberedRows(x, y, numberOf, func(n int, a, b *tree.Node, at int) {
			if f.within(n) {
				f.replace(a, b, at)
			}
		})
		return
	}
	if y == nil { // the other sheet has no such row
		for c := range x.Kids() {
			if f.within(numberOf(c, 0)) {
				f.replace(c, nil, 0)
			}
		}
		return
	}
	var body []byte
	for c := range y.Kids() {
		if f.within(numberOf(c, 0)) {
			body = append(body, f.from.Raw(c)...)
		}
	}
	if len(body) == 0 {
		return
	}
	whole := slices.Concat(f.from.Doc[y.Start:y.End], body, f.from.Doc[y.Close:y.After])
	e := xmlscan.Splice{Start: at, End: at, New: whole}
	if x != nil {
		e.Start, e.End = x.Start, x.After
	}
	f.edits = append(f.edits, e)
}

// tables copies the columns of tables (ECMA-376-1 18.5.1.3) that are among the lines.
func (f *lineFiller) tables(ctx context.Context, ed *opc.Edit, a *workbook, part string, b *workbook, fromPart string) error {
	to, err := a.TablesOf(ctx, part)
	if err != nil {
		return err
	}
	from, err := b.TablesOf(ctx, fromPart)
	if err != nil {
		return err
	}
	for _, t := range to {
		i := slices.IndexFunc(from, func(o *book.Table) bool { return o.Part == t.Part && o.Ref.R1 == t.Ref.R1 && o.Ref.C1 == t.Ref.C1 })
		if i < 0 {
			continue
		}
		now, err := tableColumns(ctx, t.Doc)
		if err != nil {
			return err
		}
		was, err := tableColumns(ctx, from[i].Doc)
		if err != nil {
			return err
		}
		var edits []xmlscan.Splice
		for k, c := range now {
			if k < len(was) && f.within(t.Ref.C1+k) {
				edits = append(edits, xmlscan.Splice{Start: c.Start, End: c.After, New: from[i].Doc[was[k].Start:was[k].After]})
			}
		}
		if len(edits) > 0 {
			ed.Set(t.Part, xmlscan.Apply(t.Doc, edits))
		}
	}
	return nil
}

func tableColumns(ctx context.Context, doc []byte) (out []*tree.Node, err error) {
	t, err := tree.Parse(ctx, doc, nil)
	if err != nil {
		return nil, err
	}
	for n := range t.Root.Kids() {
		if n.Local == "tableColumns" {
			for c := range n.Kids() {
				out = append(out, c)
			}
		}
	}
	return out, nil
}
