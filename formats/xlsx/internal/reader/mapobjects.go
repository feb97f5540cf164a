package reader

import (
	"context"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
)

const (
	relPivotCache = opc.RelPrefix + "pivotCacheDefinition"
)

// ChartMap is a chart of a sheet.
type ChartMap struct {
	Name   string   `json:"name,omitempty"` // of its object, such as "Chart 2"
	Title  string   `json:"title,omitempty"`
	Types  []string `json:"types,omitempty"`  // "bar", "column", "line", "pie" …
	Anchor string   `json:"anchor,omitempty"` // the cells it covers
}

// PivotMap is a pivot table of a sheet.
type PivotMap struct {
	Name   string `json:"name"`
	Range  string `json:"range,omitempty"`
	Source string `json:"source,omitempty"` // "Sheet1!A1:C9", a table or a defined name
}

// drawing counts the charts and pictures of a drawing part.
func (m *sheetMapper) drawing(ctx context.Context, part string, out *SheetMap) error {
	return m.wb.eachPlaced(ctx, part, func(o placed) error {
		if o.part == "" {
			out.Images++
			return nil
		}
		return m.addChart(ctx, o, out)
	})
}

// addChart counts a chart and, with detail, maps it.
func (m *sheetMapper) addChart(ctx context.Context, o placed, out *SheetMap) error {
	out.ChartCount++
	if !m.detail || len(out.Charts) >= 50 {
		return nil
	}
	c, err := m.wb.chart(ctx, o.part)
	if err != nil {
		return err
	}
	c.Name = book.Clip(book.OneLine(o.name), headChars)
	c.Anchor = AnchorRange(o.anchor.from, o.anchor.to)
	out.Charts = append(out.Charts, c)
	return nil
}

// anchor is where an object of a drawing stands (20.5.2.33); at is the corner
// being read.
type anchor struct{ from, to, at cellref.Cell }

func (a *anchor) start(doc []byte, sc *xmlscan.Scanner, t xmlscan.Token) {
	switch t.Local {
	case "twoCellAnchor", "oneCellAnchor", "absoluteAnchor":
		a.from, a.to = cellref.Cell{}, cellref.Cell{}
	case "from", "to":
		a.at = cellref.Cell{}
	case "col", "row":
		end := sc.Skip()
		n := 1 + sheetml.Atoi(sheetml.TrimSpace(doc[t.End:max(t.End, sheetml.EndTagStart(doc, end))]))
		if t.Local == "col" {
			a.at.Col = min(n, cellref.MaxCol)
		} else {
			a.at.Row = min(n, cellref.MaxRow)
		}
	}
}

func (a *anchor) end(t xmlscan.Token) {
	switch {
	case t.Kind != xmlscan.End:
	case t.Local == "from":
		a.from = a.at
	case t.Local == "to":
		a.to = a.at
	}
}

// chart reads types and title of a chart part (21.2.2.27) or of an extended
// chart ([MS-ODRAWXML] 2.24.3).
func (wb reading) chart(ctx context.Context, part string) (ChartMap, error) {
	var c ChartMap
	doc, err := wb.Package.ReadXML(ctx, part)
	if err != nil {
		return c, err
	}
	add := func(typ string) {
		if typ != "" && !slices.Contains(c.Types, typ) {
			c.Types = append(c.Types, typ)
		}
	}
	var title strings.Builder
	titleDepth, plotDepth := 0, 0
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Kind == xmlscan.End && t.Local == "title":
			titleDepth = 0
		case t.Kind != xmlscan.Start:
		case t.Local == "plotArea":
			plotDepth = t.Depth
		case t.Local == "title" && t.Depth == 3: // deeper ones are of axes
			titleDepth = t.Depth
		case titleDepth > 0 && (t.Local == "t" || t.Local == "v") && !t.Empty && title.Len() < 4*headChars:
			end := sc.Skip()
			title.WriteString(sheetml.CharData(doc[t.End:sheetml.EndTagStart(doc, end)]))
		case plotDepth > 0 && t.Depth == plotDepth+1 && strings.HasSuffix(t.Local, "Chart"):
			add(strings.TrimSuffix(strings.TrimSuffix(t.Local, "Chart"), "3D"))
		case t.Local == "barDir" && t.AttrLocal("val") == "col" && len(c.Types) > 0 && c.Types[len(c.Types)-1] == "bar":
			c.Types[len(c.Types)-1] = "column"
		case t.Local == "series":
			add(t.AttrLocal("layoutId"))
		}
	}
	c.Title = book.Clip(book.OneLine(title.String()), 2*headChars)
	if err := sc.Err(); err != nil {
		return c, formats.Errorf(formats.CodeCorrupt, "%s: %w", part, err)
	}
	return c, nil
}

// pivot reads name, place and source of a pivot table (18.10.1.73).
func (m *sheetMapper) pivot(ctx context.Context, part string) (PivotMap, error) {
	var p PivotMap
	doc, err := m.wb.Package.ReadXML(ctx, part)
	if err != nil {
		return p, err
	}
	sheetml.EachStartTag(doc, func(t xmlscan.Token) bool {
		switch t.Local {
		case "pivotTableDefinition":
			p.Name = book.Clip(t.AttrLocal("name"), headChars)
		case "location":
			p.Range = book.Clip(t.AttrLocal("ref"), headChars)
			return false
		}
		return true
	})
	rels, err := m.wb.Package.Rels(ctx, part)
	if err != nil {
		return p, err
	}
	for _, r := range rels {
		if r.Type != relPivotCache || r.External || !m.wb.Package.Has(r.Target) {
			continue
		}
		if doc, err = m.wb.Package.ReadXML(ctx, r.Target); err != nil {
			return p, err
		}
		sheetml.EachStartTag(doc, func(t xmlscan.Token) bool {
			if t.Local != "worksheetSource" {
				return t.Local != "cacheFields"
			}
			p.Source = book.Clip(pivotSource(t), 2*headChars)
			return false
		})
	}
	return p, nil
}

// pivotSource writes a worksheetSource (18.10.1.95) as people do.
func pivotSource(t xmlscan.Token) string {
	sheet, block, name := t.AttrLocal("sheet"), t.AttrLocal("ref"), t.AttrLocal("name")
	switch {
	case name != "":
		return name
	case sheet != "":
		return formula.QuoteSheet(sheet) + "!" + block
	}
	return block
}

// ReadPivot maps a pivot table of a workbook.
func ReadPivot(ctx context.Context, wb *book.Workbook, part string) (PivotMap, error) {
	return (&sheetMapper{wb: reading{wb}}).pivot(ctx, part)
}
