package engine_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/llm/replay"
	"atelier/workshop/agent"
)

// F-13: active files over the API, and what tools make of them (F-11, C-07,
// C-50).
func TestF13ActiveFiles(t *testing.T) {
	e := newEngine(t)
	id, _ := folder(t, e, map[string]string{"a.md": "cloud\n", "b.md": "b\n"})
	files := func(m obj) []any { return m["files"].([]any) }
	assert.Empty(t, files(must(t, e, "SessionListActiveFiles", obj{"session_id": id})))
	got := must(t, e, "SessionSetActiveFiles", obj{"session_id": id, "files": []obj{
		{"docPath": "W/A.md", "displayPath": "c:/w/A.md", "content": "aé\n", "isDirty": true, "isActive": true, "encoding": "ignored"},
		{"docPath": "x", "content": "", "isActive": false}}})
	assert.Equal(t, []any{
		obj{"docPath": "w/a.md", "displayPath": "c:/w/A.md", "sizeBytes": 4.0, "isDirty": true, "isActive": true},
		obj{"docPath": "x", "displayPath": "", "sizeBytes": 0.0, "isDirty": false, "isActive": false}}, files(got))
	assert.Equal(t, got, must(t, e, "SessionListActiveFiles", obj{"session_id": id}))
	tool := func(catalogue, name string, args obj) obj {
		return must(t, e, "ToolCall", obj{"workbench_id": id, "catalogue": catalogue, "tool": name, "args": args})
	}
	r := tool("aptix", "workspace.read_file", obj{"path": "w/a.md"})
	assert.Equal(t, false, r["success"])
	assert.Equal(t, "ALREADY_IN_CONTEXT", r["result"].(obj)["errorCode"])
	assert.Equal(t, id, r["result"].(obj)["sessionId"])
	assert.Equal(t, "VALIDATION_FAILED", r["error"].(obj)["error_code"], "A-06")
	for _, c := range []struct {
		catalogue, tool string
		args            obj
	}{
		{"workshop", "write_text_file", obj{"path": "a.md", "content": "x"}},
		{"buildscale", "write", obj{"path": "/a.md", "content": "x", "overwrite": true}},
		{"buildscale", "edit", obj{"path": "/a.md", "old_string": "cloud", "new_string": "x"}},
		{"buildscale", "rm", obj{"path": "/a.md"}},
		{"buildscale", "mv", obj{"source": "/a.md", "destination": "/c.md"}},
		{"buildscale", "mv", obj{"source": "/b.md", "destination": "/A.md"}},
		{"buildscale", "touch", obj{"path": "/a.md"}},
	} {
		r := tool(c.catalogue, c.tool, c.args)
		assert.Equal(t, false, r["success"], "%s %v", c.tool, r)
	}
	assert.Equal(t, obj{"text": "cloud\n"}, tool("workshop", "read_file", obj{"path": "a.md"})["result"], "C-07: other reads read the view")
	assert.Equal(t, true, tool("buildscale", "grep", obj{"pattern": "cloud"})["success"])
	assert.Equal(t, true, tool("buildscale", "write", obj{"path": "/b.md", "content": "x", "overwrite": true})["success"])
	must(t, e, "SessionSetActiveFiles", obj{"session_id": id, "merge": true, "remove": []string{"W/a.MD"}})
	assert.Len(t, files(must(t, e, "SessionListActiveFiles", obj{"session_id": id})), 1)
	assert.Equal(t, true, tool("workshop", "write_text_file", obj{"path": "a.md", "content": "x"})["success"])
	must(t, e, "SessionSetActiveFiles", obj{"session_id": id, "files": []obj{}})
	assert.Empty(t, files(must(t, e, "SessionListActiveFiles", obj{"session_id": id})))
	for _, p := range []obj{{"files": []obj{}}, {"session_id": id}, {"session_id": id, "files": []obj{{"docPath": " "}}}} {
		_, info := call(t, e, "SessionSetActiveFiles", p)
		require.NotNil(t, info)
		assert.Equal(t, "VALIDATION_FAILED", info.ErrorCode)
	}
}

