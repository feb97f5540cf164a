package xlsx

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/sheetml"
)

// orphanedSlicers describes the slicers and timelines that filter tables which go,
// or pivot tables of a sheet which goes (0: none). They stay in the file, and do
// nothing.
func (wb *workbook) orphanedSlicers(ctx context.Context, tables []*book.Table, sheetID int) ([]string, error) {
	ids := map[string]string{}
	for _, t := range tables {
		if root, ok := firstTag(t.Doc); ok {
			ids[root.AttrLocal("id")] = t.Name
		}
	}
	var out []string
	for _, part := range wb.Package.Names() {
		ct := strings.ToLower(wb.Package.ContentType(part))
		if !strings.Contains(ct, "slicercache+xml") && !strings.Contains(ct, "timelinecache+xml") || wb.Package.Size(part) > book.MaxObjects {
			continue
		}
		doc, err := wb.Package.ReadXML(ctx, part)
		if err != nil {
			return nil, err
		}
		name, of := "", ""
		sheetml.EachStartTag(doc, func(t xmlscan.Token) bool {
			switch {
			case t.Depth == 1:
				name = t.AttrLocal("name")
			case t.Local == "tableSlicerCache" && ids[t.AttrLocal("tableId")] != "":
				of = "the table " + ids[t.AttrLocal("tableId")]
			case t.Local == "pivotTable" && sheetID > 0 && t.AttrLocal("tabId") == strconv.Itoa(sheetID):
				of = "the pivot table " + t.AttrLocal("name")
			}
			return of == "" && ctx.Err() == nil
		})
		if of != "" {
			out = append(out, fmt.Sprintf("the slicer or timeline %s filtered %s, which is deleted; it stays without effect: delete it in a spreadsheet program", name, of))
		}
	}
	return out, ctx.Err()
}
