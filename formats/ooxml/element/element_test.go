package element_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats/formatstest"
	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/xmlscan"
)

const names = "a b c d e f"

var (
	schema = element.NewSchema(names)
	known  = strings.Fields(names)
)

func TestElement(t *testing.T) {
	raw := `<w:p w:x='1'  w:y="2&amp;3" ><w:b/> <w:d w:val="1"><w:in/></w:d><w14:ext/></w:p>`
	e := element.Parse(raw, "w:other", schema)
	require.Equal(t, "w:p", e.Name(), "the element's own name")
	require.Equal(t, "w:", e.Prefix())
	require.Equal(t, `<w:d w:val="1"><w:in/></w:d>`, e.Get("d"))
	require.Empty(t, e.Get("in"), "a child's child is none")
	v, ok := e.Attr("w:y")
	require.True(t, ok)
	require.Equal(t, "2&3", v)

	e.Set("c", "<w:c/>")
	e.Set("f", "<w:f/>")
	e.Set("d", "<w:d/>", "b", "absent")
	e.SetAttr("w:x", `<'">`)
	e.SetAttr("w:z", "new")
	e.DropAttrs("w:y", "absent")
	require.Equal(t, `<w:p w:x='&lt;&apos;&quot;&gt;' w:z="new"><w:c/><w:d/><w:f/><w14:ext/></w:p>`, e.String())

	e.Drop("c", "d", "f", "ext")
	e.DropAttrs("w:x", "w:z")
	require.True(t, e.Empty())
	require.Equal(t, "<w:p/>", e.String())
	require.Empty(t, e.Optional())
}

func TestAbsentElement(t *testing.T) {
	e := element.Parse("", "rPr", schema)
	require.Empty(t, e.Prefix())
	require.Empty(t, e.Optional())
	e.SetAttr("n", "1")
	require.Equal(t, `<rPr n="1"/>`, e.Optional())
	e.Set("b", "<b/>")
	e.Prepend("d", "<d/>")
	require.Equal(t, `<rPr n="1"><d/><b/></rPr>`, e.Optional())
	e.Sort()
	require.Equal(t, `<rPr n="1"><b/><d/></rPr>`, e.Optional())
	require.Equal(t, `<x>`, strings.TrimSuffix(element.Parse("", "x", nil).String(), "/>")+">")
}

// A child goes before the first that comes later; extensions stay at the end,
// and AlternateContent has the rank of what it wraps.
func TestOrderBesideExtensions(t *testing.T) {
	wrap := func(in string) string {
		return `<mc:AlternateContent><mc:Choice Requires="x">` + in + `</mc:Choice></mc:AlternateContent>`
	}
	for children, want := range map[string]string{
		"":                             "<c/>",
		"<b/><d/>":                     "<b/><c/><d/>",
		"<b/><x/><y/>":                 "<b/><c/><x/><y/>",
		"<x/><y/>":                     "<c/><x/><y/>",
		"<x/><b/><y/><d/>":             "<x/><b/><y/><c/><d/>",
		wrap("<b/>"):                   wrap("<b/>") + "<c/>",
		wrap("<d/>"):                   "<c/>" + wrap("<d/>"),
		wrap("<x/>"):                   "<c/>" + wrap("<x/>"),
		"<b/>" + wrap("<e/>") + "<x/>": "<b/><c/>" + wrap("<e/>") + "<x/>",
	} {
		e := element.Parse("<r>"+children+"</r>", "r", schema)
		e.Set("c", "<c/>")
		require.Equal(t, "<r>"+want+"</r>", e.String())
		doc := []byte("<r>" + children + "</r>")
		edit, ok := element.Insert(doc, schema, "c", "<c/>")
		require.True(t, ok)
		require.Equal(t, "<r>"+want+"</r>", string(xmlscan.Apply(doc, []xmlscan.Splice{edit})), "in a part as in an element")
	}
}

func TestInsert(t *testing.T) {
	for doc, want := range map[string]string{
		`<r><b/><d/></r>`:     `<r><b/><c/><d/></r>`,
		`<?xml?><p:r a="1"/>`: `<?xml?><p:r a="1"><c/></p:r>`,
	} {
		edit, ok := element.Insert([]byte(doc), schema, "c", "<c/>")
		require.True(t, ok)
		require.Equal(t, want, string(xmlscan.Apply([]byte(doc), []xmlscan.Splice{edit})))
	}
	for _, doc := range []string{"", "<r>", "text"} {
		_, ok := element.Insert([]byte(doc), schema, "c", "<c/>")
		require.False(t, ok, doc)
	}
}

