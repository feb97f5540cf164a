package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

const (
	typesNS = "http://schemas.openxmlformats.org/package/2006/content-types"
	relsNS  = "http://schemas.openxmlformats.org/package/2006/relationships"
	officeR = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	mime    = "application/vnd.openxmlformats-officedocument."
)

// types returns the list of content types of parts: name and type in turn.
func types(list ...string) part {
	var sb strings.Builder
	sb.WriteString(`<Types xmlns="` + typesNS + `"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>`)
	for i := 0; i < len(list); i += 2 {
		fmt.Fprintf(&sb, `<Override PartName="/%s" ContentType="%s"/>`, list[i], list[i+1])
	}
	return fixed("[Content_Types].xml", sb.String()+"</Types>")
}

// rels returns the relationships of a part: type and target in turn, rId1 first.
func rels(of string, list ...string) part {
	var sb strings.Builder
	sb.WriteString(`<Relationships xmlns="` + relsNS + `">`)
	for i := 0; i < len(list); i += 2 {
		fmt.Fprintf(&sb, `<Relationship Id="rId%d" Type="%s/%s" Target="%s"/>`, i/2+1, officeR, list[i], list[i+1])
	}
	dir, base := filepath.Split(of)
	return fixed(dir+"_rels/"+base+".rels", sb.String()+"</Relationships>")
}

// writeXLSX writes a sheet Data of n rows × 10: six numbers, three shared texts and a
// formula; each tenth row says "Widget" in column C.
func writeXLSX(dir string, seed uint64, n int) error {
	r := seeded(seed)
	const ns = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	sheet := func(w io.Writer) {
		fmt.Fprintf(w, `<worksheet xmlns="%s"><dimension ref="A1:J%d"/><sheetData><row r="1">`, ns, n+1)
		for i, name := range strings.Fields("Id Region Product Amount Qty Price Cost Tax Note Total") {
			fmt.Fprintf(w, `<c r="%c1" t="inlineStr"><is><t>%s</t></is></c>`, 'A'+i, name)
		}
		io.WriteString(w, "</row>")
		for i := 2; i <= n+1; i++ {
			product := 4 + r.IntN(200)
			if i%10 == 0 {
				product = 204
			}
			a, q := r.IntN(100000), 1+r.IntN(20)
			fmt.Fprintf(w, `<row r="%d"><c r="A%d"><v>%d</v></c><c r="B%d" t="s"><v>%d</v></c><c r="C%d" t="s"><v>%d</v></c>`, i, i, r.IntN(1000000), i, r.IntN(4), i, product)
			fmt.Fprintf(w, `<c r="D%d"><v>%d</v></c><c r="E%d"><v>%d</v></c><c r="F%d"><v>%d.25</v></c><c r="G%d"><v>%d</v></c><c r="H%d"><v>%d</v></c>`, i, a, i, q, i, r.IntN(1000), i, r.IntN(1000), i, r.IntN(100))
			fmt.Fprintf(w, `<c r="I%d" t="s"><v>%d</v></c><c r="J%d"><f>D%d*E%d</f><v>%d</v></c></row>`, i, 4+r.IntN(200), i, i, i, a*q)
		}
		io.WriteString(w, "</sheetData></worksheet>")
	}
	strs := func(w io.Writer) {
		fmt.Fprintf(w, `<sst xmlns="%s">`, ns)
		for _, s := range []string{"north", "south", "east", "west"} {
			fmt.Fprintf(w, "<si><t>%s</t></si>", s)
		}
		for range 200 {
			fmt.Fprintf(w, "<si><t>%s</t></si>", text(r, 3))
		}
		io.WriteString(w, "<si><t>Widget</t></si></sst>")
	}
	return pack(filepath.Join(dir, "book.xlsx"), []part{
		types("xl/workbook.xml", mime+"spreadsheetml.sheet.main+xml", "xl/worksheets/sheet1.xml", mime+"spreadsheetml.worksheet+xml", "xl/sharedStrings.xml", mime+"spreadsheetml.sharedStrings+xml", "xl/styles.xml", mime+"spreadsheetml.styles+xml"),
		rels("", "officeDocument", "xl/workbook.xml"),
		fixed("xl/workbook.xml", `<workbook xmlns="`+ns+`" xmlns:r="`+officeR+`"><sheets><sheet name="Data" sheetId="1" r:id="rId1"/></sheets></workbook>`),
		rels("xl/workbook.xml", "worksheet", "worksheets/sheet1.xml", "sharedStrings", "sharedStrings.xml", "styles", "styles.xml"),
		fixed("xl/styles.xml", `<styleSheet xmlns="`+ns+`"><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`),
		{"xl/sharedStrings.xml", strs}, {"xl/worksheets/sheet1.xml", sheet},
	})
}

