package agent

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestStuckCountsEqualCalls(t *testing.T) { // W-12
	var s stuckness
	require.Equal(t, 1, s.seen("read_file", `{"path":"a","line_start":1}`, "x"))
	require.Equal(t, 2, s.seen("read_file", ` { "line_start" : 1, "path":"a" } `, "x"), "key order and blanks do not matter")
	require.Equal(t, 1, s.seen("read_file", `{"path":"a","line_start":1}`, "y"), "another result is progress")
	require.Equal(t, 1, s.seen("read_file", `{"path":"b","line_start":1}`, "x"))
	require.Equal(t, 1, s.seen("get_file_info", `{"path":"a","line_start":1}`, "x"))
	require.Equal(t, 3, s.seen("read_file", `{"path":"a","line_start":1}`, "x"))
}

// W-12: ten calls count, the last one included.
func TestStuckForgetsOldCalls(t *testing.T) {
	for between, want := range map[int]int{8: 2, 9: 1} {
		var s stuckness
		s.seen("t", "{}", "r")
		for i := range between {
			s.seen("t", fmt.Sprint(i), "r")
		}
		require.Equal(t, want, s.seen("t", "{}", "r"), "%d other calls between", between)
	}
}

func TestStuckTellsPartsApart(t *testing.T) {
	var s stuckness
	s.seen("ab", `{}`, "c")
	require.Equal(t, 1, s.seen("a", `{}`, "bc"))
	require.Equal(t, 1, s.seen("ab", `{}c`, ""))
}

func TestCanonical(t *testing.T) {
	require.Equal(t, canonical(`{"a":1,"b":[1,2]}`), canonical("\n{\"b\": [1, 2], \"a\": 1}"))
	require.NotEqual(t, canonical(`{"a":12345678901234567890}`), canonical(`{"a":12345678901234567891}`), "big numbers keep their digits")
	require.NotEqual(t, canonical(`{"a":1}`), canonical(`{"a":1} x`))
	require.Equal(t, "{oops", canonical(" {oops "))
	require.NotEqual(t, canonical(`{"a":[1,2]}`), canonical(`{"a":[2,1]}`))
}

func TestCanonicalKeepsMeaning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.MapOf(rapid.String(), rapid.Int()).Draw(t, "m")
		plain, _ := json.Marshal(m)
		wide, _ := json.MarshalIndent(m, " ", "   ")
		if canonical(string(plain)) != canonical(string(wide)) {
			t.Fatalf("%s and %s differ", plain, wide)
		}
		var back map[string]int
		if err := json.Unmarshal([]byte(canonical(string(plain))), &back); err != nil || fmt.Sprint(back) != fmt.Sprint(m) {
			t.Fatalf("%v became %v (%v)", m, back, err)
		}
	})
}
