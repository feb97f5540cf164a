package workshop

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// copyTo makes a file of the draft as a tool that copies does.
func (r *rig) copyTo(from, to, s string) {
	r.t.Helper()
	src, err := r.draft().Open(ctx, Path(from))
	require.NoError(r.t, err)
	defer src.Close()
	_, err = r.draft().Put(ctx, Path(to), PutOptions{CreateOnly: true, Copied: &Copied{Path(from), src}}, text(s))
	require.NoError(r.t, err)
}

// copiedFrom says of each change of the draft that is a copy where it is from,
// and what was there then.
func (r *rig) copiedFrom(wb *Workbench) map[Path]string {
	r.t.Helper()
	out := map[Path]string{}
	changes, err := wb.Changes(ctx)
	require.NoError(r.t, err)
	for _, c := range changes {
		if c.CopiedHash == "" {
			_, err := wb.OpenVersion(ctx, c.Path, "copied")
			require.True(r.t, IsFault(err, NotFound), c.Path)
			continue
		}
		src, err := wb.OpenVersion(ctx, c.Path, "copied")
		require.NoError(r.t, err)
		b, err := io.ReadAll(io.NewSectionReader(src, 0, src.Size()))
		require.NoError(r.t, err)
		require.NoError(r.t, src.Close())
		require.Equal(r.t, c.CopiedHash, src.Hash())
		out[c.Path] = string(c.CopiedFrom) + "=" + string(b)
	}
	return out
}

// The draft keeps what a file was copied from, whatever becomes of the source
// and of the copy, until the file is published or leaves the draft.
func TestCopiedIsKept(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "1", "b.txt": "2"})
	r.copyTo("a.txt", "copy.txt", "1 edited")
	want := map[Path]string{"copy.txt": "a.txt=1"}
	require.Equal(t, want, r.copiedFrom(r.wb))

	r.put("copy.txt", "edited again")
	_, err := r.draft().(Batcher).PutAll(ctx, []Put{{Path: "copy.txt", Write: text("edited in a batch")}})
	require.NoError(t, err)
	r.put("a.txt", "changed")
	r.publish(PublishOptions{Paths: []Path{"a.txt"}})
	require.NoError(t, r.draft().Remove(ctx, "a.txt"))
	r.publish(PublishOptions{Paths: []Path{"a.txt"}})
	require.Equal(t, want, r.copiedFrom(r.wb))

	r.age()
	_, err = r.wb.GC(ctx, GCOptions{})
	require.NoError(t, err)
	r.reopen()
	require.Equal(t, want, r.copiedFrom(r.wb))

	require.NoError(t, r.draft().Move(ctx, "copy.txt", "sub/other.txt"))
	require.Equal(t, map[Path]string{"sub/other.txt": "a.txt=1"}, r.copiedFrom(r.wb))
	require.NoError(t, r.draft().Move(ctx, "sub", "below"))
	require.Equal(t, map[Path]string{"below/other.txt": "a.txt=1"}, r.copiedFrom(r.wb))

	r.publish(PublishOptions{})
	r.put("below/other.txt", "later")
	require.Empty(t, r.copiedFrom(r.wb), "it is compared with what was published")
	r.publish(PublishOptions{})

	r.copyTo("b.txt", "new.txt", "2")
	require.NoError(t, r.draft().Remove(ctx, "new.txt"))
	r.put("new.txt", "made anew")
	require.Empty(t, r.copiedFrom(r.wb), "it is another file")
	require.NoError(t, r.wb.Discard(ctx, nil))
	r.copyTo("b.txt", "new.txt", "2")
	require.Equal(t, map[Path]string{"new.txt": "b.txt=2"}, r.copiedFrom(r.wb))
	require.NoError(t, r.wb.Discard(ctx, []Path{"new.txt"}))
	r.put("new.txt", "made anew")
	require.Empty(t, r.copiedFrom(r.wb))
}

// K-06: undo brings back what a file was copied from, also after GC.
func TestCopiedIsUndone(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "1"})
	r.say("u-1", TypeUser)
	r.copyTo("a.txt", "copy.txt", "1 edited")
	r.say("a-1", TypeAssistant)
	r.put("a.txt", "changed")
	r.publish(PublishOptions{})
	require.Empty(t, r.copiedFrom(r.wb))
	r.age()
	_, err := r.wb.GC(ctx, GCOptions{})
	require.NoError(t, err)
	_, err = r.wb.UndoTo(ctx, "a-1")
	require.NoError(t, err)
	require.Equal(t, map[Path]string{"copy.txt": "a.txt=1"}, r.copiedFrom(r.wb))
	_, err = r.wb.UndoTo(ctx, "u-1")
	require.NoError(t, err)
	require.Empty(t, r.copiedFrom(r.wb))
	require.Equal(t, map[string]string{"a.txt": "1"}, tree(t, r.draft()))
}

// Once no draft and no history names it, the content that was copied goes.
func TestCopiedIsCollected(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "1"})
	r.copyTo("a.txt", "copy.txt", "1 edited")
	require.Equal(t, 2, r.objectCount())
	require.NoError(t, r.wb.Discard(ctx, nil))
	for _, table := range []string{"revisions", "revision_entries"} { // as GC forgets them
		_, err := r.wb.db.Exec(`DELETE FROM ` + table)
		require.NoError(t, err)
	}
	r.age()
	_, err := r.wb.GC(ctx, GCOptions{})
	require.NoError(t, err)
	require.Zero(t, r.objectCount())
}

// K-08: a state that an older program wrote is read as it is, and migrated by
// whoever writes.
func TestCopiedOfOldState(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "1"})
	r.say("u-1", TypeUser)
	r.put("copy.txt", "old")
	for _, table := range []string{"draft_entries", "revision_entries"} {
		for _, column := range []string{"copied_hash", "copied_from"} {
			_, err := r.wb.db.Exec(`ALTER TABLE ` + table + ` DROP COLUMN ` + column)
			require.NoError(t, err)
		}
	}
	id := r.wb.ID()
	require.NoError(t, r.wb.Close())
	reader, err := r.h.Read(ctx, id)
	require.NoError(t, err)
	require.Equal(t, "old", content(t, reader.DraftView(Cause{}), "copy.txt"))
	require.Empty(t, r.copiedFrom(reader))
	_, err = reader.usedObjects(ctx)
	require.NoError(t, err)
	require.NoError(t, reader.Close())
	only, err := OpenHome(r.home, Options{ReadOnly: true})
	require.NoError(t, err)
	defer only.Close()
	wb, err := only.Open(ctx, id)
	require.NoError(t, err)
	require.Equal(t, "old", content(t, wb.DraftView(Cause{}), "copy.txt"))

	r.reopen()
	require.Empty(t, r.copiedFrom(r.wb))
	r.copyTo("a.txt", "b.txt", "1")
	require.Equal(t, map[Path]string{"b.txt": "a.txt=1"}, r.copiedFrom(r.wb))
	_, err = r.wb.UndoTo(ctx, "u-1")
	require.NoError(t, err)
	require.Equal(t, map[string]string{"a.txt": "1"}, r.disk())
}
