package reader

import (
	"context"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/sheetml"
)

// Map is the structure of a workbook (W-33): see Mapper. Members that are
// absent are zero, false or empty; members that end in "omitted" count what
// was left out to keep the map small.
type Map struct {
	Sheets        []SheetMap `json:"sheets"`
	SheetCount    int        `json:"sheet_count,omitempty"` // of the file, where not all are listed
	SheetsOmitted int        `json:"sheets_omitted,omitempty"`
	ChunkRows     int        `json:"chunk_rows"` // rows to a chunk of a read (W-42)
	Names         []NameMap  `json:"defined_names,omitempty"`
	NamesOmitted  int        `json:"defined_names_omitted,omitempty"`
	CalcMode      string     `json:"calc_mode,omitempty"`         // "manual" or "autoNoTable"; absent: automatic
	CalcOnLoad    bool       `json:"full_calc_on_load,omitempty"` // cached values may be stale or absent until a program calculates
	Protected     bool       `json:"structure_protected,omitempty"`
	Macros        bool       `json:"macros,omitempty"`
	Signed        bool       `json:"signed,omitempty"`
	ExternalLinks int        `json:"external_links,omitempty"` // other workbooks that formulas read
	Include       []string   `json:"read_include,omitempty"`   // what a read shows of these objects when its include has the word
	Note          string     `json:"note,omitempty"`           // how to get at what was left out
}

// SheetMap is one sheet of a Map. RowCount and ColCount are the last row and
// column with content.
type SheetMap struct {
	Name       string `json:"name"`
	RowCount   int    `json:"row_count"`
	ColCount   int    `json:"col_count"`
	UsedRange  string `json:"used_range,omitempty"`
	ChunkCount int    `json:"chunk_count,omitempty"` // of chunk_rows rows
	Kind       string `json:"kind,omitempty"`        // "chartsheet" … ; absent for a worksheet
	Hidden     string `json:"hidden,omitempty"`      // "hidden" or "veryHidden"

	Regions        []RegionMap `json:"regions,omitempty"`
	RegionsOmitted int         `json:"regions_omitted,omitempty"`
	Tables         []TableMap  `json:"tables,omitempty"`
	TablesOmitted  int         `json:"tables_omitted,omitempty"`

	Formulas    int        `json:"formula_count,omitempty"`
	Uncached    int        `json:"formulas_without_value,omitempty"` // never calculated, or their value was dropped by an edit
	MergedCount int        `json:"merged_count,omitempty"`
	Merged      []string   `json:"merged,omitempty"` // with detail
	HasCharts   bool       `json:"has_charts,omitempty"`
	ChartCount  int        `json:"chart_count,omitempty"`
	Charts      []ChartMap `json:"charts,omitempty"` // with detail
	PivotCount  int        `json:"pivot_count,omitempty"`
	Pivots      []PivotMap `json:"pivots,omitempty"` // with detail
	Images      int        `json:"image_count,omitempty"`
	Comments    int        `json:"comment_count,omitempty"`
	Conditional int        `json:"conditional_format_count,omitempty"` // blocks of cells with rules
	Validations int        `json:"data_validation_count,omitempty"`
	Hyperlinks  int        `json:"hyperlink_count,omitempty"`
	Sparklines  int        `json:"sparkline_group_count,omitempty"`
	Protected   bool       `json:"protected,omitempty"`
	Frozen      string     `json:"frozen_at,omitempty"` // first cell that scrolls
	AutoFilter  string     `json:"autofilter,omitempty"`
	HiddenRows  int        `json:"hidden_row_count,omitempty"`
	HiddenCols  int        `json:"hidden_column_count,omitempty"`
	HiddenAt    []string   `json:"hidden_at,omitempty"`       // with detail: "3:9", "C:D"; the first 20
	GroupCount  int        `json:"group_count,omitempty"`     // outline groups of rows and of columns
	Groups      []string   `json:"groups,omitempty"`          // with detail: "3:9", "C:F (2 levels)"; the first 20 of rows and of columns
	DetailsCut  bool       `json:"details_omitted,omitempty"` // of charts, pivots, merged, hidden or groups
}

// RegionMap is a block of cells with content, apart from all others by blank
// rows and columns. Label and Headers are guesses from its first rows.
type RegionMap struct {
	Range          string   `json:"range"`
	Label          string   `json:"label,omitempty"`
	HeaderRow      int      `json:"header_row,omitempty"`
	Headers        []string `json:"headers,omitempty"`
	HeadersOmitted int      `json:"headers_omitted,omitempty"`
}

// TableMap is a table of a sheet.
type TableMap struct {
	Name           string   `json:"name"`
	Range          string   `json:"range"`
	Headers        []string `json:"headers,omitempty"`
	HeadersOmitted int      `json:"headers_omitted,omitempty"`
	TotalsRow      bool     `json:"totals_row,omitempty"`
}

