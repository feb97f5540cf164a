package segment_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/segment"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/tags"
)

const (
	spaces = ` xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:c15="http://schemas.microsoft.com/office/drawing/2012/chart" xmlns:cx="http://schemas.microsoft.com/office/drawing/2014/chartex" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" xmlns:dsp="http://schemas.microsoft.com/office/drawing/2008/diagram"`

	chart = `<c:chartSpace` + spaces + `><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart>` +
		`<c:ser><c:tx><c:v>North &amp; <![CDATA[<South>]]></c:v></c:tx><c:cat><c:strRef><c:f>S!$A$2:$A$3</c:f><c:strCache><c:ptCount val="2"/><c:pt idx="0"><c:v>May</c:v></c:pt><c:pt idx="1"><c:v>June</c:v></c:pt></c:strCache></c:strRef></c:cat><c:val><c:numRef><c:f>S!$B$2</c:f><c:numCache><c:pt idx="0"><c:v>5</c:v></c:pt></c:numCache></c:numRef></c:val>` +
		`<c:extLst><c:ext><c15:datalabelsRange><c15:f>S!$C$2</c15:f><c15:dlblRangeCache><c:pt idx="0"><c:v>best</c:v></c:pt></c15:dlblRangeCache></c15:datalabelsRange></c:ext></c:extLst></c:ser>` +
		`<c:ser><c:tx><c:v xml:space="preserve" /></c:tx><c:cat><c:strRef><c:f>S!$A$2:$A$3</c:f><c:strCache><c:pt idx="0"><c:v>May</c:v></c:pt><c:pt idx="1"><c:v>July</c:v></c:pt></c:strCache></c:strRef></c:cat></c:ser>` +
		`<c:ser><c:cat><c:multiLvlStrRef><c:f>S!$D$1:$E$1</c:f><c:multiLvlStrCache><c:lvl><c:pt idx="0"><c:v>inner</c:v></c:pt></c:lvl><c:lvl><c:pt idx="0"><c:v>inner</c:v></c:pt></c:lvl></c:multiLvlStrCache></c:multiLvlStrRef></c:cat></c:ser>` +
		`</c:barChart><c:catAx><c:title><c:tx><c:rich><a:p><a:r><a:rPr><a:hlinkMouseOver r:id="rId2" tooltip="Over"/></a:rPr><a:t>Month</a:t></a:r></a:p></c:rich></c:tx></c:title></c:catAx></c:plotArea></c:chart><c:externalData r:id="rId7"/></c:chartSpace>`
)

func options(place, kind string) segment.Options {
	return segment.Options{Where: segment.Where{Place: place, Kind: kind}, ID: func(s segment.Series, n int, _ string) string { return fmt.Sprintf("%c%d", s, n) }}
}

func scan(t require.TestingT, doc string) *segment.Part {
	p, err := segment.Scan(context.Background(), []byte(doc), options("slide 1, chart", "chart"))
	require.NoError(t, err, doc)
	return p
}

// lines lists the texts of a part; what repeats another is in brackets.
func lines(p *segment.Part) []string {
	var out []string
	for _, t := range p.Texts {
		line := fmt.Sprintf("%s %s, %s: %s", t.ID, t.Place, t.Kind, t.Tagged())
		if t.Repeats != "" {
			line = "(" + line + " = " + t.Repeats + ")"
		}
		out = append(out, line)
	}
	return out
}

