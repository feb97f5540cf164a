package xliff_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/formats/tags"
	"atelier/workshop/translate/xliff"
	"atelier/workshop/translate/xliff/xlifftest"
)

func written(t testing.TB, d xliff.Document) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, xliff.Write(&b, d))
	return b.Bytes()
}

// TR-10: all data of a unit is written as the standard requires and read
// back.
func TestTR10RoundTrip(t *testing.T) {
	for version, words := range map[xliff.Version][]string{
		"":        {`version="2.1"`, `trgDir="rtl"`, `slr:storageRestriction="31"`, `<cp hex="0001"/>`, `similarity="83.0"`, `<gls:translation>Hola`, `translate="no"`, `subState="atelier:flagged"`},
		xliff.V12: {`version="1.2"`, `maxwidth="31" size-unit="char"`, `<x id="u0001.1"`, `match-quality="83.0"`, `>Hello → Hola</note>`, `translate="no"`, `state="needs-review-translation"`, `approved="yes"`, `state="signed-off"`, `state="needs-translation"`, `datatype="x-docx"`},
	} {
		t.Run(string(version), func(t *testing.T) { roundTrip(t, version, words) })
	}
}

func roundTrip(t *testing.T, version xliff.Version, words []string) {
	d := xliff.Document{
		File: xliff.File{Version: version, Original: `contracts/a "b" & <c>.docx`, Hash: strings.Repeat("ab", 32), From: "en", To: "ar", Engine: "gpt-5"},
		Units: []xliff.Unit{
			{ID: "p12", Place: "paragraph 12", Part: "body", Source: "Click <1>here</1> now <2/>.", Target: "<2/> <1>هنا</1>.", HasTarget: true, State: xliff.Translated},
			{ID: "Sales & Co!B3/é_", Source: "a &lt; b &amp; c ]]> \r\n\t\x01\uFFFE", Target: "&lt;1> x", HasTarget: true, State: xliff.Reviewed, Notes: []string{"at most 31 characters\nand no colon"}, MaxLength: 31},
			{ID: "", Source: "  not yet  ", State: xliff.Initial, Flags: []string{"the number 3 is missing"}},
			{ID: "l", Source: "ACME", State: xliff.Initial, Locked: true},
			{ID: "f", Source: "a <1>b</1>", Target: "<1>A</1>", HasTarget: true, State: xliff.Translated, Flags: []string{"shorter"}},
			{ID: "z", Source: "z", Target: "Z", HasTarget: true, State: xliff.Final},
			{ID: "s", Source: "Hello <1>x</1>", State: xliff.Initial},
		},
	}
	with := d
	with.Units = append([]xliff.Unit{}, d.Units...)
	with.Units[6].Suggestions = []xliff.Suggestion{{Source: "Hello", Target: "Hola <1>y", Score: 0.83, Origin: "memory"}}
	with.Units[6].Terms = []xliff.Term{{Source: "Hello", Target: "Hola"}, {Source: "x", Note: "stays"}}
	doc := written(t, with)
	xlifftest.Conforms(t, doc)
	for _, want := range words {
		require.Contains(t, string(doc), want)
	}
	got, err := xliff.Read(bytes.NewReader(doc))
	require.NoError(t, err)
	require.Equal(t, d, got)
}

// Any text that a document can contain survives, and the output conforms.
func TestTR10AnyText(t *testing.T) {
	for _, version := range xliff.Versions {
		t.Run(string(version), func(t *testing.T) { anyText(t, version) })
	}
}

func anyText(t *testing.T, version xliff.Version) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.SampledFrom([]rune("<>&\"'\r\n\t 12/]\x00\x0b\u2028")))).Draw(t, "text")
		d := xliff.Document{File: xliff.File{Version: version, Original: text, To: "de"}, Units: []xliff.Unit{
			{ID: text, Place: "p", Source: tags.Escape(text), Target: "<1>" + tags.Escape(text) + "</1>", HasTarget: true, State: xliff.Final},
			{ID: text + "x", Source: text, Target: text, HasTarget: true, State: xliff.Final}, // as a careless model writes it
		}}
		var b bytes.Buffer
		require.NoError(t, xliff.Write(&b, d))
		require.Empty(t, withoutCodes(xlifftest.Problems(bytes.NewReader(b.Bytes()))))
		got, err := xliff.Read(&b)
		require.NoError(t, err)
		require.Equal(t, d.Units[0], withPlace(got.Units[0]))
		require.Equal(t, shown(d.Units[1].Source), shown(got.Units[1].Source)) // an unpaired tag comes back as text
	})
}

// shown returns a text as a person sees it: a tag looks like its characters.
func shown(s string) string {
	var b strings.Builder
	for _, tok := range tags.Parse(s) {
		if tok.Kind == tags.Text {
			b.WriteString(tok.Text)
		} else {
			b.WriteString(tags.String([]tags.Token{tok}))
		}
	}
	return b.String()
}

// withoutCodes ignores that source and target have different codes, because
// the properties above draw targets that a check would have refused.
func withoutCodes(problems []string) []string {
	var out []string
	for _, p := range problems {
		if !strings.Contains(p, "is not in the source") {
			out = append(out, p)
		}
	}
	return out
}

