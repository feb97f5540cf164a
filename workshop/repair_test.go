package workshop

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// wantDraft is what stateRig left in the draft.
var wantDraft = map[string]string{"a.txt": "second draft of a", "new.txt": "draft of new"}

// A database that is gone is rebuilt from the conversation and the contents: the
// draft with what it was based on, and a checkpoint of the contents without a name.
func TestRepairLostDatabase(t *testing.T) {
	for name, damage := range map[string]func(path string) error{
		"gone":        os.Remove,
		"no database": func(path string) error { return os.WriteFile(path, bytes.Repeat([]byte("no"), 9000), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			r := stateRig(t)
			require.NoError(t, damage(r.file("workbench.db")))
			damaged, _ := os.ReadFile(r.file("workbench.db"))
			res := r.repair()
			lost := strings.Join(res.Lost, "\n")
			require.Contains(t, lost, "checkpoints, versions")
			require.Contains(t, lost, "undo to messages from before this repair")
			if damaged != nil {
				kept, err := os.ReadFile(filepath.Join(res.Aside, "workbench.db"))
				require.NoError(t, err)
				require.Equal(t, damaged, kept, "what was damaged is moved aside as it was")
			}
			require.Empty(t, r.examine().Findings)
			r.open()
			require.Equal(t, wantDraft, tree(t, r.draft()))
			require.Equal(t, []string{"u-1", "a-1", "u-2", "t-2"}, r.ids())
			// The contents that only lost rows named can be had, and outlive GC.
			list, err := r.wb.Checkpoints(ctx)
			require.NoError(t, err)
			require.Len(t, list, 1)
			plan, err := r.wb.RestorePlan(ctx, list[0].ID)
			require.NoError(t, err)
			require.Len(t, plan, 1)
			require.Equal(t, hashText("old of a"), plan[0].NewHash)
			require.True(t, strings.HasPrefix(string(plan[0].Path), "recovered/"), plan[0].Path)
			// A message from before cannot be undone as if nothing had been before it.
			_, err = r.wb.UndoBefore(ctx, "u-2")
			require.True(t, IsFault(err, NotFound), "%v", err)
			// Numbers that the conversation knows are not given again.
			n, err := r.wb.LogTool(ctx, ToolLogEntry{Tool: "x"})
			require.NoError(t, err)
			require.Equal(t, int64(8), n)
			// The draft is still compared with what it was based on (K-02).
			r.write("a.txt", "somebody else's")
			_, err = r.wb.Publish(ctx, PublishOptions{})
			require.True(t, IsFault(err, Conflict), "%v", err)
			r.write("a.txt", "first draft of a")
			r.publish(PublishOptions{})
			require.Equal(t, wantDraft, r.disk())
			r.verified()
			r.say("u-3", TypeUser)
			r.put("later.txt", "later")
			r.say("a-3", TypeAssistant)
			_, err = r.wb.UndoBefore(ctx, "u-3")
			require.NoError(t, err)
			require.Equal(t, wantDraft, tree(t, r.draft()))
		})
	}
}

// With a damaged header everything else is had.
func TestRepairHeader(t *testing.T) {
	r := stateRig(t)
	r.edit("workbench.db", func(b []byte) []byte { copy(b, "damaged!"); return b })
	require.ErrorIs(t, r.openError(), ErrDamaged)
	res := r.repair()
	require.Empty(t, res.Lost, "%v", res.Mended)
	require.Empty(t, r.examine().Findings)
	r.open()
	require.Equal(t, wantDraft, tree(t, r.draft()))
	versions, err := r.wb.Versions(ctx, "a.txt")
	require.NoError(t, err)
	require.Len(t, versions, 2)
	_, err = r.wb.UndoBefore(ctx, "u-1")
	require.NoError(t, err)
	require.Equal(t, map[string]string{"a.txt": "old of a", "b.txt": "old of b"}, r.disk())
}

// Whatever page of the database is damaged, the repaired one is whole, what was not
// damaged is there, and the draft is as it was.
func TestRepairAnyPage(t *testing.T) {
	r := stateRig(t)
	whole, err := os.ReadFile(r.file("workbench.db"))
	require.NoError(t, err)
	rnd := rand.New(rand.NewPCG(1, 2))
	pages := len(whole) / 4096
	for range 12 {
		page := 1 + rnd.IntN(pages-1)
		b := bytes.Clone(whole)
		for i := range 4096 {
			b[page*4096+i] = byte(rnd.Uint32())
		}
		require.NoError(t, os.WriteFile(r.file("workbench.db"), b, 0o600))
		if !r.examine().Damaged() {
			continue // a page of a cache, or a free one
		}
		res := r.repair()
		require.Empty(t, r.examine().Findings, "page %d: %+v", page, res)
		r.open()
		require.Equal(t, wantDraft, tree(t, r.draft()), "page %d: %+v", page, res)
		r.verified()
		require.NoError(t, r.h.Close())
		kept, err := os.ReadFile(filepath.Join(res.Aside, "workbench.db"))
		require.NoError(t, err)
		require.Equal(t, b, kept)
	}
}

