package text

import (
	"bytes"
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/charmap"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/tags"
)

func segments(t testing.TB, name, s string) []formats.Segment {
	t.Helper()
	segs, err := Format().Segmenter.Segments(context.Background(), formats.FromBytes(name, []byte(s)), formats.SegmentOptions{})
	require.NoError(t, err)
	return segs
}

func replace(t testing.TB, name, s string, targets map[string]string) (string, error) {
	t.Helper()
	var buf bytes.Buffer
	err := Format().Segmenter.Replace(context.Background(), formats.FromBytes(name, []byte(s)), &buf, targets, formats.ReplaceOptions{})
	if err != nil {
		require.Zero(t, buf.Len(), "nothing is written before a refusal")
	}
	return buf.String(), err
}

func texts(segs []formats.Segment) (out []string) {
	for _, s := range segs {
		out = append(out, s.Text)
	}
	return out
}

func TestMarkdownSegments(t *testing.T) {
	for _, c := range []struct{ md, want string }{
		{"# Hola *mundo*\n", "Hola <1>mundo</1>"},
		{"## Cerrado ##\n", "Cerrado"},
		{"Una línea\nsigue aquí.\n\nOtra.\n", "Una línea sigue aquí.|Otra."},
		{"Título\n======\ntexto", "Título|texto"},
		{"- uno\n- dos\n  sigue\n1. tres\n", "uno|dos sigue|tres"},
		{"- [ ] tarea\n- [x] hecha\n", "tarea|hecha"},
		{"> cita\n> sigue\n", "cita sigue"},
		{"Usa `x = 1` y [un **enlace**](http://a.b/c \"T\").", "Usa <1/> y <2>un <3>enlace</3></2>."},
		{"![una foto](a.png) <b>x</b> <https://a.b> a@b.c https://x.y/z.", "<1>una foto</1> <2/>x<3/> <4/> a@b.c <5/>."},
		{"```\ncódigo\n```\ntexto\n~~~\nmás\n~~~\n", "texto"},
		{"---\ntitle: Hola\n---\n\ncuerpo\n", "cuerpo"},
		{"| A | Bé |\n|---|:-:|\n| uno \\| dos | 3 |\n\nfin", "A|Bé|uno | dos|fin"},
		{"<div>\nbloque\n</div>\n\ntexto", "texto"},
		{"<!-- no\n\nno -->\nsí", "sí"},
		{"texto\n\n    código sangrado\n\nmás", "texto|más"},
		{"a\\*b\\_c 1 < 2 & 3", "a*b_c 1 &lt; 2 &amp; 3"},
		{"línea  \nrota\\\notra", "línea<1/>rota<2/>otra"},
		{"véase [guía] y [esta][guía]\n\n[guía]: http://x.y", "véase <1>guía</1> y <2>esta</2>"},
		{"nota[^1]\n\n[^1]: el pie", "nota<1/>|el pie"},
		{"***\n- - -\n---\n", ""},
		{"snake_case_word 2*3*4 ~~tachado~~", "snake_case_word 2<1>3</1>4 <2>tachado</2>"},
		{"12345\n\n* * *\n\n2026-01-02\n", ""},
		{"$$\nx = y\n$$\nfin", "fin"},
		{"`sin cerrar y *tampoco", "`sin cerrar y *tampoco"},
	} {
		require.Equal(t, c.want, strings.Join(texts(segments(t, "a.md", c.md)), "|"), "%q", c.md)
	}
}

