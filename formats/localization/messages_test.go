package localization

import (
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/tags"
)

func list(name, s string) ([]formats.Segment, error) {
	return Segmenter(filepath.Ext(name)).Segments(context.Background(), formats.FromBytes(name, []byte(s)), formats.SegmentOptions{})
}

func segments(t testing.TB, name, s string) []formats.Segment {
	t.Helper()
	segs, err := list(name, s)
	require.NoError(t, err)
	return segs
}

func replace(name, s string, targets map[string]string, lang string) (string, error) {
	var buf bytes.Buffer
	err := Segmenter(filepath.Ext(name)).Replace(context.Background(), formats.FromBytes(name, []byte(s)), &buf, targets, formats.ReplaceOptions{Language: lang})
	return buf.String(), err
}

func texts(segs []formats.Segment) string {
	var out []string
	for _, s := range segs {
		out = append(out, s.ID+"="+s.Text)
	}
	return strings.Join(out, "|")
}

const po = `# Mensajes
msgid ""
msgstr ""
"Language: es\n"
"Content-Type: text/plain; charset=CHARSET\n"
"Plural-Forms: nplurals=INTEGER; plural=EXPRESSION;\n"

#. En la portada
#: src/a.c:10
#, c-format
msgid "Hola %s\n"
msgstr ""

msgctxt "menú"
msgid ""
"Abrir "
"<b>todo</b>"
msgstr ""

msgid "Hecho"
msgstr "Done"

#, fuzzy, c-format
#| msgid "%d caja"
msgid "%d cajas"
msgstr "%d box"

#~ msgid "Viejo"
#~ msgstr "Old"

msgid "un archivo"
msgid_plural "%d archivos"
msgstr[0] ""
msgstr[1] ""
`

func TestGettext(t *testing.T) {
	segs := segments(t, "a.po", po)
	require.Equal(t, "m1=Hola %s|m2=Abrir &lt;b>todo&lt;/b>|m4=%d cajas|m5=un archivo|m5.p=%d archivos", texts(segs))
	require.Equal(t, []string{"En la portada", "c-format"}, segs[0].Notes)
	require.Equal(t, []string{"context: menú"}, segs[1].Notes)
	targets := map[string]string{"m1": "Cześć %s", "m2": "Otwórz &lt;b>wszystko&lt;/b> \"x\"\ny", "m4": "%d pudełka", "m5": "plik", "m5.p": "%d plików"}
	got, err := replace("a.po", po, targets, "pl")
	require.NoError(t, err)
	want := strings.NewReplacer(
		"Language: es", "Language: pl", "charset=CHARSET", "charset=UTF-8",
		"nplurals=INTEGER; plural=EXPRESSION;", "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);",
		"msgid \"Hola %s\\n\"\nmsgstr \"\"", "msgid \"Hola %s\\n\"\nmsgstr \"Cześć %s\\n\"",
		"\"<b>todo</b>\"\nmsgstr \"\"", "\"<b>todo</b>\"\nmsgstr \"\"\n\"Otwórz <b>wszystko</b> \\\"x\\\"\\n\"\n\"y\"",
		"#, fuzzy, c-format\n#| msgid \"%d caja\"\n", "#, c-format\n", "%d box", "%d pudełka",
		"msgstr[0] \"\"\nmsgstr[1] \"\"", "msgstr[0] \"plik\"\nmsgstr[1] \"%d plików\"\nmsgstr[2] \"%d plików\"",
	).Replace(po)
	require.Equal(t, want, got)
	msgfmt(t, got)
	got, err = replace("a.po", po, targets, "ja")
	require.NoError(t, err)
	require.Contains(t, got, "msgid_plural \"%d archivos\"\nmsgstr[0] \"%d plików\"\n")
	require.NotContains(t, got, "msgstr[1]")
	msgfmt(t, got)
	require.Empty(t, segments(t, "a.po", got), "all is translated")
	for _, bad := range []string{"hola", "\"x\"", "msgid \"x", "msgid \"a\" b"} {
		_, err := list("a.po", bad)
		require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err), bad)
	}
}

