package bombs

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"atelier/formats/formatstest"
)

const oneCell = `<sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData>`

// All are the bombs of X-18.
var All = []Bomb{
	// Sizes that give themselves away.
	sheetBomb("merges", true, oneCell+"<mergeCells>", "</mergeCells>", 3<<20, same(`<mergeCell ref="A1:B2"/>`)),
	sheetBomb("columns", true, "<cols>", "</cols>"+oneCell, 1<<20, same(`<col min="1" max="16384" hidden="1"/>`)),
	sheetBomb("one long cell", true, `<sheetData><row r="1"><c r="A1" t="str"><v>`, "</v></c></row></sheetData>", 1<<20, same(strings.Repeat("x", 100))),
	sheetBomb("cells everywhere", true, "<sheetData>", "</sheetData>", 1<<20, same(`<row><c r="A1"><v>1</v></c><c r="XFD1"><v>1</v></c></row><row/>`)),
	docBomb("paragraphs", true, "", "", 4<<20, same("<w:p/>")),
	docBomb("one long text", true, "<w:p><w:r><w:t>", "</w:t></w:r></w:p>", 1<<20, same(strings.Repeat("x", 100))),
	slideBomb("shapes", true, "", "", 1<<20, same(`<p:sp><p:nvSpPr/><p:spPr/><p:txBody><a:p/></p:txBody></p:sp>`)),
	{"declares less than there is.docx", true, func(t testing.TB) []byte {
		return declared(t, swapped(t, ".docx", wordPart, strings.Repeat(" ", 64<<20)), wordPart, 1000)
	}},
	{"declares more than there is.docx", true, func(t testing.TB) []byte {
		return declared(t, swapped(t, ".docx", wordPart, "<w:document "+wordNS+"/>"), wordPart, 0xfffffff0)
	}},
	{"overlapped entries.xlsx", true, overlapped},
	{"many entries.docx", true, func(t testing.TB) []byte {
		parts := map[string]string{}
		for i := range 60_000 {
			parts[fmt.Sprintf("word/%d.xml", i)] = ""
		}
		return Rezipped(t, Good(t, ".docx"), parts)
	}},
	docBomb("deep", true, "", "", 300_000, same("<w:p>")),
	{"entities.docx", true, func(t testing.TB) []byte {
		dtd := `<!DOCTYPE d [<!ENTITY a0 "lol">` + times(30, func(i int) string {
			return fmt.Sprintf(`<!ENTITY a%d "%s">`, i+1, strings.Repeat(fmt.Sprintf("&a%d;", i), 10))
		}) + `<!ENTITY x SYSTEM "file:///etc/hostname">]>`
		return swapped(t, ".docx", wordPart, dtd+`<w:document `+wordNS+`><w:body><w:p><w:r><w:t>&a30;&x;</w:t></w:r></w:p></w:body></w:document>`)
	}},

	// Within a plausible ratio: these must be worked through within the bounds.
	sheetBomb("merges that differ", false, oneCell+"<mergeCells>", "</mergeCells>", 250_000, func(i int) string {
		return fmt.Sprintf(`<mergeCell ref="A%d:B%d"/>`, i*2+1, i*2+2)
	}),
	sheetBomb("merges of whole sheets", false, oneCell+"<mergeCells>", "</mergeCells>", 100_000, same(`<mergeCell ref="A1:XFD1048576"/>`)),
	sheetBomb("columns that differ", false, "<cols>", "</cols>"+oneCell, 200_000, func(i int) string {
		return fmt.Sprintf(`<col min="%d" max="16384" width="%d"/>`, i%16384+1, scattered(i)%200)
	}),
	sheetBomb("far corners", false, "<sheetData>", "</sheetData>", 100_000, func(i int) string {
		return fmt.Sprintf(`<row r="%d"><c r="A%d"><v>1</v></c><c r="XFD%d"><v>1</v></c></row>`, i*10+1, i*10+1, i*10+1)
	}),
	sheetBomb("cells of one row", false, "<sheetData><row>", "</row></sheetData>", 200_000, func(i int) string {
		return fmt.Sprintf(`<c r="A1"><v>%d</v></c>`, scattered(i))
	}),
	sheetBomb("empty rows", false, "<sheetData>", "</sheetData>", 1_000_000, func(i int) string { return fmt.Sprintf(`<row r="%d" ht="%d"/>`, i+1, i%97) }),
	sheetBomb("shared formulas", false, `<sheetData><row r="1"><c r="A1"><f t="shared" si="0" ref="A1:A9">`+strings.Repeat("A1+", 10_000)+`1</f></c></row>`, "</sheetData>", 100_000, func(i int) string {
		return fmt.Sprintf(`<row r="%d"><c r="A%d"><f t="shared" si="0"/></c></row>`, i+2, i+2)
	}),
	sheetBomb("shared formula of 8,000 characters", false, `<sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1"><f t="shared" si="0" ref="B1:B200001">`+strings.Repeat("A1+", 2_600)+`1</f><v>1</v></c></row>`, "</sheetData>", 200_000, func(i int) string {
		return fmt.Sprintf(`<row r="%d"><c r="A%d"><v>%d</v></c><c r="B%d"><f t="shared" si="0"/><v>1</v></c></row>`, i+2, i+2, scattered(i)%1000, i+2)
	}),
	longString("a string in a million cells", 1_000_000, 1),
	longString("a string in all cells of a window", 10_000, 50),
	sheetBomb("masters", false, "<sheetData>", "</sheetData>", 30_000, func(i int) string {
		return fmt.Sprintf(`<row r="%d"><c r="A%d"><f t="shared" si="%d">%sB%d</f></c></row>`, i+1, i+1, i, strings.Repeat("A1+", 100), scattered(i))
	}),
	sheetBomb("conditional formats", false, oneCell, "", 30_000, func(i int) string {
		return fmt.Sprintf(`<conditionalFormatting sqref="A1:XFD1048576 B%d"><cfRule type="expression" priority="%d"><formula>A1=%d</formula></cfRule></conditionalFormatting>`, i+1, i+1, scattered(i))
	}),
	sheetBomb("attributes", false, "<sheetData><row r=\"1\"", "/></sheetData>", 300_000, func(i int) string { return fmt.Sprintf(` a%d="%d"`, i, scattered(i)) }),
	sheetBomb("names of elements", false, oneCell, "", 150_000, func(i int) string { return fmt.Sprintf(`<e%d/>`, scattered(i)) }),
	sheetBomb("namespaces", false, oneCell+"<extLst", "/>", 200_000, func(i int) string { return fmt.Sprintf(` xmlns:n%d="u%d"`, i, scattered(i)) }),
	partBomb(".xlsx", "xl/sharedStrings.xml", "<sst "+mainNS+">", "</sst>", 600_000, same("<si/>")),
	partBomb(".xlsx", "xl/sharedStrings.xml", "<sst "+mainNS+">", "</sst>", 300_000, func(i int) string { return fmt.Sprintf("<si><t>%d</t></si>", scattered(i)) }),
	partBomb(".xlsx", "xl/styles.xml", "<styleSheet "+mainNS+"><cellXfs>", "</cellXfs></styleSheet>", 200_000, func(i int) string { return fmt.Sprintf(`<xf numFmtId="%d"/>`, scattered(i)%400) }),
	partBomb(".xlsx", "xl/styles.xml", "<styleSheet "+mainNS+"><numFmts>", "</numFmts></styleSheet>", 100_000, func(i int) string {
		return fmt.Sprintf(`<numFmt numFmtId="%d" formatCode="%s%d"/>`, i+170, strings.Repeat("[", 40), scattered(i))
	}),
	partBomb(".xlsx", "xl/comments1.xml", "<comments "+mainNS+"><commentList>", "</commentList></comments>", 150_000, func(i int) string {
		return fmt.Sprintf(`<comment ref="A%d"><text><t>%d</t></text></comment>`, i+1, scattered(i))
	}),
	partBomb(".xlsx", "xl/tables/table1.xml", `<table name="T" ref="A1:A2" `+mainNS+"><tableColumns>", "</tableColumns></table>", 100_000, func(i int) string {
		return fmt.Sprintf(`<tableColumn id="%d" name="c%d"/>`, i+1, scattered(i))
	}),
	{"names.xlsx", false, bookBomb("</sheets>", "</sheets><definedNames>", "</definedNames>", 100_000, func(i int) string { return fmt.Sprintf(`<definedName name="N%d">A1+N%d</definedName>`, i, i+1) })},
	{"sheets.xlsx", false, bookBomb("</sheets>", "", "</sheets>", 100_000, func(i int) string {
		return fmt.Sprintf(`<sheet name="S%d" sheetId="%d" r:id="rId1"/>`, i, i+10)
	})},

	docBomb("empty paragraphs", false, "", "", 500_000, same("<w:p/>")),
	docBomb("runs", false, "<w:p>", "</w:p>", 75_000, func(i int) string { return fmt.Sprintf(`<w:r><w:t>%d</w:t></w:r>`, scattered(i)) }),
	docBomb("one paragraph of many hits", false, `<w:p><w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">`, `</w:t></w:r></w:p>`, 165_000, func(i int) string { return fmt.Sprintf("%d ", scattered(i)%10_000) }),
	docBomb("one paragraph of 49,000 hits", false, `<w:p><w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">`, `</w:t></w:r></w:p>`, 49_000, func(i int) string { return fmt.Sprintf("%d ", scattered(i)%10_000) }),
	docBomb("grid spans", false, "<w:tbl>", "</w:tbl>", 20_000, same(`<w:tr><w:tc><w:tcPr><w:gridSpan w:val="2147483647"/></w:tcPr><w:p/></w:tc></w:tr>`)),
	docBomb("fields", false, "<w:p>", "</w:p>", 50_000, same(`<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r>`)),
	docBomb("tables in tables", false, strings.Repeat("<w:tbl><w:tr><w:tc>", 80), strings.Repeat("<w:p/></w:tc></w:tr></w:tbl>", 80), 20_000, func(i int) string { return fmt.Sprintf("<w:p><w:r><w:t>%d</w:t></w:r></w:p>", scattered(i)) }),
	docBomb("insertions", false, "", "", 30_000, func(i int) string {
		return fmt.Sprintf(`<w:p><w:ins w:id="%d" w:author="a"><w:r><w:t>x%d</w:t></w:r></w:ins></w:p>`, i, scattered(i))
	}),
	docBomb("headings", false, "", "", 30_000, func(i int) string {
		return fmt.Sprintf(`<w:p><w:pPr><w:pStyle w:val="Heading%d"/></w:pPr><w:r><w:t>%d</w:t></w:r></w:p>`, i%9+1, scattered(i))
	}),
	docBomb("bookmarks", false, "<w:p>", "</w:p>", 100_000, func(i int) string { return fmt.Sprintf(`<w:bookmarkStart w:id="%d" w:name="b%d"/>`, i, scattered(i)) }),
	partBomb(".docx", "word/styles.xml", "<w:styles "+wordNS+">", "</w:styles>", 60_000, func(i int) string {
		return fmt.Sprintf(`<w:style w:type="paragraph" w:styleId="s%d"><w:name w:val="s%d"/><w:basedOn w:val="s%d"/></w:style>`, i, i, i+1)
	}),
	partBomb(".docx", "word/numbering.xml", "<w:numbering "+wordNS+">", "</w:numbering>", 60_000, func(i int) string {
		return fmt.Sprintf(`<w:num w:numId="%d"><w:abstractNumId w:val="%d"/></w:num>`, i, scattered(i)%9)
	}),
	partBomb(".docx", "word/comments.xml", "<w:comments "+wordNS+">", "</w:comments>", 30_000, func(i int) string {
		return fmt.Sprintf(`<w:comment w:id="%d" w:author="a"><w:p><w:r><w:t>%d</w:t></w:r></w:p></w:comment>`, i, scattered(i))
	}),
	partBomb(".docx", "word/footnotes.xml", "<w:footnotes "+wordNS+">", "</w:footnotes>", 30_000, func(i int) string {
		return fmt.Sprintf(`<w:footnote w:id="%d"><w:p><w:r><w:t>%d</w:t></w:r></w:p></w:footnote>`, i, scattered(i))
	}),

	slideBomb("small shapes", false, "", "", 15_000, func(i int) string {
		return fmt.Sprintf(`<p:sp><p:nvSpPr><p:cNvPr id="%d" name="n"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:p><a:r><a:t>%d</a:t></a:r></a:p></p:txBody></p:sp>`, i+2, scattered(i))
	}),
	slideBomb("groups in groups", false, strings.Repeat("<p:grpSp>", 240), strings.Repeat("</p:grpSp>", 240), 20_000, func(i int) string {
		return fmt.Sprintf(`<p:sp><p:nvSpPr><p:cNvPr id="%d" name="n"/></p:nvSpPr></p:sp>`, i)
	}),
	slideBomb("table cells", false, `<p:graphicFrame><a:graphic><a:graphicData><a:tbl>`, `</a:tbl></a:graphicData></a:graphic></p:graphicFrame>`, 22_000, func(i int) string {
		return fmt.Sprintf(`<a:tr><a:tc gridSpan="2147483647" rowSpan="2147483647"><a:txBody><a:p><a:r><a:t>%d</a:t></a:r></a:p></a:txBody></a:tc></a:tr>`, scattered(i))
	}),
	slideBomb("text of many runs", false, `<p:sp><p:nvSpPr><p:cNvPr id="2" name="n"/></p:nvSpPr><p:txBody><a:p>`, `</a:p></p:txBody></p:sp>`, 40_000, func(i int) string { return fmt.Sprintf(`<a:r><a:t>%d</a:t></a:r>`, scattered(i)) }),
	{"slides.pptx", true, func(t testing.TB) []byte {
		good := Good(t, ".pptx")
		pres := string(formatstest.Parts(t, good)["ppt/presentation.xml"])
		first := pres[strings.Index(pres, "<p:sldId "):]
		first = first[:strings.Index(first, "/>")+2]
		return Rezipped(t, good, map[string]string{"ppt/presentation.xml": strings.Replace(pres, first, times(50_000, func(i int) string {
			return regexp.MustCompile(`id="\d+"`).ReplaceAllString(first, fmt.Sprintf(`id="%d"`, 256+i*7919))
		}), 1)})
	}},
}
