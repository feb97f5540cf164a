package paragraph

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats/ooxml/xmlscan"
)

func revision() *Revision {
	n := 0
	return &Revision{Author: "A & B", Date: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), NextID: func() int { n++; return n }}
}

func xmlOf(p *Paragraph, s []xmlscan.Splice) string {
	out := string(xmlscan.Apply(p.doc, s))
	return strings.TrimSuffix(strings.TrimPrefix(out, `<w:p `+w+`>`), `</w:p>`)
}

// A tracked change leaves no empty runs and touches no other run.
func TestTrackCutsRuns(t *testing.T) {
	at := func(n int) string {
		return fmt.Sprintf(` w:id="%d" w:author="A &amp; B" w:date="2026-01-02T03:04:05Z"`, n)
	}
	b := "<w:rPr><w:b/></w:rPr>"
	text := func(pr, s string) string {
		sp := ""
		if strings.TrimSpace(s) != s {
			sp = ` xml:space="preserve"`
		}
		return "<w:r>" + pr + "<w:t" + sp + ">" + s + "</w:t></w:r>"
	}
	del := func(n int, pr, s string) string {
		return "<w:del" + at(n) + "><w:r>" + pr + `<w:delText xml:space="preserve">` + s + "</w:delText></w:r></w:del>"
	}
	ins := func(n int, pr, s string) string { return "<w:ins" + at(n) + ">" + text(pr, s) + "</w:ins>" }
	for _, c := range []struct {
		inner  string
		ranges []Range
		want   string
	}{
		{text(b, "abc"), []Range{{1, 2, "X"}}, text(b, "a") + del(1, b, "b") + ins(2, b, "X") + text(b, "c")},
		{text(b, "abc"), []Range{{0, 3, ""}}, del(1, b, "abc")},
		{text(b, "abc"), []Range{{0, 0, "X"}}, ins(1, b, "X") + text(b, "abc")},
		{text(b, "abc"), []Range{{3, 3, "X"}}, text(b, "abc") + ins(1, b, "X")},
		{text("", "a") + text(b, "bc") + text("", "d"), []Range{{0, 2, "X"}}, del(1, "", "a") + ins(2, "", "X") + del(3, b, "b") + text(b, "c") + text("", "d")},
		{"<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t></w:r>", []Range{{0, 3, ""}}, del(1, "", "a") + "<w:del" + at(2) + "><w:r><w:tab/></w:r></w:del>" + del(3, "", "b")},
		{`<w:r><w:t>a</w:t><w:drawing/><w:t>b</w:t></w:r>`, []Range{{0, 2, ""}}, del(1, "", "a") + "<w:r><w:drawing/></w:r>" + del(2, "", "b")},
		{"", []Range{{0, 0, "X"}}, ins(1, "", "X")},
	} {
		p := one(t, c.inner)
		require.Equal(t, c.want, xmlOf(p, p.Track(c.ranges, revision())), c.inner)
	}
	p := one(t, text("", "ab"))
	require.Nil(t, p.Track(nil, revision()))
	marked := apply(t, p, p.Track([]Range{{1, 2, "X"}}, revision()))
	require.Equal(t, "a[-b-]{+X+}", marked.Marked())
	require.Equal(t, "aX", marked.Text())
}

func TestInsertBetweenAndRestyle(t *testing.T) {
	p := one(t, "<w:r><w:t>abcd</w:t></w:r>")
	require.Equal(t, `<w:r><w:t>a</w:t></w:r><S/><w:r><w:t>bc</w:t></w:r><E/><w:r><w:t>d</w:t></w:r>`,
		xmlOf(p, p.InsertBetween([]Insert{{Pos: 1, XML: "<S/>"}, {Pos: 3, XML: "<E/>", After: true}})))
	require.Equal(t, `<S/><w:r><w:t>abcd</w:t></w:r><E/>`,
		xmlOf(p, p.InsertBetween([]Insert{{Pos: 0, XML: "<S/>"}, {Pos: 4, XML: "<E/>", After: true}})))
	require.Equal(t, `<w:r><w:t>a</w:t></w:r><w:r><w:rPr><w:i/></w:rPr><w:t>bc</w:t></w:r><w:r><w:t>d</w:t></w:r>`,
		xmlOf(p, p.Restyle([]Range{{Start: 1, End: 3}}, func(string) string { return "<w:rPr><w:i/></w:rPr>" })))
	require.Equal(t, `<S/><E/>`, xmlOf(one(t, ""), one(t, "").InsertBetween([]Insert{{XML: "<S/>"}, {XML: "<E/>", After: true}})))
}

// SetContent keeps objects, marks and other runs' objects.
func TestSetContentKeepsObjects(t *testing.T) {
	p := one(t, `<w:pPr/><w:bookmarkStart w:id="0"/><w:r><w:t>a</w:t><w:drawing/></w:r><w:r><w:t>b</w:t></w:r><w:bookmarkEnd w:id="0"/>`)
	require.Equal(t, `<w:pPr/><w:bookmarkStart w:id="0"/><N/><w:r><w:drawing/></w:r><w:bookmarkEnd w:id="0"/>`, xmlOf(p, p.SetContent("<N/>", nil)))
	p = one(t, `<w:pPr/><w:r><w:drawing/></w:r>`)
	require.Equal(t, `<w:pPr/><w:r><w:drawing/></w:r><N/>`, xmlOf(p, p.SetContent("<N/>", nil)))
	ps, err := Parse([]byte(`<x `+w+`><w:p w:x="1" /></x>`), Word)
	require.NoError(t, err)
	require.Contains(t, string(xmlscan.Apply(ps[0].doc, ps[0].SetContent("<N/>", nil))), `<w:p w:x="1" ><N/></w:p>`)
}
