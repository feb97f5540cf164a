package xlsx

import (
	"bytes"
	"context"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/pivot"
	"atelier/formats/xlsx/internal/sheetml"
)

// pivotCharts counts the charts that are drawn from each pivot table (21.2.2.144), by
// the lower case of its sheet and name: sales!pivottable1.
func (wb *workbook) pivotCharts(ctx context.Context) (map[string]int, error) {
	out := map[string]int{}
	for _, part := range wb.Package.Names() {
		if !strings.Contains(strings.ToLower(wb.Package.ContentType(part)), "drawingml.chart+xml") || wb.Package.Size(part) > book.MaxObjects {
			continue
		}
		doc, err := wb.Package.ReadXML(ctx, part)
		if err != nil {
			return nil, err
		}
		if !bytes.Contains(doc, []byte("pivotSource")) {
			continue
		}
		t := xmlscan.Token{}
		for sc := xmlscan.New(doc); sc.Next() && t.Local != "plotArea"; {
			if t = sc.Token(); t.Kind != xmlscan.Start || t.Local != "pivotSource" {
				continue
			}
			for sc.Next() && sc.Token().Depth > t.Depth {
				if n := sc.Token(); n.Kind == xmlscan.Start && n.Local == "name" && !n.Empty {
					name := xmlscan.Unescape(doc[n.End:sheetml.EndTagStart(doc, sc.Skip())])
					name = name[strings.IndexByte(name, ']')+1:]
					out[strings.ToLower(strings.NewReplacer("'!", "!", "''", "'").Replace(strings.TrimPrefix(name, "'")))]++
				}
			}
			break
		}
	}
	return out, ctx.Err()
}

// tellCharts warns of the pivot charts of a table that is of another size or layout
// now: their series stay at the cells of before.
func (e *structure) tellCharts(ctx context.Context, p *pivotPart, g *pivot.Grid, w *pivotWrite, anew bool) error {
	if !anew && g.Place(w.at) == p.at {
		return nil
	}
	charts, err := e.wb.pivotCharts(ctx)
	if err != nil {
		return err
	}
	if n := charts[strings.ToLower(e.wb.Sheets[p.sheet].Name+"!"+p.name)]; n > 0 {
		e.warn("%s of the pivot table %s still %s of when the table was at %s; a spreadsheet program draws anew when it refreshes the table", formats.Count(n, "pivot chart"), p.name, map[bool]string{true: "shows the cells", false: "show the cells"}[n == 1], p.at)
	}
	return nil
}