// writeDOCX writes n paragraphs of 60 words, each twentieth a heading; each tenth says
// "Widget" once.
func writeDOCX(path string, seed uint64, n int) error {
	r := seeded(seed)
	const ns = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
	body := func(w io.Writer) {
		fmt.Fprintf(w, `<w:document xmlns:w="%s"><w:body>`, ns)
		for i := range n {
			switch {
			case i%20 == 0:
				fmt.Fprintf(w, `<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Chapter %d</w:t></w:r></w:p>`, i/20+1)
			case i%10 == 5:
				fmt.Fprintf(w, `<w:p><w:r><w:t xml:space="preserve">%s </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>Widget</w:t></w:r><w:r><w:t xml:space="preserve"> %s</w:t></w:r></w:p>`, text(r, 30), text(r, 30))
			default:
				fmt.Fprintf(w, `<w:p><w:r><w:t xml:space="preserve">%s </w:t></w:r><w:r><w:rPr><w:i/></w:rPr><w:t>%s</w:t></w:r></w:p>`, text(r, 50), text(r, 10))
			}
		}
		io.WriteString(w, `<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440" w:header="708" w:footer="708" w:gutter="0"/></w:sectPr></w:body></w:document>`)
	}
	return pack(path, []part{
		types("word/document.xml", mime+"wordprocessingml.document.main+xml", "word/styles.xml", mime+"wordprocessingml.styles+xml"),
		rels("", "officeDocument", "word/document.xml"), rels("word/document.xml", "styles", "styles.xml"),
		fixed("word/styles.xml", `<w:styles xmlns:w="`+ns+`"><w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:basedOn w:val="Normal"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style></w:styles>`),
		{"word/document.xml", body},
	})
}

