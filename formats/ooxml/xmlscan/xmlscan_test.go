package xmlscan_test

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/campaign"
)

// trace writes tokens so that a test can state them on one line.
func trace(doc string) (string, error) {
	var sb strings.Builder
	sc := xmlscan.New([]byte(doc))
	for sc.Next() {
		t := sc.Token()
		switch t.Kind {
		case xmlscan.Start:
			sb.WriteString("<" + t.Local)
			if t.Space != "" {
				sb.WriteString("{" + t.Space + "}")
			}
			for a := range t.Attrs() {
				sb.WriteString(" " + a.Name + "=" + a.Value())
			}
			if t.Empty {
				sb.WriteString("/")
			}
			sb.WriteString(">")
		case xmlscan.End:
			sb.WriteString("</" + t.Local + ">")
		case xmlscan.Text:
			sb.WriteString("T(" + content(t) + ")")
		case xmlscan.CData:
			sb.WriteString("C(" + content(t) + ")")
		default:
			sb.WriteString("O")
		}
	}
	return sb.String(), sc.Err()
}

// content returns the character data of a token.
func content(t xmlscan.Token) string {
	b := t.Bytes()
	if t.Kind == xmlscan.CData {
		return string(b[len("<![CDATA[") : len(b)-len("]]>")])
	}
	return xmlscan.Unescape(b)
}

func TestTokens(t *testing.T) {
	for doc, want := range map[string]string{
		`<a/>`:                     `<a/>`,
		`<a  b = "1"	c='2' ></a >`: `<a b=1 c=2></a>`,
		`<a b="x>y" c='"/>' d="&lt;&#65;&#x42;&unknown;&"/>`:              `<a b=x>y c="/> d=<AB&unknown;&/>`,
		`<?xml version="1.0"?><!-- <x> --><a>t&amp;u<![CDATA[<&]]]]></a>`: `OO<a>T(t&u)C(<&]])</a>`,
		`<a><b/>t<c></c></a>`: `<a><b/>T(t)<c></c></a>`,
		`<p:a xmlns:p="u" xmlns="d"><b/><p:c xmlns="" ><d/></p:c><e/></p:a>`: `<a{u} xmlns:p=u xmlns=d><b{d}/><c{u} xmlns=><d/></c><e{d}/></a>`,
		`<a xmlns="1"><b xmlns="2"/><c/></a>`:                                `<a{1} xmlns=1><b{2} xmlns=2/><c{1}/></a>`,
		"\xef\xbb\xbf<a/>":                                                   `<a/>`,
		`<a b=""/>`:                                                          `<a b=/>`,
		`<a
b="1"
/>`: `<a b=1/>`,
		`<a xmlns="http://purl.oclc.org/ooxml/wordprocessingml/main"/>`: `<a{http://schemas.openxmlformats.org/wordprocessingml/2006/main} xmlns=http://purl.oclc.org/ooxml/wordprocessingml/main/>`,
	} {
		got, err := trace(doc)
		require.NoError(t, err, doc)
		require.Equal(t, want, got, doc)
	}
}

func TestRefused(t *testing.T) {
	for doc, word := range map[string]string{
		`<!DOCTYPE a [<!ENTITY x "y">]><a/>`: "document type",
		`<!doctype a><a/>`:                   "document type",
		`<a><b></a>`:                         "closes nothing",
		`</a>`:                               "closes nothing",
		`<a>`:                                "ends inside",
		`<a`:                                 "cut",
		`<a b="1`:                            "cut",
		`<a></a`:                             "cut",
		`<!-- x`:                             "missing",
		`<![CDATA[ x`:                        "missing",
		`<?xml`:                              "missing",
		`< a/>`:                              "no name",
		`<a/><`:                              "cut",
		`<>`:                                 "no name",
		strings.Repeat("<a>", xmlscan.MaxDepth+1): "deeper",
	} {
		_, err := trace(doc)
		require.ErrorContains(t, err, word, doc)
	}
	_, err := trace(strings.Repeat("<a>", xmlscan.MaxDepth) + strings.Repeat("</a>", xmlscan.MaxDepth))
	require.NoError(t, err, "the limit itself is allowed")
	_, err = trace(strings.Repeat("<a>", xmlscan.MaxDepth-1) + "<b/>" + strings.Repeat("</a>", xmlscan.MaxDepth-1))
	require.NoError(t, err)
}

