package xlsx

import (
	"bytes"
	"context"
	"strings"

	"atelier/formats/ooxml/opc"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/formats/xlsx/internal/stylesheet"
)

// newWorkbook is a complete workbook with one empty sheet, Sheet1.
func newWorkbook(ctx context.Context) ([]byte, error) {
	const (
		main = "xl/workbook.xml"
		ct   = "application/vnd.openxmlformats-officedocument."
		decl = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
		core = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"
	)
	ed := opc.NewEdit()
	parts := []struct{ name, typ, from, rel, xml string }{
		{main, book.TypeBook, "", opc.RelOfficeDocument, `<workbook xmlns="` + sheetml.Namespace + `" xmlns:r="` + sheetml.RelNamespace + `"><bookViews><workbookView xWindow="0" yWindow="0" windowWidth="28800" windowHeight="16000"/></bookViews><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>`},
		{"docProps/core.xml", "application/vnd.openxmlformats-package.core-properties+xml", "", core, `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator>Atelier</dc:creator></cp:coreProperties>`},
		{"docProps/app.xml", ct + "extended-properties+xml", "", opc.RelPrefix + "extended-properties", `<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"><Application>Atelier</Application></Properties>`},
		{"xl/worksheets/sheet1.xml", book.TypeSheet, main, book.RelWorksheet, `<worksheet xmlns="` + sheetml.Namespace + `"><dimension ref="A1"/><sheetViews><sheetView tabSelected="1" workbookViewId="0"/></sheetViews><sheetFormatPr defaultRowHeight="15"/><sheetData/><pageMargins left="0.7" right="0.7" top="0.75" bottom="0.75" header="0.3" footer="0.3"/></worksheet>`},
		{"xl/theme/theme1.xml", ct + "theme+xml", main, opc.RelPrefix + "theme", themeXML()},
		{"xl/styles.xml", ct + "spreadsheetml.styles+xml", main, book.RelStyles, stylesheet.Empty},
	}
	for _, p := range parts {
		ed.Set(p.name, []byte(decl+p.xml))
		if err := ed.AddContentType(ctx, p.name, p.typ); err != nil {
			return nil, err
		}
		if _, err := ed.AddRel(ctx, p.from, opc.Relationship{Type: p.rel, Target: p.name}); err != nil {
			return nil, err
		}
	}
	var out bytes.Buffer
	if err := ed.Write(ctx, &out); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// themeXML is a plain office theme (20.1.6.9): twelve colours, two fonts, and
// the three fills, lines, effects and backgrounds the schema asks for.
func themeXML() string {
	var sb strings.Builder
	sb.WriteString(`<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" name="Office Theme"><a:themeElements><a:clrScheme name="Office"><a:dk1><a:sysClr val="windowText" lastClr="000000"/></a:dk1><a:lt1><a:sysClr val="window" lastClr="FFFFFF"/></a:lt1>`)
	for _, c := range []string{"dk2 1F497D", "lt2 EEECE1", "accent1 4F81BD", "accent2 C0504D", "accent3 9BBB59", "accent4 8064A2", "accent5 4BACC6", "accent6 F79646", "hlink 0000FF", "folHlink 800080"} {
		name, rgb, _ := strings.Cut(c, " ")
		sb.WriteString(`<a:` + name + `><a:srgbClr val="` + rgb + `"/></a:` + name + `>`)
	}
	sb.WriteString(`</a:clrScheme><a:fontScheme name="Office"><a:majorFont><a:latin typeface="Cambria"/><a:ea typeface=""/><a:cs typeface=""/></a:majorFont><a:minorFont><a:latin typeface="Calibri"/><a:ea typeface=""/><a:cs typeface=""/></a:minorFont></a:fontScheme><a:fmtScheme name="Office">`)
	const fill = `<a:solidFill><a:schemeClr val="phClr"/></a:solidFill>`
	sb.WriteString(`<a:fillStyleLst>` + strings.Repeat(fill, 3) + `</a:fillStyleLst>`)
	sb.WriteString(`<a:lnStyleLst>` + strings.Repeat(`<a:ln w="9525">`+fill+`</a:ln>`, 3) + `</a:lnStyleLst>`)
	sb.WriteString(`<a:effectStyleLst>` + strings.Repeat(`<a:effectStyle><a:effectLst/></a:effectStyle>`, 3) + `</a:effectStyleLst>`)
	sb.WriteString(`<a:bgFillStyleLst>` + strings.Repeat(fill, 3) + `</a:bgFillStyleLst></a:fmtScheme></a:themeElements></a:theme>`)
	return sb.String()
}
