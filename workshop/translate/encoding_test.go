package translate

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

// TR-06: a text file whose encoding lacks the letters of the translation is
// written in UTF-8, and the report says so.
func TestChangedEncodingIsReported(t *testing.T) {
	m := &answers{next: func(_ int, segs []formats.Segment) []translation {
		return []translation{{segs[0].ID, "Łódź wita"}}
	}}
	opt := options(t, m)
	opt.To = []string{"pl"}
	rep, err := Run(ctx, opt, []string{write(t, "a.txt", "A\xf1o y ma\xf1ana\n")})
	require.NoError(t, err)
	require.Len(t, rep.Files[0].Warnings, 1)
	require.Contains(t, rep.Files[0].Warnings[0], "UTF-8")
	require.Equal(t, "\ufeffŁódź wita\n", output(t, opt, "a.txt"))
}
