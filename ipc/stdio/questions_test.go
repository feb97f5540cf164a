package stdio

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/llm/replay"
	"atelier/workshop/approvals"
)

// unattended serves a client that sends a message, runs it, and disconnects
// when the run asks a question. It returns the answer to the run.
func unattended(t *testing.T, fixture string, budget engine.Budget, rules ...approvals.Rule) (answer string, srv *replay.Server) {
	f, err := replay.Parse([]byte(fixture))
	require.NoError(t, err)
	srv, err = replay.NewServer(f, replay.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { srv.Close() })
	e, err := engine.New(engine.Options{Home: t.TempDir(), Model: "m", BaseURL: srv.URL, APIKey: "k", Budget: budget, Approvals: rules})
	require.NoError(t, err)
	t.Cleanup(func() { e.Close() })
	made, err := e.Call(context.Background(), "WorkbenchCreate", json.RawMessage(`{"name":"w"}`))
	require.NoError(t, err)
	id := made.(engine.WorkbenchCreated).WorkbenchID
	sent, err := e.Call(context.Background(), "WorkshopSendUserMessage", json.RawMessage(`{"workbench_id":"`+id+`","text":"Ask me."}`))
	require.NoError(t, err)

	pr, pw := io.Pipe()
	or, ow := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- Serve(context.Background(), e, pr, ow, Options{}); ow.Close() }()
	go io.WriteString(pw, `{"jsonrpc":"2.0","id":1,"method":"WorkshopRunAgent","params":{"workbench_id":"`+id+`","message_id":"`+sent.(engine.MessageRef).MessageID+`"}}`+"\n")
	lines := bufio.NewScanner(or)
	for lines.Scan() {
		switch l := lines.Text(); {
		case strings.Contains(l, "WorkshopQuestionPending"):
			pw.Close()
		case strings.Contains(l, `"id":1`):
			answer = l
		}
	}
	require.NoError(t, <-done)
	return answer, srv
}

// TestNobodyAnswersAfterTheEnd: a disconnected client answers no question, so
// runs that wait for it continue as unattended runs do (I-05, M-14).
// Otherwise they would block their workbench forever.
func TestNobodyAnswersAfterTheEnd(t *testing.T) {
	ask := `{"call":{"id":"tc-1","name":"ask_user","arguments":{"questions":[{"name":"n","question":"How many?","schema":"{}"}]}}}`
	t.Run("ask_user", func(t *testing.T) {
		answer, srv := unattended(t, "-- model-1 --\n"+ask+"\n-- model-2 --\n"+strings.Replace(ask, "tc-1", "tc-2", 1)+"\n-- model-3 --\n{\"text\":\"Nobody.\"}\n", engine.Budget{})
		require.Contains(t, answer, `"turns":3`)
		for i, r := range srv.Requests()[1:] {
			require.Equal(t, "Error: no user available to answer", r.Messages[len(r.Messages)-1].Content, "question %d", i)
		}
	})
	t.Run("approval", func(t *testing.T) {
		answer, srv := unattended(t, "-- model-1 --\n"+`{"call":{"id":"tc-1","name":"write_text_file","arguments":{"path":"a.txt","content":"x"}}}`+"\n-- model-2 --\n{\"text\":\"Nobody.\"}\n",
			engine.Budget{}, approvals.Rule{Tool: "*", Effect: "write", Action: approvals.Ask})
		require.Contains(t, answer, `"has_draft":false`)
		ms := srv.Requests()[1].Messages
		require.Contains(t, ms[len(ms)-1].Content, "the user has to approve write_text_file (write a.txt), and nobody is there to ask")
	})
	t.Run("budget", func(t *testing.T) {
		answer, srv := unattended(t, "-- model-1 --\n{\"text\":\"Never asked.\"}\n", engine.Budget{Tokens: 10})
		require.Contains(t, answer, `"error_code":"BUDGET_EXCEEDED"`)
		require.Empty(t, srv.Requests())
	})
}
