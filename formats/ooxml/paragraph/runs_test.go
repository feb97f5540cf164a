package paragraph

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestRuns(t *testing.T) {
	require.Equal(t, "", Runs(Drawing, "a:", "", ""))
	require.Equal(t, `<a:br><a:rPr b="1"/></a:br><a:r><a:rPr b="1"/><a:t>a&lt;</a:t></a:r><a:br><a:rPr b="1"/></a:br>`, Runs(Drawing, "a:", `<a:rPr b="1"/>`, "\na<\n"))
	require.Equal(t, `<r><t>a</t></r>`, Runs(Drawing, "", "", "a"))
	require.Equal(t, `<w:r><w:rPr/><w:t>a</w:t><w:tab/><w:t xml:space="preserve"> b</w:t><w:br/></w:r>`, Runs(Word, "w:", `<w:rPr/>`, "a\t b\n"))
}

// Whatever runs are written are read back, in both vocabularies.
func TestRunsRoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.StringMatching(`[a<&é\n ]{0,12}`).Draw(r, "text")
		for d, frame := range map[*Dialect][2]string{
			Word:    {`<w:p ` + w + `>`, `</w:p>`},
			Drawing: {`<w:p xmlns:w="` + Drawing.space + `">`, `</w:p>`},
		} {
			ps, err := Parse([]byte(frame[0]+Runs(d, "w:", "", text)+frame[1]), d)
			require.NoError(t, err)
			require.Equal(t, text, ps[0].Text())
		}
	})
}
