package docs

import (
	"fmt"
	"strings"
)

const (
	wordNS = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
	wpNS   = "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"
	picNS  = "http://schemas.openxmlformats.org/drawingml/2006/picture"
)

func wordType(of string) string {
	return "application/vnd.openxmlformats-officedocument.wordprocessingml." + of + "+xml"
}

// runs writes text with a small markup as Word runs: *bold*, _italic_,
// [text](rel id) for a link, {x} for raw XML x of the map raw.
func runs(s string, raw map[string]string) string {
	var sb strings.Builder
	bold, italic, link := false, false, false
	var text strings.Builder
	flush := func() {
		if text.Len() == 0 {
			return
		}
		props := ""
		if link {
			props += `<w:rStyle w:val="Hyperlink"/>`
		}
		if bold {
			props += `<w:b/>`
		}
		if italic {
			props += `<w:i/>`
		}
		sb.WriteString(run(props, text.String()))
		text.Reset()
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '*':
			flush()
			bold = !bold
		case '_':
			flush()
			italic = !italic
		case '[':
			flush()
			link = true
			end := i + strings.Index(s[i:], "](")
			id := s[end+2 : end+strings.IndexByte(s[end:], ')')]
			sb.WriteString(`<w:hyperlink r:id="` + id + `">`)
		case ']':
			flush()
			link = false
			sb.WriteString(`</w:hyperlink>`)
			i += strings.IndexByte(s[i:], ')')
		case '{':
			flush()
			end := strings.IndexByte(s[i:], '}')
			sb.WriteString(raw[s[i+1:i+end]])
			i += end
		default:
			text.WriteByte(c)
		}
	}
	flush()
	return sb.String()
}

func run(props, text string) string {
	if props != "" {
		props = "<w:rPr>" + props + "</w:rPr>"
	}
	return `<w:r>` + props + `<w:t xml:space="preserve">` + esc(text) + `</w:t></w:r>`
}

func esc(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}

// para returns a paragraph with a style; props is additional content of its
// w:pPr.
func para(style, props, content string) string {
	if style != "" {
		style = `<w:pStyle w:val="` + style + `"/>`
	}
	if style+props != "" {
		style = "<w:pPr>" + style + props + "</w:pPr>"
	}
	return "<w:p>" + style + content + "</w:p>"
}

// field is a simple field such as PAGE.
func field(code, shown string) string {
	return `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> ` + code + ` </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>` + shown + `</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`
}

// inlinePicture returns an inline picture; sizes in EMU (914,400 an inch).
func inlinePicture(rid string, id, cx, cy int, name, descr string) string {
	return fmt.Sprintf(`<w:r><w:drawing><wp:inline distT="0" distB="0" distL="0" distR="0"><wp:extent cx="%d" cy="%d"/><wp:docPr id="%d" name="%s" descr="%s"/><a:graphic xmlns:a="%s"><a:graphicData uri="%s"><pic:pic xmlns:pic="%s"><pic:nvPicPr><pic:cNvPr id="%d" name="%s"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:embed="%s"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="%d" cy="%d"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>`,
		cx, cy, id, name, descr, drawingNS, picNS, picNS, id, name, rid, cx, cy)
}

// cell returns a table cell: width in twentieths of a point, additional
// content of its w:tcPr, and its paragraphs.
func cell(width int, props, paras string) string {
	return fmt.Sprintf(`<w:tc><w:tcPr><w:tcW w:w="%d" w:type="dxa"/>%s</w:tcPr>%s</w:tc>`, width, props, paras)
}

func table(style string, widths []int, rows ...string) string {
	grid, total := "", 0
	for _, w := range widths {
		grid += fmt.Sprintf(`<w:gridCol w:w="%d"/>`, w)
		total += w
	}
	return fmt.Sprintf(`<w:tbl><w:tblPr><w:tblStyle w:val="%s"/><w:tblW w:w="%d" w:type="dxa"/><w:jc w:val="center"/><w:tblLayout w:type="fixed"/><w:tblLook w:val="04A0" w:firstRow="1" w:lastRow="0" w:firstColumn="1" w:lastColumn="0" w:noHBand="0" w:noVBand="1"/></w:tblPr><w:tblGrid>%s</w:tblGrid>%s</w:tbl>`, style, total, grid, strings.Join(rows, ""))
}

