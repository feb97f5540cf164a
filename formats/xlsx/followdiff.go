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

// followSheet returns the XML around the rows of a sheet of the old workbook as
// it would read after the changes of followers.
func followSheet(followers []*formula.Rewriter, doc []byte, sheet string) ([]byte, error) {
	return follow(followers, doc, func(rw *formula.Rewriter, doc []byte) ([]xmlscan.Splice, error) {
		return (&walk{rw: rw, home: strings.ToLower(sheet), elems: formulaElems}).run(doc)
	})
}

// follow applies the edits of one follower after the other, without those that
// lose a reference: a diff tells them.
func follow(followers []*formula.Rewriter, doc []byte, editsOf func(*formula.Rewriter, []byte) ([]xmlscan.Splice, error)) ([]byte, error) {
	for _, rw := range followers {
		edits, err := editsOf(rw, doc)
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

// followParts returns the package of a workbook with tables, charts, drawings,
// notes and pivot tables as they would read after the changes of followers.
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
		home := owner[strings.ToLower(part)]
		if now, ok := renamed[home]; ok {
			home = strings.ToLower(now)
		}
		doc, err := followPart(ctx, wb, followers, part, home)
		if err != nil {
			return nil, err
		}
		if doc != nil {
			parts[part] = doc
		}
	}
	return wb.Package.With(parts), nil
}

// followPart returns a part that belongs to the sheet home as it would read
// after the changes; nil for a part that refers to no cells or is too large.
func followPart(ctx context.Context, wb *book.Workbook, followers []*formula.Rewriter, part, home string) ([]byte, error) {
	ct := wb.Package.ContentType(part)
	if strings.HasSuffix(ct, vmlSuffix) {
		doc, err := wb.Package.Read(ctx, part)
		for _, rw := range followers {
			doc = followVML(rw, doc, home)
		}
		return doc, err
	}
	if _, ok := followed(ct); !ok || wb.Package.Size(part) > book.MaxObjects {
		return nil, nil
	}
	doc, err := wb.Package.ReadXML(ctx, part)
	if err != nil {
		return nil, err
	}
	return follow(followers, doc, func(rw *formula.Rewriter, doc []byte) ([]xmlscan.Splice, error) {
		if !strings.HasSuffix(ct, ".table+xml") {
			return partEdits(rw, ct, home, nil, doc)
		}
		tab, err := book.ParseTable(part, doc)
		if err != nil {
			return nil, err
		}
		return partEdits(rw, ct, home, tab, doc)
	})
}