// TR-02: a chart's titles, names and labels have their place; several series
// that repeat the label of one cell make one text, unless they say otherwise.
func TestChart(t *testing.T) {
	p := scan(t, chart)
	require.Equal(t, []string{
		"p1 slide 1, chart title, chart: Sales",
		"v1 slide 1, chart series, chart: North &amp; &lt;South>",
		"v2 slide 1, chart category, chart: May",
		"v3 slide 1, chart category, chart: June",
		"v4 slide 1, chart series, chart: best",
		"v5 slide 1, chart series, chart: ",
		"v7 slide 1, chart category, chart: July",
		"v8 slide 1, chart category, chart: inner",
		"v9 slide 1, chart category, chart: inner",
		"p2 slide 1, chart axis title, chart: Month",
		"a1 slide 1, chart axis title, tooltip: Over",
	}, lines(p))
	require.Empty(t, p.Texts[1].Notes(true), "a name of no cell")
	require.Contains(t, p.Texts[2].Notes(true)[0], "follows")
	require.Contains(t, p.Texts[2].Notes(false)[0], "keeps the source text")
	require.Equal(t, "S!$C$2", p.Texts[4].Cells)

	now, err := p.Replace(map[string]string{"p1": "Ventas", "v1": "N &lt; S", "v2": "mayo", "v5": "nuevo", "a1": `"'` + "\n", "p2": "Month"})
	require.NoError(t, err)
	require.True(t, now.Edited)
	require.Equal(t, map[int]bool{0: true}, now.Paras, "the second paragraph says what it said")
	require.Equal(t, map[string]string{"May": "mayo"}, now.Labels)
	want := strings.NewReplacer("Sales", "Ventas", "North &amp; <![CDATA[<South>]]>", "N &lt; S", ">May<", ">mayo<", `preserve" />`, `preserve" >nuevo</c:v>`, `tooltip="Over"`, `tooltip="&quot;&apos;&#10;"`).Replace(chart)
	require.Equal(t, want, string(now.Doc))
}

// TR-02: the labels of an extended chart are those of cells too.
func TestExtendedChart(t *testing.T) {
	dim := `<cx:data><cx:strDim type="cat"><cx:f>S!$A$2:$A$3</cx:f><cx:lvl ptCount="2"><cx:pt idx="0">May</cx:pt><cx:pt idx="1">June</cx:pt></cx:lvl></cx:strDim><cx:numDim type="val"><cx:lvl><cx:pt idx="0">5</cx:pt></cx:lvl></cx:numDim></cx:data>`
	doc := `<cx:chartSpace` + spaces + `><cx:chartData>` + dim + dim + `</cx:chartData><cx:chart><cx:title><cx:tx><cx:txData><cx:v>Sales</cx:v></cx:txData></cx:tx></cx:title><cx:series><cx:tx><cx:txData><cx:f>S!$B$1</cx:f><cx:v>North</cx:v></cx:txData></cx:tx></cx:series></cx:chart></cx:chartSpace>`
	p := scan(t, doc)
	require.Equal(t, []string{"v1 slide 1, chart, chart: May", "v2 slide 1, chart, chart: June", "v5 slide 1, chart, chart: Sales", "v6 slide 1, chart, chart: North"}, lines(p))
	now, err := p.Replace(map[string]string{"v2": "junio", "v5": "Ventas"})
	require.NoError(t, err)
	require.Equal(t, strings.NewReplacer("June", "junio", "Sales", "Ventas").Replace(doc), string(now.Doc))
	require.Equal(t, map[string]string{"June": "junio"}, now.Labels)
}

// TR-02: the properties for people are texts, the others are not.
func TestProperties(t *testing.T) {
	p, err := segment.Scan(context.Background(), []byte(`<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Report</dc:title><dc:creator>Ana</dc:creator><cp:keywords>a, b</cp:keywords><cp:lastModifiedBy>Bo</cp:lastModifiedBy><dc:description><!-- x -->line`+"\r\n"+`two</dc:description><cp:category/></cp:coreProperties>`), options("document properties", "property"))
	require.NoError(t, err)
	require.Equal(t, []string{
		"v1 document properties, title, property: Report",
		"v2 document properties, keywords, property: a, b",
		"v3 document properties, description, property: line\ntwo",
		"v4 document properties, category, property: ",
	}, lines(p))
}

