package tree_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats/formatstest"
	"atelier/formats/ooxml/tree"
	"atelier/formats/ooxml/xmlscan"
)

const nsR = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

func parse(t require.TestingT, doc string) *tree.Tree {
	got, err := tree.Parse(context.Background(), []byte(doc), nil)
	require.NoError(t, err, doc)
	return got
}

func TestNodes(t *testing.T) {
	tr := parse(t, `<?xml?><a:r xmlns:a="u" xmlns="d" xmlns:q="`+nsR+`"><b x="1&amp;2"/>t<a:c q:id="rId7" z:id="no">one<b/>&lt;<![CDATA[<&]]></a:c><b n="2"></b></a:r>`)
	r := tr.Root
	require.Equal(t, "a:r", r.Name())
	require.Nil(t, r.Parent)
	var names []string
	for n := range r.All() {
		names = append(names, fmt.Sprint(n.Local, n.Depth, n.Empty))
	}
	require.Equal(t, []string{"b2 true", "c2 false", "b3 true", "b2 false"}, names)
	c := r.Child("u", "c")
	require.Equal(t, "one<<&", tr.Text(c))
	require.Equal(t, `<b/>`, string(tr.Raw(c.First)))
	require.True(t, c.First.In("u", "c"))
	require.Equal(t, c.First, r.Down("u", "c").Child("d", "b"))
	require.Equal(t, "rId7", c.RelValue("id"))
	require.Equal(t, "1&2", r.First.Value("x"))
	require.Equal(t, "d", c.First.Namespace(""))
	p, ok := c.PrefixOf("u")
	require.True(t, ok)
	require.Equal(t, "a", p)
	_, ok = c.PrefixOf("d")
	require.False(t, ok, "the default namespace has no prefix")

	var none *tree.Node
	require.Nil(t, none.Child("u", "c"))
	require.Nil(t, none.Down("u", "c", "d"))
	require.Empty(t, none.Value("x")+none.RelValue("id")+tr.Text(none)+string(tr.Raw(none)))
	for range none.All() {
		t.Fatal("a nil node has elements")
	}
	for range none.Attributes() {
		t.Fatal("a nil node has attributes")
	}
}

func TestRefused(t *testing.T) {
	for _, doc := range []string{"<a><b></a>", "<a>", "<a"} {
		_, err := tree.Parse(context.Background(), []byte(doc), nil)
		require.Error(t, err, doc)
	}
	_, err := tree.Parse(context.Background(), []byte("<!-- x -->"), nil)
	require.ErrorIs(t, err, tree.ErrNoElement)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = tree.Parse(ctx, []byte("<a>"+strings.Repeat("<b/>", 1<<16)+"</a>"), nil)
	require.ErrorIs(t, err, context.Canceled)
}

// drawXML makes a document of elements a to d with text between them.
func drawXML(rt *rapid.T) string {
	var sb strings.Builder
	var element func(depth int)
	element = func(depth int) {
		name := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(rt, "name")
		attr := rapid.SampledFrom([]string{"", ` x="1"`, ` x='2' y="&lt;"`}).Draw(rt, "attribute")
		kids := rapid.IntRange(0, 3).Draw(rt, "children")
		if kids == 0 || depth == 6 {
			sb.WriteString("<" + name + attr + rapid.SampledFrom([]string{"/>", "></" + name + ">"}).Draw(rt, "end"))
			return
		}
		sb.WriteString("<" + name + attr + ">")
		for range kids {
			sb.WriteString(rapid.SampledFrom([]string{"", "text", "&amp;", "<!-- c -->"}).Draw(rt, "text"))
			element(depth + 1)
		}
		sb.WriteString("</" + name + ">")
	}
	element(0)
	return sb.String()
}

// outline writes a tree so that two can be compared.
func outline(t *tree.Tree, n *tree.Node, level int, sb *strings.Builder) {
	fmt.Fprintf(sb, "%*s%s %d-%d-%d-%d\n", level, "", n.Name(), n.Start, n.End, n.Close, n.After)
	for k := range n.Kids() {
		outline(t, k, level+1, sb)
	}
}

