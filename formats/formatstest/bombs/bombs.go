package bombs

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
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

// scattered returns a number that differs from one i to the next, so that
// deflate finds less to save.
func scattered(i int) uint32 { return uint32(i+1) * 2654435761 }

// longString returns a workbook with n cells, perRow in a row, that all show
// one string of 32,000 characters.
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

// Good returns a good file of the given extension.
func Good(t testing.TB, ext string) []byte {
	if b := goodText(ext); b != nil {
		return b
	}
	name := map[string]string{".xlsx": "sales.xlsx", ".docx": "contrato.docx", ".pptx": "presentacion.pptx"}[ext]
	b, err := os.ReadFile(filepath.Join(formatstest.Root(t), "testdata", "documents", name))
	require.NoError(t, err)
	return b
}

// swapped returns a good file with another part.
func swapped(t testing.TB, ext, part, data string) []byte {
	return Rezipped(t, Good(t, ext), map[string]string{part: data})
}

// Rezipped returns the zip file with parts replaced or added.
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

// overlapped returns a workbook of many entries over the same compressed bytes
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
