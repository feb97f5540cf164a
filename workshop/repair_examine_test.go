package workshop

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/quote"
)

// state is a workbench with a checkpoint, an open draft and a conversation, closed.
func stateRig(t *testing.T) *rig {
	r := newRig(t, map[string]string{"a.txt": "old of a", "b.txt": "old of b"})
	r.say("u-1", TypeUser)
	r.put("a.txt", "first draft of a")
	r.say("a-1", TypeAssistant)
	r.publish(PublishOptions{})
	r.say("u-2", TypeUser)
	r.put("a.txt", "second draft of a")
	r.put("new.txt", "draft of new")
	require.NoError(t, r.draft().Remove(ctx, "b.txt"))
	_, err := r.wb.LogTool(ctx, ToolLogEntry{Tool: "read_file", Result: strings.Repeat("long ", 5000)})
	require.NoError(t, err)
	require.NoError(t, r.wb.Conversation().Append(Record{Type: TypeToolResult, MessageID: "t-2", Metadata: map[string]any{"entry_id": 7}}))
	require.NoError(t, r.h.Close())
	return r
}

func (r *rig) id() string { return r.wb.ID() }

func (r *rig) file(name string) string { return filepath.Join(r.wb.Dir(), name) }

func (r *rig) examine() Examination {
	r.t.Helper()
	h, err := OpenHome(r.home, Options{})
	require.NoError(r.t, err)
	defer h.Close()
	x, err := h.Examine(ctx, r.id())
	require.NoError(r.t, err)
	return x
}

func (r *rig) repair() RepairResult {
	r.t.Helper()
	h, err := OpenHome(r.home, Options{})
	require.NoError(r.t, err)
	defer h.Close()
	res, err := h.Repair(ctx, r.id())
	require.NoError(r.t, err)
	return res
}

// edit changes a file of the state.
func (r *rig) edit(name string, f func([]byte) []byte) {
	r.t.Helper()
	b, err := os.ReadFile(r.file(name))
	require.NoError(r.t, err)
	require.NoError(r.t, os.WriteFile(r.file(name), f(b), 0o600))
}

// openError is what every way to open the workbench says.
func (r *rig) openError() error {
	r.t.Helper()
	h, err := OpenHome(r.home, Options{})
	require.NoError(r.t, err)
	defer h.Close()
	read, err := h.Read(ctx, r.id())
	if err == nil {
		defer read.Close()
	}
	_, werr := h.OpenFolder(ctx, r.dir)
	require.Equal(r.t, err == nil, werr == nil, "%v, %v", err, werr)
	if err != nil {
		require.Equal(r.t, err.Error(), werr.Error())
	}
	return err
}

func TestExamineWhole(t *testing.T) {
	r := stateRig(t)
	x := r.examine()
	require.Empty(t, x.Findings)
	require.Equal(t, 4, x.Contents)
	require.Equal(t, 4, x.Records)
	require.Equal(t, RepairResult{}, r.repair())
	require.NoDirExists(t, r.file(damagedDir))
}

// A database that is gone, empty or no database any more is never taken for one
// that was never begun, by readers and writers alike.
func TestLostDatabaseIsAnError(t *testing.T) {
	for name, damage := range map[string]func(path string) error{
		"gone":        os.Remove,
		"empty":       func(path string) error { return os.Truncate(path, 0) },
		"no database": func(path string) error { return os.WriteFile(path, bytes.Repeat([]byte("no"), 9000), 0o600) },
		"cut":         func(path string) error { return os.Truncate(path, 5000) },
	} {
		t.Run(name, func(t *testing.T) {
			r := stateRig(t)
			require.NoError(t, damage(r.file("workbench.db")))
			before, _ := os.ReadFile(r.file("workbench.db"))
			err := r.openError()
			require.ErrorIs(t, err, ErrDamaged)
			require.Contains(t, AsFault(err).Hint, "atelier doctor --repair --in "+quote.Argument(r.dir))
			after, _ := os.ReadFile(r.file("workbench.db"))
			require.Equal(t, before, after, "nothing was written")
			x := r.examine()
			require.True(t, x.Damaged())
			require.Equal(t, FindDatabase, x.Findings[0].Kind)
			require.True(t, x.Findings[0].Mendable)
		})
	}
}

