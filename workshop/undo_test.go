package workshop

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"atelier/internal/campaign"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func (r *rig) say(id, typ string) {
	r.t.Helper()
	require.NoError(r.t, r.wb.Conversation().Append(Record{Type: typ, MessageID: id, Text: id}))
}

func (r *rig) ids() []string {
	r.t.Helper()
	rs, err := r.wb.Conversation().Records()
	require.NoError(r.t, err)
	var out []string
	for _, rec := range rs {
		out = append(out, rec.MessageID)
	}
	return out
}

// K-06: undo takes conversation, draft and published files back to a message.
func TestK06UndoToMessage(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "1", "b.txt": "2"})
	r.say("u-1", TypeUser)
	r.put("a.txt", "A")
	r.say("tr-1", TypeToolResult)
	r.say("a-1", TypeAssistant)
	r.publish(PublishOptions{})
	r.say("u-2", TypeUser)
	r.put("b.txt", "B")
	r.put("new/c.txt", "C")
	r.say("a-2", TypeAssistant)

	res, err := r.wb.UndoTo(ctx, "u-2")
	require.NoError(t, err)
	require.Equal(t, 1, res.Records)
	require.Empty(t, res.Files)
	require.False(t, res.Draft.HasDraft)
	require.Equal(t, []string{"u-1", "tr-1", "a-1", "u-2"}, r.ids())
	require.Equal(t, map[string]string{"a.txt": "A", "b.txt": "2"}, tree(t, r.draft()))

	// Past the publish: the published file goes back, the draft is open again.
	var events []Event
	defer r.wb.Subscribe(func(e Event) { events = append(events, e) })()
	res, err = r.wb.UndoTo(ctx, "a-1")
	require.NoError(t, err)
	require.Equal(t, []Path{"a.txt"}, res.Files)
	require.Equal(t, []string{"a.txt"}, events[0].Updated)
	require.Equal(t, map[string]string{"a.txt": "1", "b.txt": "2"}, r.disk())
	require.Equal(t, "A", content(t, r.draft(), "a.txt"))
	require.True(t, res.Draft.HasDraft)
	r.publish(PublishOptions{})
	require.Equal(t, "A", r.disk()["a.txt"], "it can be published again")

	_, err = r.wb.UndoTo(ctx, "u-1")
	require.NoError(t, err)
	r.reopen()
	require.Equal(t, []string{"u-1"}, r.ids())
	require.Equal(t, map[string]string{"a.txt": "1", "b.txt": "2"}, tree(t, r.draft()))
	all, err := r.wb.Conversation().AllRecords()
	require.NoError(t, err)
	require.Len(t, all, 8, "nothing of the conversation is lost")
	_, err = r.wb.UndoTo(ctx, "a-0")
	require.True(t, IsFault(err, NotFound))

	// What was taken back comes back by going to it, with its files.
	res, err = r.wb.UndoTo(ctx, "a-1")
	require.NoError(t, err)
	require.Zero(t, res.Records, "nothing was taken back for it")
	r.reopen()
	require.Equal(t, []string{"u-1", "tr-1", "a-1"}, r.ids())
	require.Equal(t, "A", content(t, r.draft(), "a.txt"))
	require.Equal(t, map[string]string{"a.txt": "1", "b.txt": "2"}, r.disk())
}

// K-06: when a published file was changed by someone, nothing is undone.
func TestK06UndoOverOutsideChange(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "1"})
	r.say("u-1", TypeUser)
	r.put("a.txt", "A")
	r.publish(PublishOptions{})
	r.say("a-1", TypeAssistant)
	r.put("b.txt", "B")
	require.NoError(t, os.WriteFile(filepath.Join(r.dir, "a.txt"), []byte("theirs"), 0o644))
	_, err := r.wb.UndoTo(ctx, "u-1")
	require.True(t, IsFault(err, Conflict), "%v", err)
	require.Equal(t, []string{"a.txt"}, AsFault(err).Paths)
	require.Equal(t, []string{"u-1", "a-1"}, r.ids())
	require.Equal(t, "theirs", r.disk()["a.txt"])
	require.Equal(t, "B", content(t, r.draft(), "b.txt"))
}

// K-01: a crash at any step of an undo leaves all of it or none.
func TestK01CrashInUndo(t *testing.T) {
	for _, step := range []string{"intent", "staged", "committed", "swap", "undo", "undone"} {
		t.Run(step, func(t *testing.T) {
			r := newRig(t, map[string]string{"a.txt": "1"})
			r.say("u-1", TypeUser)
			r.put("a.txt", "A")
			r.publish(PublishOptions{})
			r.put("b.txt", "B")
			r.say("a-1", TypeAssistant)
			r.wb.failpoint = func(s string) error {
				if s == step {
					return errSimulatedCrash
				}
				return nil
			}
			_, err := r.wb.UndoTo(ctx, "u-1")
			require.ErrorIs(t, err, errSimulatedCrash)
			r.reopen()
			require.NotEmpty(t, r.wb.Recovered())
			if step == "intent" || step == "staged" {
				require.Equal(t, []string{"u-1", "a-1"}, r.ids())
				require.Equal(t, "A", r.disk()["a.txt"])
				require.Equal(t, "B", content(t, r.draft(), "b.txt"))
			} else {
				require.Equal(t, []string{"u-1"}, r.ids())
				require.Equal(t, map[string]string{"a.txt": "1"}, r.disk())
				require.Equal(t, map[string]string{"a.txt": "1"}, tree(t, r.draft()))
			}
			r.reopen()
			require.Empty(t, r.wb.Recovered())
		})
	}
}

