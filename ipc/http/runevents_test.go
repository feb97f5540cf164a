package httpapi

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/workshop"
	"atelier/workshop/agent"
	"atelier/workshop/tools"
)

// TestEventLog: a full log drops the oldest events and reports their number;
// following it needs no polling.
func TestEventLog(t *testing.T) {
	l := newEventLog()
	l.add(eventPing, nil)
	events, _, _, _ := l.after(0)
	assert.Empty(t, events, "nothing comes before the first event")
	l.begin(eventSessionInit, nil)
	events, _, _, _ = l.after(0)
	require.Len(t, events, 2)
	assert.Equal(t, eventSessionInit, events[0].Type)
	big := strings.Repeat("x", eventLogMax/4)
	for range 6 {
		l.add(eventChunk, chunk{"m", big})
	}
	events, missed, closed, grown := l.after(0)
	assert.Len(t, events, 3)
	assert.EqualValues(t, 5, missed)
	assert.EqualValues(t, 6, events[0].ID)
	assert.False(t, closed)
	go l.end(eventStopped, nil)
	<-grown
	events, missed, closed, _ = l.after(8)
	require.Len(t, events, 1)
	assert.Equal(t, eventStopped, events[0].Type)
	assert.True(t, closed, "a follower would wait, and send a ping behind the last event")
	assert.Zero(t, missed)
	l.add(eventChunk, nil)
	events, _, _, _ = l.after(9)
	assert.Empty(t, events)
	events, _, _, _ = l.after(99)
	assert.Empty(t, events)
}

// TestV06Translate: each notification of the engine that has a name in V-06.
func TestV06Translate(t *testing.T) {
	for want, p := range map[string]any{
		`chunk {"message_id":"m","text":"a<b"}`:                                                                        agent.StreamDelta{MessageID: "m", TokenDelta: "a<b"},
		`call {"call_id":"1","tool":"read_file","path":"a"}`:                                                           agent.ToolExecuting{ToolName: "read_file", ToolCallID: "1", Path: "a"},
		`observation {"call_id":"1","tool":"read_file","success":true}`:                                                agent.ToolComplete{ToolName: "read_file", ToolCallID: "1", Success: true},
		`file_updated {"path":"a","in_draft":false,"change":"added"}`:                                                  engine.WorkbenchFilesChanged{Added: []string{"a"}},
		`question_pending {"question_id":"q","questions":[{"name":"n","question":"N?","schema":{}}],"created_at":"t"}`: agent.QuestionPending{QuestionID: "q", CreatedAt: "t", Questions: []tools.Question{{Name: "n", Question: "N?", Schema: []byte(`{}`)}}},
		`mode_changed {"mode":"build","plan_file":"/plans/a.plan"}`:                                                    agent.ModeChanged{Mode: "build", PlanFile: "/plans/a.plan"},
		`thought {"kind":"rate_limit","text":"wait"}`:                                                                  agent.RateLimitWarning{WarningMessage: "wait"},
		`thought {"kind":"loop_warning","text":"The model repeats ls without progress (turn 3)."}`:                     agent.LoopWarning{ToolName: "ls", Turn: 3},
		`thought {"kind":"context_compacted","text":"Earlier parts of the conversation were shortened for the model: 0 messages summarised, 1 results cut, 2 messages left out."}`: agent.ContextCompacted{Shortened: 1, Dropped: 2},
	} {
		var got []string
		translate(engine.Notification{Params: p}, func(kind string, data any) { got = append(got, kind+" "+string(marshal(data))) })
		assert.Equal(t, []string{want}, got)
	}
	var got []string
	moved := []agent.ChangedFile{{Path: "a", Change: "removed"}, {Path: "b", Change: "written"}}
	translate(engine.Notification{Params: agent.ToolComplete{ToolName: "mv", Path: "/a", Paths: []string{"/a", "/b"}, Success: true, Changed: moved}},
		func(kind string, data any) { got = append(got, kind+" "+string(marshal(data))) })
	assert.Equal(t, []string{`observation {"call_id":"","tool":"mv","path":"/a","success":true,"paths":["/a","/b"]}`,
		`file_updated {"path":"a","in_draft":true,"change":"removed"}`, `file_updated {"path":"b","in_draft":true,"change":"written"}`}, got)
}

