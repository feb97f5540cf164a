package html

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/charmap"

	"atelier/formats"
	"atelier/formats/tags"
)

func segments(t testing.TB, name, s string) []formats.Segment {
	t.Helper()
	segs, err := Segmenter().Segments(context.Background(), formats.FromBytes(name, []byte(s)), formats.SegmentOptions{})
	require.NoError(t, err, "%q", s)
	return segs
}

func replace(t testing.TB, name, s string, targets map[string]string, lang string) (string, error) {
	t.Helper()
	var buf bytes.Buffer
	err := Segmenter().Replace(context.Background(), formats.FromBytes(name, []byte(s)), &buf, targets, formats.ReplaceOptions{Language: lang})
	return buf.String(), err
}

func texts(segs []formats.Segment) string {
	var out []string
	for _, s := range segs {
		out = append(out, s.Text)
	}
	return strings.Join(out, "|")
}

// TR-02, TR-03: what people see or hear of a page is in its segments, inline
// elements are tags.
func TestSegments(t *testing.T) {
	for _, c := range []struct{ page, want string }{
		{"<p>Hola <b>mundo</b></p>", "Hola <1>mundo</1>"},
		{"<p><b>Todo en negrita</b></p>", "Todo en negrita"},
		{"<p>uno\n   dos<br>tres <br/><br> cuatro", "uno dos<1/>tres|cuatro"},
		{"<ul><li>uno<li>dos <i>tres</ul>fin", "uno|dos <1/>tres|fin"},
		{"a<b>b<i>c</b>d</i>e", "a<1>b<2/>c</1>d<3/>e"},
		{"<td>&nbsp;</td><td>12,50 €</td><td>A&ntilde;o</td>", "Año"},
		{"<p>Usa <code>x = <b>1</b></code> y <kbd>Ctrl</kbd>.</p>", "Usa <1/> y <2/>."},
		{"<p>Visite <span translate=no>Olivares del Sur</span> hoy</p>", "Visite <1/> hoy"},
		{`<div class="a notranslate"><p>No</p><p>tampoco</p></div><p>sí`, "sí"},
		{`<div translate="no"><p>No</p><p translate="yes">esto sí</p>no</div>`, "esto sí"},
		{"<script>if (a<b) 'hola'</script><style>a{}</style><noscript>Active JavaScript</noscript>", "Active JavaScript"},
		{"<title>Mi &amp; tu <b></title><textarea>uno\ndos</textarea>", "Mi &amp; tu &lt;b>|uno\ndos"},
		{`<img src=a.png alt="Una foto"><a title='Ir a "casa"' href=x>Casa</a>`, `Una foto|Ir a "casa"|Casa`},
		{`<input placeholder=Nombre><input type=submit value="Enviar ya"><input type=hidden value="no es texto">`, "Nombre|Enviar ya"},
		{`<meta name=description content="De qué trata"><meta name=viewport content="width=device-width"><meta property="og:title" content="Título">`, "De qué trata|Título"},
		{"<select><optgroup label=Frutas><option>Pera<option value=m>Manzana</select>", "Frutas|Pera|Manzana"},
		{"<pre>uno\n  dos <b>tres</b>\n</pre><pre><code>x = uno</code></pre>", "uno|dos <1>tres</1>"},
		{"<p>Guardar <svg><path d='M0'/></svg> ahora</p>", "Guardar <1/> ahora"},
		{"<svg><style>a</style><g><text x=1>Ventas <tspan>netas</tspan></text><title>Barra</title></g></svg>fin", "Ventas <1>netas</1>|Barra|fin"},
		{"<p>Si <math><mi>x</mi><mo>=</mo></math> vale</p><math><mi>x</mi><mtext>si es par</mtext></math>", "Si <1/> vale|si es par"},
		{"a<!-- no -->b<!doctype html><p>c</p", "a<1/>b|c"},
		{"<p>uno <div>dos</p>tres</div>", "uno|dos|tres"},
		{"<svg>nada <p>texto <svg></svg> más", "texto <1/> más"},
		{"<p>x < y y 3 > 2 &lt;b&gt;", "x &lt; y y 3 > 2 &lt;b>"},
		{"<p>véase <a href=x>esto</a><img src=a>", "véase <1>esto</1>"},
		{"<p>icono <i class=fa></i> aquí", "icono <1/> aquí"},
		{"<button>OK</button> <b>", "OK"},
		{"<?php echo 1 > 0 ?>hola", "hola"},
	} {
		require.Equal(t, c.want, texts(segments(t, "a.html", c.page)), "%q", c.page)
	}
}

// TR-03: every other byte stays.
func TestReplace(t *testing.T) {
	for _, c := range []struct {
		page, id, target, want string
	}{
		{"<p  class=x>Hola <b id='1'>mundo</b> </P>", "h1", "<1>World</1>, hello", "<p  class=x><b id='1'>World</b>, hello </P>"},
		{"<p>A&ntilde;o&nbsp;1", "h1", "Year\u00a01 < 2 & 3", "<p>Year&nbsp;1 &lt; 2 &amp; 3"},
		{"<img alt=foto src=x>", "a1", `a "good" photo`, `<img alt="a &quot;good&quot; photo" src=x>`},
		{"<img alt='la foto'>", "a1", "it's", "<img alt='it&#39;s'>"},
		{"<p>uno <a title='dos'>tres</a>", "a1", "two", "<p>uno <a title='two'>tres</a>"},
		{"<title>uno</title>", "h1", "a\nb", "<title>a b</title>"},
		{"<textarea>uno</textarea>", "h1", "a\nb", "<textarea>a\nb</textarea>"},
		{"<p>sin declarar</p>", "h1", "año", "<p>a&#241;o</p>"},
		{"<p>aquí</p>", "h1", "año", "<p>año</p>"},
	} {
		got, err := replace(t, "a.html", c.page, map[string]string{c.id: c.target}, "")
		require.NoError(t, err, "%q", c.page)
		require.Equal(t, c.want, got)
	}
	// An attribute of a tag in a replaced paragraph is replaced in it.
	got, err := replace(t, "a.html", `<p>Ir a <a title="la casa">casa</a> ya</p>`, map[string]string{"h1": "<1>Home</1> go", "a1": "the house"}, "")
	require.NoError(t, err)
	require.Equal(t, `<p><a title="the house">Home</a> go</p>`, got)
	for _, target := range []string{"sin marca", "<1>", "", "<1></1>"} {
		_, err := replace(t, "a.html", "<p>x <b>y</b></p>", map[string]string{"h1": target}, "")
		require.Equal(t, formats.CodeInvalid, formats.CodeOf(err), "%q", target)
	}
}

