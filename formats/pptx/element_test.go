package pptx

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestElement(t *testing.T) {
	e := parseElement([]byte(`<d:rPr lang='de' b="1" sz="&quot;"><d:ln w="1"><d:noFill/></d:ln><d:latin typeface="X"/></d:rPr>`), "a:rPr")
	require.Equal(t, "d:", e.prefix())
	e.set("b", "0")
	e.set("i", "1")
	e.drop("lang", "absent")
	e.put(rPrOrder, "solidFill", `<a:solidFill/>`, "noFill", "gradFill")
	e.put(rPrOrder, "latin", `<a:latin typeface="Y"/>`)
	e.put(rPrOrder, "extLst", `<a:extLst/>`)
	require.Equal(t, `<d:rPr b="0" sz="&quot;" i="1"><d:ln w="1"><d:noFill/></d:ln><d:solidFill/><d:latin typeface="Y"/><d:extLst/></d:rPr>`, e.xml())
	none := parseElement(nil, "rPr")
	require.Equal(t, "", none.prefix())
	require.Equal(t, "", none.xml())
	none.put(rPrOrder, "cs", `<a:cs/>`)
	require.Equal(t, `<rPr><cs/></rPr>`, none.xml())
}

// However children are put, they are in the schema's order and once.
func TestElementOrder(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		e := parseElement(nil, "a:pPr")
		for _, local := range rapid.SliceOfN(rapid.SampledFrom(pPrOrder), 1, 12).Draw(r, "children") {
			e.put(pPrOrder, local, `<a:`+local+`/>`)
		}
		var ranks []int
		for _, k := range e.kids {
			ranks = append(ranks, slices.Index(pPrOrder, k.local))
		}
		require.True(t, slices.IsSorted(ranks))
		require.Equal(t, slices.Compact(slices.Clone(ranks)), ranks)
		again := parseElement([]byte(e.xml()), "a:pPr")
		require.Equal(t, e.xml(), again.xml())
	})
}

func TestSetAttr(t *testing.T) {
	for in, want := range map[string]map[string]string{
		`<a/>`:                       {"x": `<a n="x"/>`, "": `<a/>`, `q"'<`: `<a n="q&quot;&apos;&lt;"/>`},
		`<a n="1"/>`:                 {"x": `<a n="x"/>`, "": `<a/>`},
		`<a b='2' n='1' c="3"></a>`:  {"x": `<a b='2' n='x' c="3"></a>`, "": `<a b='2' c="3"></a>`, "a\nb": `<a b='2' n='a&#10;b' c="3"></a>`},
		`<p:a xmlns:p="u"  >z</p:a>`: {"x": `<p:a xmlns:p="u" n="x"  >z</p:a>`},
	} {
		for value, out := range want {
			tr, err := parse(ctx, "x", []byte(in))
			require.NoError(t, err)
			require.Equal(t, out, string(applied(tr, tr.setAttr(tr.root, "n", value))), "%s %q", in, value)
		}
	}
}