// ADR-0010, I-20, I-21, C-37: every call about a file names it, whichever
// argument has it, and the reported changes are those of the call.
func TestI20PathsOfCalls(t *testing.T) {
	for catalogue, fixture := range map[string]string{"buildscale": `
-- model-1 --
{"call":{"id":"1","name":"mv","arguments":{"source":"/a.md","destination":"/b.md"}}}
{"call":{"id":"2","name":"cat","arguments":{"paths":["/b.md","/c.md"]}}}
{"call":{"id":"3","name":"read_multiple_files","arguments":{"paths":["/c.md"]}}}
{"call":{"id":"4","name":"plan_write","arguments":{"title":"Three plain words","content":"x"}}}
-- model-2 --
{"text":"Done."}
`, "sila": `
-- model-1 --
{"call":{"id":"1","name":"move","arguments":{"source":"file:///a.md","destination":"file:///b.md"}}}
{"call":{"id":"2","name":"read","arguments":{"uri":"file:///My%20c.md"}}}
{"call":{"id":"3","name":"read","arguments":{"uri":"file:c.md"}}}
{"call":{"id":"4","name":"read","arguments":{"uri":"https://example.org/x"}}}
-- model-2 --
{"text":"Done."}
`} {
		t.Run(catalogue, func(t *testing.T) {
			r := newModelRig(t, fixture)
			r.put("a.md", "a\n")
			r.put("c.md", "c\n")
			a := r.request("POST", r.runsPath(), `{"text":"go","catalogue":"`+catalogue+`"}`)
			require.Equal(t, 200, a.Status, a.Body)
			var reply struct{ Result struct{ Run_id string } }
			require.NoError(t, json.Unmarshal([]byte(a.Body), &reply))
			calls, ended, updated := map[string]any{}, map[string]any{}, []any{}
			for _, e := range r.follow(reply.Result.Run_id, "", nil) {
				d := e.data.Data
				switch e.name {
				case "call":
					calls[d["call_id"].(string)] = d["paths"]
					if d["paths"] == nil {
						calls[d["call_id"].(string)] = d["path"]
					}
				case "observation":
					ended[d["call_id"].(string)] = d["path"]
				case "file_updated":
					updated = append(updated, d["change"].(string)+" "+d["path"].(string))
				}
			}
			if catalogue == "sila" {
				require.Equal(t, map[string]any{"1": []any{"a.md", "b.md"}, "2": "My c.md", "3": "files/c.md", "4": nil}, calls)
				require.Equal(t, []any{"removed a.md", "written b.md"}, updated)
				return
			}
			require.Equal(t, map[string]any{"1": []any{"/a.md", "/b.md"}, "2": []any{"/b.md", "/c.md"}, "3": "/c.md", "4": nil}, calls)
			require.Len(t, updated, 3)
			require.Equal(t, []any{"removed a.md", "written b.md"}, updated[:2])
			require.Regexp(t, `^written plans/[a-z-]+\.plan$`, updated[2])
			require.Equal(t, "written "+ended["4"].(string), updated[2], "a call that names no file is about the one it made")
		})
	}
}

// W-13, H-06: a run during another activity is a conflict that names the
// activity, and no message stays without an answer.
func TestW13RunDuringAPublish(t *testing.T) {
	r := newRig(t)
	r.put("a.md", "one\n")
	wb, err := r.engine.Home().Open(t.Context(), r.ws)
	require.NoError(t, err)
	before, err := wb.Conversation().Records()
	require.NoError(t, err)
	end, err := wb.Begin(workshop.ActPublish)
	require.NoError(t, err)
	for path, body := range map[string]string{"/runs": `{"text":"hello"}`, "/draft/publish": "", "/draft/discard": ""} {
		a := r.request("POST", "/api/v1/workspaces/"+r.ws+path, body)
		assert.Equal(t, 409, a.Status, a.Body)
		assert.Contains(t, a.Body, "a publish is already in progress in this workbench")
	}
	end()
	after, err := wb.Conversation().Records()
	require.NoError(t, err)
	require.Equal(t, before, after)
	r.follow(r.startRun("hello"), "", nil)
}

// whenTold is an event that runs a function when it is encoded.
type whenTold func()

func (f whenTold) MarshalJSON() ([]byte, error) { f(); return []byte("{}"), nil }

// V-06: a client that gets the event done can start the next run.
func TestV06TheNextRunAfterDone(t *testing.T) {
	rs := &runs{active: map[string]*run{}, byID: map[string]*run{}, opt: Options{Now: time.Now, MaxRuns: 1}}
	rs.queue = newTurns(rs.opt)
	begin := func() (*run, error) {
		r := &run{workspace: "ws", cancel: func() {}, log: newEventLog()}
		r.log.begin(eventSessionInit, nil)
		return r, rs.enter(context.Background(), r)
	}
	first, err := begin()
	require.NoError(t, err)
	told := false
	rs.leave(first, eventDone, whenTold(func() {
		told = true
		_, err := begin()
		require.NoError(t, err)
	}))
	require.True(t, told)
}
