package engine

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/workshop"
	"atelier/workshop/agent"
	"atelier/workshop/approvals"
	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
)

func guestRig(t *testing.T, opt Options) (e *Engine, id, dir string) {
	t.Helper()
	dir = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\n"), 0o600))
	opt.Home, opt.Model = t.TempDir(), "pseudo"
	e, err := New(opt)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	id, err = e.GuestFolder(t.Context(), dir)
	require.NoError(t, err)
	return e, id, dir
}

func guestWrite(t *testing.T, e *Engine, id, path, text string) tools.Result {
	t.Helper()
	args, err := json.Marshal(map[string]string{"path": path, "content": text})
	require.NoError(t, err)
	r, err := e.Guest(t.Context(), GuestCall{Workbench: id, Catalogue: catalogue.Workshop(), Tool: "write_text_file", Args: args, Client: "test", ID: "c"})
	require.NoError(t, err)
	return r
}

// A guest's undo takes its own steps back one by one, and nothing that the person did
// meanwhile; a call that changes nothing is no step.
func TestGuestUndo(t *testing.T) {
	e, id, _ := guestRig(t, Options{})
	ctx := t.Context()
	_, err := e.GuestUndo(ctx, id)
	require.ErrorContains(t, err, "no change of these tools")
	require.True(t, guestWrite(t, e, id, "a.txt", "two\n").Success)
	require.True(t, guestWrite(t, e, id, "b.txt", "b\n").Success)
	require.False(t, guestWrite(t, e, id, "../c.txt", "c\n").Success)
	u, err := e.GuestUndo(ctx, id)
	require.NoError(t, err)
	require.True(t, u.HasDraft)
	hashes, err := e.DraftHashes(ctx, id)
	require.NoError(t, err)
	require.Len(t, hashes, 1, "b.txt is gone, a.txt stays")
	u, err = e.GuestUndo(ctx, id)
	require.NoError(t, err)
	require.False(t, u.HasDraft)

	require.True(t, guestWrite(t, e, id, "a.txt", "two\n").Success)
	wb, err := e.workbench(ctx, id)
	require.NoError(t, err)
	require.NoError(t, wb.Conversation().Append(workshop.Record{Type: workshop.TypeUser, MessageID: "u-1", Role: "user", Text: "hello"}))
	_, err = e.GuestUndo(ctx, id)
	require.ErrorContains(t, err, "only the user can undo")
	require.True(t, guestWrite(t, e, id, "a.txt", "three\n").Success)
	_, err = e.call(t, "DraftPublish", DraftPublishParams{WorkbenchID: id})
	require.NoError(t, err)
	_, err = e.GuestUndo(ctx, id)
	require.ErrorContains(t, err, "published since")
}

func (e *Engine) call(t *testing.T, method string, params any) (any, error) {
	t.Helper()
	b, err := json.Marshal(params)
	require.NoError(t, err)
	return e.Call(t.Context(), method, b)
}

// What a person agreed to is not published once the draft is another one.
func TestGuestPublishIsOfADigest(t *testing.T) {
	e, id, dir := guestRig(t, Options{})
	ctx := t.Context()
	digest, err := e.DraftDigest(ctx, id, nil)
	require.NoError(t, err)
	require.Empty(t, digest)
	guestWrite(t, e, id, "a.txt", "two\n")
	guestWrite(t, e, id, "sub/b.txt", "b\n")
	digest, err = e.DraftDigest(ctx, id, []string{"sub"})
	require.NoError(t, err)
	guestWrite(t, e, id, "sub/b.txt", "other\n")
	_, err = e.GuestPublish(ctx, id, []string{"sub"}, digest)
	require.ErrorContains(t, err, "the draft changed")
	require.NoFileExists(t, filepath.Join(dir, "sub", "b.txt"))
	digest, err = e.DraftDigest(ctx, id, []string{"sub"})
	require.NoError(t, err)
	guestWrite(t, e, id, "a.txt", "three\n") // another file than those that are published
	r, err := e.GuestPublish(ctx, id, []string{"sub"}, digest)
	require.NoError(t, err)
	require.Equal(t, []string{"sub/b.txt"}, r.Published)
}

// slowAsker never answers.
type slowAsker struct{}

// Ask implements tools.Asker.
func (slowAsker) Ask(ctx context.Context, _ tools.Asking) (tools.Answers, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// A call that waits for a person ends with its context, and lets the next one write.
func TestGuestThatIsGone(t *testing.T) {
	e, id, _ := guestRig(t, Options{Limits: agent.Limits{ToolTimeout: 400 * time.Millisecond}, Approvals: denyOrAsk()})
	ctx, cancel := context.WithTimeout(t.Context(), 1200*time.Millisecond)
	defer cancel()
	r, err := e.Guest(ctx, GuestCall{Workbench: id, Catalogue: catalogue.Workshop(), Tool: "write_text_file", Args: json.RawMessage(`{"path":"a.txt","content":"x"}`), Client: "test", ID: "c", Asker: slowAsker{}})
	require.NoError(t, err)
	require.False(t, r.Success)
	require.Error(t, ctx.Err(), "the time of the tool does not run while the person is asked")
	require.True(t, guestWrite(t, e, id, "b.txt", "b\n").Success)
}

func denyOrAsk() approvals.Policy {
	return approvals.Policy{{Path: "a.txt", Effect: approvals.Write, Action: approvals.Ask}}
}
