package xlsx

import (
	"context"
	"encoding/json"
	"errors"

	"atelier/formats"
	"atelier/formats/opc"
	"atelier/formats/xmlscan"
)

// maxMapBytes bounds the map however many sheets there are.
const maxMapBytes = 8 << 10

// Map is the structure of a workbook (W-33): see Mapper.
type Map struct {
	Sheets        []SheetMap `json:"sheets"`
	SheetsOmitted int        `json:"sheets_omitted,omitempty"` // sheets left out to keep the map small
	Names         []NameMap  `json:"defined_names,omitempty"`
	NamesOmitted  int        `json:"defined_names_omitted,omitempty"`
}

// SheetMap is one sheet of a Map. RowCount and ColCount are the last row and
// column with content.
type SheetMap struct {
	Name        string     `json:"name"`
	RowCount    int        `json:"row_count"`
	ColCount    int        `json:"col_count"`
	UsedRange   string     `json:"used_range,omitempty"`
	Kind        string     `json:"kind,omitempty"`   // "chartsheet" … ; absent for a worksheet
	Hidden      string     `json:"hidden,omitempty"` // "hidden" or "veryHidden"
	Formulas    int        `json:"formula_count,omitempty"`
	MergedCount int        `json:"merged_count,omitempty"`
	HasCharts   bool       `json:"has_charts,omitempty"`
	Protected   bool       `json:"protected,omitempty"`
	Tables      []TableMap `json:"tables,omitempty"`
}

// TableMap is a table of a sheet.
type TableMap struct {
	Name  string `json:"name"`
	Range string `json:"range"`
}

// NameMap is a defined name.
type NameMap struct {
	Name     string `json:"name"`
	RefersTo string `json:"refers_to"`
}

// Map lists the sheets with their sizes, tables, charts and defined names, at
// most 8 KiB of JSON.
func (mapper) Map(ctx context.Context, src formats.Source, _ formats.MapOptions) (any, error) {
	wb, err := open(ctx, src)
	if err != nil {
		return nil, err
	}
	m := &Map{Sheets: []SheetMap{}}
	for _, sh := range wb.sheets {
		one, err := wb.mapSheet(ctx, sh)
		if err != nil {
			return nil, typed(err, src.Name())
		}
		m.Sheets = append(m.Sheets, one)
	}
	for _, n := range wb.names {
		m.Names = append(m.Names, NameMap{clip(n.name, 100), clip(n.text, 100)})
	}
	m.shrink()
	return m, nil
}

func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n]) + "…"
}

func (wb *workbook) mapSheet(ctx context.Context, sh sheetInfo) (SheetMap, error) {
	m := SheetMap{Name: sh.name, Hidden: sh.state}
	if sh.kind != "worksheet" {
		m.Kind = sh.kind
	}
	if sh.part == "" {
		return m, nil
	}
	charts, err := wb.hasCharts(ctx, sh.part)
	if err != nil {
		return m, err
	}
	m.HasCharts = charts
	if !sh.worksheet() {
		return m, nil
	}
	tables, err := wb.tablesOf(ctx, sh.part)
	if err != nil {
		return m, err
	}
	for _, t := range tables {
		m.Tables = append(m.Tables, TableMap{t.name, t.ref.String()})
	}
	return m, wb.measure(ctx, sh.part, &m)
}

// measure scans a sheet for the extent of its content.
func (wb *workbook) measure(ctx context.Context, part string, m *SheetMap) error {
	s, rc, err := wb.openSheet(ctx, part)
	if err != nil {
		return err
	}
	defer rc.Close()
	head, err := s.head()
	if errors.Is(err, errNoData) {
		return nil
	}
	if err != nil {
		return err
	}
	var used rect
	for {
		ev, err := s.next()
		if err != nil {
			return err
		}
		if ev == evEnd {
			break
		}
		if ev == evCell && !s.cell.blank() {
			used.add(s.cell.row, s.cell.col)
			if s.cell.hasF {
				m.Formulas++
			}
		}
	}
	tail, err := s.tail()
	if err != nil {
		return err
	}
	m.RowCount, m.ColCount, m.UsedRange = used.r2, used.c2, used.String()
	k := skeleton{doc: append(head, tail...), cut: len(head)}
	m.MergedCount = len(k.elements("mergeCell"))
	m.Protected = len(k.elements("sheetProtection")) > 0
	return nil
}

// hasCharts follows the drawings of a sheet to charts.
func (wb *workbook) hasCharts(ctx context.Context, part string) (bool, error) {
	rels, err := wb.pkg.Rels(ctx, part)
	if err != nil {
		return false, err
	}
	for _, r := range rels {
		if r.Type != relDrawing || r.External {
			continue
		}
		inner, err := wb.pkg.Rels(ctx, r.Target)
		if err != nil {
			return false, err
		}
		for _, c := range inner {
			if isChartRel(c) {
				return true, nil
			}
		}
	}
	return false, nil
}

func isChartRel(r opc.Relationship) bool {
	return !r.External && (r.Type == relChart || r.Type == "http://schemas.microsoft.com/office/2014/relationships/chartEx")
}

// shrink drops what matters least until the map fits.
func (m *Map) shrink() {
	if m.size() <= maxMapBytes {
		return
	}
	for m.size() > maxMapBytes && len(m.Names) > 0 {
		keep := len(m.Names) / 2
		m.NamesOmitted += len(m.Names) - keep
		m.Names = m.Names[:keep]
	}
	for i := len(m.Sheets) - 1; i >= 0 && m.size() > maxMapBytes; i-- {
		m.Sheets[i].Tables = nil
	}
	for m.size() > maxMapBytes && len(m.Sheets) > 1 {
		cut := max(1, len(m.Sheets)/8)
		m.SheetsOmitted += cut
		m.Sheets = m.Sheets[:len(m.Sheets)-cut]
	}
}

func (m *Map) size() int {
	b, err := json.Marshal(m)
	if err != nil {
		return 0
	}
	return len(b)
}

// table is a table part (18.5.1.2).
type table struct {
	part    string
	doc     []byte
	name    string // displayName
	ref     rect
	headers int // header rows, 0 or 1
	totals  int
	columns []tableColumn
}

type tableColumn struct {
	name       string
	nameVal    span // value of the name attribute
	label      string
	labelVal   span // totalsRowLabel
	hasFormula bool
}

func (wb *workbook) tablesOf(ctx context.Context, sheetPart string) ([]*table, error) {
	rels, err := wb.pkg.Rels(ctx, sheetPart)
	if err != nil {
		return nil, err
	}
	var out []*table
	for _, r := range rels {
		if r.Type != relTable || r.External || !wb.pkg.Has(r.Target) {
			continue
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
			t.ref = parseRefAttr(tok.AttrLocal("ref"))
			if v, ok := tok.Attr("headerRowCount"); ok {
				t.headers = max(atoi([]byte(v)), 0)
			}
			if v, ok := tok.Attr("totalsRowCount"); ok {
				t.totals = max(atoi([]byte(v)), 0)
			}
		case tok.Local == "tableColumn" && tok.Depth == 3:
			var c tableColumn
			for a := range tok.Attrs() {
				switch a.Name {
				case "name":
					c.name, c.nameVal = unescapeX(a.Value()), span{a.ValStart, a.ValEnd}
				case "totalsRowLabel":
					c.label, c.labelVal = unescapeX(a.Value()), span{a.ValStart, a.ValEnd}
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