func TestMarkdownReplace(t *testing.T) {
	for _, c := range []struct{ md, id, target, want string }{
		{"# Hola *mundo*\r\n\r\nfin\r\n", "b1", "Hello <1>world</1>", "# Hello *world*\r\n\r\nfin\r\n"},
		{"## Cerrado ##\n", "b1", "Closed", "## Closed ##\n"},
		{"- [ ] tarea `x`\n", "b1", "<1/> task", "- [ ] `x` task\n"},
		{"Un [enlace](http://a.b) y **negrita**.", "b1", "<2>Bold</2> and a <1>link</1>.", "**Bold** and a [link](http://a.b)."},
		{"| A | b |\n|---|---|\n| c | d |\n", "b3", "x | y", "| A | b |\n|---|---|\n| x \\| y | d |\n"},
		{"ver [guía]\n\n[guía]: http://x.y\n", "b1", "see <1>guide</1>", "see [guide][guía]\n\n[guía]: http://x.y\n"},
		{"hola", "b1", "2 * 3 * 4 and _x_", "2 \\* 3 \\* 4 and \\_x\\_"}, {"hola", "b1", "2 * 3 * 4", "2 * 3 * 4"},
		{"hola", "b1", "# not a heading", "\\# not a heading"},
		{"hola", "b1", "1. not a list", "1\\. not a list"},
		{"hola", "b1", "- not a list", "\\- not a list"},
		{"hola", "b1", "one\n\ntwo", "one  two"},
		{"_a_ palabra", "b1", "<1>Haus</1>tür", "*Haus*tür"},
		{"un **texto** más", "b1", "a<1> text </1>more", "a **text** more"},
		{"a < b", "b1", "a &lt;b> c", "a \\<b> c"},
		{"> una cita larga de verdad que\n> sigue en otra línea\n", "b1", "a truly long quotation that goes on in another line", "> a truly long quotation that\n> goes on in another line\n"},
		{"uno  \ndos\n", "b1", "one<1/>two", "one  \ntwo\n"},
	} {
		got, err := replace(t, "a.md", c.md, map[string]string{c.id: c.target})
		require.NoError(t, err, "%q", c.md)
		require.Equal(t, c.want, got, "%q", c.md)
	}
}

func TestMarkdownReplaceRefused(t *testing.T) {
	for _, target := range []string{"no tags", "<1></1>", "<1>a</1><2/>", "<1>a</1> <1>b</1>", "", "<1> </1>"} {
		_, err := replace(t, "a.md", "**negrita**", map[string]string{"b1": target})
		require.Equal(t, formats.CodeInvalid, formats.CodeOf(err), "%q: %v", target, err)
	}
	_, err := replace(t, "a.md", "x", map[string]string{"b9": "y"})
	require.Equal(t, formats.CodeInvalid, formats.CodeOf(err))
}

func TestTableSegments(t *testing.T) {
	s := "Id;Nombre;Fecha;Web\n1;\"Peña; S.A.\";2026-01-02;https://a.b\n2; con blancos ;a@b.es;AO-500\n3;=HOY();\"dos\nlíneas \"\"x\"\"\";50%\n"
	segs := segments(t, "a.csv", s)
	require.Equal(t, []string{"Id", "Nombre", "Fecha", "Web", "Peña; S.A.", "con blancos", "dos\nlíneas \"x\""}, texts(segs))
	require.Equal(t, "r2c2", segs[4].ID)
	require.Equal(t, "row 2, Nombre", segs[4].Place)
	got, err := replace(t, "a.csv", s, map[string]string{"r1c2": "Name; full", "r3c2": "with blanks", "r4c3": "two \"lines\"", "r2c2": "Peña Ltd"})
	require.NoError(t, err)
	require.Equal(t, "Id;\"Name; full\";Fecha;Web\n1;\"Peña Ltd\";2026-01-02;https://a.b\n2; with blanks ;a@b.es;AO-500\n3;=HOY();\"two \"\"lines\"\"\";50%\n", got)
	for _, target := range []string{"=1+1", "+x", "-x", "@x"} {
		_, err := replace(t, "a.csv", s, map[string]string{"r1c2": target})
		require.Equal(t, formats.CodeInvalid, formats.CodeOf(err), target)
	}
}

