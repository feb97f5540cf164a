package engine_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/llm/replay"
)

// K-06: an answer is made anew on the files as they were when it was asked for;
// what was there before comes back by going to it, and can be left again.
func TestK06Regenerate(t *testing.T) {
	e, srv := replayed(t, `
-- model-1 --
{"call":{"id":"tc-1","name":"write_text_file","arguments":{"path":"a.txt","content":"first"}}}
-- model-2 --
{"text":"One."}
-- model-3 --
{"call":{"id":"tc-2","name":"write_text_file","arguments":{"path":"b.txt","content":"second"}}}
-- model-4 --
{"text":"Two."}
-- model-5 --
{"call":{"id":"tc-3","name":"write_text_file","arguments":{"path":"a.txt","content":"anew"}}}
-- model-6 --
{"text":"Three."}
-- model-7 --
{"status":400,"body":"{\"error\":{\"message\":\"no\"}}"}
`)
	id, _ := folder(t, e, nil)
	var methods []string
	var started engine.RegenerateStarted
	defer e.Subscribe(func(n engine.Notification) {
		if strings.Contains(n.Method, "Regenerate") {
			methods = append(methods, n.Method)
		}
		if p, ok := n.Params.(engine.RegenerateStarted); ok {
			started = p
		}
	})()
	ask := func(text string) (question, answer string) {
		question = must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": text})["message_id"].(string)
		return question, must(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": question})["message_id"].(string)
	}
	texts := func() (out []string) {
		for _, m := range must(t, e, "WorkshopGetConversation", obj{"workbench_id": id})["messages"].([]any) {
			if s, ok := m.(obj)["text"].(string); ok && s != "" {
				out = append(out, s)
			}
		}
		return out
	}
	draft := func(name string) string {
		r := must(t, e, "ToolCall", obj{"workbench_id": id, "tool": "read_file", "args": obj{"path": name}})
		if r["success"] == false {
			return ""
		}
		return r["result"].(obj)["text"].(string)
	}
	q1, a1 := ask("Write a.")
	_, a2 := ask("Write b.")
	for _, bad := range []obj{{"message_id": "a-0"}, {"message_id": a1, "catalogue": "none"}} {
		bad["workbench_id"] = id
		_, info := call(t, e, "WorkshopRegenerate", bad)
		require.NotNil(t, info)
	}
	assert.Empty(t, methods)
	assert.Equal(t, []string{"Write a.", "One.", "Write b.", "Two."}, texts(), "a refused call changes nothing")

	r := must(t, e, "WorkshopRegenerate", obj{"workbench_id": id, "message_id": a1})
	assert.Equal(t, a2, r["previous_message_id"])
	assert.Equal(t, engine.RegenerateStarted{WorkbenchID: id, FromMessageID: a1, TargetMessageID: q1, PreviousMessageID: a2}, started)
	assert.Equal(t, []string{"WorkshopRegenerateStarted", "WorkshopRegenerateCompleted"}, methods)
	assert.Equal(t, []string{"Write a.", "Three."}, texts())
	assert.Equal(t, "anew", strings.TrimSpace(draft("a.txt")))
	assert.Empty(t, draft("b.txt"))
	assert.Len(t, srv.Requests()[4].Messages, 2, "the model does not see the earlier answer")

	back := must(t, e, "WorkshopUndoToMessage", obj{"workbench_id": id, "message_id": a2})
	assert.Equal(t, a2, back["message_id"])
	assert.Equal(t, []string{"Write a.", "One.", "Write b.", "Two."}, texts())
	assert.Equal(t, "first", strings.TrimSpace(draft("a.txt")))
	assert.Equal(t, "second", strings.TrimSpace(draft("b.txt")))

	must(t, e, "WorkshopUndoToMessage", obj{"workbench_id": id, "message_id": r["message_id"]})
	assert.Equal(t, []string{"Write a.", "Three."}, texts())
	assert.Equal(t, "anew", strings.TrimSpace(draft("a.txt")))

	// The run fails, and what there was is named.
	_, info := call(t, e, "WorkshopRegenerate", obj{"workbench_id": id})
	require.NotNil(t, info)
	assert.Contains(t, info.Hint, r["message_id"])
	must(t, e, "WorkshopUndoToMessage", obj{"workbench_id": id, "message_id": r["message_id"]})
	assert.Equal(t, []string{"Write a.", "Three."}, texts())
}

// What a run would be refused for does not cost the answer there is (K-06).
func TestRegenerateRefusedChangesNothing(t *testing.T) {
	e, _ := replayed(t, `
-- model-1 --
{"text":"One."}
-- model-2 --
{"text":"Two."}
`)
	id, _ := folder(t, e, nil)
	question := must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": "Say one."})["message_id"].(string)
	must(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": question})
	started := false
	defer e.Subscribe(func(n engine.Notification) { started = started || n.Method == "WorkshopRegenerateStarted" })()
	refused := func(why string, p obj) {
		t.Helper()
		before := must(t, e, "WorkshopGetConversation", obj{"workbench_id": id})
		p["workbench_id"] = id
		_, info := call(t, e, "WorkshopRegenerate", p)
		require.NotNil(t, info, why)
		assert.Equal(t, engine.CodeValidationFailed, info.ErrorCode, why)
		assert.Equal(t, before, must(t, e, "WorkshopGetConversation", obj{"workbench_id": id}), why)
		assert.False(t, started, why)
	}
	refused("budget", obj{"budget": obj{"tokens": -1}})
	refused("price", obj{"budget": obj{"cost": 1}})
	refused("workflow", obj{"workflow": "none"})
	must(t, e, "WorkshopSetAgentic", obj{"workbench_id": id, "agentic": false})
	refused("agentic", obj{})
	must(t, e, "WorkshopSetAgentic", obj{"workbench_id": id, "agentic": true})
	must(t, e, "WorkshopSetMode", obj{"workbench_id": id, "mode": "plan"})
	refused("mode", obj{"workflow": "rpi"})
}

// I-09, K-06: a message that is sent while an answer is about to be made anew
// waits for the end of that; it isn't taken back with the earlier answer.
func TestRegenerateKeepsWhatIsSaidMeanwhile(t *testing.T) {
	f, err := replay.Parse([]byte("-- model-1 --\n{\"text\":\"One.\"}\n-- model-2 --\n{\"text\":\"Two.\"}\n"))
	require.NoError(t, err)
	model, err := replay.NewServer(f, replay.Options{})
	require.NoError(t, err)
	defer model.Close()
	at, err := url.Parse(model.URL)
	require.NoError(t, err)
	pass := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: at.Scheme, Host: at.Host})
	var e *engine.Engine
	var id, said string
	again := false
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if again && said == "" && !strings.HasSuffix(r.URL.Path, "/chat/completions") { // the window is asked for when a run begins
			said = must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": "And then?"})["message_id"].(string)
		}
		pass.ServeHTTP(w, r)
	}))
	defer srv.Close()
	e = newEngine(t, func(o *engine.Options) { o.BaseURL, o.APIKey, o.Model = srv.URL+at.Path, "key", "replay" })
	id, _ = folder(t, e, nil)
	question := must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": "Say a number."})["message_id"].(string)
	must(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": question})
	again = true
	must(t, e, "WorkshopRegenerate", obj{"workbench_id": id, "message_id": question, "model_id": "another"})
	require.NotEmpty(t, said)
	var texts []string
	for _, m := range must(t, e, "WorkshopGetConversation", obj{"workbench_id": id})["messages"].([]any) {
		if s, ok := m.(obj)["text"].(string); ok && s != "" {
			texts = append(texts, s)
		}
	}
	require.Equal(t, []string{"Say a number.", "Two.", "And then?"}, texts)
}
