package ops

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

type font struct {
	FontSize int  `json:"font_size"`
	Bold     bool `json:"bold"`
}

type stretch struct {
	Text string `json:"text"`
	font
}

type paragraph struct {
	Runs []stretch `json:"runs"`
	Note string    `json:"note"`
}

type operation struct {
	Op    string         `json:"op"`
	At    string         `json:"at"`
	Find  string         `json:"-"`
	Text  *string        `json:"text"`
	Paras []paragraph    `json:"paragraphs"`
	Style map[string]any `json:"style"`
	Count int            `json:"count"`
	font
}

var set = New(operation{}, map[string]string{
	"write":  "at (p1, or p2), text or paragraphs; {font}? ({page} is a field)",
	"remove": "at, count?",
	"paint":  "style and count?",
	"rest":   "(takes nothing, not even at)",
}, Options{Groups: map[string]any{"font": font{}}, Old: map[string]string{"where": "at"}, Keys: map[string][]string{"style": {"fill_color"}}})

func TestLines(t *testing.T) {
	require.Equal(t, "at (p1, or p2), text or paragraphs; font_size?, bold? ({page} is a field)", set.Usage("write"))
	require.Equal(t, []string{"at", "text", "paragraphs", "font_size", "bold"}, set.Takes("write"))
	require.Equal(t, []string{"style", "count"}, set.Takes("paint"))
	require.Empty(t, set.Takes("rest"))
	require.Empty(t, set.Takes("none"))
	require.Equal(t, []string{"paint", "remove", "rest", "write"}, set.Names())
	require.PanicsWithValue(t, `ops: ops.operation takes no member "colour": at, colour?`, func() {
		New(operation{}, map[string]string{"x": "at, colour?"}, Options{})
	})
}

func TestIgnored(t *testing.T) {
	for in, want := range map[string]string{
		`{"op":"write","at":"p1","text":"a","bold":true,"font_size":3}`:        "",
		`{"op":"write","where":"p1","AT":"p1"}`:                                "",
		`{"op":"write","colour":"red","count":null,"size":2}`:                  "ignored colour; ignored size; it is set in font_size",
		`{"op":"remove","bold":true,"text":"x"}`:                               "ignored bold, text",
		`{"op":"write","note":"x"}`:                                            "ignored note; it is set in paragraphs",
		`{"op":"write","paragraphs":[{"text":"a"},{"text":"b","kind":1}]}`:     "ignored text in paragraphs; it is set in paragraphs.runs; ignored kind in paragraphs",
		`{"op":"write","paragraphs":[{"runs":[{"size":2,"text":"a","x":1}]}]}`: "ignored size in paragraphs.runs; it is set in paragraphs.runs.font_size; ignored x in paragraphs.runs",
		`{"op":"paint","color":"red","style":{"anything":1}}`:                  "ignored color; it is set in style.fill_color",
		`{"op":"rest","at":"p1"}`:                                              "ignored at",
		`{"op":"none","at":"p1"}`:                                              "", // it is refused
		`[]`:                                                                   "",
		`{"op":7}`:                                                             "",
	} {
		require.Equal(t, want, formats.IgnoredNote(set.Ignored(json.RawMessage(in))), in)
	}
}
