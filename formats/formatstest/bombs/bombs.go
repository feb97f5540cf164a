// Package bombs makes small files that take a reader much memory or time, for
// tests of limits.
//
//	for _, b := range bombs.All {
//		os.WriteFile(b.Name, b.Build(t), 0o600)
//	}
package bombs

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
)

// Bomb is a small file made to take much memory or time. Those whose size
// gives them away are refused; the others may be done, within the bounds.
type Bomb struct {
	Name    string // ends as the file does
	Refused bool
	Build   func(t testing.TB) []byte
}

const (
	mainNS = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
	wordNS = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`
	drawNS = `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"`

	sheetPart = "xl/worksheets/sheet1.xml"
	wordPart  = "word/document.xml"
	slidePart = "ppt/slides/slide1.xml"
)

func sheetBomb(name string, refused bool, rows, after string, n int, piece func(i int) string) Bomb {
	return Bomb{name + ".xlsx", refused, func(t testing.TB) []byte {
		return swapped(t, ".xlsx", sheetPart, `<worksheet `+mainNS+`>`+rows+times(n, piece)+after+`</worksheet>`)
	}}
}

func docBomb(name string, refused bool, before, after string, n int, piece func(i int) string) Bomb {
	return Bomb{name + ".docx", refused, func(t testing.TB) []byte {
		return swapped(t, ".docx", wordPart, `<w:document `+wordNS+`><w:body>`+before+times(n, piece)+after+`</w:body></w:document>`)
	}}
}

func slideBomb(name string, refused bool, before, after string, n int, piece func(i int) string) Bomb {
	return Bomb{name + ".pptx", refused, func(t testing.TB) []byte {
		return swapped(t, ".pptx", slidePart, `<p:sld `+drawNS+`><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>`+before+times(n, piece)+after+`</p:spTree></p:cSld></p:sld>`)
	}}
}

func partBomb(ext, part, before, after string, n int, piece func(i int) string) Bomb {
	return Bomb{strings.ReplaceAll(part, "/", " ") + " " + fmt.Sprint(n) + ext, false, func(t testing.TB) []byte {
		return swapped(t, ext, part, before+times(n, piece)+after)
	}}
}

func same(s string) func(int) string { return func(int) string { return s } }

func times(n int, piece func(i int) string) string {
	var sb strings.Builder
	for i := range n {
		sb.WriteString(piece(i))
	}
	return sb.String()
}

// scattered is a number that differs from one i to the next, so that deflate
// finds less to save.
func scattered(i int) uint32 { return uint32(i+1) * 2654435761 }

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

// longString is a workbook with n cells, perRow in a row, that all show one
// string of 32,000 characters.
func longString(name string, n, perRow int) Bomb {
	return Bomb{name + ".xlsx", false, func(t testing.TB) []byte {
		var sheet strings.Builder
		for i := range n {
			if i%perRow == 0 {
				fmt.Fprintf(&sheet, `<row r="%d">`, i/perRow+1)
			}
			sheet.WriteString(`<c t="s"><v>0</v></c>`)
			if i%perRow == perRow-1 || i == n-1 {
				sheet.WriteString("</row>")
			}
		}
		return Rezipped(t, Good(t, ".xlsx"), map[string]string{
			sheetPart:              `<worksheet ` + mainNS + `><sheetData>` + sheet.String() + `</sheetData></worksheet>`,
			"xl/sharedStrings.xml": `<sst ` + mainNS + `><si><t>` + times(2667, func(i int) string { return fmt.Sprintf("%-12d", scattered(i)) }) + `</t></si></sst>`,
		})
	}}
}

func bookBomb(at, before, after string, n int, piece func(int) string) func(testing.TB) []byte {
	return func(t testing.TB) []byte {
		good := Good(t, ".xlsx")
		book := string(formatstest.Parts(t, good)["xl/workbook.xml"])
		require.Contains(t, book, at)
		return Rezipped(t, good, map[string]string{"xl/workbook.xml": strings.Replace(book, at, before+times(n, piece)+after, 1)})
	}
}

// Good is a good file of the given extension.
func Good(t testing.TB, ext string) []byte {
	if b := goodText(ext); b != nil {
		return b
	}
	name := map[string]string{".xlsx": "sales.xlsx", ".docx": "contrato.docx", ".pptx": "presentacion.pptx"}[ext]
	b, err := os.ReadFile(filepath.Join(formatstest.Root(t), "testdata", "documents", name))
	require.NoError(t, err)
	return b
}

// swapped is a good file with another part.
func swapped(t testing.TB, ext, part, data string) []byte {
	return Rezipped(t, Good(t, ext), map[string]string{part: data})
}

// Rezipped is the zip file with parts replaced or added.
func Rezipped(t testing.TB, file []byte, with map[string]string) []byte {
	t.Helper()
	var buf bytes.Buffer
	zw := zip.NewWriter(&buf)
	write := func(name, data string) {
		w, err := zw.Create(name)
		require.NoError(t, err)
		_, err = w.Write([]byte(data))
		require.NoError(t, err)
	}
	for name, data := range formatstest.Parts(t, file) {
		if _, ok := with[name]; !ok {
			write(name, string(data))
		}
	}
	for name, data := range with {
		write(name, data)
	}
	require.NoError(t, zw.Close())
	return buf.Bytes()
}

// declared changes the inflated size that the zip directory gives for a part.
func declared(t testing.TB, file []byte, part string, size uint32) []byte {
	t.Helper()
	i := bytes.LastIndex(file, []byte(part)) - 46 // APPNOTE 4.3.12: the name follows 46 bytes
	require.Equal(t, "PK\x01\x02", string(file[i:i+4]))
	binary.LittleEndian.PutUint32(file[i+24:], size)
	return file
}

// overlapped is a workbook of many entries over the same compressed bytes
// (Fifield, "A better zip bomb", 2019): each is plausible, the total is not.
func overlapped(t testing.TB) []byte {
	t.Helper()
	xml := `<worksheet ` + mainNS + `><sheetData>` + times(200_000, func(i int) string {
		return fmt.Sprintf(`<row r="%d"><c r="A%d"><v>%d</v></c></row>`, i+1, i+1, scattered(i))
	}) + `</sheetData></worksheet>`
	good := swapped(t, ".xlsx", sheetPart, xml)
	end := bytes.LastIndex(good, []byte("PK\x05\x06"))
	start := int(binary.LittleEndian.Uint32(good[end+16:]))
	at := bytes.LastIndex(good[:end], []byte(sheetPart)) - 46
	n := 46 + len(sheetPart) + int(binary.LittleEndian.Uint16(good[at+30:])) + int(binary.LittleEndian.Uint16(good[at+32:]))
	record := good[at : at+n]
	require.Equal(t, crc32.ChecksumIEEE([]byte(xml)), binary.LittleEndian.Uint32(record[16:]))
	dir := bytes.Clone(good[start:end])
	for i := range 200 {
		again := bytes.Clone(record)
		copy(again[46:], fmt.Sprintf("xl/worksheets/shee%03d.xm", i)[:len(sheetPart)])
		dir = append(dir, again...)
	}
	out := append(bytes.Clone(good[:start]), dir...)
	tail := bytes.Clone(good[end:])
	entries := binary.LittleEndian.Uint16(tail[8:]) + 200
	binary.LittleEndian.PutUint16(tail[8:], entries)
	binary.LittleEndian.PutUint16(tail[10:], entries)
	binary.LittleEndian.PutUint32(tail[12:], uint32(len(dir)))
	return append(out, tail...)
}
