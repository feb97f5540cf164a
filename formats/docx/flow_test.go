package docx

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

func blocks(t testing.TB, src formats.Source, req formats.BlockRequest) *formats.BlockWindow {
	t.Helper()
	w, err := reader{}.Blocks(context.Background(), src, req)
	require.NoError(t, err)
	return w
}

// What the blocks of a document say: headings, lists, formats of text, links, tracked
// changes, merged cells.
func TestBlocks(t *testing.T) {
	body := `<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Terms</w:t></w:r></w:p>` +
		`<w:p><w:pPr><w:jc w:val="center"/><w:ind w:left="720"/></w:pPr><w:r><w:t xml:space="preserve">One </w:t></w:r><w:r><w:rPr><w:b/><w:color w:val="C00000"/></w:rPr><w:t>bold</w:t></w:r><w:r><w:rPr><w:b/><w:color w:val="C00000"/></w:rPr><w:t xml:space="preserve"> red</w:t></w:r><w:r><w:rPr><w:b w:val="0"/><w:vertAlign w:val="superscript"/></w:rPr><w:t>2</w:t></w:r></w:p>` +
		`<w:p><w:r><w:t>was</w:t></w:r><w:ins w:id="1" w:author="A"><w:r><w:t>new</w:t></w:r></w:ins><w:del w:id="2" w:author="A"><w:r><w:delText>old</w:delText></w:r></w:del><w:hyperlink w:anchor="there"><w:r><w:t>link</w:t></w:r></w:hyperlink></w:p>` +
		`<w:tbl><w:tblGrid/><w:tr><w:trPr><w:tblHeader/></w:trPr><w:tc><w:tcPr><w:gridSpan w:val="2"/><w:shd w:fill="FFEE00"/></w:tcPr><w:p><w:r><w:t>wide</w:t></w:r></w:p></w:tc><w:tc><w:tcPr><w:vMerge w:val="restart"/></w:tcPr><w:p><w:r><w:t>tall</w:t></w:r></w:p></w:tc></w:tr>` +
		`<w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc><w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc></w:tr></w:tbl><w:p/>`
	src := withBody(t, body)
	w := blocks(t, src, formats.BlockRequest{})
	require.Equal(t, 5, w.Total)
	require.Len(t, w.Blocks, 5)
	require.Equal(t, "p0", w.Blocks[0].At)
	require.Equal(t, 1, w.Blocks[0].Level)
	require.Equal(t, formats.BlockParagraph{At: "p1", Align: "center", Indent: 36, Spans: []formats.TextSpan{{Text: "One "}, {Text: "bold red", Bold: true, Color: "C00000"}, {Text: "2", Raised: "superscript"}}}, w.Blocks[1].BlockParagraph)
	require.Equal(t, []formats.TextSpan{{Text: "was"}, {Text: "new", Change: "inserted"}, {Text: "old", Change: "deleted"}, {Text: "link", Link: "#there"}}, w.Blocks[2].Spans)
	table := w.Blocks[3]
	require.Equal(t, "table", table.Kind)
	require.Equal(t, "t0", table.At)
	require.Len(t, table.Rows, 2)
	require.True(t, table.Rows[0].Head)
	require.Equal(t, formats.TableCell{Columns: 2, Fill: "FFEE00", Paragraphs: []formats.BlockParagraph{{At: "t0.r0.c0.p0", Spans: []formats.TextSpan{{Text: "wide"}}}}}, table.Rows[0].Cells[0])
	require.Equal(t, 2, table.Rows[0].Cells[1].Rows, "it continues in the next row")
	require.Len(t, table.Rows[1].Cells, 2)

	part := blocks(t, src, formats.BlockRequest{First: 2, Count: 2})
	require.Equal(t, []string{"p2", "t0"}, []string{part.Blocks[0].At, part.Blocks[1].At})
	require.Empty(t, blocks(t, src, formats.BlockRequest{First: 9}).Blocks)
	for _, bad := range []formats.BlockRequest{{First: -1}, {Count: 2001}} {
		_, err := reader{}.Blocks(context.Background(), src, bad)
		require.ErrorContains(t, err, "it is")
	}
}

// A long document comes in windows that meet, and none is too large.
func TestBlocksInWindows(t *testing.T) {
	var sb strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&sb, "<w:p><w:r><w:t>%d %s</w:t></w:r></w:p>", i, filler(i))
	}
	src := withBody(t, sb.String())
	n, size := 0, 0
	for n < 3000 {
		w := blocks(t, src, formats.BlockRequest{First: n, Count: 2000})
		require.Equal(t, 3000, w.Total)
		require.NotEmpty(t, w.Blocks)
		size = 0
		for _, b := range w.Blocks {
			require.True(t, strings.HasPrefix(b.Spans[0].Text, fmt.Sprintf("%d ", n)))
			size += len(b.Spans[0].Text)
			n++
		}
		require.Less(t, size, maxFlowText+4096)
	}
}

// The texts of blocks are those of a read, in every document of the corpus.
func TestBlocksAgreeWithReads(t *testing.T) {
	ctx := context.Background()
	seen := 0
	for _, path := range formatstest.Corpus(t, "docx") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			src, err := formats.OpenFile(path)
			require.NoError(t, err)
			defer src.Close()
			w, err := reader{}.Blocks(ctx, src, formats.BlockRequest{Count: 2000})
			if err != nil {
				var fe *formats.Error
				require.ErrorAs(t, err, &fe)
				return
			}
			d, err := openDocument(ctx, src)
			require.NoError(t, err)
			p, err := d.body(ctx)
			require.NoError(t, err)
			lines, err := (&view{styles: d.styles}).lines(ctx, p, p.stories[0], "")
			require.NoError(t, err)
			texts := map[string]string{}
			for _, l := range lines {
				texts[l.address] = l.text
			}
			for _, b := range w.Blocks {
				if b.Kind != "paragraph" {
					continue
				}
				got := ""
				for _, s := range b.Spans {
					if s.Object == "" && s.Change != "deleted" {
						got += s.Text
					}
				}
				want, ok := texts[b.At]
				require.True(t, ok, b.At)
				require.Equal(t, lettersOf(want), lettersOf(got), b.At)
				seen++
			}
		})
	}
	require.Greater(t, seen, 500)
}

// lettersOf leaves out blanks and the hyphens that are shown in different ways.
func lettersOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r == '-' || r == '\u2011' || r == '\u00AD' || r == '\u00A0' {
			return -1
		}
		return r
	}, s)
}

// filler is text that does not pack well.
func filler(i int) string {
	r := rand.New(rand.NewPCG(uint64(i), 1))
	var sb strings.Builder
	for range 150 {
		fmt.Fprintf(&sb, "%x ", r.Uint32())
	}
	return sb.String()
}
