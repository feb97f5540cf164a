package workshop

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"atelier/internal/campaign"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// K-08: a second process is told who has the workbench; reading works.
func TestK08SecondWriter(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "x"})
	r.put("a.txt", "draft")
	other, err := OpenHome(r.home, Options{})
	require.NoError(t, err)
	defer other.Close()
	_, err = other.Open(ctx, r.wb.ID())
	require.True(t, IsFault(err, Conflict))
	require.ErrorContains(t, err, fmt.Sprintf("in use by process %d", os.Getpid()))
	list, err := other.List(ctx)
	require.NoError(t, err)
	require.Len(t, list, 1)
	reader, err := OpenHome(r.home, Options{ReadOnly: true})
	require.NoError(t, err)
	defer reader.Close()
	wb, err := reader.Open(ctx, r.wb.ID())
	require.NoError(t, err)
	require.Equal(t, "draft", content(t, wb.DraftView(Cause{}), "a.txt"))
	_, err = wb.DraftView(Cause{}).Put(ctx, "a.txt", PutOptions{}, text("no"))
	require.Error(t, err)
	_, err = wb.Publish(ctx, PublishOptions{})
	require.True(t, IsFault(err, Forbidden))
}

// A folder that was moved is found again by its inode.
func TestMovedFolder(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "x"})
	r.put("a.txt", "draft")
	id := r.wb.ID()
	require.NoError(t, r.h.Close())
	moved := filepath.Join(t.TempDir(), "elsewhere")
	require.NoError(t, os.Rename(r.dir, moved))
	r.dir = moved
	r.open()
	require.Equal(t, id, r.wb.ID())
	require.Equal(t, "draft", content(t, r.draft(), "a.txt"))
	r.publish(PublishOptions{})
	require.Equal(t, "draft", r.disk()["a.txt"])
}

func TestCreateRefuses(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "x"})
	_, err := r.h.Create(ctx, "again", r.dir)
	require.True(t, IsFault(err, Conflict))
	_, err = r.h.Create(ctx, "file", filepath.Join(r.dir, "a.txt"))
	require.True(t, IsFault(err, Invalid))
	_, err = r.h.Create(ctx, "none", filepath.Join(r.dir, "none"))
	require.True(t, IsFault(err, NotFound))
	_, err = r.h.Create(ctx, "inside", r.home)
	require.True(t, IsFault(err, Invalid), "%v", err)
	for _, id := range []string{"..", "", "/", "a/b", "nope"} {
		require.True(t, IsFault(r.h.Delete(ctx, id), NotFound), id)
	}
}

// W-50…W-53: the records are these lines.
func TestW50RecordShapes(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	yes := true
	call := RecordCall{ID: "tc-1", Function: RecordFunction{Name: "read_file", Arguments: `{"path":"a"}`}}
	for want, r := range map[string]Record{
		`{"type":"user_message","message_id":"u-1","role":"user","text":"hi","created_at":"2026-01-02T03:04:05Z"}`:                                                                                                     {Type: TypeUser, MessageID: "u-1", Role: "user", Text: "hi", CreatedAt: at},
		`{"type":"assistant_message","message_id":"a-1","role":"assistant","text":"","tool_calls":[{"id":"tc-1","function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}}],"created_at":"2026-01-02T03:04:05Z"}`: {Type: TypeAssistant, MessageID: "a-1", Role: "assistant", ToolCalls: []RecordCall{call}, CreatedAt: at},
		`{"type":"tool_result","message_id":"tr-1","tool_call_id":"tc-1","content":"x","tool_name":"read_file","success":true,"created_at":"2026-01-02T03:04:05Z"}`:                                                    {Type: TypeToolResult, MessageID: "tr-1", ToolCallID: "tc-1", Content: "x", ToolName: "read_file", Success: &yes, CreatedAt: at},
	} {
		b, err := json.Marshal(r)
		require.NoError(t, err)
		require.JSONEq(t, want, string(b))
		var back Record
		require.NoError(t, json.Unmarshal(b, &back))
		require.Equal(t, r, back)
	}
}

