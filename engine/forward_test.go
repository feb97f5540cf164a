package engine

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/workshop"
	"atelier/workshop/agent"
)

// directConn calls the Commands of another engine as a connection does: by JSON.
type directConn struct {
	commands *Commands
	calls    atomic.Int64
	dead     atomic.Bool // it ends when it is called
	closed   atomic.Bool // it has ended
}

func (d *directConn) Call(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	d.calls.Add(1)
	if d.dead.Load() {
		return nil, &HolderGone{Why: "it ended"}
	}
	r, err := d.commands.Call(ctx, method, params)
	if err != nil {
		var info *ErrorInfo
		if !errors.As(err, &info) {
			return nil, err
		}
		b, _ := json.Marshal(info)
		back := &ErrorInfo{}
		_ = json.Unmarshal(b, back)
		return nil, back
	}
	return json.Marshal(r)
}

func (d *directConn) Alive() bool { return !d.closed.Load() }

func (d *directConn) Close() error { return nil }

// forwarding returns an engine that has a folder open, and one whose calls on it go
// there.
func forwarding(t *testing.T) (holds, asks *Engine, conn *directConn, wb *workshop.Workbench, told *[]string) {
	t.Helper()
	home, dir := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.md"), []byte("one\n"), 0o644))
	holds, err := New(Options{Home: home, Address: "there", Model: PseudoModel})
	require.NoError(t, err)
	t.Cleanup(func() { holds.Close() })
	_, err = holds.OpenFolder(t.Context(), dir)
	require.NoError(t, err)
	conn, told = &directConn{}, new([]string)
	asks, err = New(Options{Home: home, Model: "another", Told: func(s string) { *told = append(*told, s) },
		Dial: func(_ context.Context, who workshop.Holder, _ string, notify func(string, json.RawMessage)) (HolderConn, error) {
			require.Equal(t, "there", who.Address)
			its, err := holds.As(Options{Model: "another"})
			require.NoError(t, err)
			conn.commands = its.Commands(CommandHost{Tell: func(string, any) {}})
			conn.commands.Subscribe(func(n Notification) {
				params, err := json.Marshal(n.Params)
				require.NoError(t, err)
				notify(n.Method, params)
			})
			return conn, nil
		}})
	require.NoError(t, err)
	t.Cleanup(func() { asks.Close() })
	wb, err = asks.OpenFolder(t.Context(), dir)
	require.NoError(t, err)
	require.True(t, wb.ReadOnly())
	return holds, asks, conn, wb, told
}

func callOf(t *testing.T, e *Engine, method string, params any) (any, error) {
	t.Helper()
	b, err := json.Marshal(params)
	require.NoError(t, err)
	return e.Call(t.Context(), method, b)
}

// Calls on a workbench that another process has open are done there, with the settings
// of the caller; results and notifications have the types that they have alone.
func TestForwardedCalls(t *testing.T) {
	holds, asks, conn, wb, _ := forwarding(t)
	var heard []Notification
	defer asks.Subscribe(func(n Notification) { heard = append(heard, n) })()
	r, err := callOf(t, asks, "ToolCall", map[string]any{"workbench_id": wb.ID(), "tool": "write_text_file", "args": map[string]any{"path": "b.md", "content": "two\n"}})
	require.NoError(t, err)
	require.True(t, r.(ToolCallResult).Success)
	require.IsType(t, DraftStateChanged{}, heard[0].Params)
	now, done, err := asks.Current(t.Context(), wb)
	require.NoError(t, err)
	defer done()
	require.True(t, now.Has(t.Context(), "b.md"))
	require.False(t, wb.Has(t.Context(), "b.md"), "what was opened first stays as it was")

	st, err := callOf(t, asks, "WorkshopGetState", WorkbenchRef{wb.ID()})
	require.NoError(t, err)
	require.Equal(t, "another", st.(WorkshopState).ActiveModelID)
	st, err = callOf(t, holds, "WorkshopGetState", WorkbenchRef{wb.ID()})
	require.NoError(t, err)
	require.Equal(t, PseudoModel, st.(WorkshopState).ActiveModelID)

	_, err = callOf(t, asks, "CheckpointRestore", CheckpointParams{WorkbenchID: wb.ID(), CheckpointID: "nothing"})
	var info *ErrorInfo
	require.ErrorAs(t, err, &info)
	before := conn.calls.Load()
	_, err = callOf(t, asks, "WorkbenchList", Empty{})
	require.NoError(t, err)
	require.Equal(t, before, conn.calls.Load(), "what concerns no workbench is done here")
	attach, err := json.Marshal(map[string]string{"workbench_id": wb.ID(), "root": wb.Root()})
	require.NoError(t, err)
	_, err = holds.Commands(CommandHost{}).Call(t.Context(), "WorkbenchAttach", attach)
	require.NoError(t, err)
	_, held, err := holds.Home().Holder(wb.ID())
	require.NoError(t, err)
	require.True(t, held, "it is opened again")
	require.False(t, holds.Has("command/gc"), "no client of the protocol can call a method of commands")
}

