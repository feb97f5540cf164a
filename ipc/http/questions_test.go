package httpapi

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const frameworkQuestion = `{"questions":[{"name":"framework","question":"Which testing framework should I use?",
	"schema":"{\"type\":\"string\",\"enum\":[\"Jest\",\"Vitest\",\"Mocha\"]}","buttons":[{"label":"Jest","value":"Jest"}]}]}`

func (r *rig) answers(question, body string) answer {
	r.t.Helper()
	return r.request("POST", "/api/v1/workspaces/"+r.ws+"/questions/"+question+"/answers", body)
}

// TestM15: the question of a tool call is answered at its own address, once,
// with answers that fit its schema (M-11).
func TestM15(t *testing.T) {
	r := newLiveRig(t)
	asked := r.result("ask_user", frameworkQuestion)
	assert.Equal(t, "question_pending", asked["status"])
	assert.Equal(t, map[string]any{"type": "string", "enum": []any{"Jest", "Vitest", "Mocha"}}, member(asked, "questions.0.schema"))
	id := asked["question_id"].(string)
	for body, status := range map[string]int{
		`{"answers":{"framework":"Ava"}}`:           400,
		`{"answers":{"framework":5}}`:               400,
		`{"answers":{}}`:                            400,
		`{"answers":{"framework":"Jest","more":1}}`: 400,
		`{"answers":null}`:                          400,
		`{"answers":"Jest"}`:                        400,
		`{}`:                                        400,
		`nonsense`:                                  400,
	} {
		a := r.answers(id, body)
		assert.Equal(t, status, a.Status, body)
		assert.Contains(t, a.Body, `"code":"VALIDATION_ERROR"`, body)
	}
	other := r.workspace("Two", r.ann)
	a := r.request("POST", "/api/v1/workspaces/"+other+"/questions/"+id+"/answers", `{"answers":{"framework":"Jest"}}`)
	assert.Equal(t, 404, a.Status, "another workspace's question")
	a = r.answers(id, `{"answers":{"framework":"Vitest"}}`)
	assert.Equal(t, 200, a.Status)
	assert.Equal(t, `{"success":true,"result":{"accepted":true},"error":null}`, a.Body)
	a = r.answers(id, `{"answers":{"framework":"Vitest"}}`)
	assert.Equal(t, 404, a.Status, "answered already")
	assert.Contains(t, a.Body, `"code":"NOT_FOUND"`)
	assert.Equal(t, 404, r.answers("nope", `{"answers":{}}`).Status)
	later := r.result("ask_user", frameworkQuestion)["question_id"].(string)
	assert.Greater(t, later, id, "ids are ordered by time (B15-04)")
}

// asking is a model that asks and then repeats the answer.
const asking = `
-- model-1 --
{"call":{"id":"tc-1","name":"ask_user","arguments":{"questions":[{"name":"go_on","question":"Go on?","schema":"{\"type\":\"string\",\"enum\":[\"Yes\",\"No\"]}"}]}}}
-- model-2 --
{"text":"Thank you."}
`

// TestM10: a run that asks announces it on the stream and waits; the answer
// becomes the tool's result (M-12).
func TestM10(t *testing.T) {
	r := newModelRig(t, asking)
	run := r.startRun("do it")
	var question sse
	r.follow(run, "", func(e sse) bool { question = e; return e.name == "question_pending" })
	require.Equal(t, "question_pending", question.name)
	id := question.data.Data["question_id"].(string)
	assert.Equal(t, "Go on?", member(question.data.Data, "questions.0.question"))
	assert.NotEmpty(t, question.data.Data["created_at"])
	assert.Equal(t, 400, r.answers(id, `{"answers":{"go_on":"Maybe"}}`).Status)
	assert.Equal(t, 200, r.answers(id, `{"answers":{"go_on":"Yes"}}`).Status)
	events := r.follow(run, "", nil)
	assert.Equal(t, "done", events[len(events)-1].name)
	var said struct {
		Result struct {
			Messages []struct {
				Type, Content string
			}
		}
	}
	a := r.request("GET", "/api/v1/workspaces/"+r.ws+"/conversation", "")
	require.NoError(t, json.Unmarshal([]byte(a.Body), &said))
	found := false
	for _, m := range said.Result.Messages {
		if m.Type == "tool_result" {
			found = true
			assert.JSONEq(t, `{"question_id":"`+id+`","answers":{"go_on":"Yes"}}`, m.Content)
		}
	}
	assert.True(t, found)
}

// TestM12Stop: a run that waits for an answer can be stopped.
func TestM12Stop(t *testing.T) {
	r := newModelRig(t, asking)
	run := r.startRun("do it")
	var question sse
	r.follow(run, "", func(e sse) bool { question = e; return e.name == "question_pending" })
	require.Equal(t, 200, r.request("POST", r.runsPath()+"/"+run+"/stop", "").Status)
	events := r.follow(run, "", nil)
	assert.Equal(t, "stopped", events[len(events)-1].name)
	assert.Equal(t, 404, r.answers(question.data.Data["question_id"].(string), `{"answers":{"go_on":"Yes"}}`).Status)
}

// planning is a model that writes a plan, has it accepted and starts to work.
const planning = `
-- model-1 --
{"call":{"id":"tc-1","name":"write","arguments":{"path":"/plans/bold-meadow-revelation.plan","content":"# Plan\n","file_type":"plan"}}}
-- model-2 --
{"call":{"id":"tc-2","name":"ask_user","arguments":{"questions":[{"name":"approval","question":"Ready?","schema":"{\"type\":\"string\",\"enum\":[\"Accept\",\"Reject\"]}"}]}}}
-- model-3 --
{"call":{"id":"tc-3","name":"exit_plan_mode","arguments":{"plan_file_path":"/plans/bold-meadow-revelation.plan"}}}
-- model-4 --
{"text":"Off we go."}
`

// TestM22: a run in plan mode writes a plan, has it accepted through the
// answer channel and switches to build mode; any other answer keeps plan mode
// (M-20).
func TestM22(t *testing.T) {
	r := newModelRig(t, planning)
	a := r.request("POST", r.runsPath(), `{"text":"plan it","catalogue":"buildscale","mode":"plan"}`)
	require.Equal(t, 200, a.Status, a.Body)
	var reply struct{ Result struct{ Run_id string } }
	require.NoError(t, json.Unmarshal([]byte(a.Body), &reply))
	var question sse
	r.follow(reply.Result.Run_id, "", func(e sse) bool { question = e; return e.name == "question_pending" })
	require.Equal(t, 200, r.answers(question.data.Data["question_id"].(string), `{"answers":{"approval":"Accept"}}`).Status)
	var names []string
	for _, e := range r.follow(reply.Result.Run_id, "", nil) {
		names = append(names, e.name)
		if e.name == "mode_changed" && e.data.Data["mode"] == "build" {
			assert.Equal(t, "/plans/bold-meadow-revelation.plan", e.data.Data["plan_file"])
		}
	}
	require.GreaterOrEqual(t, len(names), 2)
	assert.Equal(t, []string{"session_init", "mode_changed"}, names[:2], "the mode is set before the run begins, and told after its first event")
	assert.Contains(t, names, "file_updated", "the plan itself")
	assert.Equal(t, "done", names[len(names)-1])
	for body, field := range map[string]string{`{"text":"x","catalogue":"none"}`: "catalogue", `{"text":"x","mode":"none"}`: "mode"} {
		a := r.request("POST", r.runsPath(), body)
		assert.Equal(t, 400, a.Status)
		assert.Contains(t, a.Body, field)
	}
}
