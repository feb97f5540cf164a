package docx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/ooxml/xmlscan"
)

// checkSections reads sections and stretches of a document in each kind of view, in any
// order, and compares them with the lines of the whole.
func checkSections(t require.TestingT, src formats.Source, most int) (seen int) {
	forget()
	for _, sel := range []formats.Selector{{}, {AsShown: true}, {Include: []string{formats.IncludeAddresses, formats.IncludeChanges}}, {Include: []string{formats.IncludeNotes}}} {
		d, err := openDocument(ctx, src)
		if err != nil {
			return 0
		}
		p, err := d.body(ctx)
		if err != nil {
			return 0
		}
		v := &view{styles: d.styles, addresses: sel.Includes(formats.IncludeAddresses), changes: sel.Includes(formats.IncludeChanges), notes: sel.Includes(formats.IncludeNotes), asShown: sel.AsShown}
		if v.labels, err = d.listLabels(ctx); err != nil {
			return 0
		}
		if !v.addresses && !v.asShown {
			v.labels = nil
		}
		if v.addresses {
			v.look = d.looks(v.labels)
		}
		if v.asShown {
			v.objects = d.objectsOf(ctx).in
		}
		lines, err := v.lines(ctx, p, p.stories[0], "")
		require.NoError(t, err)
		secs := sections(lines)
		for n := range min(len(secs), most) {
			i := n * 7 % len(secs)
			if v.asShown {
				v.objects = d.objectsOf(ctx).in // each read has room for as many words
			}
			at := sel
			at.Section = fmt.Sprint(i)
			if k, err := pickSection(len(secs), func(i int) string { return secs[i].heading }, at.Section); err != nil || k != i {
				continue // a heading is a number
			}
			got, err := reader{}.Read(ctx, src, at)
			require.NoError(t, err)
			require.Equal(t, len(secs), got.Chunk.TotalChunks)
			require.True(t, got.Text == v.joinLines(secs[i].lines) || strings.HasPrefix(got.Text, v.joinLines(secs[i].lines)+"\n\n["), "section %d: %q", i, got.Text)
			require.Equal(t, leftOf(p.doc, secs[i].lines), countsIn(t, p, secs[i].lines))
			seen++
		}
		bodies := 0
		for _, l := range lines {
			if l.address == fmt.Sprintf("p%d", bodies) {
				bodies++
			}
		}
		for n := range min(bodies, 5) {
			from, to := n*3%bodies, n*11%bodies
			at := sel
			at.Section = fmt.Sprintf("p%d-p%d", from, to)
			got, err := reader{}.Read(ctx, src, at)
			require.NoError(t, err)
			want := strings.Builder{}
			if from <= to {
				if v.asShown {
					v.objects = d.objectsOf(ctx).in
				}
				var between []line
				for _, l := range lines {
					if len(between) > 0 || l.address == fmt.Sprintf("p%d", from) {
						between = append(between, l)
					}
					if l.address == fmt.Sprintf("p%d", to) {
						break
					}
				}
				want.WriteString(v.joinLines(between))
			}
			require.Equal(t, want.String(), got.Text, at.Section)
		}
	}
	return seen
}

// countsIn is countLeft of the stretch that lines are in.
func countsIn(t require.TestingT, p *part, lines []line) map[string]int {
	if len(lines) == 0 {
		return map[string]int{}
	}
	first, last := extent(p, lines)
	n, err := p.countLeft(ctx, first, last)
	require.NoError(t, err)
	return n
}

// leftOf counts like countLeft, in one scan for one stretch.
func leftOf(doc []byte, lines []line) map[string]int {
	n := map[string]int{}
	if len(lines) == 0 {
		return n
	}
	first, last := extent(&part{doc: doc}, lines)
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Start >= last {
			break
		}
		if t.Kind != xmlscan.Start || t.Start < first {
			continue
		}
		if t.Local == "Fallback" {
			sc.Skip()
			continue
		}
		if kind, ok := leftKinds[t.Local]; ok && (kind != leftChange || t.Space == nsW) {
			n[leftWords[kind]]++
		}
	}
	return n
}

// The sections and stretches of real documents are those of their lines.
func TestCorpusSectionsAsInWhole(t *testing.T) {
	seen := 0
	for _, path := range formatstest.Corpus(t, "docx") {
		src, err := formats.OpenFile(path)
		require.NoError(t, err)
		seen += checkSections(t, src, 12)
		src.Close()
	}
	formatstest.Report(t, "%d sections of real documents are as in the whole", seen)
	require.Greater(t, seen, 100)
}

