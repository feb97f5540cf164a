package pptx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Children are written with the prefix a: and take the element's.
func TestPutChild(t *testing.T) {
	e := runProps([]byte(`<d:rPr lang="de" b="1" sz="&quot;"><d:ln w="1"><d:noFill/></d:ln><d:latin typeface="X"/></d:rPr>`), "a:rPr")
	e.SetAttr("b", "0")
	putChild(e, "solidFill", `<a:solidFill/>`, "noFill", "gradFill")
	putChild(e, "latin", `<a:latin typeface="Y"/>`)
	require.Equal(t, `<d:rPr lang="de" b="0" sz="&quot;"><d:ln w="1"><d:noFill/></d:ln><d:solidFill/><d:latin typeface="Y"/></d:rPr>`, e.Optional())
	none := runProps(nil, "rPr")
	require.Empty(t, none.Optional())
	putChild(none, "cs", `<a:cs/>`)
	require.Equal(t, `<rPr><cs/></rPr>`, none.Optional())
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
			require.Equal(t, out, string(applied(tr, tr.SetAttr(tr.Root, "n", value))), "%s %q", in, value)
		}
	}
}