func TestSkipAndDepth(t *testing.T) {
	doc := []byte(`<a><b><c/><b>x</b></b><d/></a>`)
	sc := xmlscan.New(doc)
	require.True(t, sc.Next())
	require.True(t, sc.Next())
	require.Equal(t, 2, sc.Token().Depth)
	end := sc.Skip()
	require.Equal(t, `<b><c/><b>x</b></b>`, string(doc[3:end]))
	require.True(t, sc.Next())
	require.Equal(t, "d", sc.Token().Local)
	require.Equal(t, sc.Token().End, sc.Skip(), "an empty element ends where it stands")
	require.True(t, sc.Next())
	require.Equal(t, xmlscan.End, sc.Token().Kind)
	require.Equal(t, 1, sc.Token().Depth)
	require.False(t, sc.Next())
	require.NoError(t, sc.Err())
}

func TestAttrOffsets(t *testing.T) {
	doc := []byte(`<p><w:a w:val="one" r:id='two'/></p>`)
	sc := xmlscan.New(doc)
	sc.Next()
	sc.Next()
	tok := sc.Token()
	var got []string
	for a := range tok.Attrs() {
		got = append(got, a.Name+"|"+string(doc[a.ValStart:a.ValEnd]))
	}
	require.Equal(t, []string{"w:val|one", "r:id|two"}, got)
	v, ok := tok.Attr("r:id")
	require.True(t, ok)
	require.Equal(t, "two", v)
	require.Equal(t, "one", tok.AttrLocal("val"))
	_, ok = tok.Attr("val")
	require.False(t, ok)
}

func TestApply(t *testing.T) {
	doc := []byte("abcdef")
	require.Equal(t, "abcdef", string(xmlscan.Apply(doc, nil)))
	got := xmlscan.Apply(doc, []xmlscan.Splice{{Start: 4, End: 6, New: []byte("Z")}, {Start: 1, End: 1, New: []byte("1")}, {Start: 1, End: 1, New: []byte("2")}, {Start: 2, End: 3}})
	require.Equal(t, "a12bdZ", string(got))
	require.Equal(t, "abcdef", string(doc), "the document itself stays")
	require.Panics(t, func() { xmlscan.Apply(doc, []xmlscan.Splice{{Start: 0, End: 3}, {Start: 2, End: 4}}) })
}

func TestEscape(t *testing.T) {
	require.Equal(t, "plain", xmlscan.Escape("plain"))
	require.Equal(t, "&lt;a&gt; &amp; &quot;b&quot; ñ😀", xmlscan.Escape("<a> & \"b\" ñ😀"))
	require.Equal(t, "ab", xmlscan.Escape("a\x00\x08\x1f\uFFFEb"), "X-28")
	require.Equal(t, "a\t\nb&#13;", xmlscan.Escape("a\t\nb\r"))
	require.Equal(t, "a\uFFFDb", xmlscan.Escape("a\xffb"))
	require.Equal(t, `<>&"'AB€&x;&#0x;&`, xmlscan.Unescape([]byte(`&lt;&gt;&amp;&quot;&apos;&#65;&#x42;&#8364;&x;&#0x;&`)))
	require.Equal(t, "a & b; c", xmlscan.Unescape([]byte("a & b; c")))
}

func TestUTF8(t *testing.T) {
	doc := `<?xml version="1.0" encoding="UTF-16"?><a>ñ😀</a>`
	var le, be []byte
	for _, u := range utf16.Encode([]rune(doc)) {
		le = append(le, byte(u), byte(u>>8))
		be = append(be, byte(u>>8), byte(u))
	}
	want := `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><a>ñ😀</a>`
	for _, in := range [][]byte{append([]byte{0xFF, 0xFE}, le...), append([]byte{0xFE, 0xFF}, be...), le, be} {
		require.Equal(t, want, string(xmlscan.UTF8(in)))
	}
	require.Equal(t, "<a/>", string(xmlscan.UTF8([]byte("<a/>"))))
	require.Empty(t, xmlscan.UTF8(nil))
}

