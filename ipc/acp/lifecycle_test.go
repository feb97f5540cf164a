package acp

import (
	"strings"
	"testing"
	"time"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/workshop"
)

// A session is stored: another connection lists it, loads its conversation, and
// refuses it for another folder.
func TestLoadAndList(t *testing.T) {
	r := newRig(t, `
-- model-1 --
{"text":"I read."}
{"call":{"id":"tc-1","name":"read_file","arguments":{"path":"notes.md"}}}
-- model-2 --
{"text":"It says x."}
`, map[string]string{"notes.md": "x"})
	r.prompt("Read it")
	require.NoError(t, r.end())
	r.connect(sdk.ClientCapabilities{})
	list, err := r.conn.ListSessions(t.Context(), sdk.ListSessionsRequest{Cwd: &r.dir})
	require.NoError(t, err)
	require.Len(t, list.Sessions, 1)
	require.Equal(t, r.id, list.Sessions[0].SessionId)
	_, err = r.conn.Prompt(t.Context(), sdk.PromptRequest{SessionId: r.id, Prompt: []sdk.ContentBlock{sdk.TextBlock("x")}})
	require.ErrorContains(t, err, "no session has this id", "it is not open in this connection")
	_, err = r.conn.LoadSession(t.Context(), sdk.LoadSessionRequest{SessionId: r.id, Cwd: t.TempDir(), McpServers: []sdk.McpServer{}})
	require.ErrorContains(t, err, "belongs to the folder")
	_, err = r.conn.LoadSession(t.Context(), sdk.LoadSessionRequest{SessionId: r.id, Cwd: r.dir, AdditionalDirectories: []string{"/elsewhere"}, McpServers: []sdk.McpServer{}})
	require.NoError(t, err)
	log := r.log()
	for _, want := range []string{`"text":"Read it"`, `"text":"I read."`, `"status":"completed","title":"read_file notes.md","toolCallId":"tc-1"`, `"text":"It says x."`} {
		require.Contains(t, log, want)
	}
	r.wait(func(u sdk.SessionUpdate) bool { return u.AvailableCommandsUpdate != nil })
	require.Eventually(t, func() bool { return strings.Contains(r.said(), "Additional folders are not used") }, waitFor, tick)
	_, err = r.conn.ResumeSession(t.Context(), sdk.ResumeSessionRequest{SessionId: r.id, Cwd: r.dir})
	require.NoError(t, err)
	s, err := r.conn.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: r.dir, McpServers: []sdk.McpServer{}})
	require.NoError(t, err)
	require.Equal(t, r.id, s.SessionId, "a folder has one conversation")
	require.Eventually(t, func() bool { return strings.Contains(r.said(), "1 message of yours came before") }, waitFor, tick)
}

// /translate writes into the draft and says how far it is; /discard asks.
func TestTranslateAndDiscard(t *testing.T) {
	r := newRig(t, "-- model-1 --\n{\"text\":\"unused\"}\n", map[string]string{"a b.md": "The manager signs.\n"}, func(o *engine.Options) { o.Model = engine.PseudoModel })
	r.prompt("/translate")
	require.Contains(t, r.said(), "Say the language")
	r.prompt(`/translate de "a b.md"`)
	require.Contains(t, r.said(), "Translation complete: 1 of 1 document")
	require.Contains(t, r.said(), "translated/de/a b.md")
	r.prompt("/translate xx-nonsense-language")
	require.Contains(t, r.said(), "/translate did not work")
	r.choose = func(sdk.RequestPermissionRequest) string { return "no" }
	r.prompt("/discard")
	require.Contains(t, r.said(), "The draft stays.")
	r.choose = nil
	r.prompt("/discard")
	r.prompt("/review")
	require.Contains(t, r.said(), "The draft changes nothing.")
	r.prompt("/undo now")
	require.Contains(t, r.said(), "/undo takes nothing")
}

// A long conversation is sent from its end, in no more updates than clients queue.
func TestLongConversationIsBounded(t *testing.T) {
	var records []workshop.Record
	for range 500 {
		records = append(records, workshop.Record{Type: workshop.TypeUser, Text: "go"}, workshop.Record{Type: workshop.TypeAssistant, Text: "a", ToolCalls: make([]workshop.RecordCall, 3)},
			workshop.Record{Type: workshop.TypeToolResult, Content: "b"})
	}
	left := leftOut(records)
	sent := 0
	for _, r := range records[left:] {
		sent += updatesOf(r)
	}
	require.LessOrEqual(t, sent, maxReplayed)
	require.Greater(t, sent+updatesOf(records[left-1]), maxReplayed, "as many as fit")
	require.Zero(t, leftOut(records[:300]))
	huge := []workshop.Record{{Type: workshop.TypeUser, Text: "go"}, {Type: workshop.TypeAssistant, ToolCalls: make([]workshop.RecordCall, maxReplayed+1)}}
	require.Equal(t, 2, leftOut(huge))
}

// A prompt that begins while its session is closed ends: it waits for no answer that
// nobody is asked for.
func TestCloseEndsPrompts(t *testing.T) {
	r := newRig(t, "\n-- model-* --\n"+`{"call":{"name":"write_text_file","arguments":{"path":"n.md","content":"x"}}}`+"\n", map[string]string{"a.md": "x"}, asking)
	r.choose = func(sdk.RequestPermissionRequest) string { return "no" }
	for i := range 60 {
		_, err := r.conn.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: r.dir, McpServers: []sdk.McpServer{}})
		require.NoError(t, err)
		text := []string{"go", "/translate en a.md"}[i%2]
		done := make(chan struct{})
		go func() {
			defer close(done)
			// It may come after the session is closed, which is an error.
			r.conn.Prompt(t.Context(), sdk.PromptRequest{SessionId: r.id, Prompt: []sdk.ContentBlock{sdk.TextBlock(text)}}) //nolint:errcheck // see above
		}()
		time.Sleep(time.Duration(i/2) * 500 * time.Microsecond)
		_, err = r.conn.CloseSession(t.Context(), sdk.CloseSessionRequest{SessionId: r.id})
		require.NoError(t, err)
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			t.Fatalf("prompt %d, %s, does not end", i, text)
		}
	}
}
