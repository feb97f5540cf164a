package reader

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// The relationships of slicers and timelines ([MS-XLSX] 2.1.15 and on).
const (
	relSlicer        = "http://schemas.microsoft.com/office/2007/relationships/slicer"
	relTimeline      = "http://schemas.microsoft.com/office/2011/relationships/timeline"
	relSlicerCache   = "http://schemas.microsoft.com/office/2007/relationships/slicerCache"
	relTimelineCache = "http://schemas.microsoft.com/office/2011/relationships/timelineCache"
)

// maxFieldsShown is how many fields of an axis a line names.
const maxFieldsShown = 20

// writePivots lists the pivot tables in the block: place, source, fields by axis,
// and whether their values are there; then the slicers of the sheet.
func (p *page) writePivots(ctx context.Context) error {
	rels, err := p.wb.Package.Rels(ctx, p.sheet.Part)
	if err != nil {
		return err
	}
	list := p.list("Pivot tables", maxPivotsShown)
	for _, r := range rels {
		if r.Type != book.RelPivot || r.External || !p.wb.Package.Has(r.Target) {
			continue
		}
		if list.full() || !p.sections.takes(p.wb.Package.Size(r.Target)) {
			list.omitted++
			continue
		}
		pt, err := p.wb.readPivot(ctx, r.Target, p.sections.takes)
		if err != nil {
			return err
		}
		if !p.touches(pt.at) || !list.room() {
			continue
		}
		if err := p.writePivot(ctx, pt); err != nil {
			return err
		}
	}
	list.end()
	return p.writeSlicers(ctx)
}

// full reports whether the list takes no more.
func (l *sectionList) full() bool { return l.shown >= l.max || l.p.sb.Len() > maxReadBytes }

func (p *page) writePivot(ctx context.Context, pt *pivotTable) error {
	fmt.Fprintf(p.sb, "\n%s", pt.Name)
	if pt.Range != "" {
		fmt.Fprintf(p.sb, " at %s", pt.Range)
	}
	switch {
	case pt.Source != "":
		fmt.Fprintf(p.sb, ", from %s", pt.Source)
	case pt.cache.source != "":
		fmt.Fprintf(p.sb, ", from a source outside the cells (%s)", book.Clip(pt.cache.source, headChars))
	}
	if pt.cache.refreshes {
		p.sb.WriteString(", refreshed when the file is opened")
	}
	if layout := pt.layout(); layout != "" {
		p.sb.WriteString("\n  " + layout)
	}
	for i := range min(len(pt.cache.names), maxPivotFields) {
		if f := pt.cache.formulas[i]; f != "" && !slices.ContainsFunc(pt.values, func(v pivotValue) bool { return v.field == i }) {
			fmt.Fprintf(p.sb, "\n  %s = %s", pt.cache.names[i], f)
		}
	}
	empty, err := p.wb.emptyBlock(ctx, p.sheet, pt.at)
	if empty {
		p.sb.WriteString("\n  its cells are empty: a spreadsheet program fills them when it refreshes the table")
	}
	return err
}

// layout says which fields of a pivot table are where.
func (pt *pivotTable) layout() string {
	var parts []string
	add := func(label string, n int, name func(int) string) {
		var names []string
		for i := range min(n, maxFieldsShown) {
			names = append(names, name(i))
		}
		if n > maxFieldsShown {
			names = append(names, fmt.Sprintf("%d more", n-maxFieldsShown))
		}
		if n > 0 {
			parts = append(parts, label+": "+strings.Join(names, ", "))
		}
	}
	add("rows", len(pt.rows), func(i int) string { return pt.field(pt.rows[i]) })
	add("columns", len(pt.columns), func(i int) string { return pt.field(pt.columns[i]) })
	add("filters", len(pt.filters), func(i int) string { return pt.filter(pt.filters[i]) })
	add("values", len(pt.values), func(i int) string { return pt.value(pt.values[i]) })
	return strings.Join(parts, "; ")
}