// writePPTX writes n slides with a title and five lines of text; each says "Widget" once.
func writePPTX(dir string, seed uint64, n int) error {
	r := seeded(seed)
	const ns = `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="` + officeR + `" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"`
	const empty = `<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>`
	const frame = `<p:spPr><a:xfrm><a:off x="838200" y="%d"/><a:ext cx="10515600" cy="%d"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr>`
	shape := func(id int, name, kind string, y, h int, paras string) string {
		return fmt.Sprintf(`<p:sp><p:nvSpPr><p:cNvPr id="%d" name="%s"/><p:cNvSpPr/><p:nvPr><p:ph %s/></p:nvPr></p:nvSpPr>`+frame+`<p:txBody><a:bodyPr/><a:lstStyle/>%s</p:txBody></p:sp>`, id, name, kind, y, h, paras)
	}
	list := []string{"ppt/presentation.xml", mime + "presentationml.presentation.main+xml", "ppt/slideMasters/slideMaster1.xml", mime + "presentationml.slideMaster+xml", "ppt/slideLayouts/slideLayout1.xml", mime + "presentationml.slideLayout+xml", "ppt/theme/theme1.xml", mime + "theme+xml"}
	presRels := []string{"slideMaster", "slideMasters/slideMaster1.xml", "theme", "theme/theme1.xml"}
	var ids strings.Builder
	var slides []part
	for i := range n {
		name := fmt.Sprintf("ppt/slides/slide%d.xml", i+1)
		list = append(list, name, mime+"presentationml.slide+xml")
		presRels = append(presRels, "slide", fmt.Sprintf("slides/slide%d.xml", i+1))
		fmt.Fprintf(&ids, `<p:sldId id="%d" r:id="rId%d"/>`, 256+i, 3+i)
		var paras strings.Builder
		for j := range 5 {
			mark := ""
			if j == 2 {
				mark = `<a:r><a:rPr lang="en-US" b="1"/><a:t>Widget </a:t></a:r>`
			}
			fmt.Fprintf(&paras, `<a:p>%s<a:r><a:rPr lang="en-US"/><a:t>%s</a:t></a:r></a:p>`, mark, text(r, 10))
		}
		s := shape(2, "Title", `type="title"`, 365125, 1325563, fmt.Sprintf(`<a:p><a:r><a:rPr lang="en-US"/><a:t>Slide %d</a:t></a:r></a:p>`, i+1)) + shape(3, "Content", `idx="1"`, 1825625, 4351338, paras.String())
		slides = append(slides, fixed(name, `<p:sld `+ns+`><p:cSld><p:spTree>`+empty+s+`</p:spTree></p:cSld></p:sld>`), rels(name, "slideLayout", "../slideLayouts/slideLayout1.xml"))
	}
	holders := shape(2, "Title", `type="title"`, 365125, 1325563, "<a:p/>") + shape(3, "Content", `type="body" idx="1"`, 1825625, 4351338, "<a:p/>")
	tree := `<p:cSld><p:spTree>` + empty + holders + `</p:spTree></p:cSld>`
	colors := ""
	for _, c := range strings.Fields("dk1 lt1 dk2 lt2 accent1 accent2 accent3 accent4 accent5 accent6 hlink folHlink") {
		colors += `<a:` + c + `><a:srgbClr val="336699"/></a:` + c + `>`
	}
	fill, line, effect := `<a:solidFill><a:schemeClr val="phClr"/></a:solidFill>`, `<a:ln><a:solidFill><a:schemeClr val="phClr"/></a:solidFill></a:ln>`, `<a:effectStyle><a:effectLst/></a:effectStyle>`
	font := `<a:latin typeface="Calibri"/><a:ea typeface=""/><a:cs typeface=""/>`
	three := func(s string) string { return strings.Repeat(s, 3) }
	parts := append([]part{
		types(list...), rels("", "officeDocument", "ppt/presentation.xml"),
		fixed("ppt/presentation.xml", `<p:presentation `+ns+`><p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="rId1"/></p:sldMasterIdLst><p:sldIdLst>`+ids.String()+`</p:sldIdLst><p:sldSz cx="12192000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/></p:presentation>`),
		rels("ppt/presentation.xml", presRels...),
		fixed("ppt/slideMasters/slideMaster1.xml", `<p:sldMaster `+ns+`>`+tree+`<p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" accent3="accent3" accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/><p:sldLayoutIdLst><p:sldLayoutId id="2147483649" r:id="rId1"/></p:sldLayoutIdLst></p:sldMaster>`),
		rels("ppt/slideMasters/slideMaster1.xml", "slideLayout", "../slideLayouts/slideLayout1.xml", "theme", "../theme/theme1.xml"),
		fixed("ppt/slideLayouts/slideLayout1.xml", `<p:sldLayout `+ns+` type="obj">`+tree+`</p:sldLayout>`),
		rels("ppt/slideLayouts/slideLayout1.xml", "slideMaster", "../slideMasters/slideMaster1.xml"),
		fixed("ppt/theme/theme1.xml", `<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" name="T"><a:themeElements><a:clrScheme name="T">`+colors+`</a:clrScheme><a:fontScheme name="T"><a:majorFont>`+font+`</a:majorFont><a:minorFont>`+font+`</a:minorFont></a:fontScheme><a:fmtScheme name="T"><a:fillStyleLst>`+three(fill)+`</a:fillStyleLst><a:lnStyleLst>`+three(line)+`</a:lnStyleLst><a:effectStyleLst>`+three(effect)+`</a:effectStyleLst><a:bgFillStyleLst>`+three(fill)+`</a:bgFillStyleLst></a:fmtScheme></a:themeElements></a:theme>`),
	}, slides...)
	return pack(filepath.Join(dir, "deck.pptx"), parts)
}
