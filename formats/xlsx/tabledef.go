package xlsx

import (
	"bytes"
	"context"
	"regexp"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// table is a table part (18.5.1.2).
type table struct {
	part    string
	doc     []byte
	name    string // displayName
	ref     cellref.Range
	headers int // header rows, 0 or 1
	totals  int
	columns []tableColumn
}

type tableColumn struct {
	name       string
	nameVal    sheetml.Span // value of the name attribute
	label      string
	labelVal   sheetml.Span // totalsRowLabel
	hasFormula bool
}

func (wb *baseBook) tablesOf(ctx context.Context, sheetPart string) ([]*table, error) {
	rels, err := wb.pkg.Rels(ctx, sheetPart)
	if err != nil {
		return nil, err
	}
	var out []*table
	for _, r := range rels {
		if r.Type != relTable || r.External || !wb.pkg.Has(r.Target) {
			continue
		}
		if wb.pkg.Size(r.Target) > maxObjects {
			return nil, formats.Errorf(formats.CodeTooLarge, "the table %q has %d bytes; the limit is %d", r.Target, wb.pkg.Size(r.Target), maxObjects)
		}
		doc, err := wb.pkg.ReadXML(ctx, r.Target)
		if err != nil {
			return nil, err
		}
		t, err := parseTable(r.Target, doc)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

func parseTable(part string, doc []byte) (*table, error) {
	t := &table{part: part, doc: doc, headers: 1}
	sc := xmlscan.New(doc)
	for sc.Next() {
		tok := sc.Token()
		if tok.Kind != xmlscan.Start {
			continue
		}
		switch {
		case tok.Local == "table" && tok.Depth == 1:
			t.name = tok.AttrLocal("displayName")
			if t.name == "" {
				t.name = tok.AttrLocal("name")
			}
			t.ref = cellref.ParseAttr(tok.AttrLocal("ref"))
			if v, ok := tok.Attr("headerRowCount"); ok {
				t.headers = max(sheetml.Atoi([]byte(v)), 0)
			}
			if v, ok := tok.Attr("totalsRowCount"); ok {
				t.totals = max(sheetml.Atoi([]byte(v)), 0)
			}
		case tok.Local == "tableColumn" && tok.Depth == 3:
			var c tableColumn
			for a := range tok.Attrs() {
				switch a.Name {
				case "name":
					c.name, c.nameVal = sheetml.Unescape(a.Value()), sheetml.Piece(a.ValStart, a.ValEnd)
				case "totalsRowLabel":
					c.label, c.labelVal = sheetml.Unescape(a.Value()), sheetml.Piece(a.ValStart, a.ValEnd)
				}
			}
			t.columns = append(t.columns, c)
		case tok.Local == "calculatedColumnFormula" || tok.Local == "totalsRowFormula":
			if len(t.columns) > 0 {
				t.columns[len(t.columns)-1].hasFormula = true
			}
		}
	}
	if err := sc.Err(); err != nil {
		return nil, formats.Errorf(formats.CodeCorrupt, "%s: %w", part, err)
	}
	return t, nil
}

func isChartRel(r opc.Relationship) bool {
	return !r.External && (r.Type == relChart || r.Type == relChartEx)
}

// relIDOf is the r:id of an element, whatever its prefix.
func relIDOf(sc *xmlscan.Scanner, t xmlscan.Token) string {
	for a := range t.Attrs() {
		if p, l, ok := strings.Cut(a.Name, ":"); ok && l == "id" && sc.Namespace(p) == sheetml.RelNamespace {
			return a.Value()
		}
	}
	return ""
}

// noteAt is the cell that a shape is the note of, zero when it is none.
func noteAt(shape []byte) cellref.Cell {
	row, col := noteRow.FindSubmatch(shape), noteColumn.FindSubmatch(shape)
	if row == nil || col == nil || !bytes.Contains(shape, []byte(`"Note"`)) {
		return cellref.Cell{}
	}
	r, _ := strconv.Atoi(string(row[1]))
	c, _ := strconv.Atoi(string(col[1]))
	return cellref.At(r+1, c+1)
}

var noteRow = regexp.MustCompile(`<x:Row>\s*(\d+)\s*</x:Row>`)

var noteColumn = regexp.MustCompile(`<x:Column>\s*(\d+)\s*</x:Column>`)

// vmlShape finds the shapes of a drawing in VML.
var vmlShape = regexp.MustCompile(`(?s)<v:shape[ >].*?</v:shape>`)

// headerAt is the index of the column whose header (or totals label) stands at
// the cell, -1 when none does.
func (t *table) headerAt(at cellref.Cell) int {
	if t.headers == 0 || at.Row != t.ref.R1 || at.Col < t.ref.C1 || at.Col > t.ref.C2 || at.Col-t.ref.C1 >= len(t.columns) {
		return -1
	}
	return at.Col - t.ref.C1
}

func (t *table) totalAt(at cellref.Cell) int {
	if t.totals == 0 || at.Row != t.ref.R2 || at.Col < t.ref.C1 || at.Col > t.ref.C2 || at.Col-t.ref.C1 >= len(t.columns) {
		return -1
	}
	return at.Col - t.ref.C1
}

// newColumns names columns that a table gets.
func (t *table) newColumns(n int) []string {
	taken := map[string]bool{}
	for _, c := range t.columns {
		taken[strings.ToLower(c.name)] = true
	}
	var out []string
	for i := 1; len(out) < n; i++ {
		if name := "Column" + strconv.Itoa(i); !taken[strings.ToLower(name)] {
			out = append(out, name)
		}
	}
	return out
}
