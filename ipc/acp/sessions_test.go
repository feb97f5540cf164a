package acp

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"atelier/internal/campaign"
)

// randomSessions is how many connections TestRandomSessions makes in a full campaign, and
// ofOneFolder how many of them are to one folder: its conversation gets longer with each.
const (
	randomSessions = 1000
	ofOneFolder    = 20
)

const sessionsModel = `
-- model-* --
{"reasoning":"r"}
{"delay_ms":3}
{"text":"a ${n}"}
{"call":{"name":"write_text_file","arguments":{"path":"n${n}.md","content":"x"}}}
`

// Editors that open, load and resume sessions, prompt, cancel, change modes, publish,
// undo, close and vanish, in any order and several at a time, get one answer for each
// request; the folder changes only when the person agreed to publish, or undid it; and no
// goroutine, process or temporary file is left.
func TestRandomSessions(t *testing.T) {
	n := randomSessions
	switch {
	case campaign.Small() || testing.Short():
		n /= 100
	case !campaign.Full():
		n /= 8
	}
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	ends := map[string]int{} // why prompts ended
	rnd := rand.New(rand.NewPCG(campaign.Seed(), 110))
	for i := 0; i < n; i += ofOneFolder {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			r := newRig(t, sessionsModel, map[string]string{"a.md": "x"}, asking)
			require.NoError(t, r.end())
			for j := i; j < min(n, i+ofOneFolder); j++ {
				randomSession(t, r, rand.New(rand.NewPCG(rnd.Uint64(), uint64(j))), j, ends)
			}
			r.connect(sdk.ClientCapabilities{})
			_, err := r.conn.LoadSession(t.Context(), sdk.LoadSessionRequest{SessionId: r.id, Cwd: r.dir, McpServers: []sdk.McpServer{}})
			require.NoError(t, err, "the conversation can be read")
		})
	}
	t.Logf("%d sessions; prompts ended with %v", n, ends)
	for _, want := range []string{"end_turn", "cancelled", "error"} {
		require.True(t, n < 100 || ends[want] > 0, "%v", ends)
	}
	left, err := filepath.Glob(filepath.Join(temp, "*"))
	require.NoError(t, err)
	require.Empty(t, left, "temporary files")
	require.Empty(t, children(t), "processes")
}

// randomSession is one connection.
func randomSession(t *testing.T, r *rig, rnd *rand.Rand, number int, ends map[string]int) {
	before := folderText(t, r.dir)
	var mayChange atomic.Bool // the folder
	r.connect(sdk.ClientCapabilities{Fs: sdk.FileSystemCapabilities{ReadTextFile: rnd.IntN(2) == 0, WriteTextFile: rnd.IntN(2) == 0}})
	answers := rnd.Uint64()
	r.choose = func(p sdk.RequestPermissionRequest) string {
		options := []string{"", "bad"}
		for _, o := range p.Options {
			options = append(options, string(o.OptionId))
		}
		chosen := options[int(answers>>(len(r.asked)%16))%len(options)]
		if chosen == "publish" {
			mayChange.Store(true)
		}
		return chosen
	}
	servers := []sdk.McpServer{}
	var err error
	switch rnd.IntN(3) {
	case 0:
		_, err = r.conn.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: r.dir, McpServers: servers})
	case 1:
		_, err = r.conn.LoadSession(t.Context(), sdk.LoadSessionRequest{SessionId: r.id, Cwd: r.dir, McpServers: servers})
	case 2:
		_, err = r.conn.ResumeSession(t.Context(), sdk.ResumeSessionRequest{SessionId: r.id, Cwd: r.dir, McpServers: servers})
	}
	require.NoError(t, err)
	var wg sync.WaitGroup
	var mu sync.Mutex // protects ends
	var seen []string
	for range 1 + rnd.IntN(6) {
		name, do := randomRequest(r, rnd)
		seen = append(seen, name)
		if strings.Contains(name, "/undo") {
			mayChange.Store(true)
		}
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute) // a prompt may have 50 turns
			defer cancel()
			end, err := do(ctx)
			if strings.HasPrefix(name, "prompt") {
				mu.Lock()
				ends[end]++
				mu.Unlock()
			}
			var re *sdk.RequestError
			if err != nil && !errors.As(err, &re) || ctx.Err() != nil {
				t.Errorf("session %d: %s of %v: %v", number, name, seen, err)
			}
		})
		time.Sleep(time.Duration(rnd.IntN(15)) * time.Millisecond)
		if rnd.IntN(4) == 0 {
			wg.Wait()
		}
	}
	if rnd.IntN(2) == 0 {
		wg.Wait()
	}
	require.NoError(t, r.end(), "session %d: %v", number, seen)
	wg.Wait()
	if !mayChange.Load() {
		require.Equal(t, before, folderText(t, r.dir), "session %d: %v", number, seen)
	}
}

// folderText returns the files of a folder with their content.
func folderText(t *testing.T, dir string) string {
	var sb strings.Builder
	require.NoError(t, filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		fmt.Fprintf(&sb, "%s %q\n", p, b)
		return err
	}))
	return sb.String()
}

// randomRequest returns something that an editor may ask for.
func randomRequest(r *rig, rnd *rand.Rand) (name string, do func(context.Context) (end string, err error)) {
	prompts := []string{"go", "once more", "/review", "/plan do it", "/undo", "/discard", "/publish", "/continue", "/compact", "/translate en a.md", "/nosuch", strings.Repeat("long ", 1000)}
	modes := []sdk.SessionModeId{"ask", "plan", "work", "nosuch"}
	text, mode, conn, id := prompts[rnd.IntN(len(prompts))], modes[rnd.IntN(len(modes))], r.conn, r.id
	switch rnd.IntN(8) {
	case 0:
		return "cancel", func(ctx context.Context) (string, error) {
			return "", conn.Cancel(ctx, sdk.CancelNotification{SessionId: id})
		}
	case 1:
		return "mode " + string(mode), func(ctx context.Context) (string, error) {
			_, err := conn.SetSessionMode(ctx, sdk.SetSessionModeRequest{SessionId: id, ModeId: mode})
			return "", err
		}
	case 2:
		return "list", func(ctx context.Context) (string, error) {
			_, err := conn.ListSessions(ctx, sdk.ListSessionsRequest{})
			return "", err
		}
	case 3:
		if rnd.IntN(2) == 0 {
			return "close", func(ctx context.Context) (string, error) {
				_, err := conn.CloseSession(ctx, sdk.CloseSessionRequest{SessionId: id})
				return "", err
			}
		}
	}
	return fmt.Sprintf("prompt %.20q", text), func(ctx context.Context) (string, error) {
		r, err := conn.Prompt(ctx, sdk.PromptRequest{SessionId: id, Prompt: []sdk.ContentBlock{sdk.TextBlock(text)}})
		if err != nil {
			return "error", err
		}
		return string(r.StopReason), nil
	}
}

// children returns the ids of the processes that this one started and that are there
// still, where the system tells.
func children(t *testing.T) (ids []string) {
	t.Helper()
	tasks, err := filepath.Glob("/proc/self/task/*/children")
	require.NoError(t, err)
	for _, f := range tasks {
		if b, err := os.ReadFile(f); err == nil { // a thread may have ended
			ids = append(ids, strings.Fields(string(b))...)
		}
	}
	return ids
}
