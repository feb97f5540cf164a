package lenient

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type look struct {
	Bold *Bool `json:"bold"`
}

type stretch struct {
	Text string `json:"text"`
	look
}

type text struct {
	Runs   []stretch         `json:"runs"`
	Grid   [][]stretch       `json:"grid"`
	ByName map[string]look   `json:"by_name"`
	Style  map[string]any    `json:"style"`
	Any    any               `json:"any"`
	Raw    json.RawMessage   `json:"raw"`
	List   []json.RawMessage `json:"list"`
	One    *stretch          `json:"one"`
	Hidden string            `json:"-"`
	count  int
}

func TestUnknown(t *testing.T) {
	_ = text{}.count
	for in, want := range map[string][]string{
		`{}`:   nil,
		`null`: nil,
		`{"runs":[{"text":"a","bold":true}],"style":{"a":{"b":1}},"any":{"x":1},"raw":{"y":[{"z":1}]},"list":[{"q":1}]}`: nil,
		`{"RUNS":[{"Text":"a","BOLD":true}]}`:                                              nil,
		`{"colour":"red","runs":[{"size":1,"text":"a"},{"size":2,"face":"b"}],"weight":7}`: {"colour", "runs.size", "runs.face", "weight"},
		`{"grid":[[{"x":1}],[],[{"y":{"text":1}},{"text":""}]],"one":{"z":[1,2]}}`:         {"grid.x", "grid.y", "one.z"},
		`{"by_name":{"any key":{"bold":true,"thin":1}}}`:                                   {"by_name.any key.thin"},
		`{"colour":null,"runs":[{"size":null}]}`:                                           nil, // null is absent
		`{"Hidden":"x","count":1}`:                                                         {"Hidden", "count"},
		`{"runs":"a text","one":7,"grid":{"text":[{"b":1}]}}`:                              nil, // decoding reports it
		`{"colour":1,"runs":[{"size":1`:                                                    {"colour", "runs.size"},
		`{"a`:                                                                              nil, `[`: nil, ``: nil, `{"x":}`: nil, `[[[[{}`: nil,
	} {
		require.Equal(t, want, Unknown(json.RawMessage(in), reflect.TypeFor[text]()), in)
	}
}

func TestUnknownOfNothing(t *testing.T) {
	require.Equal(t, []string{"a"}, Unknown(json.RawMessage(`{"a":1}`), reflect.TypeFor[struct{}]()))
	require.Empty(t, Unknown(json.RawMessage(`{"a":{"b":1}}`), reflect.TypeFor[struct {
		A time.Time `json:"a"`
	}]()))
}

// The result is limited for any number of unknown names.
func TestUnknownIsBounded(t *testing.T) {
	m := map[string]int{}
	for i := range 1000 {
		m[string(rune('a'+i%26))+string(rune('a'+i/26%26))+string(rune('a'+i/676))] = i
	}
	b, err := json.Marshal(m)
	require.NoError(t, err)
	require.Len(t, Unknown(b, reflect.TypeFor[text]()), maxUnknown)
}
