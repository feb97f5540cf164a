package agent

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/workshop/agent/runerr"
)

// A message that is run again after its answer broke off (L-07), or was given,
// asks for the next answer: the conversation does not end with the model's own
// words, and what asks is no record.
func TestRunAgainAsksOn(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "x"})
	broken := func(_ context.Context, onDelta func(string)) (llm.ChatResponse, error) {
		onDelta("The first ")
		return llm.ChatResponse{Content: "The first "}, &llm.Error{Kind: llm.KindUnavailable, Message: "cut", Emitted: true}
	}
	id := r.say("List all.")
	again := func(replies ...reply) (*script, error) {
		m := play(replies...)
		r.cfg.Client = m
		_, err := Run(context.Background(), r.cfg, id)
		return m, err
	}
	m, err := again(broken)
	require.Equal(t, runerr.CodeUnavailable, code(err))
	require.Len(t, m.requests[0], 2)
	tail := func(ms []llm.Message) []string {
		var out []string
		for _, one := range ms[1:] {
			out = append(out, one.Role+": "+one.Content)
		}
		return out
	}
	m, err = again(saysAndCalls("and ", "read_file", `{"path":"a.txt"}`), says("the second."))
	require.NoError(t, err)
	require.Equal(t, []string{"user: List all.", "assistant: The first ", "user: " + brokenNote}, tail(m.requests[0]))
	require.Equal(t, "user: "+brokenNote, tail(m.requests[1])[2], "it stays while the run goes on")
	m, err = again(says("Nothing is left."))
	require.NoError(t, err)
	got := tail(m.requests[0])
	require.Equal(t, []string{"assistant: the second.", "user: " + answeredNote}, got[len(got)-2:])
	for _, rec := range r.records() {
		require.False(t, isNote(rec.Text), "notes are for the model only")
	}
	m = play(says("Hello."))
	_, err = r.run(m, "Something else.")
	require.NoError(t, err)
	got = tail(m.requests[0])
	require.Equal(t, []string{"assistant: Nothing is left.", "user: Something else."}, got[len(got)-2:])
}

// W-08: a call that the longest answer cut is not carried out, and its result
// says why, so that the model does not make it again.
func TestCallsCutByTheLongestAnswer(t *testing.T) {
	r := newRig(t, nil)
	long := `{"path":"n.txt","content":"` + strings.Repeat("x", 1000)
	m := play(func(ctx context.Context, d func(string)) (llm.ChatResponse, error) {
		resp, err := calls("write_text_file", `{"path":"a.txt","content":"whole"}`, "write_text_file", long)(ctx, d)
		resp.FinishReason = "length"
		return resp, err
	}, calls("write_text_file", long), says("ok"))
	_, err := r.run(m, "Write it.")
	require.NoError(t, err)
	require.Equal(t, []string{
		"Successfully wrote 5 bytes to a.txt",
		fmt.Sprintf("Error: invalid arguments: the JSON is cut off, since your answer reached the longest one allowed (%d bytes of this call arrived). Nothing was done. Write less in one call, and do the rest with further calls.", len(long)),
		"Error: invalid arguments: the JSON is cut off",
	}, r.results(), "only the first two are of an answer that was cut")
	require.Len(t, params[ToolComplete](r.events), 3)
}

// A model that a content filter silences is not called empty without a reason,
// and an answer of blanks is not sent back.
func TestFilteredAnswers(t *testing.T) {
	r := newRig(t, nil)
	_, err := r.run(play(nothing("content_filter")), "Go")
	var e *runerr.Error
	require.ErrorAs(t, err, &e)
	require.Contains(t, e.Detail, "content filter")
	require.False(t, e.Retryable)
	blanks := func(_ context.Context, d func(string)) (llm.ChatResponse, error) {
		d(" \n")
		return llm.ChatResponse{Content: " \n", FinishReason: "stop"}, nil
	}
	m := play(blanks, says("Here."))
	_, err = r.run(m, "Again")
	require.NoError(t, err)
	for _, one := range m.requests[1] {
		require.NotEmpty(t, strings.TrimSpace(one.Content))
	}
}

// W-05: an answer without calls ends the run, whatever its finish reason; that
// its text was cut is in the record.
func TestAnswersWithoutCallsEndTheRun(t *testing.T) {
	for _, finish := range []string{"stop", "length", "tool_calls", ""} {
		r := newRig(t, nil)
		m := play(func(_ context.Context, d func(string)) (llm.ChatResponse, error) {
			d("Half")
			return llm.ChatResponse{Content: "Half", FinishReason: finish}, nil
		}, says("never"))
		res, err := r.run(m, "Go")
		require.NoError(t, err)
		require.Equal(t, "Half", res.Text, finish)
		require.Len(t, m.requests, 1, finish)
		if finish == "length" {
			require.Equal(t, "length", r.records()[1].Metadata["finish_reason"])
		}
	}
}

// V-01: what is added behind a note on the last answer does not turn it into a
// message of the user, so that the request above stays word for word.
func TestV01ANoteIsNoRequest(t *testing.T) {
	user := func(text string) llm.Message { return llm.Message{Role: llm.RoleUser, Content: text} }
	for _, note := range []string{brokenNote, answeredNote, planMark + " with 0 of 1 items]", summaryMessage("Before.").Content} {
		r := &run{phase: plain, msgs: []llm.Message{user("Do it."), {Role: llm.RoleAssistant, Content: "I begin."}, user(note)}}
		again, err := r.blank(llm.ChatResponse{})
		require.NoError(t, err)
		require.True(t, again)
		require.Equal(t, []int{0}, r.present(), note)
		require.Equal(t, span{}, r.earlierTurns(0), "nothing comes before the request")

		r.msgs = addBelow(r.msgs[:3], taskMark+"research]\nResearch the request above.")
		require.Equal(t, []int{0, 3}, r.present(), "the task stays too")
		sent := r.request()
		require.Len(t, sent, 4, "no two messages of the user in a row")
		require.Equal(t, note+"\n\n"+taskMark+"research]\nResearch the request above.", sent[3].Content)
	}
}
