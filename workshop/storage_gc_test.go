package workshop

import (
	"io/fs"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func (r *rig) objectCount() int {
	n := 0
	require.NoError(r.t, r.wb.objects.each(func(string, string, fs.FileInfo) error { n++; return nil }))
	return n
}

// age makes every object look old enough to be collected.
func (r *rig) age() {
	old := time.Now().Add(-48 * time.Hour)
	require.NoError(r.t, r.wb.objects.each(func(_, path string, _ fs.FileInfo) error { return os.Chtimes(path, old, old) }))
}

// K-11: what nothing refers to goes; all that can be restored stays.
func TestK11GC(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "1"})
	r.say("u-1", TypeUser)
	r.put("a.txt", "2")
	r.publish(PublishOptions{})
	r.put("a.txt", "3")
	before := r.objectCount()
	hash, _, err := r.wb.objects.put(ctx, 100, text("nobody's"))
	require.NoError(t, err)
	res, err := r.wb.GC(ctx, GCOptions{})
	require.NoError(t, err)
	require.Zero(t, res.Objects, "a young object may be about to be used")
	r.age()
	res, err = r.wb.GC(ctx, GCOptions{DryRun: true})
	require.NoError(t, err)
	require.Equal(t, GCResult{Objects: 1, Bytes: 8}, res)
	require.NoError(t, r.wb.objects.check(ctx, hash))
	_, _, err = r.wb.objects.put(ctx, 100, text("nobody's"))
	require.NoError(t, err)
	res, err = r.wb.GC(ctx, GCOptions{})
	require.NoError(t, err)
	require.Zero(t, res.Objects, "writing it again makes it young")
	r.age()
	_, err = r.wb.GC(ctx, GCOptions{})
	require.NoError(t, err)
	require.Equal(t, before, r.objectCount())
	_, err = r.wb.UndoTo(ctx, "u-1")
	require.NoError(t, err)
	require.Equal(t, "1", r.disk()["a.txt"])
}

// Old history may be forgotten; what is left is told apart from what is not.
func TestGCForgetsOldHistory(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "1"})
	clock := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	r.wb.now = func() time.Time { return clock }
	r.say("u-1", TypeUser)
	r.put("a.txt", "2")
	r.publish(PublishOptions{})
	clock = clock.AddDate(0, 6, 0)
	r.say("u-2", TypeUser)
	r.put("a.txt", "3")
	r.publish(PublishOptions{})
	r.say("u-3", TypeUser)
	r.put("a.txt", "draft")
	clock = time.Now().Add(time.Hour * 24 * 365)
	res, err := r.wb.GC(ctx, GCOptions{OlderThan: clock.Sub(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))})
	require.NoError(t, err)
	require.Equal(t, 1, res.Checkpoints)
	require.Positive(t, res.Objects)
	require.Equal(t, "draft", content(t, r.draft(), "a.txt"))
	_, err = r.wb.UndoTo(ctx, "u-1")
	require.True(t, IsFault(err, NotFound), "%v", err)
	_, err = r.wb.UndoTo(ctx, "u-2")
	require.NoError(t, err)
	require.Equal(t, "2", r.disk()["a.txt"])
}