// The fallback of alternate content follows the choice that it repeats.
func TestFallback(t *testing.T) {
	both := func(choice, fallback string) string {
		return `<mc:AlternateContent><mc:Choice Requires="c15">` + choice + `</mc:Choice><mc:Fallback>` + fallback + `</mc:Fallback></mc:AlternateContent>`
	}
	para := func(text string) string { return `<a:p><a:r><a:t>` + text + `</a:t></a:r></a:p>` }
	doc := `<a:r` + spaces + `>` + both(para("one")+para("two")+para("one"), para("two")+para("one")+para("one")+para("one")) + both(para("three"), para("two")) + `</a:r>`
	p := scan(t, doc)
	require.Equal(t, []string{
		"p1 slide 1, chart, chart: one", "p2 slide 1, chart, chart: two", "p3 slide 1, chart, chart: one",
		"(p4 slide 1, chart, chart: two = p2)", "(p5 slide 1, chart, chart: one = p1)", "(p6 slide 1, chart, chart: one = p3)", "p7 slide 1, chart, chart: one",
		"p8 slide 1, chart, chart: three", "p9 slide 1, chart, chart: two",
	}, lines(p), "the first follows the first; the choice of other content is none")
	require.False(t, p.Texts[2].Fallback)
	require.True(t, p.Texts[6].Fallback)
	now, err := p.Replace(map[string]string{"p2": "dos", "p3": "uno"})
	require.NoError(t, err)
	require.Equal(t, `<a:r`+spaces+`>`+both(para("one")+para("dos")+para("uno"), para("dos")+para("one")+para("uno")+para("one"))+both(para("three"), para("two"))+`</a:r>`, string(now.Doc))

	// Content in the choice of other content belongs to both.
	nested := scan(t, `<a:r`+spaces+`>`+both(both(para("one"), para("one")), para("one"))+`</a:r>`)
	require.Equal(t, []string{"p1 slide 1, chart, chart: one", "(p2 slide 1, chart, chart: one = p1)", "(p3 slide 1, chart, chart: one = p1)"}, lines(nested))
}

// The drawing of a diagram follows the data that it repeats.
func TestDiagrams(t *testing.T) {
	diagrams := segment.Diagrams{}
	para := `<a:p><a:r><a:t>Boss</a:t></a:r></a:p>`
	data := scan(t, `<dgm:dataModel`+spaces+`><dgm:t>`+para+`</dgm:t></dgm:dataModel>`)
	drawing, err := segment.Scan(context.Background(), []byte(`<dsp:drawing`+spaces+`>`+para+strings.Replace(para, "Boss", "Other", 1)+`</dsp:drawing>`), segment.Options{ID: func(s segment.Series, n int, _ string) string { return fmt.Sprintf("d%d", n) }})
	require.NoError(t, err)
	other := scan(t, chart)
	for _, p := range []*segment.Part{data, drawing, other} {
		diagrams.Pair(p)
	}
	require.False(t, data.DiagramDrawing())
	require.True(t, drawing.DiagramDrawing())
	require.Equal(t, []string{"p1", ""}, []string{drawing.Texts[0].Repeats, drawing.Texts[1].Repeats})
	require.Empty(t, data.Texts[0].Repeats)
	now, err := drawing.Replace(map[string]string{"p1": "Jefa"})
	require.NoError(t, err)
	require.Contains(t, string(now.Doc), "<a:t>Jefa</a:t>")
}

// A format names its places and adds its own elements and attributes.
func TestOptions(t *testing.T) {
	opt := options("slide 1", "slide")
	opt.Enter = func(t xmlscan.Token, in segment.Where) segment.Where {
		if t.Local == "sp" {
			return segment.Where{Place: in.Place + ", box", Kind: "box"}
		}
		return in
	}
	opt.Value = func(t xmlscan.Token) bool { return t.Local == "text" }
	opt.Attributes = func(t xmlscan.Token) []segment.Named {
		return map[string][]segment.Named{"sec": {{Name: "name", Kind: "section"}, {Name: "tip", Kind: "tooltip"}}}[t.Local]
	}
	p, err := segment.Scan(context.Background(), []byte(`<r><sp><cNvPr title="T" descr="D" name="N"/><text>x</text></sp><sec x:name="y" tip="z"/><text>one <b/> two</text></r>`), opt)
	require.NoError(t, err)
	require.Equal(t, []string{"a1 slide 1, box, alt text: T", "a2 slide 1, box, alt text: D", "v1 slide 1, box, box: x", "a3 slide 1, section: y", "a4 slide 1, tooltip: z"}, lines(p), "an element with others in it is no text")
}