func withPlace(u xliff.Unit) xliff.Unit { u.Place = "p"; return u }

// A document without texts is valid.
func TestNoUnits(t *testing.T) {
	for _, version := range xliff.Versions {
		doc := written(t, xliff.Document{File: xliff.File{Version: version, Original: "a.docx", From: "en", To: "es"}})
		xlifftest.Conforms(t, doc)
		d, err := xliff.Read(bytes.NewReader(doc))
		require.NoError(t, err)
		require.Empty(t, d.Units)
	}
	require.ErrorContains(t, xliff.Write(io.Discard, xliff.Document{File: xliff.File{Version: "1.0"}}), "use 1.2 or 2.1")
}

func TestTargetNeedsLanguage(t *testing.T) {
	require.ErrorContains(t, xliff.Write(io.Discard, xliff.Document{Units: []xliff.Unit{{ID: "a", HasTarget: true}}}), "names no target language")
}

// The error for a file that is not XLIFF 1.2 or 2 names what it is.
func TestReadRefuses(t *testing.T) {
	for doc, want := range map[string]string{
		``:                      "ends in the middle",
		`<html>`:                "its first element is <html>",
		`<xliff version="1.0">`: `XLIFF "1.0"`,
		`<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"/>`:                                                                           "holds no file",
		`<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file><body><trans-unit id="a"><source>x`:                                    "ends in the middle (line 1)",
		`<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file><body><trans-unit id="a"><source>` + strings.Repeat(`<g id="1">`, 300): "deep",
		`<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file><body>` + strings.Repeat(`<group>`, 300):                               "deep",
		`<xliff version="2.0">`: "its namespace",
		`<xliff version="2.1" xmlns="urn:oasis:names:tc:xliff:document:2.0"><file id="f"><unit id="u"><segment><source>a`:                                     "ends in the middle (line 1)",
		`<xliff version="2.1" xmlns="urn:oasis:names:tc:xliff:document:2.0"><file></xliff>`:                                                                   "not well-formed XML at line 1",
		`<xliff version="2.1" xmlns="urn:oasis:names:tc:xliff:document:2.0"><file>&nbsp;</file></xliff>`:                                                      "not well-formed",
		`<xliff version="2.1" xmlns="urn:oasis:names:tc:xliff:document:2.0"><file id="f">` + strings.Repeat(`<group>`, 300):                                   "deep",
		`<xliff version="2.1" xmlns="urn:oasis:names:tc:xliff:document:2.0"><file id="f"><unit id="u"><segment><source>` + strings.Repeat(`<pc id="1">`, 300): "deep",
		`<xliff version="2.1" xmlns="urn:oasis:names:tc:xliff:document:2.0"><file id="f"><unit id="u"><segment><source>` + strings.Repeat(`x`, 9<<20):         "more than 8 MB",
	} {
		_, err := xliff.Read(strings.NewReader(doc))
		require.ErrorContains(t, err, want, "%.80s", doc)
	}
}

// Two files in one document are kept apart.
func TestReaderOfTwoFiles(t *testing.T) {
	const doc = `<xliff version="2.0" xmlns="urn:oasis:names:tc:xliff:document:2.0" srcLang="en" trgLang="es"><file id="a" original="a"><unit id="1"><segment><source>x</source></segment></unit><group id="g"><unit id="2"><segment><source>z</source></segment></unit></group></file><file id="b" original="b"><group id="g" translate="no"><unit id="1"><segment><source>y</source></segment></unit></group></file></xliff>`
	r, err := xliff.NewReader(strings.NewReader(doc))
	require.NoError(t, err)
	var seen []string
	for {
		f, err := r.NextFile()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		u, err := r.Next() // of b, and the first of a's two
		require.NoError(t, err)
		seen = append(seen, fmt.Sprint(f.Original, u.Source, u.Locked))
	}
	require.Equal(t, []string{"axfalse", "bytrue"}, seen)
	_, err = xliff.Read(strings.NewReader(doc))
	require.ErrorContains(t, err, "more than one file")
	require.Equal(t, formats.CodeInvalid, formats.CodeOf(err))
}

// Memory does not grow with the number of units: a long file is written and
// read through a pipe.
func BenchmarkStream(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		pr, pw := io.Pipe()
		go func() {
			w, _ := xliff.NewWriter(pw, xliff.File{Original: "a", To: "es"})
			for i := range 10_000 {
				if w.Unit(xliff.Unit{ID: fmt.Sprint(i), Place: "p", Source: "Some <1>words</1> of a text that is neither short nor long.", Target: "Unas <1>palabras</1>", HasTarget: true}) != nil {
					break
				}
			}
			pw.CloseWithError(w.Close())
		}()
		r, err := xliff.NewReader(pr)
		require.NoError(b, err)
		_, err = r.NextFile()
		require.NoError(b, err)
		n := 0
		for ; ; n++ {
			if _, err := r.Next(); err == io.EOF {
				break
			}
		}
		require.Equal(b, 10_000, n)
	}
}
