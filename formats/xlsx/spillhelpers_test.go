package xlsx

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

// applyCalculated is apply that calculates, as the tools do.
func applyCalculated(t testing.TB, in []byte, js string) ([]byte, formats.Report) {
	t.Helper()
	var s formats.Source
	if in != nil {
		s = src(in)
	}
	var out bytes.Buffer
	rep, err := Format().Editor.Apply(t.Context(), s, &out, ops(t, js), formats.ApplyOptions{Calculate: true})
	require.NoError(t, err)
	return out.Bytes(), rep
}
