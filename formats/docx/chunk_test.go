package docx

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// chunksOf reads a document chunk by chunk as it is told to.
func chunksOf(t *testing.T, src formats.Source) (texts []string) {
	t.Helper()
	sel := formats.Selector{Chunked: true}
	for {
		got, err := reader{}.Read(t.Context(), src, sel)
		require.NoError(t, err)
		texts = append(texts, got.Text)
		if got.Chunk == nil || !got.Chunk.HasMore {
			if got.Chunk != nil {
				require.Equal(t, got.Chunk.TotalChunks, len(texts))
			}
			return texts
		}
		require.Equal(t, len(texts)-1, got.Chunk.ChunkIndex)
		next := regexp.MustCompile(`^section="(p\d+-)"$`).FindStringSubmatch(got.Chunk.Next)
		require.NotNil(t, next, got.Chunk.Next)
		sel.Section = next[1]
	}
}

// W-42: a long document is read in chunks cut at blocks, which together are
// the whole.
func TestW42Chunks(t *testing.T) {
	whole, err := reader{}.Read(t.Context(), chunky(t), formats.Selector{})
	require.NoError(t, err)
	require.Nil(t, whole.Chunk, "who does not ask for chunks gets all")
	texts := chunksOf(t, chunky(t))
	require.Equal(t, whole.Text, strings.Join(texts, "\n"))
	require.Greater(t, len(texts), 3)
	for i, s := range texts {
		require.LessOrEqual(t, utf8.RuneCountInString(s), chunkChars+6000, "chunk %d", i)
	}
	_, err = reader{}.Read(t.Context(), chunky(t), formats.Selector{Section: "p9999-"})
	require.Equal(t, formats.CodeNotFound, formats.CodeOf(err))
}

// chunky has short and long paragraphs and a long table between them.
func chunky(t *testing.T) formats.Source {
	t.Helper()
	var sb strings.Builder
	for i := range 60 {
		fmt.Fprintf(&sb, `<w:p><w:r><w:t>%s</w:t></w:r></w:p>`, strings.Repeat(fmt.Sprintf("ñ%d ", i), 10+i*3))
		if i == 30 {
			sb.WriteString("<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/></w:tblGrid>")
			for r := range 100 {
				fmt.Fprintf(&sb, `<w:tr><w:tc><w:p><w:r><w:t>row %d of a table that is never torn apart</w:t></w:r></w:p></w:tc></w:tr>`, r)
			}
			sb.WriteString("</w:tbl>")
		}
	}
	return withBody(t, sb.String())
}

// W-42: the chunks of every real document are its text.
func TestCorpusChunks(t *testing.T) {
	long := 0
	for _, path := range formatstest.Corpus(t, "docx") {
		src, err := formats.OpenFile(path)
		require.NoError(t, err)
		whole, err := reader{}.Read(t.Context(), src, formats.Selector{})
		if err == nil {
			texts := chunksOf(t, src)
			require.Equal(t, whole.Text, strings.Join(texts, "\n"), path)
			if len(texts) > 1 {
				long++
			}
		}
		src.Close()
	}
	formatstest.Report(t, "%d real documents are read in several chunks", long)
	require.NotZero(t, long)
}