// Children set one after another, in any order and with some dropped, are in
// the schema's order and there once, and are what a map of them would be.
func TestSetKeepsTheOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		e := element.Parse(rapid.SampledFrom([]string{"", "<p:r/>", `<p:r a="1"><p:b/><p:e/><q:x/></p:r>`}).Draw(rt, "raw"), "p:r", schema)
		model := map[string]string{}
		for _, c := range e.Children {
			model[c.Local] = c.XML
		}
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			local := rapid.SampledFrom(known).Draw(rt, "child")
			if rapid.Bool().Draw(rt, "drop") {
				e.Drop(local)
				delete(model, local)
				continue
			}
			model[local] = "<p:" + local + ` v="` + rapid.StringMatching(`[a-z]{0,3}`).Draw(rt, "v") + `"/>`
			e.Set(local, model[local])
		}
		var ranks []int
		for _, c := range e.Children {
			require.Equal(rt, model[c.Local], c.XML)
			if r := schema.Rank(c.Local); r >= 0 {
				ranks = append(ranks, r)
			}
		}
		require.Len(rt, e.Children, len(model))
		require.True(rt, slices.IsSorted(ranks))
		require.Equal(rt, e.String(), element.Parse(e.String(), "", schema).String(), "what is written reads the same")
	})
}

// Setting and dropping attributes touches no other byte of the tag.
func TestAttributes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		names := []string{"a", "w:a", "b", "c"}
		value := rapid.SampledFrom([]string{"", "1", `"`, "'", "<&>", "x\ny\tz", "é"})
		model := map[string]string{}
		e := element.Parse(`<t b='1' c="2"/>`, "", nil)
		model["b"], model["c"] = "1", "2"
		for range rapid.IntRange(1, 10).Draw(rt, "steps") {
			name := rapid.SampledFrom(names).Draw(rt, "name")
			if rapid.Bool().Draw(rt, "drop") {
				e.DropAttrs(name)
				delete(model, name)
			} else {
				model[name] = value.Draw(rt, "value")
				e.SetAttr(name, model[name])
			}
		}
		sc := xmlscan.New([]byte(e.String()))
		require.True(rt, sc.Next(), "%s: %v", e, sc.Err())
		got := map[string]string{}
		for a := range sc.Token().Attrs() {
			require.NotContains(rt, got, a.Name)
			got[a.Name] = a.Value()
		}
		require.Equal(rt, model, got)
	})
}

func TestAppend(t *testing.T) {
	for doc, want := range map[string]string{
		`<l><i/></l>`:              `<l><i/><n/><n/></l>`,
		`<l count="3"><i/></l>`:    `<l count="5"><i/><n/><n/></l>`,
		`<l count="0"/>`:           `<l count="2"><n/><n/></l>`,
		`<x:l xmlns:x="u" />`:      `<x:l xmlns:x="u" ><n/><n/></x:l>`,
		`<l count="many"><i/></l>`: `<l count="many"><i/><n/><n/></l>`,
	} {
		sc := xmlscan.New([]byte(doc))
		require.True(t, sc.Next())
		tag := sc.Token()
		require.Equal(t, want, string(xmlscan.Apply([]byte(doc), element.Append([]byte(doc), tag, sc.Skip(), "<n/><n/>", 2))))
	}
}

// Properties of real documents that are taken apart and put together again keep
// every byte, but for blanks between children.
func TestCorpusElementsStay(t *testing.T) {
	n := 0
	for _, part := range formatstest.SampleParts(t, 300<<10) {
		n += checkElementsStay(t, part)
	}
	formatstest.Report(t, "element  properties of real documents taken apart: %d", n)
}

func checkElementsStay(t *testing.T, part []byte) (n int) {
	sc := xmlscan.New(part)
	for sc.Next() {
		if tok := sc.Token(); tok.Kind == xmlscan.Start && strings.HasSuffix(tok.Local, "Pr") && !tok.Empty {
			raw := part[tok.Start:sc.Skip()]
			if want, children := withoutText(raw); children {
				require.Equal(t, want, element.Parse(raw, "", nil).String())
				n++
			}
		}
	}
	return n
}

// withoutText returns an element without what is between its children, and
// whether it has any.
func withoutText(raw []byte) (out string, children bool) {
	var sb strings.Builder
	sc := xmlscan.New(raw)
	for sc.Next() {
		tok := sc.Token()
		children = children || tok.Depth == 2
		if tok.Depth > 1 || tok.Kind == xmlscan.Start || tok.Kind == xmlscan.End {
			sb.Write(tok.Bytes())
		}
	}
	return sb.String(), children
}