// NameMap is a defined name.
type NameMap struct {
	Name     string `json:"name"`
	RefersTo string `json:"refers_to"`
	Sheet    string `json:"sheet,omitempty"` // the only sheet it is known on
}

// Map describes the sheets, tables, regions, objects and names of a workbook,
// at most formats.MaxMap bytes of JSON. opt.Sheet keeps to one sheet and says
// more of it; opt.Detail says more of all. The value is a *Map that is kept for
// the next call with the same file: do not change it.
func (Mapper) Map(ctx context.Context, src formats.Source, opt formats.MapOptions) (any, error) {
	key := fmt.Sprintf("%s %t %q", src.Hash(), opt.Detail, opt.Sheet)
	if m, ok := MapCache.Get(key); ok {
		return m, nil
	}
	wb, err := openReading(ctx, src)
	if err != nil {
		return nil, err
	}
	m, err := wb.mapAll(ctx, opt)
	if err != nil {
		return nil, book.Typed(err, src.Name())
	}
	MapCache.Put(key, m, 1)
	return m, nil
}

func (wb reading) mapAll(ctx context.Context, opt formats.MapOptions) (*Map, error) {
	m := &Map{Sheets: []SheetMap{}, ChunkRows: chunkRows, Protected: wb.Locked}
	sheets := wb.Sheets
	if opt.Sheet != "" {
		i := wb.Find(opt.Sheet)
		if i < 0 {
			return nil, book.UnknownSheet(opt.Sheet)
		}
		sheets, m.SheetCount = wb.Sheets[i:i+1], len(wb.Sheets)
	}
	st, err := wb.Styles(ctx)
	if err != nil {
		return nil, err
	}
	sm := &sheetMapper{wb: wb, detail: opt.Detail || opt.Sheet != "", display: &book.Display{Styles: st}}
	for _, sh := range sheets {
		one, err := sm.sheet(ctx, sh)
		if err != nil {
			return nil, err
		}
		m.Sheets = append(m.Sheets, one)
	}
	if err := sm.resolve(ctx, m); err != nil {
		return nil, err
	}
	if err := wb.mapBook(ctx, m); err != nil {
		return nil, err
	}
	m.mapNames(wb, opt.Sheet)
	m.sayInclude()
	m.fit(opt)
	return m, nil
}

// mapBook fills in what the workbook says as a whole.
func (wb reading) mapBook(ctx context.Context, m *Map) error {
	sheetml.EachStartTag(wb.XML, func(t xmlscan.Token) bool {
		if t.Local == "calcPr" {
			if m.CalcMode = t.AttrLocal("calcMode"); m.CalcMode == "auto" {
				m.CalcMode = ""
			}
			m.CalcOnLoad = sheetml.IsTrue(t.AttrLocal("fullCalcOnLoad"))
		}
		return true
	})
	for _, r := range wb.Rels {
		switch r.Type {
		case opc.RelPrefix + "externalLink":
			m.ExternalLinks++
		case "http://schemas.microsoft.com/office/2006/relationships/vbaProject":
			m.Macros = true
		}
	}
	rels, err := wb.Package.Rels(ctx, "")
	for _, r := range rels {
		m.Signed = m.Signed || r.Type == book.RelSignature
	}
	return err
}

// sayInclude names the sections that a read has about the objects of the map.
func (m *Map) sayInclude() {
	for _, w := range []struct {
		word  string
		count func(s *SheetMap) int
	}{
		{formats.IncludeCharts, func(s *SheetMap) int { return s.ChartCount }},
		{formats.IncludePivots, func(s *SheetMap) int { return s.PivotCount }},
		{formats.IncludeRules, func(s *SheetMap) int { return s.Conditional + s.Validations }},
	} {
		for i := range m.Sheets {
			if w.count(&m.Sheets[i]) > 0 {
				m.Include = append(m.Include, w.word)
				break
			}
		}
	}
}

// mapNames lists the defined names; with a sheet, those known on it.
func (m *Map) mapNames(wb reading, sheet string) {
	for _, n := range wb.Names {
		if strings.EqualFold(n.Name, "_xlnm._FilterDatabase") {
			continue // the sheet's autofilter says it
		}
		one := NameMap{Name: book.Clip(n.Name, 100), RefersTo: book.Clip(n.Text, 100)}
		if n.Local >= 0 && n.Local < len(wb.Sheets) {
			one.Sheet = wb.Sheets[n.Local].Name
		}
		if sheet == "" || one.Sheet == "" || strings.EqualFold(one.Sheet, sheet) {
			m.Names = append(m.Names, one)
		}
	}
}

// MapCache keeps maps between calls, by the hash of the file's content.
var MapCache = book.NewLRU[*Map](64, 8<<10)

// Mapper implements formats.Mapper.
type Mapper struct{}
