package tmx

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/unicode"
	"pgregory.net/rapid"
)

func readAll(t require.TestingT, r io.Reader) (out []Unit) {
	in, err := NewReader(r)
	require.NoError(t, err)
	for {
		u, err := in.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		require.NoError(t, err)
		out = append(out, u)
	}
}

func texts(us []Unit) (out []string) {
	for _, u := range us {
		for _, v := range u.Variants {
			out = append(out, v.Lang+": "+v.Text)
		}
	}
	return out
}

const head = `<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE tmx SYSTEM "tmx14.dtd"><tmx version="1.4"><header creationtool="t" creationtoolversion="1" segtype="sentence" o-tmf="t" adminlang="en" srclang="en-US" datatype="plaintext"/><body>`

// TestShapes (TR-05): files as other tools write them.
func TestShapes(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"pairs, crossing languages": {head + `<tu><tuv xml:lang="en"><seg>Press <bpt i="1" x="1">&lt;b&gt;</bpt>OK<ept i="1">&lt;/b&gt;</ept> or <bpt i="2" x="2"/>No<ept i="2"/></seg></tuv><tuv xml:lang="de"><seg><bpt i="1" x="2"/>Nein<ept i="1"/> oder <bpt i="2" x="1"/>OK<ept i="2"/></seg></tuv></tu></body></tmx>`,
			[]string{"en: Press <1>OK</1> or <2>No</2>", "de: <2>Nein</2> oder <1>OK</1>"}},
		"singles, sub, hi": {head + `<tu><tuv xml:lang="en"><seg><ph x="1">&lt;img alt="<sub>a picture</sub>"/></ph>A <hi>b</hi><it pos="begin" x="3"/></seg></tuv><tuv xml:lang="es"><seg>Un <hi>b</hi><ph x="1"/><it pos="begin" x="3"/></seg></tuv></tu></body></tmx>`,
			[]string{"en: <1/>A <2>b</2><3/>", "es: Un <2>b</2><1/><3/>"}},
		"without x":      {head + `<tu><tuv xml:lang="en"><seg><ph/>a<bpt i="7"/>b<ept i="7"/><ph/></seg></tuv><tuv xml:lang="es"><seg><ph/>x<bpt i="7"/>y<ept i="7"/><ph/></seg></tuv></tu></body></tmx>`, []string{"en: <1/>a<2>b</2><3/>", "es: <1/>x<2>y</2><3/>"}},
		"half a pair":    {head + `<tu><tuv xml:lang="en"><seg>a<bpt i="1"/>b</seg></tuv><tuv xml:lang="es"><seg>x<ept i="1"/>y</seg></tuv></tu></body></tmx>`, []string{"en: a<1/>b", "es: x<1/>y"}},
		"crossing pairs": {head + `<tu><tuv xml:lang="en"><seg>a<bpt i="1"/>b<bpt i="2"/>c<ept i="1"/>d &lt; e<ept i="2"/></seg></tuv></tu></body></tmx>`, []string{"en: abcd &lt; e"}},
		"OmegaT":         {`<tmx version="1.1"><header srclang="EN-US"/><body><tu><note>Text</note><tuv lang="EN-US"><seg>&lt;g1&gt;Hello&lt;/g1&gt; &amp; co</seg></tuv><tuv lang="DE-DE" changeid="ann" changedate="20200131T120000Z"><seg>Hallo</seg></tuv></tu></body></tmx>`, []string{"EN-US: &lt;g1>Hello&lt;/g1> &amp; co", "DE-DE: Hallo"}},
		"Trados, ut":     {`<tmx version="1.3"><header srclang="EN-GB"/><body><tu><prop type="Txt::Doc">x</prop><tuv xml:lang="EN-GB"><seg><ut>{\b </ut>Bold<ut>}</ut></seg></tuv></tu></body></tmx>`, []string{"EN-GB: <1/>Bold<2/>"}},
		"blanks, CDATA":  {head + "<tu><tuv xml:lang='en'>\n <seg> a\n  <![CDATA[<b>]]> </seg>\n</tuv></tu>\n</body></tmx>", []string{"en:  a\n  &lt;b> "}},
		"comments":       {head + `<!-- none --><tu><!-- x --><tuv xml:lang="en"><seg>a<!-- y -->b</seg></tuv></tu></body></tmx>`, []string{"en: ab"}},
		"empty":          {head + `</body></tmx>`, nil},
		"billion laughs": {`<!DOCTYPE tmx [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;">]>` + head[strings.Index(head, "<tmx"):] + `<tu><tuv xml:lang="en"><seg>x</seg></tuv></tu></body></tmx>`, []string{"en: x"}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, texts(readAll(t, strings.NewReader(c.text)))) })
	}
}

