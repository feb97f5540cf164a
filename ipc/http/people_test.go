package httpapi

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A message to a run reaches its model; a run that has ended accepts none.
func TestSteerOverHTTP(t *testing.T) {
	r := newModelRig(t, asking)
	run := r.startRun("do it")
	var question string
	r.follow(run, "", func(e sse) bool {
		question, _ = e.data.Data["question_id"].(string)
		return e.name == "question_pending"
	})
	messages := r.runsPath() + "/" + run + "/messages"
	for _, body := range []string{`{}`, `{"text":" "}`, `{"text":"x","when":"soon"}`, `nonsense`} {
		a := r.request("POST", messages, body)
		assert.Equal(t, 400, a.Status, "%s: %s", body, a.Body)
	}
	a := r.request("POST", messages, `{"text":"And in French."}`)
	require.Equal(t, 200, a.Status, a.Body)
	assert.Contains(t, a.Body, `"message_id":"u-`)
	require.Equal(t, 200, r.answers(question, `{"answers":{"go_on":"Yes"}}`).Status)
	events := r.follow(run, "", nil)
	assert.Equal(t, "done", events[len(events)-1].name)
	taken := false
	for _, e := range events {
		taken = taken || e.name == "thought" && e.data.Data["kind"] == "message_taken"
	}
	assert.True(t, taken)
	assert.Contains(t, r.request("GET", "/api/v1/workspaces/"+r.ws+"/conversation", "").Body, "And in French.")
	assert.Equal(t, 409, r.request("POST", messages, `{"text":"late"}`).Status)
	assert.Equal(t, 404, r.request("POST", r.runsPath()+"/nope/messages", `{"text":"x"}`).Status)
}

// The budget of a run asks on the stream; the usage can be queried.
func TestBudgetOverHTTP(t *testing.T) {
	r := newModelRig(t, asking)
	a := r.request("POST", r.runsPath(), `{"text":"do it","budget":{"tokens":10},"workflow":"agent"}`)
	require.Equal(t, 200, a.Status, a.Body)
	var reply struct{ Result struct{ Run_id string } }
	require.NoError(t, json.Unmarshal([]byte(a.Body), &reply))
	run := reply.Result.Run_id
	var q sse
	r.follow(run, "", func(e sse) bool { q = e; return e.name == "question_pending" })
	assert.Equal(t, "budget", member(q.data.Data, "questions.0.name"))
	require.Equal(t, 200, r.answers(q.data.Data["question_id"].(string), `{"answers":{"budget":"stop"}}`).Status)
	events := r.follow(run, "", nil)
	last := events[len(events)-1]
	assert.Equal(t, "error", last.name)
	assert.Equal(t, "BUDGET_EXCEEDED", last.data.Data["code"])

	usage := "/api/v1/workspaces/" + r.ws + "/usage"
	a = r.request("GET", usage+"?limit=5", "")
	assert.Equal(t, 200, a.Status, a.Body)
	assert.Contains(t, a.Body, `"totals"`)
	assert.Equal(t, 400, r.request("GET", usage+"?limit=none", "").Status)
	assert.Equal(t, 400, r.request("GET", usage+"?before=x", "").Status)
}

// Rules are set and queried; the workspace of the path counts.
func TestApprovalsOverHTTP(t *testing.T) {
	r := newModelRig(t, `
-- model-1 --
{"call":{"id":"tc-1","name":"write_text_file","arguments":{"path":"a.txt","content":"x"}}}
-- model-2 --
{"text":"As you wish."}
`)
	path := "/api/v1/workspaces/" + r.ws + "/approvals"
	assert.Equal(t, 400, r.request("PUT", path, `{"rules":[{"action":"perhaps"}]}`).Status)
	for body, says := range map[string]string{
		`{"rules":[{"pathh":"*.txt","action":"allow"}]}`: "pathh",
		`{"ruels":[{"path":"*.txt","action":"ask"}]}`:    "send `rules`",
	} {
		a := r.request("PUT", path, body)
		assert.Equal(t, 400, a.Status, a.Body)
		assert.Contains(t, a.Body, says)
	}
	// An invalid run is refused before its message is stored.
	for body, says := range map[string]string{
		`{"text":"Go","workflow":"fast"}`:      "workflow is one of agent, rpi, auto",
		`{"text":"Go","budget":{"tokens":-1}}`: "tokens of the budget must be 0 or more",
	} {
		a := r.request("POST", "/api/v1/workspaces/"+r.ws+"/runs", body)
		assert.Equal(t, 400, a.Status, a.Body)
		assert.Contains(t, a.Body, says)
	}
	assert.NotContains(t, r.request("GET", "/api/v1/workspaces/"+r.ws+"/conversation", "").Body, `"Go"`)
	a := r.request("PUT", path, `{"workbench_id":"another","rules":[{"path":"*.txt","action":"ask"}]}`)
	require.Equal(t, 200, a.Status, a.Body)
	assert.Contains(t, r.request("GET", path, "").Body, `"path":"*.txt"`)

	run := r.startRun("write")
	var q sse
	r.follow(run, "", func(e sse) bool { q = e; return e.name == "question_pending" })
	assert.Equal(t, "write_text_file", member(q.data.Data, "approval.tool"))
	require.Equal(t, 200, r.answers(q.data.Data["question_id"].(string), `{"answers":{"approval":"no: not now"}}`).Status)
	r.follow(run, "", nil)
	assert.Contains(t, r.request("GET", "/api/v1/workspaces/"+r.ws+"/conversation", "").Body, "not now")
	assert.Contains(t, r.request("GET", "/api/v1/workspaces/"+r.ws+"/draft", "").Body, `"has_draft":false`)
}
