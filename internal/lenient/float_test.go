package lenient

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// a number, or a string with a number.
func TestA15Float(t *testing.T) {
	for in, want := range map[string]Float{`1.5`: 1.5, `" 2.25 "`: 2.25, `3`: 3, `-1e2`: -100, `null`: 7} {
		f := Float(7)
		require.NoError(t, json.Unmarshal([]byte(in), &f), in)
		require.Equal(t, want, f, in)
	}
	for _, in := range []string{`"x"`, `true`, `[]`, `"NaN"`, `"Inf"`, `""`, `{}`} {
		var f Float
		require.Error(t, json.Unmarshal([]byte(in), &f), in)
	}
}