func TestRefused(t *testing.T) {
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := segment.Scan(gone, []byte(chart), options("", ""))
	require.ErrorIs(t, err, context.Canceled)
	_, err = segment.Scan(context.Background(), []byte(`<a><b></a>`), options("", ""))
	require.Error(t, err)
	p := scan(t, chart)
	for id, target := range map[string]string{"v2": "<1>x</1>", "p1": "<1/>x"} {
		_, err := p.Replace(map[string]string{id: target})
		require.Equal(t, formats.CodeInvalid, formats.CodeOf(err))
		require.ErrorContains(t, err, fmt.Sprintf("segment %q", id))
	}
}

// TR-02: the workbook of a chart is the one that it names and says what the
// labels say now; one that cannot be changed stays as it is.
func TestWorkbook(t *testing.T) {
	ctx := context.Background()
	open := func(doc, rels string) (*opc.Package, *segment.Part) {
		file := zipped(t, map[string]string{
			"[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xlsx" ContentType="application/x"/><Default Extension="xml" ContentType="application/xml"/></Types>`,
			"chart.xml":           doc, "_rels/chart.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + rels + `</Relationships>`, "other.xlsx": "other", "book.xlsx": "old",
		})
		pkg, err := opc.Open(ctx, formats.FromBytes("x.docx", file))
		require.NoError(t, err)
		return pkg, scan(t, doc)
	}
	rel := func(id, kind, target string) string {
		return fmt.Sprintf(`<Relationship Id="%s" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/%s" Target="%s"/>`, id, kind, target)
	}
	unnamed := strings.Replace(chart, `<c:externalData r:id="rId7"/>`, "", 1)
	both := rel("rId6", "package", "other.xlsx") + rel("rId7", "package", "book.xlsx")
	for _, c := range []struct{ doc, rels, want string }{
		{chart, both, "book.xlsx"},
		{unnamed, both, "other.xlsx"},
		{strings.ReplaceAll(chart, ":f>", ":g>"), both, ""}, // it names no cells
		{chart, rel("rId7", "oleObject", "book.xlsx"), ""},
		{chart, rel("rId7", "package", "none.xlsx"), ""},
		{chart, strings.Replace(rel("rId7", "package", "https://example.org/book.xlsx"), "/>", ` TargetMode="External"/>`, 1), ""},
	} {
		pkg, p := open(c.doc, c.rels)
		got, err := p.Workbook(ctx, pkg, "chart.xml")
		require.NoError(t, err)
		require.Equal(t, c.want, got, c.rels)
	}
	pkg, p := open(chart, both)
	for want, relabel := range map[string]segment.Relabel{
		"old new": func(_ context.Context, file []byte, labels map[string]string) ([]byte, error) {
			return append(file, " "+labels["a"]...), nil
		},
		"old": func(context.Context, []byte, map[string]string) ([]byte, error) { return nil, errors.New("damaged") },
	} {
		ed := pkg.Edit()
		require.NoError(t, relabel.Update(ctx, ed, p, "chart.xml", nil))
		require.NoError(t, relabel.Update(ctx, ed, p, "chart.xml", map[string]string{"a": "new"}))
		got, err := ed.Read(ctx, "book.xlsx")
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
}

// Any translation of any text of a chart reads back as its target, no other
// text changes, and an independent reader finds as many elements as before.
func TestReplaceRoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.StringMatching(`[A-Za-z<&" ]{0,5}`)
		var sb strings.Builder
		for range rapid.IntRange(0, 3).Draw(r, "series") {
			fmt.Fprintf(&sb, `<c:ser><c:tx><c:v>%s</c:v></c:tx><c:cat><c:strRef><c:f>S!A%d</c:f><c:strCache>`, xmlscan.Escape(text.Draw(r, "name")), rapid.IntRange(1, 2).Draw(r, "cells"))
			for k := range rapid.IntRange(0, 3).Draw(r, "labels") {
				fmt.Fprintf(&sb, `<c:pt idx="%d"><c:v>%s</c:v></c:pt>`, k, xmlscan.Escape(text.Draw(r, "label")))
			}
			fmt.Fprintf(&sb, `</c:strCache></c:strRef></c:cat></c:ser><a:p><a:r><a:rPr><a:hlinkClick tooltip="%s"/></a:rPr><a:t>x%s</a:t></a:r></a:p>`, xmlscan.EscapeAttr(text.Draw(r, "tip")), xmlscan.Escape(text.Draw(r, "para")))
		}
		p := scan(r, `<c:chartSpace`+spaces+`>`+sb.String()+`</c:chartSpace>`)
		same, targets := map[string]string{}, map[string]string{}
		for i := range p.Texts {
			u := &p.Texts[i]
			same[u.ID] = u.Tagged()
			if rapid.Bool().Draw(r, "change") {
				targets[u.ID] = tags.Escape(text.Draw(r, "target") + "y")
			}
		}
		now, err := p.Replace(same)
		require.NoError(r, err)
		require.False(r, now.Edited)
		require.Equal(r, string(p.Doc), string(now.Doc))
		now, err = p.Replace(targets)
		require.NoError(r, err)
		require.Equal(r, countElements(r, p.Doc), countElements(r, now.Doc))
		after := map[string]string{}
		for _, u := range scan(r, string(now.Doc)).Texts {
			after[u.ID] = u.Tagged()
		}
		for id, want := range same {
			if target, ok := targets[id]; ok {
				want = target
			}
			if got, ok := after[id]; ok { // labels of one cell may have become equal
				require.Equal(r, want, got, id)
			}
		}
	})
}

