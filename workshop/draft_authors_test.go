package workshop

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDraftedSaysWhoAddedFirst(t *testing.T) {
	r := newRig(t, map[string]string{"old.txt": "1", "gone.txt": "2"})
	by := func(author, p, s string) {
		t.Helper()
		_, err := r.wb.DraftView(Cause{Tool: "test", Author: author}).Put(ctx, Path(p), PutOptions{}, text(s))
		require.NoError(t, err)
	}
	check := func(author string, want ...Path) {
		t.Helper()
		got, err := r.wb.Drafted(ctx, author)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	check("agent")
	by("agent", "old.txt", "edited")
	by("agent", "new.txt", "x")
	by("user", "mine.txt", "y")
	by("agent", "mine.txt", "edited by the agent")
	by("agent", "dropped.txt", "z")
	require.NoError(t, r.draft().Remove(ctx, "dropped.txt"))
	require.NoError(t, r.draft().Move(ctx, "gone.txt", "moved.txt"))
	check("agent", "moved.txt", "new.txt")
	check("user", "mine.txt")
	r.reopen()
	check("agent", "moved.txt", "new.txt")
	_, err := r.wb.Publish(ctx, PublishOptions{})
	require.NoError(t, err)
	check("agent")
}