// W-54: a torn last line is cut, never joined to the next; unknown members are
// ignored.
func TestW54TornTail(t *testing.T) {
	r := newRig(t, nil)
	c := r.wb.Conversation()
	require.NoError(t, c.Append(Record{Type: TypeUser, MessageID: "u-1", Role: "user", Text: "one"}))
	path := filepath.Join(r.wb.Dir(), "conversation.jsonl")
	for _, tail := range []string{`{"type":"user_mess`, `{"type":"user_message","message_id":"u-x","text":"whole but no newline"}`, "\x00\x00"} {
		before, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, append(before, tail...), 0o600))
		r.reopen()
		now, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(before), string(now))
		require.NoError(t, r.wb.Conversation().Append(Record{Type: TypeAssistant, MessageID: "a-1", Text: "next"}))
	}
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, append(b, "{\"type\":\"new_kind\",\"message_id\":\"z\",\"later\":{\"x\":1}}\nnonsense\n"...), 0o600))
	rs, err := r.wb.Conversation().Records()
	require.NoError(t, err)
	require.Len(t, rs, 5)
	require.Equal(t, "new_kind", rs[4].Type)
}

// W-18: a tool result can be recalled; W-13: one run at a time.
func TestToolLogAndRunLock(t *testing.T) {
	r := newRig(t, nil)
	id, err := r.wb.LogTool(ctx, ToolLogEntry{Tool: "read_file", CallID: "c", Args: "{}", Result: "long", Success: true, Elapsed: 5 * time.Millisecond})
	require.NoError(t, err)
	r.reopen()
	e, err := r.wb.ToolLog(ctx, id)
	require.NoError(t, err)
	require.Equal(t, "long", e.Result)
	_, err = r.wb.ToolLog(ctx, 99)
	require.True(t, IsFault(err, NotFound))
	end, err := r.wb.Begin(ActRun)
	require.NoError(t, err)
	_, err = r.wb.Begin(ActPublish)
	require.True(t, IsFault(err, Conflict))
	require.ErrorIs(t, err, Busy{ActRun})
	require.Contains(t, AsFault(err).Hint, "cancel it")
	end()
	end() // once more changes nothing
	end, err = r.wb.Begin(ActPublish)
	require.NoError(t, err)
	require.Equal(t, ActPublish, r.wb.Activity())
	_, err = r.wb.Begin(ActRun)
	require.EqualError(t, err, "a publish is already in progress in this workbench")
	end()
	require.Empty(t, r.wb.Activity())
	require.NoError(t, r.wb.SetSetting(ctx, "k", "v"))
	v, err := r.wb.Setting(ctx, "k")
	require.NoError(t, err)
	require.Equal(t, "v", v)
}

// The log says whose content a result carries, where somebody noted it; a reader
// also reads the log of a program that noted nothing.
func TestToolLogSources(t *testing.T) {
	r := newRig(t, nil)
	for _, files := range [][]string{{"a.txt", "b \"c\".txt"}, {}, nil} {
		_, err := r.wb.LogTool(ctx, ToolLogEntry{Tool: "read_file", Sources: files})
		require.NoError(t, err)
	}
	r.reopen()
	log, err := r.wb.ToolLogAfter(ctx, 0, 10)
	require.NoError(t, err)
	require.Equal(t, []string{"a.txt", "b \"c\".txt"}, log[0].Sources)
	require.NotNil(t, log[1].Sources)
	require.Empty(t, log[1].Sources)
	require.Nil(t, log[2].Sources)

	_, err = r.wb.db.Exec(`ALTER TABLE tool_log DROP COLUMN sources`)
	require.NoError(t, err)
	id := r.wb.ID()
	require.NoError(t, r.wb.Close())
	reader, err := r.h.Read(ctx, id)
	require.NoError(t, err)
	e, err := reader.ToolLog(ctx, 1)
	require.NoError(t, err)
	require.Nil(t, e.Sources)
	require.NoError(t, reader.Close())
	r.reopen()
	_, err = r.wb.LogTool(ctx, ToolLogEntry{Tool: "read_file", Sources: []string{"c.txt"}})
	require.NoError(t, err)
	e, err = r.wb.ToolLog(ctx, 4)
	require.NoError(t, err)
	require.Equal(t, []string{"c.txt"}, e.Sources)
}

