package ops

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFlatten(t *testing.T) {
	for in, want := range map[string]string{
		`{"op":"x","a":1}`:                        `{"op":"x","a":1}`,
		`{"op":"x","args":{"a":1,"b":[2]},"c":3}`: `{"op":"x","a":1,"b":[2],"c":3}`,
		`{"op":"x","args":null}`:                  `{"op":"x"}`,
		`{"op":"x","args":5}`:                     `{"op":"x","args":5}`,
		`{"args":{"op":"x"}}`:                     `{"op":"x"}`,
		`{"op":"x","text":"\"args\""}`:            `{"op":"x","text":"\"args\""}`,
		`not json "args"`:                         `not json "args"`,
	} {
		got, err := Flatten(json.RawMessage(in))
		require.NoError(t, err)
		if json.Valid([]byte(in)) {
			require.JSONEq(t, want, string(got), in)
		} else {
			require.Equal(t, want, string(got))
		}
	}
	_, err := Flatten(json.RawMessage(`{"op":"x","a":1,"args":{"A":2}}`))
	require.EqualError(t, err, "a is given twice, in args and beside it")
}
