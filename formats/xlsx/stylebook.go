package xlsx

import (
	"context"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/formats/xlsx/internal/stylesheet"
)

const typeStyles = "application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"

// readStyles reads the workbook's style part; a workbook without one has the
// default formats.
func (f *finisher) readStyles(ctx context.Context) (*stylesheet.Book, error) {
	if f.book != nil || f.wb.RelPart(book.RelStyles) != "" {
		return f.styleBook(ctx)
	}
	b := stylesheet.NewBook("", []byte(stylesheet.Empty))
	return b, b.Parse()
}

// styleBook reads the workbook's style part once per edit; a workbook without
// one gets it.
func (f *finisher) styleBook(ctx context.Context) (*stylesheet.Book, error) {
	if f.book != nil {
		return f.book, nil
	}
	b := stylesheet.NewBook(f.wb.RelPart(book.RelStyles), nil)
	if b.Part == "" {
		doc := `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n" + stylesheet.Empty
		if f.wb.Strict {
			doc = strings.ReplaceAll(doc, sheetml.Namespace, xmlscan.Strict(sheetml.Namespace))
		}
		b.Part = opc.Resolve(f.wb.Main, "styles.xml")
		for n := 1; f.ed.Has(b.Part); n++ {
			b.Part = opc.Resolve(f.wb.Main, fmt.Sprintf("styles%d.xml", n))
		}
		f.ed.Set(b.Part, []byte(doc))
		if err := f.ed.DeclareType(ctx, b.Part, typeStyles); err != nil {
			return nil, err
		}
		if _, err := f.ed.AddRel(ctx, f.wb.Main, opc.Relationship{Type: book.RelStyles, Target: b.Part}); err != nil {
			return nil, err
		}
	}
	doc, err := f.ed.ReadXML(ctx, b.Part)
	if err != nil {
		return nil, err
	}
	b.Doc = doc
	if err := b.Parse(); err != nil {
		return nil, formats.Errorf(formats.CodeCorrupt, "%s: %w", b.Part, err)
	}
	f.book = b
	return b, nil
}
