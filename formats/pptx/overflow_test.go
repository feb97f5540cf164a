package pptx

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

func warningsOf(t *testing.T, src formats.Source, ops ...string) ([]string, formats.Source) {
	t.Helper()
	var raw []json.RawMessage
	for _, op := range ops {
		raw = append(raw, json.RawMessage(op))
	}
	var out bytes.Buffer
	rep, err := (editor{}).Apply(context.Background(), src, &out, raw, formats.ApplyOptions{})
	require.NoError(t, err)
	return rep.Ops[len(rep.Ops)-1].Warnings, formats.FromBytes("deck.pptx", out.Bytes())
}

// A write tells which text does not fit its shape any more, with sizes that come from
// the layout and the master.
func TestWritesTellTextThatDoesNotFit(t *testing.T) {
	_, deck := warningsOf(t, nil, `{"op":"add_slide","layout":"title_and_content","title":"A title","body":"one\ntwo\nthree"}`)
	body := func(lines int, more string) string {
		return `{"op":"set_slide_text","index":0,"body":"` + strings.TrimSuffix(strings.Repeat(`A point that takes a line of the body.\n`, lines), `\n`) + `"` + more + `}`
	}
	for _, tc := range []struct {
		name, op, want string
	}{
		{"a body that fits", body(6, ""), ""},
		{"a long body", body(30, ""), "may not fit: by estimate it needs"},
		{"the same in small letters", body(30, `,"font_size":8`), ""},
		{"a long title", `{"op":"set_slide_text","index":0,"title":"` + strings.Repeat("a very long title ", 30) + `"}`, "may not fit"},
		{"many bullets", `{"op":"append_bullets","index":0,"bullets":["` + strings.Repeat(`x","`, 40) + `x"]}`, "may not fit"},
		{"wide letters", `{"op":"set_slide_text","index":0,"title":"` + strings.Repeat("題", 100) + `"}`, "may not fit"},
		{"a text box past the end of the slide", `{"op":"add_text_box","index":0,"x":1,"y":5,"width":3,"text":"` + strings.Repeat(`a line\n`, 20) + `"}`, "ends below the slide"},
		{"a small text box", `{"op":"add_text_box","index":0,"x":1,"y":1,"width":3,"text":"a line"}`, ""},
	} {
		warnings, after := warningsOf(t, deck, tc.op)
		all := strings.Join(warnings, "\n")
		if tc.want == "" {
			require.NotContains(t, all, "by estimate", tc.name)
			continue
		}
		require.Contains(t, all, tc.want, tc.name)
		again, _ := warningsOf(t, after, `{"op":"set_slide_text","index":0,"title":"A title"}`)
		if !strings.Contains(tc.name, "title") && !strings.Contains(tc.name, "letters") {
			require.NotContains(t, strings.Join(again, "\n"), "by estimate", "%s: what was so before is not told again", tc.name)
		}
	}
}

// In finished decks few texts count as too long.
func TestFewTextsOfTheCorpusOverflow(t *testing.T) {
	texts, over := 0, 0
	for _, path := range formatstest.Corpus(t, "pptx") {
		src, err := formats.OpenFile(path)
		require.NoError(t, err)
		d, err := openEdit(t.Context(), src)
		if err == nil {
			for _, s := range d.slides {
				list, err := d.overflows(t.Context(), s.part)
				if err != nil {
					continue
				}
				tr, err := d.tree(t.Context(), s.part)
				require.NoError(t, err)
				for sh := range flat(shapes(tr.spTree(), shown)) {
					if sh.body != nil {
						texts++
					}
				}
				for _, o := range list {
					t.Logf("%s %s: %q needs %v of %v", path[strings.LastIndexByte(path, '/')+1:], s.part, o.shape.name(), inches(o.need), inches(o.room))
					over++
				}
			}
		}
		src.Close()
	}
	t.Logf("%d of %d", over, texts)
	require.LessOrEqual(t, over*20, texts)
}
