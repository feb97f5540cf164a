package agent

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/workshop"
)

// steers makes the user say something at the first event of a method.
func (r *rig) steers(messageID, method, text string) {
	s, err := NewSteering(context.Background(), r.wb, messageID, r.events, time.Now)
	require.NoError(r.t, err)
	r.cfg.Steering = s
	done := false
	r.events.on = func(e Event) {
		if e.Method == method && !done {
			done = true
			_, _, err := s.Push(context.Background(), text, SteerNow)
			require.NoError(r.t, err)
		}
	}
}

// V-01: what the user says to a run in phases is seen by the item at work, by
// the items after it, and by the summary.
func TestV01SteeringIsSeenByLaterPhases(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "a"})
	s := play(says("Notes."), says("- [ ] 1. One — Write one.txt\n- [ ] 2. Two — Write two.txt\n"),
		calls("write_text_file", `{"path":"one.txt","content":"1"}`), says("Wrote one."), says("Wrote two."), says("Both are there."))
	r.cfg.Client, r.cfg.Workflow = s, WorkflowRPI
	id := r.say("Write two files.")
	r.steers(id, EventToolExecuting, "Use capitals.")
	_, err := Run(t.Context(), r.cfg, id)
	require.NoError(t, err)
	require.Len(t, s.requests, 6)
	for i, req := range s.requests {
		said := ""
		for _, m := range req {
			if m.Role == llm.RoleUser && strings.HasPrefix(m.Content, "Use capitals.") {
				said = m.Content
			}
		}
		require.Equal(t, i >= 3, said != "", "request %d", i)
		if i == 3 {
			require.Equal(t, llm.RoleUser, req[len(req)-1].Role, "after the result of the call")
		}
	}
	records := r.records()
	require.Equal(t, id, Steers(records[1]))
	require.Equal(t, id, LastRequest(records))
	answer, ok := Answered(records, id)
	require.True(t, ok)
	require.Equal(t, "Both are there.", answer.Text)
}

// K-06, W-17: a conversation with something said in the middle of calls is
// rebuilt as the model saw it, and can be taken back to any message of it.
func TestK06UndoAroundSteering(t *testing.T) {
	r := newRig(t, nil)
	s := play(calls("write_text_file", `{"path":"a.txt","content":"1"}`, "write_text_file", `{"path":"b.txt","content":"1"}`),
		calls("write_text_file", `{"path":"a.txt","content":"2"}`), says("Done."))
	r.cfg.Client = s
	id := r.say("Write a and b.")
	r.steers(id, EventToolExecuting, "Two in a.")
	_, err := Run(t.Context(), r.cfg, id)
	require.NoError(t, err)
	records := r.records()
	want := s.requests[2][1:]
	require.Equal(t, want, messages(records[:len(records)-1]), "W-54")

	find := func(kind string, n int) string {
		for _, rec := range r.records() {
			if rec.Type == kind {
				if n--; n == 0 {
					return rec.MessageID
				}
			}
		}
		t.Fatal("no such record")
		return ""
	}
	draft := func(name string) string {
		src, err := r.wb.DraftView(workshop.Cause{}).Open(t.Context(), workshop.Path(name))
		require.NoError(t, err)
		defer src.Close()
		b := make([]byte, src.Size())
		_, err = src.ReadAt(b, 0)
		require.NoError(t, err)
		return string(b)
	}
	require.Equal(t, "2", draft("a.txt"))
	_, err = r.wb.UndoTo(t.Context(), find(workshop.TypeUser, 2))
	require.NoError(t, err)
	require.Equal(t, "1", draft("a.txt"), "as it was when that was said")
	require.Equal(t, "1", draft("b.txt"))
	require.Len(t, messages(r.records()), 5)
	_, err = r.wb.UndoTo(t.Context(), find(workshop.TypeAssistant, 1))
	require.NoError(t, err)
	require.Len(t, r.results(), 2, "its results stay with it")
}

// An event that stands between a call and its result (such as a change of mode)
// does not cut the results off when the conversation goes back to the call.
func TestK06EventsBetweenResults(t *testing.T) {
	r := newRig(t, nil)
	c := r.wb.Conversation()
	r.say("Go.")
	rec := workshop.Record{Type: workshop.TypeAssistant, MessageID: "a-1", Role: "assistant", ToolCalls: []workshop.RecordCall{{ID: "1"}, {ID: "2"}}}
	for _, rec := range []workshop.Record{rec,
		{Type: workshop.TypeToolResult, MessageID: "tr-1", ToolCallID: "1"},
		{Type: workshop.TypeSystem, MessageID: "s-1", EventKind: "mode_changed"},
		{Type: workshop.TypeToolResult, MessageID: "tr-2", ToolCallID: "2"},
		{Type: workshop.TypeSystem, MessageID: "s-2", EventKind: "later"},
		{Type: workshop.TypeAssistant, MessageID: "a-2", Role: "assistant", Text: "Done."}} {
		require.NoError(t, c.Append(rec))
	}
	_, err := r.wb.UndoTo(t.Context(), "a-1")
	require.NoError(t, err)
	records := r.records()
	require.Equal(t, "tr-2", records[len(records)-1].MessageID)
}