func wordStyles() string {
	style := func(kind, id, name, based, next, rest string) string {
		s := `<w:style w:type="` + kind + `" w:styleId="` + id + `"`
		if id == "Normal" || id == "DefaultParagraphFont" || id == "TableNormal" {
			s += ` w:default="1"`
		}
		s += `><w:name w:val="` + name + `"/>`
		if based != "" {
			s += `<w:basedOn w:val="` + based + `"/>`
		}
		if next != "" {
			s += `<w:next w:val="` + next + `"/>`
		}
		return s + `<w:qFormat/>` + rest + `</w:style>`
	}
	heading := func(n int, size, before string) string {
		return style("paragraph", fmt.Sprintf("Heading%d", n), fmt.Sprintf("heading %d", n), "Normal", "Normal",
			fmt.Sprintf(`<w:pPr><w:keepNext/><w:keepLines/><w:spacing w:before="%s" w:after="100"/><w:jc w:val="left"/><w:outlineLvl w:val="%d"/></w:pPr><w:rPr><w:b/><w:color w:val="1F4E5F" w:themeColor="text2"/><w:sz w:val="%s"/></w:rPr>`, before, n-1, size))
	}
	side := func(tag, sz, colour string) string {
		return `<w:` + tag + ` w:val="single" w:sz="` + sz + `" w:space="0" w:color="` + colour + `"/>`
	}
	borders := side("top", "8", "1F4E5F") + side("left", "4", "C9D3D0") + side("bottom", "8", "1F4E5F") + side("right", "4", "C9D3D0") + side("insideH", "4", "C9D3D0") + side("insideV", "4", "C9D3D0")
	return `<w:styles xmlns:w="` + wordNS + `"><w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:asciiTheme="minorHAnsi" w:hAnsiTheme="minorHAnsi" w:eastAsiaTheme="minorEastAsia" w:cstheme="minorBidi"/><w:sz w:val="21"/><w:szCs w:val="21"/><w:lang w:val="es-ES" w:eastAsia="en-US" w:bidi="ar-SA"/></w:rPr></w:rPrDefault><w:pPrDefault><w:pPr><w:spacing w:after="120" w:line="269" w:lineRule="auto"/></w:pPr></w:pPrDefault></w:docDefaults>` +
		style("paragraph", "Normal", "Normal", "", "", `<w:pPr><w:jc w:val="both"/></w:pPr>`) +
		style("character", "DefaultParagraphFont", "Default Paragraph Font", "", "", "") +
		style("table", "TableNormal", "Normal Table", "", "", `<w:tblPr><w:tblInd w:w="0" w:type="dxa"/><w:tblCellMar><w:top w:w="0" w:type="dxa"/><w:left w:w="108" w:type="dxa"/><w:bottom w:w="0" w:type="dxa"/><w:right w:w="108" w:type="dxa"/></w:tblCellMar></w:tblPr>`) +
		style("paragraph", "Title", "Title", "Normal", "Normal", `<w:pPr><w:pBdr><w:bottom w:val="single" w:sz="12" w:space="6" w:color="D98E32"/></w:pBdr><w:spacing w:before="120" w:after="240"/><w:jc w:val="center"/></w:pPr><w:rPr><w:b/><w:caps/><w:color w:val="1F4E5F"/><w:spacing w:val="20"/><w:sz w:val="36"/></w:rPr>`) +
		style("paragraph", "Subtitle", "Subtitle", "Normal", "Normal", `<w:pPr><w:jc w:val="center"/></w:pPr><w:rPr><w:i/><w:color w:val="5F6B6D"/><w:sz w:val="24"/></w:rPr>`) +
		heading(1, "26", "320") + heading(2, "23", "200") +
		style("paragraph", "ListParagraph", "List Paragraph", "Normal", "", `<w:pPr><w:spacing w:after="60"/><w:ind w:left="720"/><w:contextualSpacing/></w:pPr>`) +
		style("paragraph", "Header", "header", "Normal", "", `<w:pPr><w:tabs><w:tab w:val="right" w:pos="9070"/></w:tabs><w:spacing w:after="0"/></w:pPr><w:rPr><w:color w:val="5F6B6D"/><w:sz w:val="18"/></w:rPr>`) +
		style("paragraph", "Footer", "footer", "Normal", "", `<w:pPr><w:pBdr><w:top w:val="single" w:sz="4" w:space="6" w:color="C9D3D0"/></w:pBdr><w:tabs><w:tab w:val="right" w:pos="9070"/></w:tabs><w:spacing w:after="0"/></w:pPr><w:rPr><w:color w:val="5F6B6D"/><w:sz w:val="18"/></w:rPr>`) +
		style("paragraph", "FootnoteText", "footnote text", "Normal", "", `<w:pPr><w:spacing w:after="0" w:line="240" w:lineRule="auto"/></w:pPr><w:rPr><w:sz w:val="18"/></w:rPr>`) +
		style("character", "FootnoteReference", "footnote reference", "DefaultParagraphFont", "", `<w:rPr><w:vertAlign w:val="superscript"/></w:rPr>`) +
		style("paragraph", "CommentText", "annotation text", "Normal", "", `<w:rPr><w:sz w:val="20"/></w:rPr>`) +
		style("character", "CommentReference", "annotation reference", "DefaultParagraphFont", "", `<w:rPr><w:sz w:val="16"/></w:rPr>`) +
		style("character", "Hyperlink", "Hyperlink", "DefaultParagraphFont", "", `<w:rPr><w:color w:val="1F6FB2" w:themeColor="hyperlink"/><w:u w:val="single"/></w:rPr>`) +
		style("table", "TablaCasa", "Tabla Casa", "TableNormal", "", `<w:pPr><w:spacing w:before="40" w:after="40" w:line="240" w:lineRule="auto"/><w:jc w:val="left"/></w:pPr><w:tblPr><w:tblBorders>`+borders+`</w:tblBorders></w:tblPr><w:tblStylePr w:type="firstRow"><w:rPr><w:b/><w:color w:val="FFFFFF"/></w:rPr><w:tcPr><w:shd w:val="clear" w:color="auto" w:fill="1F4E5F"/></w:tcPr></w:tblStylePr>`) +
		style("table", "SinBordes", "Sin Bordes", "TableNormal", "", `<w:pPr><w:spacing w:after="0"/><w:jc w:val="center"/></w:pPr>`) +
		`</w:styles>`
}

func wordNumbering() string {
	level := func(n int, format, text, left, font string) string {
		return fmt.Sprintf(`<w:lvl w:ilvl="%d"><w:start w:val="1"/><w:numFmt w:val="%s"/><w:lvlText w:val="%s"/><w:lvlJc w:val="left"/><w:pPr><w:ind w:left="%s" w:hanging="360"/></w:pPr>%s</w:lvl>`, n, format, text, left, font)
	}
	symbol := `<w:rPr><w:rFonts w:ascii="Arial" w:hAnsi="Arial" w:hint="default"/><w:color w:val="D98E32"/></w:rPr>`
	return `<w:numbering xmlns:w="` + wordNS + `"><w:abstractNum w:abstractNumId="0"><w:multiLevelType w:val="hybridMultilevel"/>` +
		level(0, "bullet", "•", "720", symbol) + level(1, "bullet", "–", "1200", symbol) +
		`</w:abstractNum><w:abstractNum w:abstractNumId="1"><w:multiLevelType w:val="multilevel"/>` +
		level(0, "lowerLetter", "%1)", "720", "") + level(1, "lowerRoman", "%2.", "1200", "") +
		`</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num><w:num w:numId="3"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num></w:numbering>`
}