// TR-11: language and direction of the page follow its text.
func TestLanguage(t *testing.T) {
	for _, c := range []struct{ page, lang, want string }{
		{"<html><p>a b</p>", "es", `<html lang="es"><p>X</p>`},
		{`<html lang=es-ES><p lang="es">a b</p><q lang=fr>c</q>`, "de", `<html lang="de"><p lang="de">X</p><q lang=fr>c</q>`},
		{`<HTML lang='es'><body dir="ltr">a b`, "ar", `<HTML dir="rtl" lang='ar'><body dir="rtl">X`},
		{`<html lang=he dir=rtl>a b`, "en", `<html lang="en" dir="ltr">X`},
		{`<html>a b`, "zh-TW", `<html lang="zh-TW">X`},
		{`<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">a b`, "fa", `<?xml version="1.0"?><html lang="fa" xml:lang="fa" dir="rtl" xmlns="http://www.w3.org/1999/xhtml">X`},
		{`<html lang=es><meta http-equiv=content-language content=es>a b`, "it", `<html lang="it"><meta http-equiv=content-language content="it">X`},
		{"<p>a b", "ar", "<p>X"},
	} {
		targets := map[string]string{}
		for _, s := range segments(t, "a.html", c.page) {
			if s.Text == "a b" {
				targets[s.ID] = "X"
			}
		}
		got, err := replace(t, "a.html", c.page, targets, c.lang)
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
}

// Pages keep their encoding; what it lacks is a character reference.
func TestEncodings(t *testing.T) {
	page := `<meta charset="iso-8859-1"><p>Año €</p>`
	latin, err := charmap.Windows1252.NewEncoder().String(page)
	require.NoError(t, err)
	require.Equal(t, "Año €", texts(segments(t, "a.html", latin)))
	got, err := replace(t, "a.html", latin, map[string]string{"h1": "Ño 年 €"}, "zh")
	require.NoError(t, err)
	require.Equal(t, "<meta charset=\"iso-8859-1\"><p>\xd1o &#24180; \x80</p>", got)
	got, err = replace(t, "a.html", `<meta charset=utf-8><p>hola`, map[string]string{"h1": "año"}, "")
	require.NoError(t, err)
	require.Equal(t, `<meta charset=utf-8><p>año`, got)
	cyr, err := charmap.KOI8R.NewEncoder().String(`<meta http-equiv="Content-Type" content="text/html; charset=koi8-r"><p>Привет`)
	require.NoError(t, err)
	require.Equal(t, "Привет", texts(segments(t, "a.html", cyr)))
	require.Equal(t, "año", texts(segments(t, "a.xhtml", "<?xml version='1.0' encoding='ISO-8859-1'?><p>a\xf1o</p>")))
}

// Any page, however malformed: the same texts give the same bytes, and a
// replaced segment leaves every other as it was.
func FuzzReplace(f *testing.F) {
	for _, s := range []string{
		"<p>Hola <b>mundo</b></p>", "<p>a<br><br>b<code>c</code>", "<svg><text>a</text></svg>", "<pre>a\n b</pre>", "<a title=x>b<i>c</a>d</i>",
		"<div translate=no>a<p translate=yes>b</div>", "<table><td>a<td>b<tr>c", "<textarea>a</textarea><title>b</title>", "<svg>a<p>b</svg>c", "<p>a<span translate=no>b</p>c", "<math><mtext>a", "<img alt=a><input value=b type=submit>", "&nbsp;a&amp;b&lt", "<option>a<option>b",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 2000 || !utf8.ValidString(s) {
			return
		}
		segs, err := Segmenter().Segments(context.Background(), formats.FromBytes("a.html", []byte(s)), formats.SegmentOptions{})
		if err != nil {
			require.NotEmpty(t, formats.CodeOf(err))
			return
		}
		same := map[string]string{}
		for _, seg := range segs {
			require.NotContains(t, same, seg.ID)
			require.NoError(t, tags.Check(seg.Text, seg.Text))
			same[seg.ID] = seg.Text
		}
		got, err := replace(t, "a.html", s, same, "")
		require.NoError(t, err)
		require.Equal(t, s, got)
		for k := range segs {
			target := "Nuevo " + segs[k].Text
			got, err := replace(t, "a.html", s, map[string]string{segs[k].ID: target}, "")
			require.NoError(t, err)
			if !bytes.ContainsAny([]byte(got), "\x00") && len(segs) > 0 {
				after := segments(t, "a.html", got)
				require.Len(t, after, len(segs), "%q became %q", s, got)
				for i := range segs {
					require.Equal(t, segs[i].ID, after[i].ID)
					if i != k {
						require.Equal(t, segs[i].Text, after[i].Text)
					}
				}
			}
		}
	})
}
