package formatstest

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"fmt"
	"hash/adler32"
	"strings"
)

// Bomb is a small file made to take memory or time without end.
type Bomb struct {
	Name  string
	Worst string // of its operations: "read" or "preview"
	Bytes func() []byte
}

// PDFBombs are PDF files for tests of limits.
var PDFBombs = []Bomb{
	{"pattern of itself", "preview", patternOfItself},
	{"pattern and form", "preview", patternAndForm},
	{"mask of itself", "preview", maskOfItself},
	{"nested forms", "read", nestedForms},
	{"nested patterns", "preview", nestedPatterns},
	{"double Flate content", "read", doubleFlateContent},
	{"double Flate picture", "preview", doubleFlatePicture},
	{"dashes", "preview", func() []byte {
		return PDFPage("", strings.Repeat("[0.00001 0.00001] 0 d 5 w 0 0 m 400 600 l S\n", 40), "")
	}},
	{"tiles", "preview", tiles},
	{"huge page", "read", hugePage},
	{"deep page tree", "read", deepPageTree},
	{"cyclic page tree", "read", cyclicPageTree},
	{"wide page tree", "read", widePageTree},
	{"object stream", "read", objectStream},
	{"cross-reference loop", "read", xrefLoop},
	{"cross-reference stream", "read", xrefStream},
	{"JBIG2 picture", "preview", func() []byte { return pictureBomb("/JBIG2Decode", 60000, "") }},
	{"JPX picture", "preview", jpxPicture},
	{"deep arrays", "read", func() []byte { return PDFPage("", strings.Repeat("[", 200000)+strings.Repeat("<<", 200000), "") }},
	{"shadings", "preview", shadings},
	{"Type 3 font", "preview", type3Font},
	{"tiny texts", "read", func() []byte { return PDFPage("", manyTexts(100_000), "") }},
	{"tiny lines", "read", func() []byte { return PDFPage("", manyTexts(5_000)+manyLines(100_000), "") }},
}

// manyTexts are words in rows and columns, as a table has them.
func manyTexts(n int) string {
	var sb strings.Builder
	for i := range n {
		fmt.Fprintf(&sb, "BT /F1 1 Tf %d %g Td (%d) Tj ET\n", 10+i%20*19, 590-float64(i/20)*580/float64(n/20), i)
	}
	return sb.String()
}

// manyLines cross each other.
func manyLines(n int) string {
	var sb strings.Builder
	for i := range n / 2 {
		at := float64(i) / float64(n/2)
		fmt.Fprintf(&sb, "%g 10 m %g 590 l S 10 %g m 390 %g l S\n", 10+380*at, 10+380*at, 10+580*at, 10+580*at)
	}
	return sb.String()
}

