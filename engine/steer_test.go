package engine_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/workshop/agent"
)

// W-13, W-55: what is said to a run that has ended is refused with what to do
// instead; the queue is bounded; a run that was cancelled leaves what was said
// in the conversation and is still the one to go on with (V-01).
func TestW55SteerOverTheAPI(t *testing.T) {
	e, _ := replayed(t, `
-- model-1 --
{"call":{"id":"tc-1","name":"ask_user","arguments":{"questions":[{"name":"n","question":"How many?","schema":"{}"}]}}}
-- model-2 --
{"text":"Good."}
`)
	id, _ := folder(t, e, map[string]string{"a.md": "a\n"})
	_, info := call(t, e, "WorkshopSteerRun", obj{"workbench_id": id, "text": "x"})
	require.NotNil(t, info)
	assert.Equal(t, "VALIDATION_FAILED", info.ErrorCode)
	assert.Contains(t, info.Hint, "WorkshopSendUserMessage")

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var said []string
	var wait sync.WaitGroup
	defer e.Subscribe(func(n engine.Notification) {
		if _, ok := n.Params.(agent.QuestionPending); !ok {
			return
		}
		wait.Go(func() { // the user does not answer but talks
			for range 100 {
				said = append(said, must(t, e, "WorkshopSteerRun", obj{"workbench_id": id, "text": "Stop."})["message_id"].(string))
			}
			for _, method := range []string{"WorkshopSteerRun", "WorkshopSendUserMessage"} {
				_, info := call(t, e, method, obj{"workbench_id": id, "text": "One more."})
				if assert.NotNil(t, info) {
					assert.Contains(t, info.Detail, "100 messages wait")
				}
			}
			cancel()
		})
	})()
	msg := must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": "Ask me."})["message_id"].(string)
	raw, err := json.Marshal(obj{"workbench_id": id, "message_id": msg})
	require.NoError(t, err)
	_, err = e.Call(ctx, "WorkshopRunAgent", raw)
	wait.Wait()
	require.ErrorContains(t, err, "canceled")
	require.Nil(t, must(t, e, "WorkshopGetState", obj{"workbench_id": id})["queued"])
	messages := must(t, e, "WorkshopGetConversation", obj{"workbench_id": id})["messages"].([]any)
	require.Len(t, messages, 3+100)
	for i, id := range said {
		m := messages[3+i].(obj)
		require.Equal(t, id, m["message_id"])
		require.Equal(t, msg, m["metadata"].(obj)["steers"])
	}
	must(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": msg})
}

// A message that comes while a server still loads the model is of the run, too
// (W-13).
func TestSteerWhileAModelLoads(t *testing.T) {
	v := newRemote(t, nil)
	var e *engine.Engine
	var id string
	var info *engine.ErrorInfo
	v.answer = func(_ int, w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/show" {
			io.WriteString(w, `{}`)
			return
		}
		if strings.HasPrefix(r.URL.Path, "/api/") {
			_, info = call(t, e, "WorkshopSteerRun", obj{"workbench_id": id, "text": "And be brief."})
			io.WriteString(w, `{"models":[{"name":"first","context_length":100000}]}`)
			return
		}
		io.WriteString(w, text("Done."))
	}
	e = newEngine(t, v.use, func(o *engine.Options) { o.BaseURL, o.Egress = "http://models.lan/v1", engine.EgressAllowAll })
	id, _ = folder(t, e, map[string]string{"a.txt": "alpha"})
	_, failed := runText(t, e, id, nil)
	require.Nil(t, failed)
	require.Nil(t, info)
	require.Len(t, v.bodies, 3, "the questions for the window and for images, and one request")
	require.True(t, strings.Contains(v.bodies[2], "And be brief."))
}