func TestTransitional(t *testing.T) {
	for strict, want := range map[string]string{
		"http://purl.oclc.org/ooxml/officeDocument/relationships/styles":                   "http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles",
		"http://purl.oclc.org/ooxml/drawingml/main":                                        "http://schemas.openxmlformats.org/drawingml/2006/main",
		"http://purl.oclc.org/ooxml/officeDocument/relationships/metadata/core-properties": "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties",
		"http://purl.oclc.org/ooxml/officeDocument/relationships/extendedProperties":       "http://schemas.openxmlformats.org/officeDocument/2006/relationships/extended-properties",
		"urn:x": "urn:x",
	} {
		require.Equal(t, want, xmlscan.Transitional(strict))
	}
}

// eachPart calls fn with every XML part of every package of the corpus.
func eachPart(t testing.TB, fn func(name string, part []byte)) {
	for _, kind := range []string{"docx", "xlsx", "pptx"} {
		for _, path := range formatstest.Sample(t, kind) {
			zr, err := zip.OpenReader(path)
			if err != nil {
				continue // encrypted or cut
			}
			for _, f := range zr.File {
				if ext := filepath.Ext(f.Name); ext != ".xml" && ext != ".rels" && ext != ".vml" || f.UncompressedSize64 > 8<<20 {
					continue
				}
				r, err := f.Open()
				if err != nil {
					continue
				}
				b, err := io.ReadAll(r)
				r.Close()
				if err == nil {
					fn(filepath.Base(path)+" "+f.Name, xmlscan.UTF8(b))
				}
			}
			zr.Close()
		}
	}
}

// Tokens of real parts lie side by side from the first byte to the last, and
// say what the standard library's parser says.
func TestCorpus(t *testing.T) {
	parts, odd := 0, 0
	eachPart(t, func(name string, part []byte) {
		parts++
		want, wantErr := standard(part)
		var have strings.Builder
		sc := xmlscan.New(part)
		pos := 0
		if bytes.HasPrefix(part, []byte("\xef\xbb\xbf")) {
			pos = 3
		}
		for sc.Next() {
			tok := sc.Token()
			require.Equal(t, pos, tok.Start, name)
			require.Greater(t, tok.End, tok.Start, name)
			pos = tok.End
			describe(&have, tok)
		}
		if wantErr != nil {
			odd++
			return
		}
		require.NoError(t, sc.Err(), name)
		require.Equal(t, len(part), pos, name)
		require.True(t, want == have.String(), "%s is read otherwise than by encoding/xml", name)
	})
	t.Logf("%d parts, of which encoding/xml refuses %d", parts, odd)
	require.Greater(t, parts, campaign.Of(1000, 1000)/4)
	require.Less(t, odd*20, parts)
}

func describe(sb *strings.Builder, tok xmlscan.Token) {
	switch tok.Kind {
	case xmlscan.Start:
		sb.WriteString("\n<" + tok.Prefix + ":" + tok.Local)
		for a := range tok.Attrs() {
			sb.WriteString("|" + a.Name + "=" + newlines(a.Value()))
		}
		if tok.Empty {
			sb.WriteString("\n>" + tok.Local)
		}
	case xmlscan.End:
		sb.WriteString("\n>" + tok.Local)
	case xmlscan.Text, xmlscan.CData:
		sb.WriteString(newlines(content(tok)))
	}
}

// newlines drops carriage returns, which encoding/xml normalises and we keep.
func newlines(s string) string { return strings.ReplaceAll(s, "\r", "") }

// standard returns what encoding/xml makes of a part, written as describe does.
func standard(part []byte) (string, error) {
	var sb strings.Builder
	dec := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(part, []byte("\xef\xbb\xbf"))))
	dec.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	for {
		tok, err := dec.RawToken()
		if errors.Is(err, io.EOF) {
			return sb.String(), nil
		}
		if err != nil {
			return "", err
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			sb.WriteString("\n<" + tok.Name.Space + ":" + tok.Name.Local)
			for _, a := range tok.Attr {
				name := a.Name.Local
				if a.Name.Space != "" {
					name = a.Name.Space + ":" + name
				}
				sb.WriteString("|" + name + "=" + newlines(a.Value))
			}
		case xml.EndElement:
			sb.WriteString("\n>" + tok.Name.Local)
		case xml.CharData:
			sb.WriteString(newlines(string(tok)))
		}
	}
}