// A workbench whose maker was killed before it began is no damage.
func TestNeverBegunIsNoDamage(t *testing.T) {
	r := newRig(t, nil)
	require.NoError(t, r.h.Close())
	require.NoError(t, os.Remove(r.file("workbench.db")))
	require.NoError(t, r.openError())
	require.Empty(t, r.examine().Findings)
}

// A damaged line is told and left out, and hides none of the lines after it: a bit
// in a text, a line end that is gone or one too many.
func TestDamagedLines(t *testing.T) {
	for name, c := range map[string]struct {
		damage func([]byte) []byte
		ids    []string
		lines  []int
	}{
		"in a text": {func(b []byte) []byte { return bytes.Replace(b, []byte(`"text":"a-1"`), []byte(`"text":"c-1"`), 1) }, []string{"u-1", "u-2", "t-2"}, []int{2}},
		"in the checksum": {func(b []byte) []byte {
			i := bytes.Index(b, []byte(sealStart)) + len(sealStart)
			b[i] ^= 1
			return b
		}, []string{"a-1", "u-2", "t-2"}, []int{1}},
		"a line end":        {func(b []byte) []byte { b[bytes.IndexByte(b, '\n')] ^= 4; return b }, []string{"u-1", "a-1", "u-2", "t-2"}, nil},
		"one too many":      {func(b []byte) []byte { b[bytes.IndexByte(b, '\n')+30] = '\n'; return b }, []string{"u-1", "u-2", "t-2"}, []int{2, 3}},
		"the last line end": {func(b []byte) []byte { b[len(b)-1] ^= 4; return b }, []string{"u-1", "a-1", "u-2", "t-2"}, nil},
		"no last line end":  {func(b []byte) []byte { return b[:len(b)-1] }, []string{"u-1", "a-1", "u-2", "t-2"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := stateRig(t)
			r.edit("conversation.jsonl", c.damage)
			var lines []int
			for _, f := range r.examine().Findings {
				require.Equal(t, FindConversation, f.Kind)
				lines = append(lines, f.Line)
			}
			if !strings.Contains(name, "last") { // which opening for writing mends
				require.Equal(t, c.lines, lines)
			}
			r.open()
			require.Equal(t, c.ids, r.ids())
			told := r.wb.Told()
			require.Equal(t, len(c.lines) > 0, len(told) == 1, "%v", told)
			r.say("u-3", TypeUser)
			require.Equal(t, append(c.ids, "u-3"), r.ids())
			require.Empty(t, r.wb.Told(), "told once")
			require.NoError(t, r.h.Close())
			res := r.repair()
			require.Len(t, res.Lost, len(c.lines))
			require.Empty(t, r.examine().Findings)
			r.open()
			require.Equal(t, append(c.ids, "u-3"), r.ids())
			if len(c.lines) > 0 {
				kept, err := os.ReadFile(filepath.Join(res.Aside, "conversation.jsonl"))
				require.NoError(t, err)
				require.Contains(t, string(kept), "-1", "the damaged file is kept")
			}
		})
	}
}

// A record of an older release has no checksum.
func TestLinesWithoutChecksum(t *testing.T) {
	r := stateRig(t)
	r.edit("conversation.jsonl", func(b []byte) []byte {
		return append(b, `{"type":"user_message","message_id":"u-old","text":"x"}`+"\n"...)
	})
	r.open()
	require.Equal(t, []string{"u-1", "a-1", "u-2", "t-2", "u-old"}, r.ids())
	require.Empty(t, r.wb.Told())
}