// TestEncodings: UTF-16 as Trados writes it, Windows-1252, byte order marks.
func TestEncodings(t *testing.T) {
	doc := head + `<tu><tuv xml:lang="es"><seg>año 合同</seg></tuv></tu></body></tmx>`
	wide := strings.Replace(doc, "UTF-8", "UTF-16", 1)
	for _, e := range []unicode.Endianness{unicode.LittleEndian, unicode.BigEndian} {
		for _, mark := range []unicode.BOMPolicy{unicode.UseBOM, unicode.IgnoreBOM} {
			s, err := unicode.UTF16(e, mark).NewEncoder().String(wide)
			require.NoError(t, err)
			require.Equal(t, []string{"es: año 合同"}, texts(readAll(t, strings.NewReader(s))))
		}
	}
	latin := strings.NewReplacer("UTF-8", "windows-1252", "ñ", "\xf1", " 合同", "").Replace(doc)
	require.Equal(t, []string{"es: año"}, texts(readAll(t, strings.NewReader(latin))))
	require.Equal(t, []string{"es: año 合同"}, texts(readAll(t, strings.NewReader("\ufeff"+doc))))
}

// TestBadFiles: errors name the line, and reading neither hangs nor uses much
// memory.
func TestBadFiles(t *testing.T) {
	for text, want := range map[string]string{
		"":            "the file is empty",
		"no xml":      "the file is empty",
		"<xliff/>":    "root element is <xliff>",
		head + "<tu>": "cut short",
		head + "\n<tu><tuv><seg>a</seg></tuv></tu>":                              "line 2: <tuv> names no language",
		head + "\n\n<tu><tuv xml:lang='en'><seg>a</tuv></tu>":                    "line 3: element <seg> closed by </tuv>",
		head + "<tu><tuv xml:lang='en'><seg>&a;":                                 "invalid character entity &a;",
		head + "<tu><tuv xml:lang='en'><seg>" + strings.Repeat("long ", 4<<20):   "more than 8 MB",
		head + "<tu><tuv xml:lang='en'><seg>" + strings.Repeat("<ph/>", 20_000):  "more than 10000 tags",
		head + "<tu>" + strings.Repeat("<tuv xml:lang='en'/>", 600):              "more than 500 variants",
		head + "<tu><tuv xml:lang='en'><seg>" + strings.Repeat("<hi>", 9_000_00): "more than",
		`<?xml version="1.0" encoding="UTF-16"?><tmx>`:                           "cut short",
	} {
		r, err := NewReader(strings.NewReader(text))
		if err == nil {
			_, err = r.Next()
		}
		require.ErrorContains(t, err, want, "%.300s", text)
	}
}

// endless repeats a unit n times without storing the file.
type endless struct {
	unit string
	n    int
	rest string
}

func (e *endless) Read(p []byte) (int, error) {
	if e.rest == "" {
		if e.n == 0 {
			return 0, io.EOF
		}
		e.n--
		e.rest = e.unit
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// TestHugeFile: a file far larger than the limit of a unit can be read.
func TestHugeFile(t *testing.T) {
	units := 2*(8<<20)/1000 + 1
	unit := "<tu><tuv xml:lang='en'><seg>" + strings.Repeat("x", 1000) + "</seg></tuv></tu>\n"
	r, err := NewReader(io.MultiReader(strings.NewReader(head), &endless{unit: unit, n: units}, strings.NewReader("</body></tmx>")))
	require.NoError(t, err)
	n := 0
	for {
		_, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		n++
	}
	require.Equal(t, units, n)
}

// TestRoundTrip (TR-05): written files are valid and read back the same.
func TestRoundTrip(t *testing.T) {
	text := rapid.Custom(func(t *rapid.T) string {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "&lt;", "&amp;", " ", "\n", "\r", "é", "合", "]]>", `"`, "'", "😀", "<1>x</1>", "<2/>", "<3><4>y</4></3>"}), 0, 6).Draw(t, "pieces"), "")
		seen := ""
		for _, n := range "1234" { // each tag once
			for strings.Count(s, fmt.Sprintf("<%c", n)) > 1 {
				s = strings.Replace(strings.Replace(s, fmt.Sprintf("<%c>", n), seen, 1), fmt.Sprintf("</%c>", n), "", 1)
				s = strings.Replace(s, fmt.Sprintf("<%c/>", n), "", 1)
			}
		}
		return s
	})
	rapid.Check(t, func(t *rapid.T) {
		var want []Unit
		for i := range rapid.IntRange(0, 4).Draw(t, "units") {
			u := Unit{ID: fmt.Sprint(i), SrcLang: "en", Changed: time.Unix(int64(i)*1e6, 0).UTC(), By: rapid.SampledFrom([]string{"", `A & "B"`}).Draw(t, "by")}
			u.Props = []Prop{{"x-a", rapid.SampledFrom([]string{"", "p", "<p>"}).Draw(t, "prop")}}
			u.Notes = []string{"note\n2"}
			for _, l := range []string{"en", "pt-BR"} {
				u.Variants = append(u.Variants, Variant{Lang: l, Text: text.Draw(t, "text"), By: "x", Changed: time.Unix(1e9, 0).UTC(), Notes: []string{"n"}, Props: []Prop{{"t", "v"}}})
			}
			want = append(want, u)
		}
		var buf bytes.Buffer
		w, err := NewWriter(&buf, Header{SrcLang: "en", Tool: `T & "U"`, Version: "1"})
		require.NoError(t, err)
		for _, u := range want {
			require.NoError(t, w.Write(u))
		}
		require.NoError(t, w.Close())
		validate(t, buf.Bytes())
		got := readAll(t, &buf)
		for _, us := range [][]Unit{want, got} { // numbers depend on the order of occurrence
			for i, u := range us {
				m := map[string]string{}
				for j := range u.Variants {
					us[i].Variants[j].Text = renumbered(u.Variants[j].Text, m)
				}
			}
		}
		require.Equal(t, want, got)
	})
}

