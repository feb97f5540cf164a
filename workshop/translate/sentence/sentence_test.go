package sentence

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats/tags"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct{ lang, want string }{
		{"en", "Dr. Smith paid $3.50 to J. R. Gil. |He left at 5 p.m. on Monday. |See No. 5, p. 3! |\"Why?\" he asked. |Visit www.a.com/b.html today... |Then go."},
		{"en", "Wait… what? |Yes."},
		{"es", "El Sr. Gil y la Sra. Peña firman, p. ej. hoy. |¿Está listo? |¡Sí! |Ver art. 5 y núm. 3. |S.A. Olivares cobra 1.250,50 €. |Fin."},
		{"de", "Am 3. März kommt Hr. Maier, z.B. um 8 Uhr. |Das sind ca. 5 Mio. Euro. |„Gut.“ |Ende."},
		{"fr", "M. Dupont et Mme. Durand sont là. |Voir p. 12, etc. et la suite. |Est-ce vrai ? |Oui !"},
		{"ja", "こんにちは。|「はい。」|元気ですか？|はい！"},
		{"zh", "你好。|今天是3.5度。|真的吗？|是！"},
		{"ar", "مرحبا بكم. |كيف حالك؟ |أنا بخير."},
		{"ru", "Он живёт на ул. Ленина. |И т.д. и т.п. Да!"},
		{"hi", "यह एक है। |वह दो है।"},
		{"", "Uno.\n|dos"},
		{"es", "<1>Hola.</1> |<2>Adiós, amigo.</2> |<3/>Fin."},
		{"es", "<1>Hola. Adiós.</1> |Fin.<2/> |Nuevo."},
		{"es", "uno <1>dos. Tres</1> cuatro. |Cinco &lt; seis. |Fin"},
		{"en", "Yahoo!Mail is here. |OK"},
		{"en", ""},
	} {
		require.Equal(t, c.want, strings.Join(Split(strings.ReplaceAll(c.want, "|", ""), c.lang), "|"))
	}
}

func TestJoin(t *testing.T) {
	src := Split("Uno. Dos.\nTres. ", "es")
	require.Equal(t, "One. Two.\nThree. ", Join([]string{"One.", " Two. ", "Three."}, src, "en"))
	require.Equal(t, "一。二。\n三。 ", Join([]string{"一。", "二。", "三。"}, src, "zh-TW"))
	require.Equal(t, "Uno. Dos.", Join([]string{"Uno.", "Dos."}, Split("一。二。", "ja"), "es"))
	require.Equal(t, "Uno. Dos.", Join([]string{"Uno.", "Dos."}, nil, "es"))
}

// For any text: the parts concatenate to the text, and each has its tags in
// pairs.
func TestSplitKeepsAll(t *testing.T) {
	piece := rapid.SampledFrom([]string{"Hola", "a", ". ", ".", "? ", "<1>", "</1>", "<2/>", "<3>", "</3>", "<", ">", "&lt;", "。", "\n", " ", "Dr", "5", "“", "”", "…", "É", "\xff", "</9>"})
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 30).Draw(rt, "text"), "")
		parts := Split(text, rapid.SampledFrom([]string{"", "es", "de", "ja"}).Draw(rt, "lang"))
		if strings.Join(parts, "") != text {
			rt.Fatalf("%q became %q", text, parts)
		}
		if tags.Check(text, text) != nil {
			return
		}
		for _, p := range parts {
			if err := tags.Check(p, p); err != nil {
				rt.Fatalf("%q became %q: %v", text, parts, err)
			}
			if p == "" && text != "" {
				rt.Fatalf("%q became %q", text, parts)
			}
		}
	})
}