// F-06: a docPath of a file's own, over the API.
func TestF06SetDocPath(t *testing.T) {
	e := newEngine(t)
	id, _ := folder(t, e, map[string]string{"a.md": "a\n", "b.md": "b\n"})
	assert.Equal(t, obj{"doc_path": "ajhaafaeradaky234wf"}, must(t, e, "WorkbenchSetDocPath", obj{"workbench_id": id, "path": "a.md", "doc_path": "AJHAAFAERADAKY234WF"}))
	r := must(t, e, "ToolCall", obj{"workbench_id": id, "catalogue": "aptix", "tool": "workspace_read_file", "args": obj{"path": "ajhaafaeradaky234wf"}})
	assert.Equal(t, "a\n", r["result"].(obj)["file"].(obj)["content"])
	_, info := call(t, e, "WorkbenchSetDocPath", obj{"workbench_id": id, "path": "b.md", "doc_path": "ajhaafaeradaky234wf"})
	require.NotNil(t, info)
	assert.Equal(t, "VALIDATION_FAILED", info.ErrorCode)
	assert.Equal(t, obj{"doc_path": "w/a.md"}, must(t, e, "WorkbenchSetDocPath", obj{"workbench_id": id, "path": "a.md", "doc_path": ""}))
}

// S-22: the sila catalogue over the API.
func TestS22ToolCall(t *testing.T) {
	e := newEngine(t)
	id, _ := folder(t, e, map[string]string{"a.md": "a\n"})
	r := must(t, e, "ToolCall", obj{"workbench_id": id, "catalogue": "sila", "tool": "read", "args": obj{"uri": "file:///a.md"}})
	assert.Equal(t, obj{"success": true, "result": obj{"uri": "file:///a.md", "content": "a\n"}, "error": nil}, r)
}

// replayed is an engine whose model is a record.
func replayed(t *testing.T, fixture string) (*engine.Engine, *replay.Server) {
	f, err := replay.Parse([]byte(fixture))
	require.NoError(t, err)
	srv, err := replay.NewServer(f, replay.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { srv.Close() })
	return newEngine(t, func(o *engine.Options) { o.BaseURL, o.APIKey, o.Model = srv.URL, "key", "replay" }), srv
}

