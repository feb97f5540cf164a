package book

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/lazyregexp"
)

// Table is a table part (18.5.1.2).
type Table struct {
	Part    string
	Doc     []byte
	Name    string // displayName
	Ref     cellref.Range
	Headers int // header rows, 0 or 1
	Totals  int
	Columns []tableColumn
}

type tableColumn struct {
	Name       string
	NameVal    sheetml.Span // value of the name attribute
	label      string
	LabelVal   sheetml.Span // totalsRowLabel
	hasFormula bool
}

// TablesOf reads the tables of a worksheet part.
func (wb *Workbook) TablesOf(ctx context.Context, sheetPart string) ([]*Table, error) {
	rels, err := wb.Package.Rels(ctx, sheetPart)
	if err != nil {
		return nil, err
	}
	var out []*Table
	for _, r := range rels {
		if r.Type != RelTable || r.External || !wb.Package.Has(r.Target) {
			continue
		}
		if wb.Package.Size(r.Target) > MaxObjects {
			return nil, formats.Errorf(formats.CodeTooLarge, "the table %q has %d bytes; the limit is %d", r.Target, wb.Package.Size(r.Target), MaxObjects)
		}
		doc, err := wb.Package.ReadXML(ctx, r.Target)
		if err != nil {
			return nil, err
		}
		t, err := ParseTable(r.Target, doc)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// ParseTable reads a table part.
func ParseTable(part string, doc []byte) (*Table, error) {
	t := &Table{Part: part, Doc: doc, Headers: 1}
	sc := xmlscan.New(doc)
	for sc.Next() {
		tok := sc.Token()
		if tok.Kind != xmlscan.Start {
			continue
		}
		switch {
		case tok.Local == "table" && tok.Depth == 1:
			t.start(tok)
		case tok.Local == "tableColumn" && tok.Depth == 3:
			t.Columns = append(t.Columns, columnOf(tok))
		case tok.Local == "calculatedColumnFormula" || tok.Local == "totalsRowFormula":
			if len(t.Columns) > 0 {
				t.Columns[len(t.Columns)-1].hasFormula = true
			}
		}
	}
	if err := sc.Err(); err != nil {
		return nil, formats.Errorf(formats.CodeCorrupt, "%s: %w", part, err)
	}
	return t, nil
}

// start reads the attributes of the table element.
func (t *Table) start(tok xmlscan.Token) {
	t.Name = tok.AttrLocal("displayName")
	if t.Name == "" {
		t.Name = tok.AttrLocal("name")
	}
	t.Ref = cellref.ParseAttr(tok.AttrLocal("ref"))
	if v, ok := tok.Attr("headerRowCount"); ok {
		t.Headers = max(sheetml.Atoi([]byte(v)), 0)
	}
	if v, ok := tok.Attr("totalsRowCount"); ok {
		t.Totals = max(sheetml.Atoi([]byte(v)), 0)
	}
}

// columnOf reads the attributes of a tableColumn element.
func columnOf(tok xmlscan.Token) tableColumn {
	var c tableColumn
	for a := range tok.Attrs() {
		switch a.Name {
		case "name":
			c.Name, c.NameVal = sheetml.Unescape(a.Value()), sheetml.Piece(a.ValStart, a.ValEnd)
		case "totalsRowLabel":
			c.label, c.LabelVal = sheetml.Unescape(a.Value()), sheetml.Piece(a.ValStart, a.ValEnd)
		}
	}
	return c
}

// IsChartRel reports whether a relationship leads to a chart.
func IsChartRel(r opc.Relationship) bool {
	return !r.External && (r.Type == RelChart || r.Type == relChartEx)
}

// RelIDOf is the r:id of an element, whatever its prefix.
func RelIDOf(sc *xmlscan.Scanner, t xmlscan.Token) string {
	for a := range t.Attrs() {
		if p, l, ok := strings.Cut(a.Name, ":"); ok && l == "id" && sc.Namespace(p) == sheetml.RelNamespace {
			return a.Value()
		}
	}
	return ""
}

// NoteAt is the cell that a shape is the note of, zero when it is none.
func NoteAt(shape []byte) cellref.Cell {
	row, col := noteRow.FindSubmatch(shape), noteColumn.FindSubmatch(shape)
	if row == nil || col == nil || !bytes.Contains(shape, []byte(`"Note"`)) {
		return cellref.Cell{}
	}
	r, _ := strconv.Atoi(string(row[1]))
	c, _ := strconv.Atoi(string(col[1]))
	return cellref.At(r+1, c+1)
}

var noteRow = lazyregexp.New(`<x:Row>\s*(\d+)\s*</x:Row>`)

var noteColumn = lazyregexp.New(`<x:Column>\s*(\d+)\s*</x:Column>`)

// VMLShape finds the shapes of a drawing in VML.
var VMLShape = lazyregexp.New(`(?s)<v:shape[ >].*?</v:shape>`)

// HeaderAt is the index of the column whose header (or totals label) stands at
// the cell, -1 when none does.
func (t *Table) HeaderAt(at cellref.Cell) int {
	if t.Headers == 0 || at.Row != t.Ref.R1 || at.Col < t.Ref.C1 || at.Col > t.Ref.C2 || at.Col-t.Ref.C1 >= len(t.Columns) {
		return -1
	}
	return at.Col - t.Ref.C1
}

// TotalAt is the index of the column whose label or sum in the table's total row
// stands at the cell, -1 when none does.
func (t *Table) TotalAt(at cellref.Cell) int {
	if t.Totals == 0 || at.Row != t.Ref.R2 || at.Col < t.Ref.C1 || at.Col > t.Ref.C2 || at.Col-t.Ref.C1 >= len(t.Columns) {
		return -1
	}
	return at.Col - t.Ref.C1
}

// NewColumns names columns that a table gets.
func (t *Table) NewColumns(n int) []string {
	taken := map[string]bool{}
	for _, c := range t.Columns {
		taken[strings.ToLower(c.Name)] = true
	}
	var out []string
	for i := 1; len(out) < n; i++ {
		if name := "Column" + strconv.Itoa(i); !taken[strings.ToLower(name)] {
			out = append(out, name)
		}
	}
	return out
}
