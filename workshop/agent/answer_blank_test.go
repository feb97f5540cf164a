package agent

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/workshop"
	"atelier/workshop/agent/runerr"
)

func nothing(finish string) reply {
	return func(context.Context, func(string)) (llm.ChatResponse, error) {
		return llm.ChatResponse{FinishReason: finish, Reasoning: "Hm."}, nil
	}
}

// An answer without words is asked for once more; nobody is left with nothing.
func TestBlankAnswers(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "x"})
	m := play(nothing("stop"), says("Here I am."))
	res, err := r.run(m, "Hello")
	require.NoError(t, err)
	require.Equal(t, "Here I am.", res.Text)
	last := m.requests[1][len(m.requests[1])-1]
	require.Equal(t, llm.RoleUser, last.Role)
	require.Equal(t, "Hello\n\n"+blankNote, last.Content)

	_, err = r.run(play(nothing("length")), "Think hard")
	var e *runerr.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, runerr.CodeUnavailable, e.Code)
	require.True(t, e.Retryable)
	require.Contains(t, e.Detail, "its reasoning took all")

	m = play(calls("write_text_file", `{"path":"b.txt","content":"y"}`), nothing("stop"))
	res, err = r.run(m, "Write it")
	require.NoError(t, err, "the work is done")
	require.Empty(t, res.Text)
	require.Len(t, m.requests, 3)
	require.NotContains(t, r.results(), blankNote)
	for _, rec := range r.records() {
		require.NotContains(t, rec.Text, blankNote, "the note is for the model only")
	}
}

// What asks again after an empty answer is not what the run is about: a summary
// does not take the user's message away for it.
func TestBlankNoteIsNoRequest(t *testing.T) {
	r := &run{msgs: []llm.Message{{Role: llm.RoleUser, Content: "Do it."}, {Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: "1"}}},
		{Role: llm.RoleTool, ToolCallID: "1", Content: "x"}}, phase: plain}
	again, err := r.blank(llm.ChatResponse{})
	require.NoError(t, err)
	require.True(t, again)
	require.Len(t, r.msgs, 4)
	require.Equal(t, []int{0}, r.present())
	require.Equal(t, span{}, r.turnsBefore(1))
}

// A message that steers is answered anew, so an empty answer to it is asked
// about once more.
func TestBlankAfterSteering(t *testing.T) {
	r := newRig(t, nil)
	steering, err := NewSteering(t.Context(), r.wb, "", nil, nil)
	require.NoError(t, err)
	r.cfg.Steering = steering
	n := 0
	r.events.on = func(e Event) {
		if e.Method == EventStreamDelta {
			if n++; n == 2 {
				_, _, err := steering.Push(t.Context(), "And?", SteerNow)
				require.NoError(t, err)
			}
		}
	}
	res, err := r.run(play(says(" "), says("First."), says(" "), says("Second.")), "Go.")
	require.NoError(t, err)
	require.Equal(t, "Second.", res.Text)
}

// V-01: the answer after an empty first one is the first that says something, and
// can ask for phases like it.
func TestV01PhasesAfterBlank(t *testing.T) {
	r := newRig(t, nil)
	r.cfg.Workflow = WorkflowAuto
	res, err := r.run(play(says(" "), calls(inPhases.Function.Name, `{}`), says("Notes."), says("- [ ] 1. Look — at it"), says("Looked."), says("That is it.")), "Do much.")
	require.NoError(t, err)
	require.Equal(t, WorkflowRPI, res.Workflow)
	require.Equal(t, "That is it.", res.Text)
}

// A user message with the note is still that of its record, so a summary behind
// it is kept for the next run.
func TestBlankNoteKeepsAnchors(t *testing.T) {
	require.True(t, isOf(llm.Message{Role: llm.RoleUser, Content: "Do it.\n\n" + blankNote}, workshop.Record{Type: workshop.TypeUser, Text: "Do it."}))
	require.False(t, isOf(llm.Message{Role: llm.RoleUser, Content: blankNote}, workshop.Record{Type: workshop.TypeUser, Text: "Do it."}))
}

// W-52, W-54: a message that is run again after its answer was broken off does
// not send a request that ends with the model's own words.
func TestRunAgainAfterABrokenAnswer(t *testing.T) {
	r := newRig(t, nil)
	broken := func(_ context.Context, onDelta func(string)) (llm.ChatResponse, error) {
		onDelta("I begin with")
		return llm.ChatResponse{Content: "I begin with"}, &llm.Error{Kind: llm.KindNetwork, Message: "cut", Emitted: true}
	}
	id := r.say("Tell me a story")
	r.cfg.Client = play(broken)
	_, err := Run(t.Context(), r.cfg, id)
	require.Error(t, err)
	m := play(says(" a house."), says("Nothing is missing."))
	r.cfg.Client = m
	for run := range 2 { // the second time the answer is whole
		_, err = Run(t.Context(), r.cfg, id)
		require.NoError(t, err)
		sent := m.requests[run]
		require.Equal(t, llm.RoleAssistant, sent[len(sent)-2].Role)
		require.Equal(t, llm.Message{Role: llm.RoleUser, Content: []string{brokenNote, answeredNote}[run]}, sent[len(sent)-1])
	}
	for _, rec := range r.records() {
		require.NotContains(t, rec.Text, "[Your last answer", "the note is for the model only")
	}
}
