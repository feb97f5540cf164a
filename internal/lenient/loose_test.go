package lenient

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBoolA15(t *testing.T) {
	for in, want := range map[string]bool{
		`true`: true, `false`: false, `"TRUE"`: true, `"False"`: false, `"1"`: true, `"0"`: false, `1`: true, `0`: false, `" true "`: true,
	} {
		var b Bool
		require.NoError(t, json.Unmarshal([]byte(in), &b), in)
		require.Equal(t, want, bool(b), in)
	}
	for _, in := range []string{`"x"`, `2`, `"yes"`, `[]`, `{}`, `""`, `1.5`} {
		var b Bool
		require.Error(t, json.Unmarshal([]byte(in), &b), in)
	}
	b := Bool(true)
	require.NoError(t, json.Unmarshal([]byte(`null`), &b))
	require.True(t, bool(b), "null is absent")
}

func TestIntA15(t *testing.T) {
	for in, want := range map[string]int{
		`5`: 5, `" 5 "`: 5, `"5"`: 5, `-3`: -3, `"-3"`: -3, `5.0`: 5, `5e0`: 5, `1e3`: 1000, `0`: 0, `"\t7\n"`: 7,
	} {
		var i Int
		require.NoError(t, json.Unmarshal([]byte(in), &i), in)
		require.Equal(t, want, int(i), in)
	}
	for _, in := range []string{`"x"`, `5.5`, `"5.0"`, `true`, `[]`, `""`, `1e300`, `"1e3"`, `99999999999999999999`, `"0x10"`} {
		var i Int
		require.Error(t, json.Unmarshal([]byte(in), &i), in)
	}
}

func TestAbsent(t *testing.T) {
	var a struct {
		Limit     *Int
		Recursive *Bool
		Plain     Int
	}
	require.NoError(t, json.Unmarshal([]byte(`{"limit":null}`), &a))
	require.Nil(t, a.Limit.Ptr())
	require.NoError(t, json.Unmarshal([]byte(`{"limit":" 5 ","recursive":"TRUE"}`), &a))
	require.Equal(t, 5, *a.Limit.Ptr())
	require.True(t, bool(*a.Recursive))
	require.ErrorContains(t, json.Unmarshal([]byte(`{"limit":"x"}`), &a), "expected an integer")
	require.ErrorContains(t, json.Unmarshal([]byte(`{"recursive":"x"}`), &a), "expected a boolean")
}

func TestFloatA15(t *testing.T) {
	for in, want := range map[string]float64{`1.5`: 1.5, `" 2 "`: 2, `"-3e2"`: -300, `null`: 7} {
		f := Float(7)
		require.NoError(t, json.Unmarshal([]byte(in), &f), in)
		require.Equal(t, want, float64(f), in)
	}
	for _, in := range []string{`"x"`, `true`, `"NaN"`, `""`, `[]`} {
		var f Float
		require.Error(t, json.Unmarshal([]byte(in), &f), in)
	}
}

// a number where a text is expected becomes the text as written.
func TestTextA15(t *testing.T) {
	for in, want := range map[string]Text{`"a b"`: "a b", `" 1 "`: " 1 ", `3`: "3", `2025`: "2025", `-1`: "-1", `1.50`: "1.50", `null`: "was", `"é\n"`: "é\n"} {
		v := Text("was")
		require.NoError(t, json.Unmarshal([]byte(in), &v), in)
		require.Equal(t, want, v, in)
	}
	for in, want := range map[string]string{`[1]`: "array", `{}`: "object", `true`: "boolean"} {
		var v Text
		require.EqualError(t, json.Unmarshal([]byte(in), &v), "expected a string, got "+want)
	}
}