func TestPlainSegments(t *testing.T) {
	s := "Título\n\n  Esta línea es bastante larga y sigue en la próxima\r\n  porque el texto está cortado a un ancho fijo.\r\n\r\nLeche\nPan\n\n123\n"
	segs := segments(t, "a.txt", s)
	require.Equal(t, []string{"Título", "Esta línea es bastante larga y sigue en la próxima porque el texto está cortado a un ancho fijo.", "Leche", "Pan"}, texts(segs))
	got, err := replace(t, "a.txt", s, map[string]string{"p2": "This line is rather long and goes on in the next since the text is cut.", "p3.1": "Milk", "p3.2": "Bread"})
	require.NoError(t, err)
	require.Equal(t, "Título\n\n  This line is rather long and goes on\r\n  in the next since the text is cut.\r\n\r\nMilk\nBread\n\n123\n", got)
	got, err = replace(t, "a.txt", s, map[string]string{"p2": "这条线很长", "p3.1": "X\nY"})
	require.NoError(t, err)
	require.Contains(t, got, "  这条线\r\n  很长\r\n\r\nX Y\nPan\n", "as many lines as there were")
	_, err = replace(t, "a.txt", s, map[string]string{"p2": "X"})
	require.Equal(t, formats.CodeInvalid, formats.CodeOf(err))
}

func TestEncodingsKept(t *testing.T) {
	const s = "Año nuevo\r\n\r\n¿Qué tal?\r\n"
	latin, err := charmap.Windows1252.NewEncoder().String(s)
	require.NoError(t, err)
	u16, err := utf16LE.enc.NewEncoder().String(s)
	require.NoError(t, err)
	for name, in := range map[string]string{"windows-1252": latin, "utf-8-bom": "\xef\xbb\xbf" + s, "utf-16le": "\xff\xfe" + u16} {
		require.Equal(t, []string{"Año nuevo", "¿Qué tal?"}, texts(segments(t, "a.txt", in)), name)
		got, err := replace(t, "a.txt", in, map[string]string{"p1": "Neujahr ä"})
		require.NoError(t, err, name)
		require.Equal(t, "Neujahr ä\r\n\r\n¿Qué tal?\r\n", whole(t, got), name)
		cs, err := detectCharset(context.Background(), formats.FromBytes("a", []byte(got)))
		require.NoError(t, err)
		require.Equal(t, name, cs.name)
	}
	_, err = replace(t, "a.txt", latin, map[string]string{"p1": "Łódź"})
	require.Equal(t, formats.CodeInvalid, formats.CodeOf(err))
	require.Contains(t, err.Error(), "windows-1252")
}

func whole(t testing.TB, s string) string {
	t.Helper()
	got, err := Format().Reader.Read(context.Background(), formats.FromBytes("a.txt", []byte(s)), formats.Selector{})
	require.NoError(t, err)
	return got.Text
}

func TestUnsupportedKinds(t *testing.T) {
	_, err := Format().Segmenter.Segments(context.Background(), formats.FromBytes("a.py", []byte("print('hola')")), formats.SegmentOptions{})
	require.Equal(t, formats.CodeUnsupported, formats.CodeOf(err))
}

// The committed documents: no target gives the same bytes, a translation of
// every segment keeps the structure, and ids are stable under Replace.
func TestDocuments(t *testing.T) {
	for _, name := range []string{"notas.md", "clientes.csv"} {
		b, err := os.ReadFile(filepath.Join(formatstest.Root(t), "testdata", "documents", name))
		require.NoError(t, err)
		segs := segments(t, name, string(b))
		require.Greater(t, len(segs), 15)
		same, targets := map[string]string{}, map[string]string{}
		for _, s := range segs {
			same[s.ID] = s.Text
			targets[s.ID] = shout(s.Text)
		}
		got, err := replace(t, name, string(b), nil)
		require.NoError(t, err)
		require.Equal(t, string(b), got)
		got, err = replace(t, name, string(b), same)
		require.NoError(t, err)
		require.Equal(t, string(b), got)
		got, err = replace(t, name, string(b), targets)
		require.NoError(t, err)
		after := segments(t, name, got)
		require.Len(t, after, len(segs))
		for i := range segs {
			require.Equal(t, segs[i].ID, after[i].ID)
			require.Equal(t, shout(segs[i].Text), after[i].Text)
		}
	}
	// Numbers, addresses and formulas of the csv stayed.
	b, err := os.ReadFile(filepath.Join(formatstest.Root(t), "testdata", "documents", "clientes.csv"))
	require.NoError(t, err)
	rows, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
	require.NoError(t, err)
	for _, s := range segments(t, "clientes.csv", string(b)) {
		require.NotContains(t, s.Text, "@")
		require.False(t, strings.HasPrefix(s.Text, "="))
	}
	require.Len(t, rows, 11)
}

