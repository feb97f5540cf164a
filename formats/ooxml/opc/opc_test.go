package opc_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/seekflate"
)

var ctx = context.Background()

const (
	types = `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/doc/main.xml" ContentType="application/x-main"/></Types>`
	root  = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="doc/main.xml"/></Relationships>`
)

// entry is one file of a zip that a test builds; method zip.Store unless deflated.
type entry struct {
	name, data string
	deflated   bool
}

func build(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var buf bytes.Buffer
	zw := zip.NewWriter(&buf)
	require.NoError(t, zw.SetComment("a comment"))
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Comment: "about " + e.name, Modified: time.Date(2020, 5, 17, 10, 0, 0, 0, time.UTC), Extra: []byte{0x99, 0x99, 2, 0, 'h', 'i'}}
		if e.deflated {
			h.Method = zip.Deflate
		}
		w, err := zw.CreateHeader(h)
		require.NoError(t, err)
		if e.data != "" {
			_, err = w.Write([]byte(e.data))
			require.NoError(t, err)
		}
	}
	require.NoError(t, zw.Close())
	return buf.Bytes()
}

// simple returns a small package with some more entries.
func simple(t testing.TB, more ...entry) []byte {
	return build(t, append([]entry{{"[Content_Types].xml", types, true}, {"_rels/.rels", root, true}, {"doc/main.xml", "<a>" + strings.Repeat("text ", 500) + "</a>", true}}, more...)...)
}

func open(b []byte) (*opc.Package, error) { return opc.Open(ctx, formats.FromBytes("a.docx", b)) }

func mustOpen(t testing.TB, b []byte) *opc.Package {
	t.Helper()
	p, err := open(b)
	require.NoError(t, err)
	return p
}

func write(t testing.TB, e *opc.Edit) []byte {
	t.Helper()
	var buf bytes.Buffer
	require.NoError(t, e.Write(ctx, &buf))
	return buf.Bytes()
}

func TestOpenAndFind(t *testing.T) {
	p := mustOpen(t, simple(t))
	name, err := p.MainPart(ctx)
	require.NoError(t, err)
	require.Equal(t, "doc/main.xml", name)
	require.Equal(t, "application/x-main", p.ContentType("/DOC/Main.xml"), "names compare without case")
	require.Equal(t, "application/xml", p.ContentType("x/y.XML"))
	require.Equal(t, "", p.ContentType("x/y.bin"))
	require.True(t, p.Has("Doc/MAIN.xml"))
	require.EqualValues(t, -1, p.Size("none"))
	_, err = p.Read(ctx, "none")
	require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err))
	_, err = p.ExpectMain(ctx, formats.KindDocx, "application/x-main")
	require.NoError(t, err)
	_, err = p.ExpectMain(ctx, formats.KindXlsx, "application/x-other")
	require.ErrorContains(t, err, "is not a xlsx file")
}

// names are keys, never paths; whatever they are, opening does no harm.
func TestOddNames(t *testing.T) {
	b := simple(t, entry{"../../evil.xml", "<e/>", true}, entry{"/abs.xml", "<abs/>", true}, entry{`back\slash.xml`, "<back/>", true}, entry{"C:/drive.xml", "<c/>", true},
		entry{"dir/", "", false}, entry{"dup.xml", "<first/>", true}, entry{"DUP.xml", "<second/>", true})
	p := mustOpen(t, b)
	for name, want := range map[string]string{"../../evil.xml": "<e/>", "abs.xml": "<abs/>", "back/slash.xml": "<back/>", "dup.xml": "<first/>"} {
		got, err := p.ReadXML(ctx, name)
		require.NoError(t, err, name)
		require.Equal(t, want, string(got), name)
	}
	require.NotContains(t, p.Names(), "dir/")

	e := p.Edit()
	e.Set("dup.xml", []byte("<new/>"))
	again := mustOpen(t, write(t, e))
	n := 0
	for _, name := range again.Names() {
		if strings.EqualFold(name, "dup.xml") {
			n++
		}
	}
	require.Equal(t, 1, n, "an edited part has one entry")
	got, err := again.ReadXML(ctx, "dup.xml")
	require.NoError(t, err)
	require.Equal(t, "<new/>", string(got))
}

func TestTargetsNeverClimbOut(t *testing.T) {
	for _, c := range [][3]string{
		{"doc/main.xml", "media/a.png", "doc/media/a.png"}, {"doc/main.xml", "/media/a.png", "media/a.png"}, {"doc/main.xml", "../../../etc/passwd", "etc/passwd"},
		{"", "doc/main.xml", "doc/main.xml"}, {"a/b/c.xml", `..\x.xml`, "a/x.xml"}, {"a/b.xml", "./././c.xml", "a/c.xml"},
	} {
		require.Equal(t, c[2], opc.Resolve(c[0], c[1]), c)
	}
	for _, c := range [][3]string{{"doc/main.xml", "doc/media/a.png", "media/a.png"}, {"doc/main.xml", "x/a.png", "../x/a.png"}, {"", "doc/main.xml", "doc/main.xml"}, {"a/b/c.xml", "a/d.xml", "../d.xml"}, {"main.xml", "x.xml", "x.xml"}} {
		require.Equal(t, c[2], opc.Relative(c[0], c[1]), c)
		require.Equal(t, c[1], opc.Resolve(c[0], c[2]), c)
	}
}

func TestRefused(t *testing.T) {
	whole := simple(t)
	crypt := simple(t, entry{"secret.xml", "x", false})
	crypt = setFlags(t, crypt, "secret.xml")
	for name, c := range map[string]struct {
		b    []byte
		code formats.Code
		word string
	}{
		"empty":      {nil, formats.CodeCorrupt, "is empty"},
		"text":       {[]byte("words"), formats.CodeCorrupt, "not an office document"},
		"ole":        {append([]byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"), make([]byte, 512)...), formats.CodeCorrupt, "damaged"},
		"cut":        {whole[:len(whole)/2], formats.CodeCorrupt, "damaged or cut off"},
		"one entry":  {build(t, entry{"a.txt", "x", false}), formats.CodeCorrupt, "no office document"},
		"encrypted":  {crypt, formats.CodeEncrypted, "encrypted entry"},
		"no types":   {build(t, entry{"[Content_Types].xml", "<Types", true}), formats.CodeCorrupt, "[Content_Types].xml"},
		"doctype":    {build(t, entry{"[Content_Types].xml", `<!DOCTYPE x [<!ENTITY a "b">]><Types/>`, true}), formats.CodeCorrupt, "document type"},
		"deep":       {build(t, entry{"[Content_Types].xml", strings.Repeat("<a>", 300), true}), formats.CodeCorrupt, "deeper"},
		"no main":    {build(t, entry{"[Content_Types].xml", types, true}), "", ""},
		"bad crc":    {flipData(t, build(t, entry{"[Content_Types].xml", types, false})), formats.CodeCorrupt, ""},
		"only magic": {[]byte("PK\x03\x04"), formats.CodeCorrupt, "damaged"},
	} {
		_, err := open(c.b)
		if c.code == "" {
			require.NoError(t, err, name)
			continue
		}
		require.Equal(t, c.code, formats.CodeOf(err), "%s: %v", name, err)
		require.ErrorContains(t, err, c.word, name)
	}
	_, err := mustOpen(t, build(t, entry{"[Content_Types].xml", types, true})).MainPart(ctx)
	require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err))
}

// setFlags marks an entry as encrypted in the zip directory.
func setFlags(t *testing.T, b []byte, name string) []byte {
	out := bytes.Clone(b)
	out[directory(t, out, name)+8] |= 1
	return out
}

// directory returns the offset of the directory entry called name.
func directory(t *testing.T, b []byte, name string) int {
	for i := 0; ; i += 4 {
		n := bytes.Index(b[i:], []byte("PK\x01\x02"))
		require.GreaterOrEqual(t, n, 0, name)
		i += n
		if l := int(binary.LittleEndian.Uint16(b[i+28:])); string(b[i+46:i+46+l]) == name {
			return i
		}
	}
}

// flipData changes a stored byte, so that the checksum is wrong.
func flipData(t *testing.T, b []byte) []byte {
	i := bytes.Index(b, []byte("Override"))
	require.Positive(t, i)
	out := bytes.Clone(b)
	out[i] = 'o'
	return out
}

// bombs are refused before memory is taken.
func TestBombs(t *testing.T) {
	many := make([]entry, opc.MaxEntries+1)
	for i := range many {
		many[i] = entry{name: fmt.Sprintf("e%d", i)}
	}
	_, err := open(build(t, many...))
	require.Equal(t, formats.CodeTooLarge, formats.CodeOf(err), "%v", err)

	// A directory that declares more than deflate can do.
	lie := simple(t, entry{"big.xml", strings.Repeat("x", 1000), true})
	_, err = open(setSize(t, lie, "big.xml", 1<<31))
	require.Equal(t, formats.CodeTooLarge, formats.CodeOf(err), "%v", err)

	// One that declares less than there is is stopped there.
	p := mustOpen(t, setSize(t, simple(t, entry{"big.xml", strings.Repeat("x", 1<<20), true}), "big.xml", 2000))
	_, err = p.Read(ctx, "big.xml")
	require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err), "%v", err)
	rc, err := p.Stream(ctx, "big.xml")
	require.NoError(t, err)
	n, err := io.Copy(io.Discard, rc)
	require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err), "%v", err)
	require.LessOrEqual(t, n, int64(2000))
	require.NoError(t, rc.Close())

	// Parts that office programs would not write, but for pictures.
	p = mustOpen(t, simple(t, entry{"big.xml", strings.Repeat("x", 2<<20), true}, entry{"white.bmp", strings.Repeat("x", 2<<20), true}))
	_, err = p.Read(ctx, "big.xml")
	require.Equal(t, formats.CodeTooLarge, formats.CodeOf(err), "%v", err)
	_, err = p.Stream(ctx, "big.xml")
	require.Equal(t, formats.CodeTooLarge, formats.CodeOf(err), "%v", err)
	_, err = p.StreamMarked(ctx, "big.xml", nil, 1<<20, func(seekflate.Mark) {})
	require.Equal(t, formats.CodeTooLarge, formats.CodeOf(err), "%v", err)
	picture, err := p.Read(ctx, "white.bmp")
	require.NoError(t, err)
	require.Len(t, picture, 2<<20)
	_, err = p.ReadXML(ctx, "white.bmp")
	require.Equal(t, formats.CodeTooLarge, formats.CodeOf(err), "%v", err)

	// A true one: zeros over the limit of one part, within the ratio.
	var buf bytes.Buffer
	zw := zip.NewWriter(&buf)
	for _, e := range []entry{{"[Content_Types].xml", types, true}, {"huge.xml", "", true}} {
		w, err := zw.Create(e.name)
		require.NoError(t, err)
		if e.data != "" {
			_, err = io.WriteString(w, e.data)
			require.NoError(t, err)
			continue
		}
		zeros := make([]byte, 1<<20)
		for range opc.MaxPartBytes>>20 + 1 {
			_, err = w.Write(zeros)
			require.NoError(t, err)
		}
	}
	require.NoError(t, zw.Close())
	p = mustOpen(t, buf.Bytes())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = p.Read(ctx, "huge.xml")
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20))
	require.Equal(t, formats.CodeTooLarge, formats.CodeOf(err), "%v", err)
}

// setSize changes the inflated size that the zip directory declares.
func setSize(t *testing.T, b []byte, name string, size uint32) []byte {
	out := bytes.Clone(b)
	binary.LittleEndian.PutUint32(out[directory(t, out, name)+24:], size)
	return out
}

func TestUTF16Part(t *testing.T) {
	u := []byte{0xFF, 0xFE}
	for _, c := range utf16.Encode([]rune(`<?xml version="1.0" encoding="utf-16"?><a>ñ</a>`)) {
		u = append(u, byte(c), byte(c>>8))
	}
	got, err := mustOpen(t, simple(t, entry{"u.xml", string(u), true})).ReadXML(ctx, "u.xml")
	require.NoError(t, err)
	require.Contains(t, string(got), "<a>ñ</a>")
	require.Contains(t, string(got), "UTF-8")
}

// rawEntry is all that a raw copy must keep.
type rawEntry struct {
	Header zip.FileHeader
	Data   string
}

func rawOf(t testing.TB, b []byte) (out []rawEntry, comment string) {
	t.Helper()
	zr, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	for _, f := range zr.File {
		r, err := f.OpenRaw()
		require.NoError(t, err)
		data, err := io.ReadAll(r)
		require.NoError(t, err)
		out = append(out, rawEntry{f.FileHeader, string(data)})
	}
	return out, zr.Comment
}

func TestRawCopyKeepsEverything(t *testing.T) {
	b := simple(t, entry{"z.bin", "stored", false}, entry{"a.xml", "<a/>", true}, entry{"dir/", "", false})
	e := mustOpen(t, b).Edit()
	require.False(t, e.Changed())
	require.Equal(t, b, write(t, e), "no change, same bytes")

	e.Set("doc/main.xml", []byte("<new/>"))
	e.Set("doc/added.xml", []byte("<added/>"))
	out := write(t, e)
	before, comment := rawOf(t, b)
	after, comment2 := rawOf(t, out)
	require.Equal(t, comment, comment2)
	require.Len(t, after, len(before)+1)
	for i := range before {
		if name := before[i].Header.Name; name == "doc/main.xml" || name == "dir/" {
			require.Equal(t, name, after[i].Header.Name, "order is kept")
			require.Equal(t, before[i].Header.Modified.Unix(), after[i].Header.Modified.Unix())
			continue
		}
		require.Equal(t, before[i], after[i])
	}
	require.Equal(t, "doc/added.xml", after[len(after)-1].Header.Name, "new parts come last")
	formatstest.SameParts(t, b, out, "doc/main.xml", "doc/added.xml")
}

// Writer.Copy of the standard library fails on directories that carry data.
func TestDirectoryWithData(t *testing.T) {
	b := simple(t, entry{"dir_", "data", false})
	b = bytes.ReplaceAll(b, []byte("dir_"), []byte("dir/"))
	e := mustOpen(t, b).Edit()
	e.Set("doc/main.xml", []byte("<new/>"))
	p := mustOpen(t, write(t, e))
	got, err := p.ReadXML(ctx, "doc/main.xml")
	require.NoError(t, err)
	require.Equal(t, "<new/>", string(got))
}

func TestRemoveAndAddAgain(t *testing.T) {
	e := mustOpen(t, simple(t, entry{"x.xml", "<x/>", true})).Edit()
	e.Remove("X.xml")
	require.False(t, e.Has("x.xml"))
	_, err := e.ReadXML(ctx, "x.xml")
	require.Error(t, err)
	require.NotContains(t, mustOpen(t, write(t, e)).Names(), "x.xml")
	e.Set("x.xml", []byte("<again/>"))
	e.Set("y.xml", []byte("<y/>"))
	e.Remove("y.xml")
	p := mustOpen(t, write(t, e))
	require.Equal(t, []string{"[Content_Types].xml", "_rels/.rels", "doc/main.xml", "x.xml"}, p.Names())
}

func TestRelationships(t *testing.T) {
	e := mustOpen(t, simple(t)).Edit()
	id, err := e.AddRel(ctx, "doc/main.xml", opc.Relationship{Type: opc.RelPrefix + "image", Target: "media/a b&.png"})
	require.NoError(t, err)
	require.Equal(t, "rId1", id)
	id, err = e.AddRel(ctx, "doc/main.xml", opc.Relationship{Type: opc.RelPrefix + "hyperlink", Target: "https://x.y/?a=1&b=2", External: true})
	require.NoError(t, err)
	require.Equal(t, "rId2", id)
	require.NoError(t, e.RemoveRel(ctx, "doc/main.xml", "rId1"))
	id, err = e.AddRel(ctx, "doc/main.xml", opc.Relationship{Type: opc.RelPrefix + "image", Target: "doc/b.png"})
	require.NoError(t, err)
	require.Equal(t, "rId3", id, "never an id that is in use")
	rels, err := mustOpen(t, write(t, e)).Rels(ctx, "doc/main.xml")
	require.NoError(t, err)
	require.Equal(t, []opc.Relationship{
		{ID: "rId2", Type: opc.RelPrefix + "hyperlink", Target: "https://x.y/?a=1&b=2", External: true},
		{ID: "rId3", Type: opc.RelPrefix + "image", Target: "doc/b.png"},
	}, rels)
	none, err := mustOpen(t, simple(t)).Rels(ctx, "doc/none.xml")
	require.NoError(t, err)
	require.Empty(t, none)
}

// The prefix and the form of the root element are the package's own.
func TestInsertIntoPrefixedAndEmptyRoots(t *testing.T) {
	prefixed := `<r:Relationships xmlns:r="http://schemas.openxmlformats.org/package/2006/relationships"/>`
	e := mustOpen(t, simple(t, entry{"doc/_rels/main.xml.rels", prefixed, true})).Edit()
	_, err := e.AddRel(ctx, "doc/main.xml", opc.Relationship{Type: opc.RelPrefix + "styles", Target: "doc/styles.xml"})
	require.NoError(t, err)
	got, err := e.ReadXML(ctx, "doc/_rels/main.xml.rels")
	require.NoError(t, err)
	require.Equal(t, strings.TrimSuffix(prefixed, "/>")+`><r:Relationship Id="rId1" Type="`+opc.RelPrefix+`styles" Target="styles.xml"/></r:Relationships>`, string(got))
	rels, err := e.Rels(ctx, "doc/main.xml")
	require.NoError(t, err)
	require.Equal(t, "doc/styles.xml", rels[0].Target)
}

func TestContentTypes(t *testing.T) {
	e := mustOpen(t, simple(t)).Edit()
	require.NoError(t, e.AddContentType(ctx, "doc/new.xml", "application/x-new"))
	require.NoError(t, e.AddContentType(ctx, "/doc/MAIN.xml", "application/x-changed"))
	e.Set("doc/new.xml", []byte("<n/>"))
	p := mustOpen(t, write(t, e))
	require.Equal(t, "application/x-new", p.ContentType("doc/new.xml"))
	require.Equal(t, "application/x-changed", p.ContentType("doc/main.xml"))
	e = p.Edit()
	require.NoError(t, e.RemoveContentType(ctx, "doc/new.xml"))
	require.Equal(t, "application/xml", mustOpen(t, write(t, e)).ContentType("doc/new.xml"))
}

func TestNewPackage(t *testing.T) {
	e := opc.NewEdit()
	e.Set("doc/main.xml", []byte("<a/>"))
	require.NoError(t, e.AddContentType(ctx, "doc/main.xml", "application/x-main"))
	_, err := e.AddRel(ctx, "", opc.Relationship{Type: opc.RelOfficeDocument, Target: "doc/main.xml"})
	require.NoError(t, err)
	p := mustOpen(t, write(t, e))
	name, err := p.ExpectMain(ctx, formats.KindDocx, "application/x-main")
	require.NoError(t, err)
	require.Equal(t, "doc/main.xml", name)
}

func TestContextEnds(t *testing.T) {
	done, cancel := context.WithCancel(ctx)
	p := mustOpen(t, simple(t))
	e := p.Edit()
	e.Set("doc/main.xml", make([]byte, 1<<20))
	cancel()
	_, err := opc.Open(done, formats.FromBytes("a.docx", simple(t)))
	require.ErrorIs(t, err, context.Canceled)
	_, err = p.Read(done, "doc/main.xml")
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, e.Write(done, io.Discard), context.Canceled)
	require.ErrorIs(t, p.Edit().Write(done, io.Discard), context.Canceled)
	// Cut off while one large part is being written.
	slow, cancel := context.WithCancel(ctx)
	e.SetStream("doc/main.xml", func(w io.Writer) error {
		cancel()
		_, err := w.Write(make([]byte, 1<<20))
		return err
	})
	require.ErrorIs(t, e.Write(slow, io.Discard), context.Canceled)
}

func TestStreamError(t *testing.T) {
	e := mustOpen(t, simple(t)).Edit()
	boom := errors.New("boom")
	e.SetStream("doc/main.xml", func(io.Writer) error { return boom })
	require.ErrorIs(t, e.Write(ctx, io.Discard), boom)
}

// Every file of the corpus that opens is kept raw when one part is touched.
func TestCorpus(t *testing.T) {
	for _, kind := range []string{"docx", "xlsx", "pptx"} {
		for _, path := range formatstest.Corpus(t, kind) {
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			p, err := open(b)
			if err != nil {
				require.NotEmpty(t, formats.CodeOf(err), path)
				continue
			}
			main, err := p.MainPart(ctx)
			require.NoError(t, err, path)
			part, err := p.Read(ctx, main)
			require.NoError(t, err, path)
			e := p.Edit()
			require.Equal(t, b, write(t, e))
			e.Set(main, part)
			out := write(t, e)
			formatstest.SameParts(t, b, out)
			before, _ := rawOf(t, b)
			after, _ := rawOf(t, out)
			for i := range before {
				if !strings.EqualFold(before[i].Header.Name, main) && !strings.HasSuffix(before[i].Header.Name, "/") {
					require.Equal(t, before[i].Data, after[i].Data, "%s %s", path, before[i].Header.Name)
				}
			}
			for _, name := range append(p.Names(), "") {
				_, err := p.Rels(ctx, name)
				require.NoError(t, err, "%s %s", path, name)
			}
		}
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(simple(f))
	f.Add([]byte("PK\x05\x06" + strings.Repeat("\x00", 18)))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := open(b)
		if err != nil {
			if formats.CodeOf(err) == "" {
				t.Fatalf("untyped: %v", err)
			}
			return
		}
		for _, name := range p.Names() {
			if p.Size(name) < 1<<20 {
				_, _ = p.ReadXML(ctx, name)
			}
		}
		_, _ = p.MainPart(ctx)
	})
}

func TestStrictNamesAndNewParts(t *testing.T) {
	for _, uri := range []string{
		"http://schemas.openxmlformats.org/officeDocument/2006/relationships/image",
		"http://schemas.openxmlformats.org/drawingml/2006/main",
		"http://schemas.openxmlformats.org/wordprocessingml/2006/main",
		"http://schemas.openxmlformats.org/officeDocument/2006/relationships/extended-properties",
	} {
		strict := xmlscan.Strict(uri)
		require.Contains(t, strict, "http://purl.oclc.org/ooxml/")
		require.Equal(t, uri, xmlscan.Transitional(strict))
	}
	for _, uri := range []string{"http://schemas.openxmlformats.org/package/2006/relationships", "http://schemas.openxmlformats.org/markup-compatibility/2006", "urn:x"} {
		require.Equal(t, uri, xmlscan.Strict(uri))
	}
	ctx := context.Background()
	e := opc.NewEdit()
	e.Set("doc/main.xml", []byte("<a/>"))
	for i := 1; i <= 2; i++ {
		name, id, err := e.AddPart(ctx, "doc/main.xml", "doc/media/image%d.png", opc.RelPrefix+"image", "image/png", []byte("x"))
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf("doc/media/image%d.png", i), name)
		require.Equal(t, fmt.Sprintf("rId%d", i), id)
	}
	name, _, err := e.AddPart(ctx, "doc/main.xml", "doc/chart%d.xml", opc.RelPrefix+"chart", "application/x-chart", []byte("<c/>"))
	require.NoError(t, err)
	types, err := e.ReadXML(ctx, "[Content_Types].xml")
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(types), `Default Extension="png"`))
	require.Contains(t, string(types), `<Override PartName="/`+name+`" ContentType="application/x-chart"/>`)
}