// Files leave a trace with the workbench: those that are there, and those that
// were published, drafted or read.
func TestKnownPaths(t *testing.T) {
	r := newRig(t, map[string]string{"there.txt": "x", "read.txt": "y"})
	r.wb.keepHashes(ctx, map[Path]hashed{"read.txt": {hash: "00"}}) // as reading it does, once it is not young
	require.NoError(t, os.Remove(filepath.Join(r.dir, "read.txt")))
	r.put("published.txt", "x")
	r.publish(PublishOptions{})
	require.NoError(t, os.Remove(filepath.Join(r.dir, "published.txt")))
	r.put("drafted.txt", "x")
	require.NoError(t, r.wb.Discard(ctx, nil))
	known, err := r.wb.KnownPaths(ctx)
	require.NoError(t, err)
	require.Equal(t, []Path{"drafted.txt", "published.txt", "read.txt", "there.txt"}, known)
}

// TestDraftAgainstAModel runs random sequences of changes, publishes, discards
// and restarts against maps in memory.
func TestDraftAgainstAModel(t *testing.T) {
	campaign.Checks(t, 80)
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp("", "model")
		require.NoError(rt, err)
		defer os.RemoveAll(dir)
		r := &rig{t: t, home: filepath.Join(dir, "home"), dir: filepath.Join(dir, "root")}
		require.NoError(rt, os.MkdirAll(r.dir, 0o755))
		r.open()
		defer func() { r.h.Close() }()
		published, draft := map[string]string{}, map[string]string{}
		name := rapid.SampledFrom([]string{"a.txt", "b.txt", "d/a.txt", "d/e/f.txt", "g/h.txt"})
		for range rapid.IntRange(1, 15).Draw(rt, "steps") {
			p := name.Draw(rt, "path")
			_, there := draft[p]
			switch rapid.IntRange(0, 6).Draw(rt, "op") {
			case 0, 1:
				s := rapid.SampledFrom([]string{"", "x", "yy"}).Draw(rt, "text")
				r.put(p, s)
				draft[p] = s
			case 2:
				err := r.draft().Remove(ctx, Path(p))
				require.Equal(rt, there, err == nil, "%v", err)
				delete(draft, p)
			case 3:
				q := name.Draw(rt, "to")
				_, taken := draft[q]
				err := r.draft().Move(ctx, Path(p), Path(q))
				require.Equal(rt, there && !taken, err == nil, "%s to %s: %v", p, q, err)
				if err == nil {
					draft[q] = draft[p]
					delete(draft, p)
				}
			case 4:
				r.publish(PublishOptions{})
				published = clone(draft)
			case 5:
				require.NoError(rt, r.wb.Discard(ctx, nil))
				draft = clone(published)
			case 6:
				r.reopen()
			}
			require.Equal(rt, draft, tree(t, r.draft()))
			require.Equal(rt, published, r.disk())
		}
	})
}

func clone(m map[string]string) map[string]string {
	out := map[string]string{}
	for k, v := range m {
		out[k] = v
	}
	return out
}

// A data folder may have any name, also one with characters of URLs.
func TestHomeOfAnyName(t *testing.T) {
	home := filepath.Join(t.TempDir(), "100% data #1 ñ; a=b&c")
	h, err := OpenHome(home, Options{})
	require.NoError(t, err)
	defer h.Close()
	wb, err := h.OpenFolder(ctx, t.TempDir())
	require.NoError(t, err)
	_, err = wb.DraftView(Cause{}).Put(ctx, "a.txt", PutOptions{}, text("x"))
	require.NoError(t, err)
	_, err = os.Stat(filepath.Join(wb.Dir(), "workbench.db"))
	require.NoError(t, err, "the database is where it belongs")
}