// Contents: one that is had from a published file, one of the draft that is lost,
// and a version that is lost, which is told once and does not fail for ever.
func TestRepairContents(t *testing.T) {
	r := stateRig(t)
	r.flip(hashText("first draft of a")) // published
	r.flip(hashText("draft of new"))
	r.flip(hashText("old of a"))
	x := r.examine()
	require.Len(t, x.Findings, 3)
	mendable := 0
	for _, f := range x.Findings {
		require.Equal(t, FindContent, f.Kind)
		if f.Mendable {
			mendable++
			require.Equal(t, hashText("first draft of a"), f.Hash)
		}
	}
	require.Equal(t, 1, mendable)
	res := r.repair()
	require.Len(t, res.Mended, 1)
	lost := strings.Join(res.Lost, "\n")
	require.Contains(t, lost, "the draft of new.txt: it does not change that file any more")
	require.Contains(t, lost, "of a.txt")
	require.FileExists(t, filepath.Join(res.Aside, "objects", hashText("old of a")))
	x = r.examine()
	require.False(t, x.Damaged())
	require.NotEmpty(t, x.Findings, "still said")
	require.Empty(t, r.repair().Lost, "and not lost twice")
	r.open()
	require.Equal(t, map[string]string{"a.txt": "second draft of a"}, tree(t, r.draft()))
	r.publish(PublishOptions{})
}

// A row of the draft that contradicts the log of its changes.
func TestRepairContradiction(t *testing.T) {
	r := stateRig(t)
	r.open()
	_, err := r.wb.db.Exec(`UPDATE draft_entries SET path='nfw.txt' WHERE path='new.txt'`)
	require.NoError(t, err)
	_, err = r.wb.db.Exec(`UPDATE draft_entries SET hash='` + strings.Repeat("0", 64) + `' WHERE path='a.txt'`)
	require.NoError(t, err)
	require.NoError(t, r.h.Close())
	require.True(t, r.examine().Damaged())
	r.repair()
	require.False(t, r.examine().Damaged())
	r.open()
	got := tree(t, r.draft())
	for p, s := range wantDraft {
		require.Equal(t, s, got[p])
	}
}

// A repair that is stopped at any step has lost nothing, and the next one, or the
// next opening, completes it.
func TestRepairInterrupted(t *testing.T) {
	for stop := 1; ; stop++ {
		r := stateRig(t)
		r.edit("workbench.db", func(b []byte) []byte { copy(b, "damaged!"); return b })
		r.edit("conversation.jsonl", func(b []byte) []byte { return bytes.Replace(b, []byte(`"text":"a-1"`), []byte(`"text":"c-1"`), 1) })
		r.flip(hashText("old of a"))
		damagedDB, err := os.ReadFile(r.file("workbench.db"))
		require.NoError(t, err)
		damagedConv, err := os.ReadFile(r.file("conversation.jsonl"))
		require.NoError(t, err)
		n, last := 0, ""
		h, err := OpenHome(r.home, Options{Failpoint: func(step string) error {
			if n++; n == stop {
				last = step
				return errSimulatedCrash
			}
			return nil
		}})
		require.NoError(t, err)
		_, err = h.Repair(ctx, r.id())
		require.NoError(t, h.Close())
		if err == nil {
			require.Greater(t, stop, 8, "every step was stopped at")
			return
		}
		require.ErrorIs(t, err, errSimulatedCrash)
		kept := map[string]bool{}
		require.NoError(t, filepath.WalkDir(r.wb.Dir(), func(path string, d os.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				b, rerr := os.ReadFile(path)
				kept[string(b)], err = true, rerr
			}
			return err
		}))
		require.True(t, kept[string(damagedDB)] && kept[string(damagedConv)], "after %s", last)
		if stop%2 == 0 || !repairing(r.wb.Dir()) {
			r.repair()
		} else {
			require.NoError(t, r.openError(), "after %s", last)
		}
		require.False(t, r.examine().Damaged(), "after %s: %+v", last, r.examine().Findings)
		require.NoDirExists(t, r.file(repairDir))
		require.NoFileExists(t, r.file(markerFile))
		r.open()
		require.Equal(t, wantDraft, tree(t, r.draft()), "after %s", last)
		require.Equal(t, []string{"u-1", "u-2", "t-2"}, r.ids(), "after %s", last)
		versions, err := r.wb.Versions(ctx, "a.txt")
		require.NoError(t, err)
		require.Len(t, versions, 2, "after %s", last)
		require.NoError(t, r.h.Close())
		found, err := filepath.Glob(r.file(filepath.Join(damagedDir, "*", "workbench.db")))
		require.NoError(t, err)
		require.Len(t, found, 1, "after %s", last)
	}
}

// A repair while the workbench is in use is refused.
func TestRepairInUse(t *testing.T) {
	r := newRig(t, nil)
	_, err := r.h.Repair(ctx, r.id())
	require.ErrorIs(t, err, ErrInUse)
	other, err := OpenHome(r.home, Options{})
	require.NoError(t, err)
	defer other.Close()
	_, err = other.Repair(ctx, r.id())
	require.ErrorIs(t, err, ErrInUse)
	require.NotEqual(t, "", fmt.Sprint(err))
}