// PivotLayout says which fields of a pivot table are where: "rows: Region; values:
// sum of Amount". It is "" for a part that is too large.
func PivotLayout(ctx context.Context, wb *book.Workbook, part string) (string, error) {
	small := func(size int64) bool { return size <= book.MaxObjects }
	if !small(wb.Package.Size(part)) {
		return "", nil
	}
	pt, err := reading{wb}.readPivot(ctx, part, small)
	if err != nil {
		return "", err
	}
	return pt.layout(), nil
}

// emptyBlock reports whether no cell of a block holds anything.
func (wb reading) emptyBlock(ctx context.Context, sh book.SheetInfo, r cellref.Range) (bool, error) {
	if r.Empty() {
		return false, nil
	}
	for s, err := range wb.Rows(ctx, sh.Part, book.Window{First: r.R1, Last: r.R2}) {
		if err != nil {
			return false, book.IgnoreNoCells(err)
		}
		if c := &s.Cell; s.Event == sheetml.WholeCell && r.Has(c.Row, c.Col) && !c.Blank() {
			return false, nil
		}
	}
	return true, nil
}

// writeSlicers names the slicers and timelines of the sheet, with the field that
// each filters.
func (p *page) writeSlicers(ctx context.Context) error {
	rels, err := p.wb.Package.Rels(ctx, p.sheet.Part)
	if err != nil {
		return err
	}
	var fields map[string]string
	list := p.list("Slicers", maxPivotsShown)
	for _, r := range rels {
		if r.Type != relSlicer && r.Type != relTimeline || r.External || !p.wb.Package.Has(r.Target) || p.wb.Package.Size(r.Target) > book.MaxObjects {
			continue
		}
		if fields == nil {
			if fields, err = p.wb.slicerFields(ctx); err != nil {
				return err
			}
		}
		doc, err := p.wb.Package.ReadXML(ctx, r.Target)
		if err != nil {
			return err
		}
		sheetml.EachStartTag(doc, func(t xmlscan.Token) bool {
			if (t.Local == "slicer" || t.Local == "timeline") && list.room() {
				p.sb.WriteString("\n" + slicerLine(t, fields))
			}
			return ctx.Err() == nil
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if list.shown > 0 {
		list.end()
	}
	return nil
}

func slicerLine(t xmlscan.Token, fields map[string]string) string {
	out := book.Clip(book.OneLine(t.AttrLocal("name")), headChars)
	if c := t.AttrLocal("caption"); c != "" && c != t.AttrLocal("name") {
		out += ` "` + book.Clip(book.OneLine(c), headChars) + `"`
	}
	if t.Local == "timeline" {
		out += " (timeline)"
	}
	if f := fields[t.AttrLocal("cache")]; f != "" {
		out += ": filters " + f
	}
	return out
}

// maxSlicerCaches bounds the caches of slicers that are read.
const maxSlicerCaches = 200

// slicerFields maps the names of slicer caches to the fields that they filter.
func (wb reading) slicerFields(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	for _, r := range wb.Rels {
		if r.Type != relSlicerCache && r.Type != relTimelineCache || r.External || !wb.Package.Has(r.Target) || len(out) >= maxSlicerCaches || wb.Package.Size(r.Target) > book.MaxObjects {
			continue
		}
		doc, err := wb.Package.ReadXML(ctx, r.Target)
		if err != nil {
			return nil, err
		}
		var name, field string
		var tables []string
		sheetml.EachStartTag(doc, func(t xmlscan.Token) bool {
			switch t.Local {
			case "slicerCacheDefinition", "timelineCacheDefinition":
				name, field = t.AttrLocal("name"), book.Clip(book.OneLine(t.AttrLocal("sourceName")), headChars)
			case "pivotTable":
				if len(tables) < maxFieldsShown {
					tables = append(tables, book.Clip(book.OneLine(t.AttrLocal("name")), headChars))
				}
			}
			return t.Local != "data"
		})
		if len(tables) > 0 {
			field += " of " + formats.Count(len(tables), "pivot table") + " " + strings.Join(tables, ", ")
		}
		out[name] = field
	}
	return out, nil
}