// I-26, M-10…M-12: a question in a run, answered over the API. F-12, F-36,
// F-03: what the model of the aptix catalogue is told.
func TestI26QuestionInARun(t *testing.T) {
	e, srv := replayed(t, `
-- model-1 --
{"call":{"id":"tc-1","name":"ask_user","arguments":{"questions":[{"name":"n","question":"How many?","schema":"{\"type\":\"integer\"}"}]}}}
-- model-2 --
{"text":"Thanks."}
-- model-3 --
{"call":{"id":"tc-2","name":"workspace.read_file","arguments":{"path":"w/a.md"}}}
-- model-4 --
{"text":"Read."}
-- model-5 --
{"call":{"id":"tc-3","name":"ask_user","arguments":{"questions":[{"name":"n","question":"How many?","schema":"{}"}]}}}
-- model-6 --
{"text":"Nobody."}
`)
	id, _ := folder(t, e, map[string]string{"a.md": "cloud\n"})
	var refused []string
	var wait sync.WaitGroup
	defer e.Subscribe(func(n engine.Notification) {
		q, ok := n.Params.(agent.QuestionPending)
		if !ok {
			return
		}
		wait.Go(func() { // a client answers from outside
			for _, answers := range []string{`{"n":"three"}`, `{}`, `{"n":3}`} {
				_, err := e.Call(context.Background(), "WorkshopAnswerQuestion", json.RawMessage(`{"workbench_id":"`+id+`","question_id":"`+q.QuestionID+`","answers":`+answers+`}`))
				if err != nil {
					refused = append(refused, err.(*engine.ErrorInfo).ErrorCode)
				}
			}
		})
	})()
	run := func(text string, more obj) obj {
		p := obj{"workbench_id": id, "message_id": must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": text})["message_id"]}
		for k, v := range more {
			p[k] = v
		}
		return must(t, e, "WorkshopRunAgent", p)
	}
	run("Ask me.", nil)
	wait.Wait()
	assert.Equal(t, []string{"VALIDATION_FAILED", "VALIDATION_FAILED"}, refused, "M-11")
	last := func() string {
		ms := srv.Requests()[len(srv.Requests())-1].Messages
		return ms[len(ms)-1].Content
	}
	assert.Contains(t, last(), `"answers":{"n":3}`, "M-12")
	_, info := call(t, e, "WorkshopAnswerQuestion", obj{"workbench_id": id, "question_id": "none", "answers": obj{}})
	require.NotNil(t, info)
	assert.Contains(t, info.Detail, "Question not found", "M-11")

	must(t, e, "SessionSetActiveFiles", obj{"session_id": id, "files": []obj{{"docPath": "Other", "displayPath": "c:/Other", "content": "open\n"}}})
	run("Read a.md.", obj{"catalogue": "aptix"})
	assert.Contains(t, last(), `"content":"cloud\n"`, "C-01: the dotted name works in a run too")
	system := srv.Requests()[len(srv.Requests())-1].Messages[0].Content
	for _, rule := range []string{"It is opaque", "Identify the docPath", "Resolve which copy counts", "Fetch the full file before you edit", "never invent or guess", "No patches from snippets",
		"- w/a.md (text, 6 bytes)", "docPath=other displayPath=c:/Other sizeBytes=5 isDirty=false"} {
		assert.Contains(t, system, rule)
	}
	assert.Equal(t, "workspace_read_file", srv.Requests()[len(srv.Requests())-1].Tools[0].Function.Name)
	run("Ask me.", obj{"headless": true})
	assert.Equal(t, "Error: no user available to answer", last(), "M-14")
	_, info = call(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": "x"})["message_id"], "catalogue": "nope"})
	require.NotNil(t, info)
	assert.Contains(t, info.Detail, "unknown catalogue: nope")
}

// M-01, I-26: the mode over the API; tools called by hand obey it, and whoever
// calls exit_plan_mode by hand approves the plan (C-22, B16-03).
func TestM01SetMode(t *testing.T) {
	e := newEngine(t)
	id, _ := folder(t, e, nil)
	var changes []agent.ModeChanged
	defer e.Subscribe(func(n engine.Notification) {
		if m, ok := n.Params.(agent.ModeChanged); ok {
			changes = append(changes, m)
		}
	})()
	state := must(t, e, "WorkshopGetState", obj{"workbench_id": id})
	assert.Equal(t, "build", state["mode"])
	assert.Equal(t, obj{"mode": "plan", "plan_file": ""}, must(t, e, "WorkshopSetMode", obj{"workbench_id": id, "mode": "plan"}))
	must(t, e, "WorkshopSetMode", obj{"workbench_id": id, "mode": "plan"})
	_, info := call(t, e, "WorkshopSetMode", obj{"workbench_id": id, "mode": "Plan"})
	require.NotNil(t, info)
	tool := func(name string, args obj) obj {
		return must(t, e, "ToolCall", obj{"workbench_id": id, "catalogue": "buildscale", "tool": name, "args": args})
	}
	assert.Equal(t, false, tool("write", obj{"path": "/a.md", "content": "x"})["success"])
	assert.Equal(t, true, tool("write", obj{"path": "/plans/a-b-c.plan", "content": "1.", "file_type": "plan"})["success"])
	assert.Equal(t, obj{"mode": "build", "plan_file": "/plans/a-b-c.plan"}, tool("exit_plan_mode", obj{"plan_file_path": "plans/a-b-c.plan"})["result"])
	assert.Equal(t, true, tool("write", obj{"path": "/a.md", "content": "x"})["success"])
	state = must(t, e, "WorkshopGetState", obj{"workbench_id": id})
	assert.Equal(t, []any{"build", "/plans/a-b-c.plan"}, []any{state["mode"], state["plan_file"]})
	require.Len(t, changes, 2)
	assert.Equal(t, agent.ModeChanged{WorkbenchID: id, Mode: "build", PlanFile: "/plans/a-b-c.plan"}, agent.ModeChanged{WorkbenchID: changes[1].WorkbenchID, Mode: changes[1].Mode, PlanFile: changes[1].PlanFile})
	r := tool("ask_user", obj{"questions": []obj{{"name": "n", "question": "N?", "schema": "{}"}}})
	assert.True(t, strings.HasPrefix(r["result"].(obj)["status"].(string), "question_pending"))
	qid := r["result"].(obj)["question_id"]
	assert.Equal(t, obj{"accepted": true}, must(t, e, "WorkshopAnswerQuestion", obj{"workbench_id": id, "question_id": qid, "answers": obj{"n": 1}}))
}
