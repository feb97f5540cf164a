package workshop

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// Discarding is one step: undoing it brings the draft back, and leaves what was published
// before it.
func TestDiscardIsAStep(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "a", "b.txt": "b", "c.txt": "c"})
	r.put("a.txt", "a2")
	r.put("b.txt", "b2")
	r.put("c.txt", "c2")
	_, err := r.wb.Publish(ctx, PublishOptions{Paths: []Path{"a.txt"}})
	require.NoError(t, err)
	some, err := r.wb.DiscardStep(ctx, []Path{"b.txt"})
	require.NoError(t, err)
	require.NotEmpty(t, some)
	rest, err := r.wb.DiscardStep(ctx, nil)
	require.NoError(t, err)
	r.reopen()
	records, err := r.wb.Conversation().Records()
	require.NoError(t, err)
	require.Len(t, records, 2)
	require.Equal(t, DiscardMark+"from the draft: b.txt. These files are as published again. Do not make these changes again unless the user asks for it.]", records[0].Text)
	require.Contains(t, records[1].Text, DiscardMark+"the whole draft: c.txt.")
	list, _, err := r.wb.History(ctx, HistoryOptions{Limit: 10, Files: 10})
	require.NoError(t, err)
	require.Equal(t, EventDiscard, list[0].Kind)
	require.Equal(t, Path("c.txt"), list[0].Files[0].Path)

	_, err = r.wb.UndoBefore(ctx, rest)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"a.txt": "a2", "b.txt": "b", "c.txt": "c2"}, tree(t, r.draft()), "what was published stays")
	_, err = r.wb.UndoTo(ctx, rest)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"a.txt": "a2", "b.txt": "b", "c.txt": "c"}, tree(t, r.draft()), "it is discarded again")
	_, err = r.wb.UndoBefore(ctx, some)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"a.txt": "a2", "b.txt": "b2", "c.txt": "c2"}, tree(t, r.draft()))
}

// Of many files the record names 100. Nothing to discard is no step.
func TestDiscardOfMany(t *testing.T) {
	r := newRig(t, nil)
	id, err := r.wb.DiscardStep(ctx, nil)
	require.NoError(t, err)
	require.Empty(t, id)
	for i := range 120 {
		r.put(fmt.Sprintf("f%03d.txt", i), "x")
	}
	_, err = r.wb.DiscardStep(ctx, []Path{"nothing.txt"})
	require.True(t, IsFault(err, NotFound), "%v", err)
	_, err = r.wb.DiscardStep(ctx, nil)
	require.NoError(t, err)
	r.reopen()
	records, err := r.wb.Conversation().Records()
	require.NoError(t, err)
	require.Len(t, records, 1)
	require.Len(t, records[0].StepPaths(), 100)
	require.Equal(t, 120.0, records[0].Metadata["files"])
	require.Equal(t, true, records[0].Metadata["all"])
	require.Contains(t, records[0].Text, "f004.txt and 115 more files")
}

// K-01: stopped in the middle, nothing is discarded, and undoing it is harmless.
func TestDiscardStopped(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "a"})
	r.put("a.txt", "a2")
	r.wb.failpoint = func(step string) error {
		if step == "discarded" {
			return errBoom
		}
		return nil
	}
	_, err := r.wb.DiscardStep(ctx, nil)
	require.ErrorIs(t, err, errBoom)
	r.reopen()
	require.Equal(t, map[string]string{"a.txt": "a2"}, tree(t, r.draft()))
	records, err := r.wb.Conversation().Records()
	require.NoError(t, err)
	_, err = r.wb.UndoBefore(ctx, records[0].MessageID)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"a.txt": "a2"}, tree(t, r.draft()))
}
