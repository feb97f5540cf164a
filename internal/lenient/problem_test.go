package lenient

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProblem(t *testing.T) {
	type inner struct {
		N int `json:"n"`
	}
	type Within struct {
		Size int `json:"size"`
	}
	type withinArgs struct {
		Color string `json:"color"`
	}
	type outer struct {
		Within
		withinArgs
		Text  string   `json:"text"`
		Rows  []inner  `json:"rows"`
		Names []string `json:"names"`
		On    *bool    `json:"on"`
	}
	for in, want := range map[string]string{
		`7`:                    "expected an object, got number",
		`{"text":7}`:           "text: expected a string, got number",
		`{"rows":"x"}`:         "rows: expected an array, got string",
		`{"rows":[{"n":"x"}]}`: "rows.n: expected a number, got string",
		`{"color":1}`:          "color: expected a string, got number",
		`{"size":"x"}`:         "size: expected a number, got string",
		`{"names":[1]}`:        "names: expected a string, got number",
		`{"on":"x"}`:           "on: expected a boolean, got string",
	} {
		var o outer
		require.Equal(t, want, Problem(json.Unmarshal([]byte(in), &o)), in)
	}
	require.Equal(t, "what it is", Problem(errors.New("json: what it is")))
}
