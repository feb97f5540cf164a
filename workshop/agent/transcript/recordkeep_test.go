package transcript

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What an endpoint wants back with its calls, the model's thoughts among it, is
// not in the recording of a later run, which plays all the same.
func TestRecordingsHaveNoThoughts(t *testing.T) {
	file := `A model whose reasoning goes back to it.
-- config --
{"settings":{"repairs":["echo"]}}
-- files/a.txt --
x
-- client --
{"send":"Read it."}
{"run":true}
{"send":"And?"}
{"run":true}
-- model-1 --
{"reasoning":"a private thought"}
{"call":{"id":"tc-1","name":"read_file","arguments":{"path":"a.txt"}}}
-- model-2 --
{"text":"x"}
-- model-3 --
{"text":"That is all."}
`
	all := recordAll(t, file, nil, nil)
	require.Len(t, all, 2)
	require.Empty(t, all[0].Differs)
	require.Empty(t, all[1].Differs)
	require.NotContains(t, string(all[1].File), "private thought")
	require.NotContains(t, string(all[0].File), `"keep"`)
}