// A filtered tree is the whole tree without the nodes that the filter leaves
// out, whose children have moved up.
func TestFilterLeavesOutNodes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		doc := drawXML(rt)
		kept := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"a", "b", "c", "d"}), func(s string) string { return s }).Draw(rt, "kept")
		whole := parse(rt, doc)
		filtered, err := tree.Parse(context.Background(), []byte(doc), func(parent *tree.Node, tok xmlscan.Token) bool {
			require.NotNil(rt, parent)
			require.True(rt, parent.Start < tok.Start)
			return slices.Contains(kept, tok.Local)
		})
		require.NoError(rt, err)
		var want, got strings.Builder
		var write func(n *tree.Node, level int)
		write = func(n *tree.Node, level int) {
			if n == whole.Root || slices.Contains(kept, n.Local) {
				fmt.Fprintf(&want, "%*s%s %d-%d-%d-%d\n", level, "", n.Name(), n.Start, n.End, n.Close, n.After)
				level++
			}
			for k := range n.Kids() {
				write(k, level)
			}
		}
		write(whole.Root, 0)
		outline(filtered, filtered.Root, 0, &got)
		require.Equal(rt, want.String(), got.String())
	})
}

// The edits change what they name, as a second reader sees it, and no other
// byte.
func TestEdits(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		doc := drawXML(rt)
		tr := parse(rt, doc)
		nodes := slices.Collect(tr.Root.All())
		n := rapid.SampledFrom(append(nodes, tr.Root)).Draw(rt, "node")
		value := rapid.SampledFrom([]string{"", "new", `<'">`, "two\nlines"}).Draw(rt, "value")
		apply := func(e ...xmlscan.Splice) *tree.Node {
			out := string(xmlscan.Apply(tr.Doc, e))
			require.True(rt, strings.HasPrefix(out, doc[:n.Start]) && strings.HasSuffix(out, doc[n.After:]), out)
			again := parse(rt, out)
			for m := range again.Root.All() {
				if m.Start == n.Start {
					return m
				}
			}
			return again.Root
		}
		name := rapid.SampledFrom([]string{"x", "z"}).Draw(rt, "attribute")
		set := apply(tr.SetAttr(n, name, value))
		require.Equal(rt, value, set.Value(name))
		if value == "" {
			_, there := set.Attr(name)
			require.False(rt, there)
		}
		require.Equal(rt, n.Value("y"), set.Value("y"))

		last := apply(tr.InsertLast(n, []byte("<last/>"))...)
		kids := slices.Collect(last.Kids())
		require.Equal(rt, "last", kids[len(kids)-1].Local)
		require.Len(rt, kids, len(slices.Collect(n.Kids()))+1)

		text := apply(tr.SetText(n, []byte(xmlscan.Escape(value))))
		require.Nil(rt, text.First)
		require.Equal(rt, value, parse(rt, string(xmlscan.Apply(tr.Doc, []xmlscan.Splice{tr.SetText(n, []byte(xmlscan.Escape(value)))}))).Text(text))
	})
}

// Trees of real parts have the elements, in the order and the places, that the
// standard library's parser finds.
func TestCorpusTrees(t *testing.T) {
	parts := 0
	for name, part := range formatstest.SampleParts(t, 200<<10) {
		tr, err := tree.Parse(context.Background(), part, nil)
		if err != nil {
			continue
		}
		require.Equal(t, standardElements(t, part), elementsOf(tr), name)
		parts++
	}
	formatstest.Report(t, "tree  real parts read as the standard library reads them: %d", parts)
}

func elementsOf(tr *tree.Tree) (out []string) {
	out = append(out, fmt.Sprintf("%d %s", tr.Root.Depth, tr.Root.Local))
	for n := range tr.Root.All() {
		out = append(out, fmt.Sprintf("%d %s", n.Depth, n.Local))
	}
	return out
}

func standardElements(t *testing.T, part []byte) (out []string) {
	dec := xml.NewDecoder(bytes.NewReader(part))
	dec.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	depth := 0
	for {
		tok, err := dec.RawToken()
		if err == io.EOF {
			return out
		}
		require.NoError(t, err)
		switch e := tok.(type) {
		case xml.StartElement:
			depth++
			out = append(out, fmt.Sprintf("%d %s", depth, e.Name.Local))
		case xml.EndElement:
			depth--
		}
	}
}
