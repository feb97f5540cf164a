package acp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"atelier/engine"
	"atelier/ipc/jsonrpc"
)

// lines sends lines to an agent without the SDK, and returns its answers by id.
func lines(t *testing.T, e *engine.Engine, in ...string) map[string]json.RawMessage {
	t.Helper()
	var out bytes.Buffer
	pr, pw := io.Pipe()
	go func() {
		for _, l := range in {
			io.WriteString(pw, l+"\n")
		}
		time.Sleep(300 * time.Millisecond)
		pw.Close()
	}()
	require.NoError(t, Serve(context.Background(), e, pr, &out, Options{}))
	got := map[string]json.RawMessage{}
	for line := range strings.Lines(out.String()) {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		require.NoError(t, json.Unmarshal([]byte(line), &m), line)
		if m.Method == "" {
			got[string(m.ID)] = json.RawMessage(line)
		}
	}
	return got
}

// Garbage is answered, or dropped where it has no answer; the connection continues.
func TestGarbage(t *testing.T) {
	e, err := engine.New(engine.Options{Home: t.TempDir(), Model: engine.PseudoModel})
	require.NoError(t, err)
	defer e.Close()
	got := lines(t, e, "", "nonsense", "5", "[]", "{}", `{"id":{}}`, `{"id":1}`, `{"jsonrpc":"2.0","id":2,"result":null}`, `{"jsonrpc":"2.0","id":99,"result":{}}`,
		`{"jsonrpc":"2.0","id":{"a":1},"method":"initialize"}`, `{"jsonrpc":"2.0","method":"session/prompt","params":{}}`, `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"no"}}`,
		`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":{}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"no","prompt":[{"type":"text","text":"x"}]}}`,
		`{"jsonrpc":"2.0","id":4,"method":"session/new","params":{"cwd":"relative","mcpServers":[]}}`,
		`{"jsonrpc":"2.0","id":5,"method":"session/new","params":{"cwd":"/no/such/folder","mcpServers":[]}}`,
		`{"jsonrpc":"2.0","id":6,"method":"session/load","params":{"sessionId":"../..","cwd":"/tmp","mcpServers":[]}}`,
		`{"jsonrpc":"2.0","id":7,"method":"no/such","params":{}}`, `{"jsonrpc":"2.0","id":8,"method":"session/list","params":{"cursor":"-1"}}`,
		`{"jsonrpc":"2.0","id":9,"method":"session/prompt","params":"x"}`, `{"jsonrpc":"2.0","id":11,"method":"authenticate","params":{"methodId":"x"}}`,
		`{"jsonrpc":"2.0","id":10,"method":"initialize","params":{"protocolVersion":999}}`)
	for _, id := range []string{"1", "3", "4", "5", "6", "7", "8", "9", "11"} {
		require.Contains(t, string(got[id]), `"error"`, id)
	}
	require.Contains(t, string(got["10"]), `"protocolVersion":1`)
	require.Contains(t, string(got["4"]), "absolute path")
	require.Contains(t, string(got["6"]), "session/list names them")
}

// A line of 50 MB is answered and does not stay in memory; the next one is handled.
func TestHugeLine(t *testing.T) {
	e, err := engine.New(engine.Options{Home: t.TempDir(), Model: engine.PseudoModel})
	require.NoError(t, err)
	defer e.Close()
	got := lines(t, e, `{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"x":"`+strings.Repeat("x", 50<<20)+`"}}`, `{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":1}}`)
	require.Contains(t, string(got["null"]), "message too large")
	require.Contains(t, string(got["2"]), `"result"`)
}

// A client that never reads ends its connection once too much waits, and Serve
// returns although a write is stuck.
func TestClientThatNeverReads(t *testing.T) {
	e, err := engine.New(engine.Options{Home: t.TempDir(), Model: engine.PseudoModel})
	require.NoError(t, err)
	defer e.Close()
	pr, pw := io.Pipe()
	stuck, unread := io.Pipe()
	defer stuck.Close()
	done := make(chan error, 1)
	go func() { done <- Serve(context.Background(), e, pr, unread, Options{}) }()
	go func() {
		w := bufio.NewWriter(pw)
		long := strings.Repeat("m", 1<<20)
		for i := 0; ; i++ {
			if _, err := fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%d,"method":"%s"}`+"\n", i, long); err != nil || w.Flush() != nil {
				return
			}
		}
	}()
	select {
	case err := <-done:
		require.ErrorIs(t, err, jsonrpc.ErrNotRead)
	case <-time.After(60 * time.Second):
		t.Fatal("Serve waits for a client that does not read")
	}
	pr.Close()
}

// A session is canceled at any time, by each way of canceling; it ends well, can go
// on, and leaves no goroutine behind.
func TestCancelAtAnyTime(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	t.Run("sessions", func(t *testing.T) {
		r := newRig(t, `
-- model-* --
{"reasoning":"r"}
{"delay_ms":5}
{"text":"a ${n}"}
{"delay_ms":5}
{"call":{"name":"write_text_file","arguments":{"path":"n${n}.md","content":"x"}}}
`, map[string]string{"a.md": "x"}, asking)
		rnd := rand.New(rand.NewPCG(1, 2))
		r.choose = func(sdk.RequestPermissionRequest) string {
			return []string{"once", "no", "", "bad"}[rand.IntN(4)]
		}
		for i := range 25 {
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() {
				_, err := r.conn.Prompt(ctx, sdk.PromptRequest{SessionId: r.id, Prompt: []sdk.ContentBlock{sdk.TextBlock([]string{"go", "/review", "/plan", "/undo"}[i%4])}})
				done <- err
			}()
			time.Sleep(time.Duration(rnd.IntN(60)) * time.Millisecond)
			if i%3 == 0 {
				cancel()
			}
			require.NoError(t, r.conn.Cancel(t.Context(), sdk.CancelNotification{SessionId: r.id}))
			select {
			case err := <-done:
				var re *sdk.RequestError
				require.True(t, err == nil || errors.As(err, &re) || errors.Is(err, context.Canceled), "%v", err)
			case <-time.After(30 * time.Second):
				t.Fatal("the prompt does not end\n" + r.log())
			}
			cancel()
		}
		_, err := r.conn.CloseSession(t.Context(), sdk.CloseSessionRequest{SessionId: r.id})
		require.NoError(t, err)
		_, err = r.conn.Prompt(t.Context(), sdk.PromptRequest{SessionId: r.id, Prompt: []sdk.ContentBlock{sdk.TextBlock("x")}})
		require.ErrorContains(t, err, "no session has this id")
	})
}