// shout makes the text upper case and leaves its tags.
func shout(s string) string {
	tokens := tags.Parse(s)
	for i := range tokens {
		tokens[i].Text = strings.ToUpper(tokens[i].Text)
	}
	return tags.String(tokens)
}

// For any text, replacing one segment keeps all other segments and their ids;
// replacing none keeps every byte.
func TestReplaceKeepsTheRest(t *testing.T) {
	piece := rapid.SampledFrom([]string{"hola", "mundo", " ", "\n", "\r\n", "\n\n", "*", "**", "_", "`", "[", "](u)", "|", "|---|---|\n", "# ", "- ", "> ", "1. ", "<b>", "\"", ",", ";", "```\n", "    ", "\\", "---\n", "ñ", "=", "<", "&", "  \n", "$$", "[x]: y\n", "![", "\t", "42"})
	for _, name := range []string{"a.md", "a.csv", "a.txt"} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				s := strings.Join(rapid.SliceOfN(piece, 0, 40).Draw(rt, "pieces"), "")
				segs := segments(t, name, s)
				if len(segs) == 0 {
					return
				}
				k := rapid.IntRange(0, len(segs)-1).Draw(rt, "which")
				target := "Nuevo " + segs[k].Text
				got, err := replace(t, name, s, map[string]string{segs[k].ID: target})
				if err != nil {
					if formats.CodeOf(err) != formats.CodeInvalid {
						rt.Fatalf("%q: %v", s, err)
					}
					return
				}
				after := segments(t, name, got)
				if len(after) != len(segs) {
					rt.Fatalf("%q became %q: %d segments became %d", s, got, len(segs), len(after))
				}
				for i := range segs {
					if segs[i].ID != after[i].ID || i != k && segs[i].Text != after[i].Text {
						rt.Fatalf("%q became %q: segment %v became %v", s, got, segs[i], after[i])
					}
				}
			})
		})
	}
}

// TR-02: a whole translation whose letters the file's encoding lacks is in
// UTF-8, and says so; one that fits keeps the encoding.
func TestEncodingFollowsTheLanguage(t *testing.T) {
	latin, err := charmap.Windows1252.NewEncoder().String("Año nuevo\r\n\r\n¿Qué tal?\r\n")
	require.NoError(t, err)
	for name, want := range map[string]string{"a.txt": "\ufeffŁódź\r\n\r\n¿Qué tal?\r\n", "a.md": "Łódź\r\n\r\n¿Qué tal?\r\n", "a.csv": "\ufeffŁódź\r\n\r\n¿Qué tal?\r\n"} {
		var out bytes.Buffer
		var warned []string
		opt := formats.ReplaceOptions{Language: "pl", Warn: func(m string) { warned = append(warned, m) }}
		first := segments(t, name, latin)[0].ID
		require.NoError(t, Format().Segmenter.Replace(context.Background(), formats.FromBytes(name, []byte(latin)), &out, map[string]string{first: "Łódź"}, opt))
		require.Equal(t, want, out.String())
		require.Len(t, warned, 1)
		require.Contains(t, warned[0], "windows-1252")
		out.Reset()
		require.NoError(t, Format().Segmenter.Replace(context.Background(), formats.FromBytes(name, []byte(latin)), &out, map[string]string{first: "Anno"}, opt))
		require.Equal(t, strings.Replace(latin, "A\xf1o nuevo", "Anno", 1), out.String())
		require.Len(t, warned, 1)
	}
}