func countElements(t require.TestingT, doc []byte) int {
	n := 0
	for dec := xml.NewDecoder(bytes.NewReader(doc)); ; {
		tok, err := dec.Token()
		if err != nil {
			require.Equal(t, io.EOF, err)
			return n
		}
		if _, ok := tok.(xml.StartElement); ok {
			n++
		}
	}
}

// FuzzScan puts any bytes in the place of a part: the texts are listed or
// refused, and written back, themselves or changed, without harm.
func FuzzScan(f *testing.F) {
	f.Add([]byte(chart))
	f.Add([]byte(`<cx:chartSpace` + spaces + `><cx:txData><cx:f>A1</cx:f><cx:v><!-- x --><?y?>z</cx:v></cx:txData></cx:chartSpace>`))
	f.Add([]byte(`<dsp:drawing` + spaces + `><mc:AlternateContent><mc:Fallback><a:p><a:r><a:t>x</a:t></a:r></a:p></mc:Fallback></mc:AlternateContent></dsp:drawing>`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		p, err := segment.Scan(context.Background(), doc, options("place", "kind"))
		if err != nil {
			return
		}
		same, targets := map[string]string{}, map[string]string{}
		for i := range p.Texts {
			u := &p.Texts[i]
			require.NotContains(t, same, u.ID)
			same[u.ID] = u.Tagged()
			if u.Para == nil {
				targets[u.ID] = tags.Escape(u.Plain + `<&'"`)
			}
		}
		now, err := p.Replace(same)
		require.NoError(t, err)
		require.Equal(t, string(doc), string(now.Doc))
		now, err = p.Replace(targets)
		require.NoError(t, err)
		again, err := segment.Scan(context.Background(), now.Doc, options("place", "kind"))
		require.NoError(t, err)
		require.Len(t, again.Texts, len(p.Texts))
	})
}

func zipped(t *testing.T, files map[string]string) []byte {
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for name, text := range files {
		w, err := z.Create(name)
		require.NoError(t, err)
		_, err = io.WriteString(w, text)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return buf.Bytes()
}