// msgfmt checks a catalog with GNU gettext's msgfmt, where it is installed.
func msgfmt(t *testing.T, po string) {
	bin, err := exec.LookPath("msgfmt")
	if err != nil {
		t.Log("msgfmt is absent: install gettext")
		return
	}
	out, err := exec.Command(bin, "-c", "-o", filepath.Join(t.TempDir(), "a.mo"), formatstest.Write(t, "a.po", []byte(po))).CombinedOutput()
	if err != nil && !strings.Contains(string(out), "header field") {
		t.Fatalf("%s: %s", err, out)
	}
}

// A catalog whose encoding lacks letters of the targets is converted to UTF-8,
// also in its header.
func TestGettextEncoding(t *testing.T) {
	in := "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=ISO-8859-1\\n\"\n\nmsgid \"a\xf1o\"\nmsgstr \"\"\n"
	got, err := replace("a.po", in, map[string]string{"m1": "年"}, "zh")
	require.NoError(t, err)
	require.Equal(t, "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\n\"\n\nmsgid \"año\"\nmsgstr \"年\"\n", got)
	got, err = replace("a.po", in, map[string]string{"m1": "année"}, "fr")
	require.NoError(t, err)
	require.Equal(t, strings.Replace(in, `msgstr ""`, "msgstr \"ann\xe9e\"", 1), got)
}

const xliff12 = `<?xml version="1.0"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file source-language="es" original="a"><body>
 <trans-unit id="1" maxwidth="20" size-unit="char">
  <source>Hola <g id="x">mundo</g><x id="2"/> &amp; más</source>
  <note>saludo</note>
 </trans-unit>
 <trans-unit id="2"><source> Abrir </source><target state="new">x</target><alt-trans><source>no</source><target>no</target></alt-trans></trans-unit>
 <trans-unit id="3"><source>Hecho</source><target>Done</target></trans-unit>
 <trans-unit id="4" translate="no"><source>Nada</source></trans-unit>
 <trans-unit id="5"><source>Use <ph id="1">&lt;br></ph> aquí</source></trans-unit>
</body></file></xliff>`

const xliff21 = `<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="es" trgLang="fr"><file id="f"><unit id="u1"><notes><note>nota</note></notes>
  <segment id="s1" state="initial">
    <source>Uno <pc id="1">dos</pc><ph id="2"/>.</source>
  </segment>
  <ignorable><source> </source></ignorable>
  <segment><source>Tres</source><target>Trois</target></segment>
 </unit></file></xliff>`

func TestXLIFF(t *testing.T) {
	segs := segments(t, "a.xlf", xliff12)
	require.Equal(t, "1=Hola <1>mundo</1><2/> &amp; más|2=Abrir|5=Use <1/> aquí", texts(segs))
	require.Equal(t, 20, segs[0].MaxLength)
	require.Equal(t, []string{"saludo"}, segs[0].Notes)
	got, err := replace("a.xlf", xliff12, map[string]string{"1": "<1>World</1> &amp; more<2/>, hello", "2": "Open"}, "en")
	require.NoError(t, err)
	require.Equal(t, strings.NewReplacer(
		"<file ", `<file target-language="en" `,
		"más</source>\n  <note>", "más</source>\n  <target><g id=\"x\">World</g> &amp; more<x id=\"2\"/>, hello</target>\n  <note>",
		`<target state="new">x</target>`, `<target state="translated"> Open </target>`,
	).Replace(xliff12), got)
	require.Equal(t, "5=Use <1/> aquí", texts(segments(t, "a.xlf", got)))

	segs = segments(t, "a.xliff", xliff21)
	require.Equal(t, "u1/s1=Uno <1>dos</1><2/>.", texts(segs))
	require.Equal(t, []string{"nota"}, segs[0].Notes)
	got, err = replace("a.xliff", xliff21, map[string]string{"u1/s1": "Eins <1>zwei</1><2/>."}, "de")
	require.NoError(t, err)
	require.Equal(t, strings.NewReplacer(`trgLang="fr"`, `trgLang="de"`, `state="initial"`, `state="translated"`,
		".</source>\n", ".</source>\n    <target>Eins <pc id=\"1\">zwei</pc><ph id=\"2\"/>.</target>\n").Replace(xliff21), got)
	_, err = list("a.xlf", "<xliff><file>")
	require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err))
}

