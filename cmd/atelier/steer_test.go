package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm/replay"
)

// gated is a recorded model that answers only when the test allows it: asked
// gets a value for each request, which then waits for a value from let.
func gated(t *testing.T, record string) (srv *replay.Server, address string, asked, let chan struct{}) {
	t.Helper()
	f, err := replay.Parse([]byte(record))
	require.NoError(t, err)
	srv, err = replay.NewServer(f, replay.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { srv.Close() })
	to, err := url.Parse(srv.URL)
	require.NoError(t, err)
	asked, let = make(chan struct{}, 100), make(chan struct{}, 100)
	base := *to
	base.Path = ""
	proxy := httputil.NewSingleHostReverseProxy(&base)
	proxy.FlushInterval = -1
	gate := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
			http.NotFound(w, r) // requests for information about the model before a run
			return
		}
		body, err := io.ReadAll(r.Body) // only then is a disconnected client noticed
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if r.Method != http.MethodPost { // not for an answer
			proxy.ServeHTTP(w, r)
			return
		}
		asked <- struct{}{}
		select {
		case <-let:
			proxy.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(gate.Close)
	return srv, gate.URL + to.Path, asked, let
}

// Steering over stdio with the built program (W-13, W-52, W-55, I-07): while
// WorkshopRunAgent is in progress, a message of the user is accepted at once,
// joins the conversation in the right place, and nothing of it is lost when
// the program is killed.
func TestW55SteerOverStdio(t *testing.T) {
	srv, address, asked, let := gated(t, `
-- model-1 --
{"call":{"id":"tc-1","name":"write_text_file","arguments":{"path":"b.txt","content":"b"}}}
-- model-2 --
{"text":"Done."}
-- model-3 --
{"text":"Later is now."}
-- model-4 --
{"text":"And the one on its own."}
`)
	dir, home := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a"), 0o644))
	env := []string{"OPENAI_API_KEY=key", "OPENAI_BASE_URL=" + address, "ATELIER_MODEL=m"}
	a := startApp(t, home, env...)
	var made struct {
		WorkbenchID string `json:"workbench_id"`
	}
	a.call("WorkbenchCreate", obj{"name": "w", "root": dir}, &made)
	id := made.WorkbenchID
	type ref struct {
		MessageID string `json:"message_id"`
	}
	var first, now, after, own ref
	a.call("WorkshopSendUserMessage", obj{"workbench_id": id, "text": "Write b."}, &first)
	m, _ := a.reply(a.start("WorkshopSteerRun", obj{"workbench_id": id, "text": "x"}))
	require.Contains(t, string(m.Error.Data), "WorkshopSendUserMessage")

	run := a.start("WorkshopRunAgent", obj{"workbench_id": id, "message_id": first.MessageID})
	<-asked
	a.call("WorkshopSteerRun", obj{"workbench_id": id, "text": "Short."}, &now)
	a.call("WorkshopSteerRun", obj{"workbench_id": id, "text": "Then this.", "when": "after"}, &after)
	a.call("WorkshopSendUserMessage", obj{"workbench_id": id, "text": "On its own."}, &own)
	var state struct {
		Running bool
		Queued  []struct {
			MessageID string `json:"message_id"`
			When      string
		}
	}
	a.call("WorkshopGetState", obj{"workbench_id": id}, &state)
	require.True(t, state.Running)
	require.Len(t, state.Queued, 3)
	require.Equal(t, "hold", state.Queued[2].When)
	for _, bad := range []obj{{"text": " "}, {"text": "x", "when": "hold"}, {"text": string(make([]byte, 65<<10)) + "x"}} {
		bad["workbench_id"] = id
		m, _ := a.reply(a.start("WorkshopSteerRun", bad))
		require.NotNil(t, m.Error)
		require.Contains(t, string(m.Error.Data), "VALIDATION_FAILED")
	}
	for range 4 {
		let <- struct{}{}
	}
	m, end := a.reply(run)
	require.Nil(t, m.Error)
	for _, want := range []ref{now, after, own} {
		_, at := a.await(0, "taken", func(m message) bool {
			return m.Method == "WorkshopSteerTaken" && m.Params["message_id"] == want.MessageID
		})
		require.Less(t, at, end, "before the answer of the run")
	}
	conversation := func(a *app) (out []string) {
		var c struct{ Messages []struct{ Type, Text string } }
		a.call("WorkshopGetConversation", obj{"workbench_id": id}, &c)
		for _, m := range c.Messages {
			out = append(out, m.Type+" "+m.Text)
		}
		return out
	}
	want := []string{"user_message Write b.", "assistant_message ", "tool_result ", "user_message Short.", "assistant_message Done.",
		"user_message Then this.", "assistant_message Later is now.", "user_message On its own."}
	require.Equal(t, want, conversation(a))
	require.Equal(t, "Short.", srv.Requests()[1].Messages[4].Content)

	// A kill in the middle of the next run.
	run = a.start("WorkshopRunAgent", obj{"workbench_id": id, "message_id": own.MessageID})
	for range 3 {
		<-asked // two of the previous run
	}
	m, _ = a.reply(run)
	require.Nil(t, m.Error)
	m, _ = a.reply(a.start("WorkshopSendUserMessage", obj{"workbench_id": id, "text": "Once more."}))
	require.Nil(t, m.Error)
	var more ref
	a.call("WorkshopSendUserMessage", obj{"workbench_id": id, "text": "Now."}, &more)
	a.start("WorkshopRunAgent", obj{"workbench_id": id, "message_id": more.MessageID})
	<-asked
	a.call("WorkshopSteerRun", obj{"workbench_id": id, "text": "Do not lose this."}, &now)
	require.NoError(t, a.cmd.Process.Kill())
	a.cmd.Wait()
	b := startApp(t, home, env...)
	want = append(want, "assistant_message And the one on its own.", "user_message Once more.", "user_message Now.", "user_message Do not lose this.")
	require.Equal(t, want, conversation(b))
}