func renumbered(s string, m map[string]string) string {
	for _, n := range tagNumber.FindAllString(s, -1) {
		key := strings.Trim(n, "</>")
		if m[key] == "" {
			m[key] = fmt.Sprint(len(m) + 1)
		}
	}
	return tagNumber.ReplaceAllStringFunc(s, func(n string) string { k := strings.Trim(n, "</>"); return strings.Replace(n, k, "#"+m[k], 1) })
}

// dtd has the rules of the TMX 1.4b DTD: children, and attributes; "!" marks
// required ones.
var dtd = map[string]struct{ children, attrs string }{
	"tmx":    {"header body", "version!"},
	"header": {"note prop ude", "creationtool! creationtoolversion! segtype! o-tmf! adminlang! srclang! datatype! o-encoding creationdate creationid changedate changeid"},
	"body":   {"tu", ""},
	"tu":     {"note prop tuv", "tuid o-encoding datatype usagecount lastusagedate creationtool creationtoolversion creationdate creationid changedate segtype changeid o-tmf srclang"},
	"tuv":    {"note prop seg", "lang! o-encoding datatype usagecount lastusagedate creationtool creationtoolversion creationdate creationid changedate o-tmf changeid"},
	"note":   {"#", "o-encoding lang"},
	"prop":   {"#", "type! lang o-encoding"},
	"seg":    {"# bpt ept ph it hi", ""},
	"bpt":    {"# sub", "i! x type"},
	"ept":    {"# sub", "i!"},
	"ph":     {"# sub", "x assoc type"},
}

func validate(t require.TestingT, doc []byte) {
	d := xml.NewDecoder(bytes.NewReader(doc))
	stack := []string{}
	for {
		tok, err := d.Token()
		if err == io.EOF {
			require.Empty(t, stack)
			return
		}
		require.NoError(t, err)
		switch e := tok.(type) {
		case xml.StartElement:
			name := e.Name.Local
			rule, known := dtd[name]
			require.True(t, known, name)
			if len(stack) > 0 {
				require.Contains(t, strings.Fields(dtd[stack[len(stack)-1]].children), name)
			}
			for _, a := range e.Attr {
				require.True(t, slices.ContainsFunc(strings.Fields(rule.attrs), func(s string) bool { return strings.TrimSuffix(s, "!") == a.Name.Local }), "%s %s", name, a.Name.Local)
			}
			for _, a := range strings.Fields(rule.attrs) {
				if must, ok := strings.CutSuffix(a, "!"); ok {
					require.True(t, slices.ContainsFunc(e.Attr, func(x xml.Attr) bool { return x.Name.Local == must && x.Value != "" }), "%s needs %s", name, must)
				}
			}
			stack = append(stack, name)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		case xml.CharData:
			if len(stack) > 0 && !strings.Contains(dtd[stack[len(stack)-1]].children, "#") {
				require.Empty(t, strings.TrimSpace(string(e)))
			}
		}
	}
}

var tagNumber = regexp.MustCompile(`</?#?[0-9]+/?>`)