func TestJSON(t *testing.T) {
	const s = `{"title": "Hola \"mundo\"", "id": "abc", "n": 1, "deep": {"a/b": ["uno dos", "x_y", {"text": " Sí "}], "url": "Esto no"}, "@title": {"description": "no es texto"}, "ok": "Aceptar", "camel": "camelCase"}`
	require.Equal(t, `/title=Hola "mundo"|/deep/a~1b/0=uno dos|/deep/a~1b/2/text=Sí|/ok=Aceptar`, texts(segments(t, "a.json", s)))
	got, err := replace("a.json", s, map[string]string{"/title": "A \"b\"\n<c>", "/deep/a~1b/2/text": "Yes"}, "en")
	require.NoError(t, err)
	require.Equal(t, strings.NewReplacer(`Hola \"mundo\"`, `A \"b\"\n<c>`, " Sí ", " Yes ").Replace(s), got)
	require.True(t, json.Valid([]byte(got)))
	got, err = replace("a.json", `{"a":"a\u00f1o nuevo"}`, map[string]string{"/a": "año 😀"}, "en")
	require.NoError(t, err)
	require.Equal(t, `{"a":"a\u00f1o \ud83d\ude00"}`, got)
	for _, bad := range []string{"{", `{"a":}`, "[1,]", "\x00"} {
		_, err := list("a.json", bad)
		require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err), "%.20q", bad)
	}
}

func TestProperties(t *testing.T) {
	const s = "# nota\ntitulo = Hola \\u00f1 mundo\nlargo:uno \\\n   dos\\nfin\nurl=Esto no\nvacio=\n! otra\nuno\\ dos Tres\r\nfin=x_y"
	require.Equal(t, "titulo=Hola ñ mundo|largo=uno dos\nfin|uno\\ dos=Tres", texts(segments(t, "a.properties", s)))
	got, err := replace("a.properties", s, map[string]string{"titulo": "Año", "largo": "one\ntwo", `uno\ dos`: "3 c:\\a"}, "")
	require.NoError(t, err)
	require.Equal(t, strings.NewReplacer("Hola \\u00f1 mundo", `A\u00f1o`, "uno \\\n   dos\\nfin", `one\ntwo`, "Tres", `3 c:\\a`).Replace(s), got)
}

func TestJSONDepth(t *testing.T) {
	_, err := list("a.json", strings.Repeat("[", 20000))
	require.Equal(t, formats.CodeTooLarge, formats.CodeOf(err))
}

// Whatever the file: a refusal is typed, the same texts give the same bytes.
func FuzzReplace(f *testing.F) {
	for _, s := range []string{po, xliff12, xliff21, `{"a": ["Hola mundo", {"b": "Sí"}]}`, "a = Hola\\u00f1 \\\n b\nc: d e\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) || len(s) > 4000 {
			return
		}
		for ext := range splicers {
			segs, err := list("a"+ext, s)
			if err != nil {
				require.NotEmpty(t, formats.CodeOf(err), "%v", err)
				continue
			}
			same, fresh := map[string]string{}, map[string]string{}
			for _, seg := range segs {
				require.NoError(t, tags.Check(seg.Text, seg.Text), "%q", seg.Text)
				same[seg.ID], fresh[seg.ID] = seg.Text, "Nuevo "+seg.Text
			}
			got, err := replace("a"+ext, s, same, "")
			require.NoError(t, err)
			require.Equal(t, s, got)
			got, err = replace("a"+ext, s, fresh, "ru")
			if err != nil {
				require.NotEmpty(t, formats.CodeOf(err), "%v", err)
				continue
			}
			_, err = list("a"+ext, got)
			require.NoError(t, err, "%q became %q", s, got)
		}
	})
}
