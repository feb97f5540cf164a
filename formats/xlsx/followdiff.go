package xlsx

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/formula"
)

// followSheet rewrites what stands around the rows of a sheet.
func followSheet(followers []*formula.Rewriter, doc []byte, sheet string) ([]byte, error) {
	return followDoc(followers, doc, sheet, formulaElems, "")
}

// followDoc is a part of the old workbook that belongs to a sheet as it would
// read now.
func followDoc(followers []*formula.Rewriter, doc []byte, sheet string, elems []string, part string) ([]byte, error) {
	for _, fo := range followers {
		w := &walk{rw: fo, home: strings.ToLower(sheet), elems: elems}
		if part != "" {
			t, err := book.ParseTable(part, doc)
			if err != nil {
				return nil, err
			}
			w.table, w.newID = t, maxID(doc)
		}
		edits, err := w.run(doc)
		if err != nil {
			return nil, err
		}
		edits = slices.DeleteFunc(edits, func(e xmlscan.Splice) bool { return bytes.Contains(e.New, []byte("#REF!")) })
		if len(edits) > 0 {
			doc = xmlscan.Apply(doc, edits)
		}
	}
	return doc, nil
}

// followParts is the package of a workbook with tables, charts, drawings, notes and pivots as they
// would read after the changes that followers stand for.
func followParts(ctx context.Context, wb *book.Workbook, followers []*formula.Rewriter, renamed map[string]string) (*opc.Package, error) {
	if len(followers) == 0 {
		return wb.Package, nil
	}
	owner, err := (&workbook{Workbook: wb}).owners(ctx)
	if err != nil {
		return nil, err
	}
	parts := map[string][]byte{}
	for _, part := range wb.Package.Names() {
		ct := wb.Package.ContentType(part)
		home := owner[strings.ToLower(part)]
		if now, ok := renamed[home]; ok {
			home = strings.ToLower(now)
		}
		if strings.HasSuffix(ct, ".vmlDrawing") {
			doc, err := wb.Package.Read(ctx, part)
			if err != nil {
				return nil, err
			}
			for _, fo := range followers {
				doc = followVML(fo, doc, home)
			}
			parts[part] = doc
			continue
		}
		elems, ok := followed(ct)
		if !ok || wb.Package.Size(part) > book.MaxObjects {
			continue
		}
		doc, err := wb.Package.ReadXML(ctx, part)
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(ct, ".pivotCacheDefinition+xml") {
			for _, fo := range followers {
				edits, err := (&following{rw: fo}).pivotSource(doc)
				if err != nil {
					return nil, err
				}
				doc = xmlscan.Apply(doc, edits)
			}
			parts[part] = doc
			continue
		}
		table := ""
		if strings.HasSuffix(ct, ".table+xml") {
			table = part
		}
		if parts[part], err = followDoc(followers, doc, home, elems, table); err != nil {
			return nil, err
		}
	}
	return wb.Package.With(parts), nil
}