func TestCheckpointsRestore(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "1", "keep.txt": "k"})
	manual, err := r.wb.CreateCheckpoint(ctx, "before anything")
	require.NoError(t, err)
	require.Equal(t, 2, manual.Files)
	r.put("a.txt", "2")
	r.put("new.txt", "n")
	first := r.publish(PublishOptions{})
	r.put("a.txt", "3")
	second := r.publish(PublishOptions{})
	list, err := r.wb.Checkpoints(ctx)
	require.NoError(t, err)
	require.Equal(t, []string{second.CheckpointID, first.CheckpointID, manual.ID}, []string{list[0].ID, list[1].ID, list[2].ID})
	require.Equal(t, "before anything", list[2].Description)
	require.Equal(t, 1, list[0].Files)

	plan, err := r.wb.RestorePlan(ctx, manual.ID)
	require.NoError(t, err)
	require.Equal(t, []string{"a.txt modified", "new.txt deleted"}, []string{string(plan[0].Path) + " " + plan[0].Type, string(plan[1].Path) + " " + plan[1].Type})
	r.put("a.txt", "draft")
	_, err = r.wb.Restore(ctx, manual.ID)
	require.True(t, IsFault(err, Conflict), "the draft is not lost unseen")
	require.NoError(t, r.wb.Discard(ctx, nil))

	require.NoError(t, os.WriteFile(filepath.Join(r.dir, "mine.txt"), []byte("user's own"), 0o644))
	back, err := r.wb.Restore(ctx, manual.ID)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"a.txt": "1", "keep.txt": "k", "mine.txt": "user's own"}, r.disk(), "a file that no publish made stays (K-10)")
	_, err = r.wb.Restore(ctx, back.CheckpointID)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"a.txt": "3", "new.txt": "n", "keep.txt": "k", "mine.txt": "user's own"}, r.disk(), "a restore can be taken back")
	_, err = r.wb.Restore(ctx, second.CheckpointID[:30])
	require.NoError(t, err)
	require.Equal(t, "2", r.disk()["a.txt"])
	_, err = r.wb.Restore(ctx, "nope")
	require.True(t, IsFault(err, NotFound))

	vs, err := r.wb.Versions(ctx, "a.txt")
	require.NoError(t, err)
	var authors []string
	for _, v := range vs {
		authors = append(authors, v.Author+fmt.Sprint(v.Size))
	}
	require.Len(t, vs, 6, "%v", authors)
	require.Equal(t, "user", vs[5].Author, "the content before the first publish is a version too")
	src, err := r.wb.OpenVersionOf(ctx, "a.txt", vs[5].ID)
	require.NoError(t, err)
	defer src.Close()
	require.EqualValues(t, 1, src.Size())
}

// K-05, K-06: whatever is done in whatever order, an undo and a restore give
// byte for byte the files of their moment.
func TestK05UndoAndRestoreAgainstAModel(t *testing.T) {
	campaign.Checks(t, 80)
	rapid.Check(t, func(rt *rapid.T) {
		r := newRig(t, map[string]string{"a": "1", "d/b": "2"})
		type state struct{ draft, disk map[string]string }
		now := func() state { return state{tree(t, r.draft()), r.disk()} }
		atMessage := map[string]state{}
		atCheckpoint := map[string]map[string]string{}
		var messages, checkpoints []string
		serial := 0
		remember := func(id string, disk map[string]string) {
			atCheckpoint[id] = disk
			checkpoints = append(checkpoints, id)
		}
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			serial++
			path := rapid.SampledFrom([]string{"a", "d/b", "c", "d/e"}).Draw(rt, "path")
			switch rapid.SampledFrom([]string{"put", "put", "remove", "say", "say", "publish", "discard", "undo", "restore", "snapshot", "reopen"}).Draw(rt, "op") {
			case "put":
				r.put(path, fmt.Sprint(serial))
			case "remove":
				if err := r.draft().Remove(ctx, Path(path)); err != nil {
					require.True(rt, IsFault(err, NotFound), "%v", err)
				}
			case "say":
				id := fmt.Sprintf("u-%d", serial)
				r.say(id, TypeUser)
				atMessage[id] = now()
				messages = append(messages, id)
			case "publish":
				disk := r.disk()
				res := r.publish(PublishOptions{})
				if res.CheckpointID != "" {
					remember(res.CheckpointID, disk)
				}
			case "discard":
				require.NoError(rt, r.wb.Discard(ctx, nil))
			case "undo":
				if len(messages) == 0 {
					continue
				}
				id := rapid.SampledFrom(messages).Draw(rt, "message")
				at := slices.Index(messages, id)
				undo, keep := r.wb.UndoTo, at+1
				if rapid.Bool().Draw(rt, "before") {
					undo, keep = r.wb.UndoBefore, at
				}
				_, err := undo(ctx, id)
				require.NoError(rt, err)
				require.Equal(rt, atMessage[id], now(), "undo to %s", id)
				messages = messages[:keep]
				require.ElementsMatch(rt, messages, r.ids())
			case "restore":
				if len(checkpoints) == 0 {
					continue
				}
				id := rapid.SampledFrom(checkpoints).Draw(rt, "checkpoint")
				disk := r.disk()
				res, err := r.wb.Restore(ctx, id)
				if IsFault(err, Conflict) {
					continue // the draft has those files
				}
				require.NoError(rt, err)
				require.Equal(rt, atCheckpoint[id], r.disk(), "restore %s", id)
				if res.CheckpointID != "" {
					remember(res.CheckpointID, maps.Clone(disk))
				}
			case "snapshot":
				c, err := r.wb.CreateCheckpoint(ctx, "x")
				require.NoError(rt, err)
				remember(c.ID, r.disk())
			case "reopen":
				before := now()
				r.reopen()
				require.Equal(rt, before, now())
			}
		}
	})
}
