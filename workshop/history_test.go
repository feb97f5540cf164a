package workshop

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHistory: the history has every publish, undo, restore, kept state and step with
// the files that it changed, the newest first, page by page; the contents that it
// names can be opened, also those that only a kept state has.
func TestHistory(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "one", "b.txt": "b"})
	list, more, err := r.wb.History(ctx, HistoryOptions{})
	require.NoError(t, err)
	require.Empty(t, list)
	require.False(t, more)

	r.put("a.txt", "two")
	r.put("new.txt", "n")
	require.NoError(t, r.draft().Remove(ctx, "b.txt"))
	r.publish(PublishOptions{})
	r.outside("a.txt", "by hand")
	kept, err := r.wb.CreateCheckpoint(ctx, "good")
	require.NoError(t, err)
	r.outside("a.txt", "spoiled")
	back, err := r.wb.Restore(ctx, kept.ID)
	require.NoError(t, err)
	_, err = r.wb.RestoreVersion(ctx, Cause{Tool: "restore", Author: "user"}, FileRef{Path: "new.txt"}, r.versions("new.txt")[0].ID)
	require.NoError(t, err) // it has that content: no step
	_, err = r.wb.RestoreVersion(ctx, Cause{Tool: "restore", Author: "user"}, FileRef{Path: "b.txt"}, r.versions("b.txt")[1].ID)
	require.NoError(t, err)

	list, more, err = r.wb.History(ctx, HistoryOptions{Files: 2})
	require.NoError(t, err)
	require.False(t, more)
	var kinds []string
	for _, o := range list {
		kinds = append(kinds, o.Kind)
	}
	require.Equal(t, []string{EventRestore, ReasonRestore, ReasonManual, ReasonPublish}, kinds)
	require.True(t, list[0].Step)
	require.Equal(t, Path("b.txt"), list[0].Files[0].Path)
	require.Equal(t, back.CheckpointID, list[1].ID)
	require.Equal(t, "good", list[2].Description)
	require.Equal(t, 2, list[2].Kept)
	publish := list[3]
	require.Equal(t, 1, publish.Omitted)
	require.Equal(t, []string{"a.txt modified", "b.txt deleted"}, []string{string(publish.Files[0].Path) + " " + publish.Files[0].Type, string(publish.Files[1].Path) + " " + publish.Files[1].Type})
	require.EqualValues(t, 3, publish.Files[0].OldSize)
	for _, o := range list {
		for _, f := range o.Files {
			for _, hash := range []string{f.OldHash, f.NewHash} {
				if hash != "" {
					_, src, err := r.wb.OpenFileVersion(ctx, FileRef{Path: f.Path}, hash)
					require.NoError(t, err, "%s %s", o.Kind, f.Path)
					require.NoError(t, src.Close())
				}
			}
		}
	}

	first, more, err := r.wb.History(ctx, HistoryOptions{Limit: 3})
	require.NoError(t, err)
	require.True(t, more)
	rest, more, err := r.wb.History(ctx, HistoryOptions{Limit: 3, Before: first[2].ID})
	require.NoError(t, err)
	require.False(t, more)
	require.Equal(t, publish.ID, rest[0].ID)
	require.Equal(t, 0, rest[0].Omitted)
	_, _, err = r.wb.History(ctx, HistoryOptions{Before: "nope"})
	require.True(t, IsFault(err, NotFound), "%v", err)
}

// TestVersionsOfKeptStates: a content that only a state kept by hand has is a version
// of its file, and can be restored.
func TestVersionsOfKeptStates(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "first"})
	_, err := r.wb.CreateCheckpoint(ctx, "")
	require.NoError(t, err)
	r.outside("a.txt", "second")
	vs := r.versions("a.txt")
	require.ElementsMatch(t, []string{"second", "first"}, r.contents(vs))
	for _, v := range vs {
		require.Equal(t, v.CheckpointID == "", v.Current, "the kept one names its state")
	}
}
