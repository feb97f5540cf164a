package engine_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/workshop/agent"
	"atelier/workshop/approvals"
)

// M-10, M-14: rules over the API: the workbench's come before those of the
// settings; an answer for good is listed and can be taken back; headless runs
// are refused.
func TestM14ApprovalsOverTheAPI(t *testing.T) {
	e, srv := replayed(t, `
-- model-1 --
{"call":{"id":"tc-1","name":"write_text_file","arguments":{"path":"a/1.txt","content":"1"}}}
-- model-2 --
{"text":"One."}
-- model-3 --
{"call":{"id":"tc-2","name":"write_text_file","arguments":{"path":"a/2.txt","content":"2"}}}
-- model-4 --
{"text":"Two."}
-- model-5 --
{"call":{"id":"tc-3","name":"write_text_file","arguments":{"path":"a/3.txt","content":"3"}}}
-- model-6 --
{"text":"Three."}
`)
	id, _ := folder(t, e, nil)
	empty := must(t, e, "WorkshopGetApprovals", obj{"workbench_id": id})
	assert.Equal(t, obj{"rules": []any{}, "config_rules": []any{}, "granted": []any{}}, empty)
	rules := []obj{{"path": "a/**", "action": "ask"}}
	got := must(t, e, "WorkshopSetApprovals", obj{"workbench_id": id, "rules": rules})
	assert.Equal(t, []any{obj{"path": "a/**", "action": "ask"}}, got["rules"])
	for _, bad := range []any{[]obj{{"action": "perhaps"}}, []obj{{"action": "ask", "path": "a["}}, "ask"} {
		_, info := call(t, e, "WorkshopSetApprovals", obj{"workbench_id": id, "rules": bad})
		require.NotNil(t, info)
	}
	assert.Equal(t, got, must(t, e, "WorkshopGetApprovals", obj{"workbench_id": id}), "a refused change changes nothing")

	var asked []*approvals.Request
	var wait sync.WaitGroup
	defer e.Subscribe(func(n engine.Notification) {
		if q, ok := n.Params.(agent.QuestionPending); ok {
			asked = append(asked, q.Approval)
			wait.Go(func() {
				_, err := e.Call(context.Background(), "WorkshopAnswerQuestion", json.RawMessage(`{"workbench_id":"`+id+`","question_id":"`+q.QuestionID+`","answers":{"approval":"always"}}`))
				assert.NoError(t, err)
			})
		}
	})()
	run := func(more obj) string {
		p := obj{"workbench_id": id, "message_id": must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": "Write."})["message_id"]}
		for k, v := range more {
			p[k] = v
		}
		must(t, e, "WorkshopRunAgent", p)
		wait.Wait()
		ms := srv.Requests()[len(srv.Requests())-1].Messages
		return ms[len(ms)-1].Content
	}
	assert.Contains(t, run(nil), "Successfully")
	assert.Contains(t, run(nil), "Successfully")
	require.Len(t, asked, 1, "asked once for good")
	assert.Equal(t, []approvals.Use{{Effect: "write", Path: "a/1.txt"}}, asked[0].Uses)
	granted := must(t, e, "WorkshopGetApprovals", obj{"workbench_id": id})["granted"].([]any)
	require.Len(t, granted, 1)
	assert.Equal(t, "write_text_file", granted[0].(obj)["tool"])
	assert.Equal(t, "a/**", granted[0].(obj)["path"])
	got = must(t, e, "WorkshopSetApprovals", obj{"workbench_id": id, "granted": []any{}})
	assert.Empty(t, got["granted"])
	assert.NotEmpty(t, got["rules"], "what is left out stays")
	assert.Contains(t, run(obj{"headless": true}), "nobody is there to ask")
}
