package paragraph

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A text in several pieces is read whole, and parts of it are known to be in one run.
func TestTextsInPieces(t *testing.T) {
	doc := []byte(`<a:p xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:r><a:t>ab<!-- no text -->cd&amp;e<![CDATA[<f>]]>g</a:t></a:r><a:br/><a:r><a:t>plain</a:t></a:r><a:r><a:t/></a:r><a:r><a:t>&lt;</a:t></a:r></a:p>`)
	paras, err := Parse(doc, Drawing)
	require.NoError(t, err)
	require.Len(t, paras, 1)
	p := paras[0]
	require.Equal(t, "abcd&e<f>g\nplain<", p.Text())
	for _, c := range []struct {
		start, end int
		want       bool
	}{{0, 10, true}, {3, 5, true}, {9, 11, false}, {10, 11, false}, {11, 16, true}, {12, 13, true}, {15, 17, false}, {16, 17, true}, {16, 18, false}, {17, 18, false}} {
		require.Equal(t, c.want, p.InOneRun(c.start, c.end), "%d to %d", c.start, c.end)
	}
}