// When the other process has gone, the call says so, and the next ones are done here.
func TestForwardedCallToAProcessThatEnds(t *testing.T) {
	holds, asks, conn, wb, _ := forwarding(t)
	conn.dead.Store(true)
	_, err := callOf(t, asks, "DraftPublish", DraftPublishParams{WorkbenchID: wb.ID()})
	var info *ErrorInfo
	require.ErrorAs(t, err, &info)
	require.Contains(t, info.Detail, "which had the folder open, did not complete this: it ended")
	require.NoError(t, holds.Close())
	r, err := callOf(t, asks, "DraftPublish", DraftPublishParams{WorkbenchID: wb.ID()})
	require.NoError(t, err)
	require.Empty(t, r.(DraftPublishResult).Published)
	_, held, err := asks.Home().Holder(wb.ID())
	require.NoError(t, err)
	require.True(t, held)
}

// A process that ended since its last answer is not asked: the call is done here.
func TestForwardedCallAfterAProcessHasEnded(t *testing.T) {
	holds, asks, conn, wb, _ := forwarding(t)
	require.NoError(t, holds.Close())
	conn.closed.Store(true)
	_, err := callOf(t, asks, "DraftPublish", DraftPublishParams{WorkbenchID: wb.ID()})
	require.NoError(t, err)
	require.Zero(t, conn.calls.Load())
}

// What a result says beside its matter reaches the person of the command.
func TestForwardedNotes(t *testing.T) {
	_, asks, _, _, told := forwarding(t)
	asks.tellNotes(json.RawMessage(`{"published":[],"notes":["a content was damaged"]}`))
	asks.tellNotes(json.RawMessage(`"text"`))
	require.Equal(t, []string{"a content was damaged"}, *told)
}

// Every notification of the protocol can be decoded to its type; the time of a call
// comes with it.
func TestNotificationsOfAnotherProcess(t *testing.T) {
	e, err := New(Options{Home: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { e.Close() })
	var got []Notification
	defer e.Subscribe(func(n Notification) { got = append(got, n) })()
	for _, n := range Notifications() {
		e.heard(n.Name, json.RawMessage(`{"workbench_id":"w","seq":1}`))
		require.NotEmpty(t, got, n.Name)
		if _, ok := n.Params.FieldByName("WorkbenchID"); ok { // others are of no workbench
			require.Equal(t, "w", agent.WorkbenchOf(got[len(got)-1]), n.Name)
		}
	}
	require.Len(t, got, len(Notifications()))
	e.heard("WorkshopToolComplete", json.RawMessage(`{"workbench_id":"w","took":5000000}`))
	require.EqualValues(t, 5_000_000, got[len(got)-1].Params.(agent.ToolComplete).Elapsed)
	e.heard("Unknown", json.RawMessage(`{}`))
	e.heard("WorkshopToolComplete", json.RawMessage(`[]`))
	require.Len(t, got, len(Notifications())+1)
}