// PDFPage builds a PDF of one page: its attributes, its content, and what else
// the catalogue has; objects are numbered from 5.
func PDFPage(attrs, content, catalog string, objects ...string) []byte {
	return PDF(append([]string{
		"<< /Type /Catalog /Pages 2 0 R " + catalog + " >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 400 600] >>",
		"<< /Type /Page /Parent 2 0 R /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> /Contents 4 0 R " + attrs + " >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content)}, objects...)...)
}

// PDF returns a file of objects numbered from 1, the first of which is its
// catalogue.
func PDF(objects ...string) []byte {
	var buf bytes.Buffer
	var at []int
	buf.WriteString("%PDF-1.4\n")
	for i, o := range objects {
		at = append(at, buf.Len())
		fmt.Fprintf(&buf, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	xref := buf.Len()
	fmt.Fprintf(&buf, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, o := range at {
		fmt.Fprintf(&buf, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&buf, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, xref)
	return buf.Bytes()
}

// stream returns an object with data that the filters have been applied to.
func stream(attrs string, data []byte) string {
	return fmt.Sprintf("<< /Length %d %s >>\nstream\n%s\nendstream", len(data), attrs, data)
}

// deflated is at least n bytes of a repeated text, deflated twice. A piece is
// compressed once and its compressed bytes are repeated.
func deflated(n int, text string) []byte {
	piece := []byte(strings.Repeat(text, (1<<20)/len(text)+1))
	var packed bytes.Buffer
	w, _ := flate.NewWriter(&packed, flate.BestCompression)
	_, _ = w.Write(piece)
	_ = w.Flush() // to a whole byte, without an end
	times := n/len(piece) + 1
	sum := adler32.New()
	for range times {
		_, _ = sum.Write(piece)
	}
	once := append([]byte{0x78, 0xda}, bytes.Repeat(packed.Bytes(), times)...)
	once = append(once, 1, 0, 0, 0xff, 0xff) // the end: an empty block
	once = sum.Sum(once)
	var twice bytes.Buffer
	z, _ := zlib.NewWriterLevel(&twice, zlib.BestCompression)
	_, _ = z.Write(once)
	_ = z.Close()
	return twice.Bytes()
}

// withObjects returns a page with the objects (from 5) as resources.
func withObjects(resources, content string, objects ...string) []byte {
	b := PDFPage("", content, "", objects...)
	return bytes.Replace(b, []byte("/Resources << "), []byte("/Resources << "+resources+" "), 1)
}

// patternOfItself paints its tile with itself.
func patternOfItself() []byte {
	fill := "/Pattern cs /P scn 0 0 400 600 re f"
	return withObjects("/Pattern << /P 5 0 R >>", fill,
		stream("/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 400 600] /XStep 400 /YStep 600 /Resources << /Pattern << /P 5 0 R >> >>", []byte(fill)))
}

// patternAndForm paint each other, twice each time.
func patternAndForm() []byte {
	fill := "/Pattern cs /P scn 0 0 400 600 re f"
	return withObjects("/Pattern << /P 5 0 R >>", fill,
		stream("/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 400 600] /XStep 40 /YStep 60 /Resources << /XObject << /X 6 0 R >> >>", []byte("/X Do /X Do")),
		stream("/Type /XObject /Subtype /Form /BBox [0 0 400 600] /Resources << /Pattern << /P 5 0 R >> >>", []byte(fill)))
}

// maskOfItself returns a soft mask that is painted through itself.
func maskOfItself() []byte {
	const masked = "/ExtGState << /G << /SMask << /S /Luminosity /G 5 0 R >> >> >>"
	return withObjects(masked, "/G gs 0 0 400 600 re f",
		stream("/Type /XObject /Subtype /Form /Group << /S /Transparency /CS /DeviceGray >> /BBox [0 0 400 600] /Resources << "+masked+" >>", []byte("/G gs 0 0 400 600 re f")))
}

// nestedPatterns fill each tile with the tiles of the next.
func nestedPatterns() []byte {
	var objects []string
	const depth = 12
	for i := range depth {
		next := fmt.Sprintf("/Resources << /Pattern << /P %d 0 R >> >>", 6+i)
		content := "/Pattern cs /P scn 0 0 1000 1000 re f\n"
		if i == depth-1 {
			next, content = "", "0 0 1 1 re f\n"
		}
		objects = append(objects, stream("/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 1000 1000] /XStep 0.5 /YStep 0.5 "+next, []byte(strings.Repeat(content, 4))))
	}
	return withObjects("/Pattern << /P 5 0 R >>", "/Pattern cs /P scn 0 0 400 600 re f", objects...)
}

// nestedForms draw the next form ten times each, with text at the end.
func nestedForms() []byte {
	var objects []string
	const depth = 25
	for i := range depth {
		next := fmt.Sprintf("/Resources << /XObject << /X %d 0 R >> >>", 6+i)
		content := strings.Repeat("/X Do ", 10)
		if i == depth-1 {
			next, content = "", "0 0 1 1 re f"
		}
		objects = append(objects, stream("/Type /XObject /Subtype /Form /BBox [0 0 400 600] "+next, []byte(content)))
	}
	return withObjects("/XObject << /X 5 0 R >>", "/X Do", objects...)
}

func doubleFlateContent() []byte {
	return bytes.Replace(PDFPage("", "", ""), []byte("<< /Length 0 >>\nstream\n\nendstream"),
		[]byte(stream("/Filter [/FlateDecode /FlateDecode]", deflated(1<<30, "BT /F1 9 Tf 9 9 Td (words) Tj ET\n"))), 1)
}

func doubleFlatePicture() []byte {
	return withObjects("/XObject << /X 5 0 R >>", "400 0 0 600 0 0 cm /X Do",
		stream("/Type /XObject /Subtype /Image /Width 20000 /Height 20000 /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter [/FlateDecode /FlateDecode]", deflated(1200000000, "\x10\x80")))
}

func tiles() []byte {
	return withObjects("/Pattern << /A 5 0 R >>", "/Pattern cs /A scn 0 0 400 600 re f",
		stream("/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 400 600] /XStep 0.001 /YStep 0.001 /Matrix [1 0.3 0 1 0 0]", []byte("0 0 400 600 re f 1 0 0 rg 3 3 9 9 re f")))
}

func hugePage() []byte {
	b := PDFPage("/UserUnit 1000", "BT /F1 900000 Tf 20 500 Td (Dear sir) Tj ET 0 0 m 100000000 900000000 l S", "")
	return bytes.Replace(b, []byte("[0 0 400 600]"), []byte("[0 0 2000000000 1900000000]"), 1)
}

func deepPageTree() []byte {
	var objects []string
	const depth = 3000
	for i := range depth {
		objects = append(objects, fmt.Sprintf("<< /Type /Pages /Kids [%d 0 R] /Count 1 >>", 6+i))
	}
	objects = append(objects, "<< /Type /Page /MediaBox [0 0 400 600] /Contents 4 0 R >>")
	return bytes.Replace(PDFPage("", "", "", objects...), []byte("/Kids [3 0 R]"), []byte("/Kids [5 0 R]"), 1)
}

func cyclicPageTree() []byte {
	return bytes.Replace(PDFPage("", "", ""), []byte("/Kids [3 0 R] /Count 1"), []byte("/Kids [2 0 R 3 0 R 2 0 R] /Count 2000000"), 1)
}

// widePageTree has levels of a thousand times the same next one.
func widePageTree() []byte {
	var objects []string
	for i := range 6 {
		objects = append(objects, fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count 2000000000 >>", strings.Repeat(fmt.Sprintf("%d 0 R ", 6+i), 100)))
	}
	objects = append(objects, "<< /Type /Page /MediaBox [0 0 400 600] /Contents 4 0 R >>")
	return bytes.Replace(PDFPage("", "", "", objects...), []byte("/Kids [3 0 R] /Count 1"), []byte("/Kids [5 0 R] /Count 2000000000"), 1)
}

func objectStream() []byte {
	return bytes.Replace(PDFPage("", "", "", stream("/Type /ObjStm /N 100000000 /First 10 /Filter [/FlateDecode /FlateDecode]", deflated(1<<30, "7 0 "))),
		[]byte("/Size"), []byte("/XRefStm 9 /Size"), 1)
}

func xrefLoop() []byte {
	b := PDFPage("", "BT /F1 9 Tf 20 500 Td (Dear sir) Tj ET", "")
	at := bytes.LastIndex(b, []byte("xref\n0"))
	return bytes.Replace(b, []byte("trailer\n<< "), fmt.Appendf(nil, "trailer\n<< /Prev %d ", at), 1)
}

func xrefStream() []byte {
	var buf bytes.Buffer
	buf.WriteString("%PDF-1.5\n")
	at := buf.Len()
	fmt.Fprintf(&buf, "1 0 obj\n%s\nendobj\n", stream("/Type /XRef /W [1 4 2] /Size 4000000 /Root 2 0 R /Index [0 4000000] /Filter [/FlateDecode /FlateDecode]", deflated(1<<30, "\x01\x00\x00\x00\x10\x00\x00")))
	buf.WriteString("2 0 obj\n<< /Type /Catalog /Pages 3 0 R >>\nendobj\n3 0 obj\n<< /Type /Pages /Kids [4 0 R] /Count 1 /MediaBox [0 0 400 600] >>\nendobj\n4 0 obj\n<< /Type /Page /Parent 3 0 R >>\nendobj\n")
	fmt.Fprintf(&buf, "startxref\n%d\n%%%%EOF\n", at)
	return buf.Bytes()
}

func pictureBomb(filter string, side int, data string) []byte {
	return withObjects("/XObject << /X 5 0 R >>", "400 0 0 600 0 0 cm /X Do",
		stream(fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray /BitsPerComponent 1 /Filter %s", side, side, filter), []byte(data)))
}

// jpxPicture returns the head of a JPEG 2000 code stream of 60,000 × 60,000
// pixels.
func jpxPicture() []byte {
	siz := "\xff\x4f\xff\x51\x00\x2f\x00\x00" + "\x00\x00\xea\x60\x00\x00\xea\x60" + "\x00\x00\x00\x00\x00\x00\x00\x00" + "\x00\x00\xea\x60\x00\x00\xea\x60" + "\x00\x00\x00\x00\x00\x00\x00\x00" +
		"\x00\x03\x07\x01\x01\x07\x01\x01\x07\x01\x01" + "\xff\x52\x00\x0c\x00\x00\x00\x01\x00\x05\x04\x04\x00\x01" + "\xff\x5c\x00\x13\x40\x40\x48\x48\x50\x48\x48\x50\x48\x48\x50\x48\x48\x50\x48\x48\x50" + "\xff\x90\x00\x0a\x00\x00\x00\x00\x00\x00\x00\x01\xff\x93"
	return pictureBomb("/JPXDecode", 60000, siz+strings.Repeat("\x80", 100)+"\xff\xd9")
}

// shadings are many functions' worth of work for each point of the page.
func shadings() []byte {
	sh := "<< /ShadingType 1 /ColorSpace /DeviceRGB /Domain [0 1000 0 1000] /Function 6 0 R >>"
	fn := stream("/FunctionType 4 /Domain [0 1000 0 1000] /Range [0 1 0 1 0 1]", []byte("{ "+strings.Repeat("sin exch cos ", 40000)+" dup }"))
	return withObjects("/Shading << /S 5 0 R >>", strings.Repeat("/S sh ", 500), sh, fn)
}

// type3Font has a glyph that writes itself, many times.
func type3Font() []byte {
	font := "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1000 1000] /FontMatrix [0.001 0 0 0.001 0 0] /FirstChar 97 /LastChar 97 /Widths [1000] /Encoding << /Differences [97 /a] >> /CharProcs << /a 6 0 R >> /Resources << /Font << /T 5 0 R >> >> >>"
	glyph := stream("", []byte("1000 0 d0 BT /T 500 Tf "+strings.Repeat("(aaaaaaaaaa) Tj ", 50)+" ET"))
	return bytes.Replace(PDFPage("", "BT /T 20 Tf 20 500 Td "+strings.Repeat("(aaaaaaaaaaaaaaa) Tj ", 50)+"ET", "", font, glyph), []byte("/Font << "), []byte("/Font << /T 5 0 R "), 1)
}