func FuzzScanner(f *testing.F) {
	for _, s := range []string{`<a b="c">d<![CDATA[e]]></a>`, `<?x?><a xmlns:p='u'><p:b/></a>`, "<a><!----></a>", `<a b='>' c="/"/>`, "<", "<a b"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		sc := xmlscan.New(doc)
		pos := 0
		if bytes.HasPrefix(doc, []byte("\xef\xbb\xbf")) {
			pos = 3
		}
		for sc.Next() {
			tok := sc.Token()
			if tok.Start != pos || tok.End <= tok.Start || tok.End > len(doc) {
				t.Fatalf("token %d-%d at %d", tok.Start, tok.End, pos)
			}
			pos = tok.End
			for a := range tok.Attrs() {
				if a.ValStart < tok.Start || a.ValEnd > tok.End || a.ValStart > a.ValEnd {
					t.Fatalf("attribute %q at %d-%d outside its token", a.Name, a.ValStart, a.ValEnd)
				}
				_ = a.Value()
			}
			_ = content(tok)
		}
		if sc.Err() == nil && pos != len(doc) && len(doc) != 0 {
			t.Fatalf("stopped at %d of %d without an error", pos, len(doc))
		}
		_ = xmlscan.UTF8(doc)
		if s := xmlscan.Escape(string(doc)); strings.ContainsAny(s, "<>\"\x00") {
			t.Fatalf("escaped to %q", s)
		}
	})
}

func BenchmarkScanner(b *testing.B) {
	var parts [][]byte
	total := 0
	eachPart(b, func(_ string, part []byte) {
		parts = append(parts, part)
		total += len(part)
	})
	b.SetBytes(int64(total))
	b.ReportAllocs()
	for b.Loop() {
		for _, p := range parts {
			sc := xmlscan.New(p)
			for sc.Next() {
			}
		}
	}
}

// names that share a place in the table of those seen last stay apart,
// and namespaces are bounded.
func TestX18ManyNames(t *testing.T) {
	var doc strings.Builder
	doc.WriteString("<r>")
	for i := range 5000 {
		fmt.Fprintf(&doc, "<n%d><x/></n%d>", i%700, i%700)
	}
	doc.WriteString("</r>")
	sc, n := xmlscan.New([]byte(doc.String())), 0
	for sc.Next() {
		if tok := sc.Token(); tok.Kind == xmlscan.Start && tok.Depth == 2 {
			require.Equal(t, fmt.Sprintf("n%d", n%700), tok.Local)
			n++
		}
	}
	require.NoError(t, sc.Err())
	require.Equal(t, 5000, n)

	doc.Reset()
	doc.WriteString("<r")
	for i := range xmlscan.MaxNamespaces + 1 {
		fmt.Fprintf(&doc, ` xmlns:n%d="u"`, i)
	}
	doc.WriteString("/>")
	sc = xmlscan.New([]byte(doc.String()))
	require.False(t, sc.Next())
	require.ErrorContains(t, sc.Err(), "namespaces")
}

// A scanner that is used again gives what a new one gives, also where prefixes mean
// something else than in the part before, or the scan before ended early.
func TestPooledScannersForgetTheirPart(t *testing.T) {
	parts := []string{
		`<a:x xmlns:a="one"><a:y/>text</a:x>`,
		`<a:x xmlns:a="two" xmlns="three"><y/><a:y a:z="1">t</a:y></a:x>`,
		"\xef\xbb\xbf<x><y/></x>",
		`<a:x><a:y/></a:x>`,
		`<a:x xmlns:a="http://purl.oclc.org/ooxml/drawingml/main"><a:y></a:z></a:x>`,
	}
	tokens := func(sc *xmlscan.Scanner, limit int) (out []string) {
		for n := 0; n < limit && sc.Next(); n++ {
			tok := sc.Token()
			out = append(out, fmt.Sprintf("%d %v %d %q %q %q %s", tok.Kind, tok.Empty, tok.Depth, tok.Prefix, tok.Local, tok.Space, tok.Bytes()))
		}
		return append(out, fmt.Sprint(sc.Err()))
	}
	for i := range 200 {
		doc, limit := []byte(parts[i*7%len(parts)]), 1+i*5%12
		sc := xmlscan.Pooled(doc)
		got := tokens(sc, limit)
		sc.Release()
		require.Equal(t, tokens(xmlscan.New(doc), limit), got)
	}
}
