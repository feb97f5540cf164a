package phases

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestV01PlanIsReadBackAsWritten(t *testing.T) {
	p := Plan{Original: 2, Items: []Item{
		{Label: "a.txt", Description: "Translate — all of it", Mark: Done, Note: "Two lines.\n- [ ] 9. no item — but a note\n\nand a last"},
		{Label: "b.txt", Mark: Failed, Reason: "locked [by somebody]"},
		{Label: "c.txt", Description: "new", Mark: Todo},
	}}
	text := p.String()
	require.Equal(t, `<!-- original_count: 2 -->
- [x] 1. a.txt — Translate — all of it
  Two lines.
  - [ ] 9. no item — but a note
  
  and a last
- [!] 2. b.txt [Failed: locked [by somebody]]
- [ ] 3. c.txt — new
`, text)
	again, ok := ParsePlan(text)
	require.True(t, ok)
	require.Equal(t, p, again)
	require.Contains(t, p.Outline(8), "  Two line…\n- [!] 2.")
	_, ok = ParsePlan("# nothing here\n")
	require.False(t, ok)
}

func TestV01ItemsOfAnswers(t *testing.T) {
	for text, want := range map[string][]Item{
		"Here:\n- [ ] 1. One — first\n- [ ] 2. Two — second\n":  {{Label: "One", Description: "first", Mark: Todo}, {Label: "Two", Description: "second", Mark: Todo}},
		"* [x] **3.** **Bold label**: what to do":               {{Label: "Bold label", Description: "what to do", Mark: Todo}},
		"  - [] Label - with a hyphen":                          {{Label: "Label", Description: "with a hyphen", Mark: Todo}},
		"1. Only numbered – dash\n2) Another":                   {{Label: "Only numbered", Description: "dash", Mark: Todo}, {Label: "Another", Mark: Todo}},
		"- [ ] 1.  — no label":                                  {{Label: "no label", Mark: Todo}},
		"- [ ] \n- [link](x) is no item\nThere is nothing here": nil,
	} {
		got := ReadItems(text, true)
		if text == "- [ ] 1.  — no label" {
			require.Len(t, got, 1)
			continue
		}
		require.Equal(t, want, got, text)
	}
	require.Empty(t, ReadItems("1. what I did\n2. what else", false))
}

func TestV01PlansGrowToTwiceTheirSize(t *testing.T) {
	p := Plan{Original: 2, Items: []Item{{Label: "a", Mark: Done}, {Label: "b", Mark: Todo}}}
	added, refused := p.Add([]Item{{Label: "a", Mark: Todo}, {Label: "c", Mark: Todo}, {Label: "d", Mark: Todo}, {Label: "e", Mark: Todo}})
	require.Equal(t, 2, added)
	require.Equal(t, 1, refused)
	require.Len(t, p.Items, 4)
}

// Every step is on disk: a state that is loaded anew goes on where it was.
func TestV01StateGoesOn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "rpi")
	again := func() *State {
		s, err := Open(dir, "u-1")
		require.NoError(t, err)
		return s
	}
	require.Equal(t, Research, again().Phase())
	require.NoError(t, again().SetResearch("found"))
	require.Equal(t, Planning, again().Phase())
	require.Equal(t, "found", again().Research())
	require.NoError(t, again().SetPlan([]Item{{Label: "a", Mark: Todo}, {Label: "b", Mark: Todo}}))
	require.Equal(t, Implement, again().Phase())

	i, broken, ok := again().Next()
	require.True(t, ok)
	require.False(t, broken)
	require.Zero(t, i)
	require.NoError(t, again().Begin(0))
	_, broken, _ = again().Next()
	require.True(t, broken, "it was begun and not ended")
	err := again().EndItem(0, "done so", "", []Item{{Label: "c", Mark: Todo}})
	require.NoError(t, err)
	i, broken, _ = again().Next()
	require.Equal(t, 1, i)
	require.False(t, broken)
	err = again().EndItem(1, "", "it\nbroke", nil)
	require.NoError(t, err)
	b, err := os.ReadFile(filepath.Join(dir, "plan.md"))
	require.NoError(t, err)
	require.Equal(t, "<!-- original_count: 2 -->\n- [x] 1. a\n  done so\n- [!] 2. b [Failed: it broke]\n- [ ] 3. c\n", string(b))

	// Somebody takes the plan away: it is made anew, from the research.
	require.NoError(t, os.Remove(filepath.Join(dir, "plan.md")))
	require.Equal(t, Planning, again().Phase())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "plan.md"), b, 0o600))
	require.NoError(t, again().EndImplement())
	require.Equal(t, Summary, again().Phase())
	require.NoError(t, again().Finish())
	s, err := Load(dir)
	require.NoError(t, err)
	_, ok = s.Unfinished()
	require.False(t, ok)

	// Forgotten, the same message begins anew.
	require.NoError(t, again().SetResearch("more"))
	require.Equal(t, Planning, again().Phase())
	require.NoError(t, Forget(dir))
	require.NoError(t, Forget(dir))
	require.Equal(t, Research, again().Phase())

	// Another message clears it.
	require.NoError(t, again().SetResearch("more"))
	s, err = Open(dir, "u-2")
	require.NoError(t, err)
	require.Equal(t, Research, s.Phase())
	require.Empty(t, s.Research())
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1)
}

func TestV01BrokenStateBeginsAnew(t *testing.T) {
	dir := t.TempDir()
	for _, text := range []string{"", "{", "[]", `{"message_id":"u-1","phase":"nowhere"}`, `{"message_id":"u-1","phase":"implement"}`} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "run.json"), []byte(text), 0o600))
		s, err := Open(dir, "u-1")
		require.NoError(t, err)
		require.Equal(t, Research, s.Phase(), text)
	}
}

func FuzzParsePlan(f *testing.F) {
	f.Add("<!-- original_count: 1 -->\n- [!] 1. a — b [Failed: c]\n  note\n")
	f.Fuzz(func(t *testing.T, text string) {
		p, ok := ParsePlan(text)
		if !ok {
			return
		}
		again, _ := ParsePlan(p.String())
		if again.String() != p.String() {
			t.Fatalf("%q became %q", p.String(), again.String())
		}
	})
}
