package workshop

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

func (r *rig) rejection(text string) Rejection {
	e, err := r.draft().Stat(ctx, "a.txt")
	require.NoError(r.t, err)
	return Rejection{Path: "a.txt", Hash: e.Hash, Text: RejectMark + "1 change of a.txt.]", To: func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}}
}

// A rejection is one step: undoing it gives the draft that was there. When it gives the
// published content the file leaves the draft.
func TestRejectAndUndo(t *testing.T) {
	for text, dropped := range map[string]bool{"published": true, "one": false} {
		r := newRig(t, map[string]string{"a.txt": "published"})
		r.put("a.txt", "one and two")
		done, err := r.wb.Reject(ctx, Cause{Tool: "reject", Author: "user"}, r.rejection(text))
		require.NoError(t, err)
		require.Equal(t, dropped, done.Dropped)
		require.Equal(t, map[string]string{"a.txt": text}, tree(t, r.draft()))
		changes, err := r.wb.Changes(ctx)
		require.NoError(t, err)
		require.Equal(t, dropped, len(changes) == 0)
		r.reopen()
		_, err = r.wb.UndoBefore(ctx, done.MessageID)
		require.NoError(t, err)
		require.Equal(t, map[string]string{"a.txt": "one and two"}, tree(t, r.draft()))
	}
}

// The draft changed since the review: nothing is done.
func TestRejectOfAnotherContent(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "published"})
	r.put("a.txt", "one")
	rj := r.rejection("x")
	r.put("a.txt", "two")
	_, err := r.wb.Reject(ctx, Cause{}, rj)
	require.True(t, IsFault(err, Conflict), "%v", err)
	require.Equal(t, map[string]string{"a.txt": "two"}, tree(t, r.draft()))
	rj.Path = "b.txt"
	_, err = r.wb.Reject(ctx, Cause{}, rj)
	require.True(t, IsFault(err, NotFound), "%v", err)
}

// K-01: stopped in the middle, a rejection has not happened, and undoing it is harmless.
func TestRejectStopped(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "published"})
	r.put("a.txt", "one and two")
	r.wb.failpoint = func(step string) error {
		if step == "rejected" {
			return errBoom
		}
		return nil
	}
	_, err := r.wb.Reject(ctx, Cause{}, r.rejection("one"))
	require.ErrorIs(t, err, errBoom)
	r.reopen()
	require.Equal(t, map[string]string{"a.txt": "one and two"}, tree(t, r.draft()))
	records, err := r.wb.Conversation().Records()
	require.NoError(t, err)
	require.Len(t, records, 1)
	_, err = r.wb.UndoBefore(ctx, records[0].MessageID)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"a.txt": "one and two"}, tree(t, r.draft()))
}