// So are those of documents with blank paragraphs, text boxes with headings, pictures in
// alternate content, tables in tables, notes and tracked changes in any order.
func TestSectionsOfAnyDocument(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var block func(deep int) string
		blocks := func(deep, most int) string {
			var sb strings.Builder
			for range rapid.IntRange(0, most).Draw(rt, "blocks") {
				sb.WriteString(block(deep))
			}
			return sb.String()
		}
		box := func(deep int) string {
			inner := blocks(deep+1, 3)
			fallback := rapid.SampledFrom([]string{"", `<w:txbxContent>` + inner + `</w:txbxContent>`, wp(wrx("", `<w:pict/><w:footnoteReference w:id="7"/>`))}).Draw(rt, "fallback")
			choice := `<mc:Choice><w:txbxContent>` + inner + `</w:txbxContent></mc:Choice>`
			if rapid.Bool().Draw(rt, "no choice") {
				choice = `<mc:Choice/>`
			}
			return wrx("", `<mc:AlternateContent>`+choice+`<mc:Fallback>`+fallback+`</mc:Fallback></mc:AlternateContent>`)
		}
		block = func(deep int) string {
			kind := rapid.IntRange(0, 9).Draw(rt, "kind")
			switch {
			case kind < 2:
				return wp()
			case kind < 4:
				return styledPara("Heading1", rapid.SampledFrom([]string{"One", "Two", " ", "3", "wörtlich"}).Draw(rt, "heading"))
			case kind == 4:
				return wp(wr("kept "), delA("old"), insA(wr("new")), wrx("", `<w:footnoteReference w:id="2"/>`))
			case kind == 5 && deep < 3:
				return wp(box(deep), wr("beside"))
			case kind == 6 && deep < 3:
				return wtbl(2, wtr(wtc(blocks(deep+1, 2)+wp()), wtc(wp(wr("b")))), wtr(wtc(wp(wr("c"))), wtc(blocks(deep+1, 2)+wp())))
			case kind == 7:
				return wp(wrx("", `<m:oMath xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"/><w:drawing><pic/></w:drawing>`))
			}
			return wp(wr(strings.Repeat("text ", rapid.IntRange(1, 300).Draw(rt, "length"))))
		}
		src := withBody(t, blocks(0, 30))
		checkSections(rt, src, 30)
		whole, err := reader{}.Read(ctx, src, formats.Selector{})
		require.NoError(rt, err)
		require.Equal(rt, whole.Text, strings.Join(readOn(t, src, formats.Selector{Chunked: true}), "\n"))
		checkChunksFromAnywhere(rt, src)
	})
}

// checkChunksFromAnywhere reads chunks from any paragraph on: they are the rest of the
// document, and each says how many are before it.
func checkChunksFromAnywhere(t require.TestingT, src formats.Source) {
	d, err := openDocument(ctx, src)
	require.NoError(t, err)
	p, err := d.body(ctx)
	require.NoError(t, err)
	b, err := d.bodyText(ctx, &view{styles: d.styles}, p)
	require.NoError(t, err)
	k, err := b.measure(ctx)
	require.NoError(t, err)
	for n, at := range k.starts {
		require.Equal(t, k.starts[n:], b.chunkStarts(k.sizes, at), "those from a start on are the same")
	}
	for _, i := range b.body {
		from := b.withBoxes(int(i))
		got, err := b.chunk(ctx, from)
		require.NoError(t, err)
		require.Equal(t, len(b.chunkStarts(k.sizes[:from], 0)), got.Chunk.ChunkIndex+btoi(from == 0), "before line %d", from)
		require.Equal(t, got.Chunk.ChunkIndex+len(b.chunkStarts(k.sizes, from)), got.Chunk.TotalChunks)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// A long section is read in windows by offset from one text, which is kept for as long as
// a read continues with it, and counted.
func TestWindowsOfASection(t *testing.T) {
	forget()
	t.Cleanup(forget)
	src := withBody(t, styledPara("Heading1", "One")+strings.Repeat(wp(wr(strings.Repeat("ñ text ", 40))), 200)+styledPara("Heading1", "Two")+wp(wr("end")))
	whole, err := reader{}.Read(ctx, src, formats.Selector{Section: "0"})
	require.NoError(t, err)
	_, without := keptNow()
	sel := formats.Selector{Section: "0", Limit: formats.TextLimit{Whole: 5000, Part: 5000}}
	first, err := formats.ReadFitting(ctx, reader{}, src, sel)
	require.NoError(t, err)
	_, with := keptNow()
	indexed := whole
	indexed.Index()
	require.Positive(t, indexed.IndexSize())
	require.Equal(t, len(whole.Text)+indexed.IndexSize(), with-without)
	other := sel
	other.Section = "1"
	_, err = formats.ReadFitting(ctx, reader{}, src, other)
	require.NoError(t, err)
	_, now := keptNow()
	require.Equal(t, without, now, "no read continues with it")
	sel.Offset = strings.Count(first.Text, "") - 1
	second, err := formats.ReadFitting(ctx, reader{}, src, sel)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(whole.Text, first.Text+second.Text))
	sel.Offset = 0
	require.Equal(t, whole.Text+"Two\nend", strings.Join(readOn(t, src, sel), ""), "then the next section")
	_, now = keptNow()
	require.Equal(t, without, now, "the last window ends it")
}
