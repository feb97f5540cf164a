package agent

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/llm"
)

// waits makes the run record its waits instead of waiting.
func (r *rig) waits() *[]time.Duration {
	var w []time.Duration
	r.cfg.Sleep = func(ctx context.Context, d time.Duration) error {
		w = append(w, d)
		return ctx.Err()
	}
	return &w
}

func TestTransientErrorsAreRetried(t *testing.T) { // W-15
	r := newRig(t, nil)
	waits := r.waits()
	m := play(fails(llm.KindRateLimited, 1500*time.Millisecond), fails(llm.KindUnavailable, 0), fails(llm.KindNetwork, 0), says("Here I am."))
	res, err := r.run(m, "hello")
	require.NoError(t, err)
	require.Equal(t, "Here I am.", res.Text)
	require.Equal(t, 1, res.Turns)
	require.Equal(t, []time.Duration{1500 * time.Millisecond, 2 * time.Second, 4 * time.Second}, *waits)
	ws := params[RateLimitWarning](r.events)
	require.Len(t, ws, 3)
	require.Equal(t, RateLimitWarning{WorkbenchID: r.wb.ID(), ProviderID: "test", ModelID: "scripted", Phase: "agent", RetryAttempt: 1, RetryMax: 5, WaitMS: 1500,
		WarningMessage: "The model endpoint limits the rate of requests; trying again in 1.5s (1 of 5)."}, ws[0])
	require.Equal(t, 3, ws[2].RetryAttempt)
	require.EqualValues(t, 4000, ws[2].WaitMS)
	require.Len(t, r.records(), 2, "failed tries leave nothing in the conversation")
}

func TestRetriesEnd(t *testing.T) { // W-15, L-06
	r := newRig(t, nil)
	waits := r.waits()
	m := play(fails(llm.KindRateLimited, 0))
	_, err := r.run(m, "hello")
	require.Equal(t, CodeUnavailable, code(err))
	require.True(t, err.(*Error).Retryable)
	require.Len(t, m.requests, 6)
	require.Equal(t, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second}, *waits)
}

func TestNoRetryAfterSomethingWasShown(t *testing.T) { // W-15, L-07
	r := newRig(t, nil)
	waits := r.waits()
	m := play(func(_ context.Context, onDelta func(string)) (response, error) {
		onDelta("The answ")
		return response{Content: "The answ"}, &llm.Error{Kind: llm.KindUnavailable, Message: "the stream was cut", Emitted: true}
	}, says("never"))
	_, err := r.run(m, "hello")
	require.Equal(t, CodeUnavailable, code(err))
	require.True(t, err.(*Error).Retryable, "the person may try again")
	require.Empty(t, *waits)
	require.Len(t, m.requests, 1)
	rs := r.records()
	require.Len(t, rs, 2)
	require.Equal(t, "The answ", rs[1].Text)
	require.Equal(t, true, rs[1].Metadata["interrupted"])
	require.Empty(t, rs[1].ToolCalls)
	require.Empty(t, params[MessageComplete](r.events))

	m = play(func(context.Context, func(string)) (response, error) {
		return response{}, &llm.Error{Kind: llm.KindUnavailable, Message: "cut after a call", Emitted: true}
	}, says("never"))
	_, err = r.run(m, "again")
	require.Error(t, err)
	require.Len(t, m.requests, 1)
	require.Equal(t, []string{"user:hello", "assistant:The answ", "user:again"}, brief(m.requests[0][1:]), "the partial text is part of the history")
}

func TestCallsOfABrokenAnswerAreNotCarriedOut(t *testing.T) { // L-07
	r := newRig(t, nil)
	m := play(func(_ context.Context, onDelta func(string)) (response, error) {
		onDelta("I'll write. ")
		return response{Content: "I'll write. ", ToolCalls: []llm.ToolCall{toolCall("write_text_file", `{"path":"a.txt","cont`)}}, &llm.Error{Kind: llm.KindUnavailable, Message: "cut", Emitted: true}
	})
	res, err := r.run(m, "write")
	require.Error(t, err)
	require.False(t, res.HasDraft)
	require.Empty(t, r.results())
	require.Empty(t, r.records()[1].ToolCalls)
}

func TestErrorsOfTheModelAreMapped(t *testing.T) { // L-06
	for kind, want := range map[llm.Kind]string{
		llm.KindUnauthorized: CodeAuthFailed, llm.KindNoKey: CodeNotConfigured, llm.KindInvalid: CodeValidation, llm.KindContextLength: CodeValidation,
		llm.KindRateLimited: CodeUnavailable, llm.KindUnavailable: CodeUnavailable, llm.KindNetwork: CodeNetwork, llm.KindCanceled: CodeUserCanceled,
	} {
		r := newRig(t, nil)
		r.waits()
		m := play(fails(kind, 0))
		_, err := r.run(m, "hello")
		require.Equal(t, want, code(err), kind)
		require.ErrorIs(t, err, &llm.Error{Kind: kind})
		e := err.(*Error)
		if want == CodeAuthFailed || want == CodeNotConfigured {
			require.Equal(t, []string{"open_settings"}, e.Actions)
			require.Len(t, m.requests, 1)
		}
	}
	e := asError(t.Context(), errors.New("disk on fire"))
	require.Equal(t, CodeWriteFailed, e.Code)
}

func TestKeysNeverShow(t *testing.T) { // L-11
	const key = "sk-very-secret-key"
	r := newRig(t, nil)
	r.cfg.APIKey = key
	m := play(func(context.Context, func(string)) (response, error) {
		return response{}, &llm.Error{Kind: llm.KindUnauthorized, Message: "incorrect API key provided: " + key}
	})
	_, err := r.run(m, "hello")
	require.Equal(t, CodeAuthFailed, code(err))
	require.Equal(t, []string{key}, m.keys)
	require.NotContains(t, fmt.Sprintf("%v %+v %#v", err, err, err), key)
	require.NotContains(t, fmt.Sprintf("%+v", errors.Unwrap(err)), key)
	require.NotContains(t, fmt.Sprint(r.events.list, r.records()), key)
}

func TestContextOverflowIsCompactedOnce(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": fmt.Sprintf("%05000d", 1), "b.txt": fmt.Sprintf("%05000d", 2), "c.txt": "see"})
	overflow := fails(llm.KindContextLength, 0)
	read := func(n string) reply { return calls("read_file", `{"path":"`+n+`.txt"}`) }
	m := play(read("a"), read("b"), read("c"), overflow, says("Got it."))
	res, err := r.run(m, "Read all")
	require.NoError(t, err)
	require.Equal(t, "Got it.", res.Text)
	require.Less(t, size(m.requests[4]), size(m.requests[3])-4000)
	require.Len(t, m.requests[4], len(m.requests[3]))
	require.Contains(t, m.requests[4][3].Content, "recall_tool_result entry_id 1]")
	require.Equal(t, m.requests[3][4:], m.requests[4][4:], "the last answers stay whole")
	ev := params[ContextCompacted](r.events)
	require.Len(t, ev, 1)
	require.Equal(t, 1, ev[0].Shortened)
	require.Len(t, r.results()[0], 5000, "the stored conversation keeps everything")
	require.Equal(t, "context_compacted", r.records()[7].EventKind)

	// It helps only once: the second time the run ends.
	m = play(read("a"), read("b"), overflow, overflow, says("never"))
	_, err = r.run(m, "Again")
	require.Equal(t, CodeValidation, code(err))
	require.ErrorContains(t, err, "context_length")
	require.Len(t, m.requests, 4)
}

func TestCompactionLeavesOutEarlierRequests(t *testing.T) {
	r := newRig(t, nil)
	long := fmt.Sprintf("%05000d", 7)
	_, err := r.run(play(says(long)), "first "+long)
	require.NoError(t, err)
	m := play(fails(llm.KindContextLength, 0), says("ok"))
	_, err = r.run(m, "second")
	require.NoError(t, err)
	require.Equal(t, []string{"user:[2 earlier messages of this conversation were left out to fit the model's window.]", "user:second"}, brief(m.requests[1][1:]))
	require.Equal(t, 2, params[ContextCompacted](r.events)[0].Dropped)
}

func TestNothingToCompact(t *testing.T) {
	r := newRig(t, nil)
	m := play(fails(llm.KindContextLength, 0))
	_, err := r.run(m, "hello")
	require.Equal(t, CodeValidation, code(err))
	require.Len(t, m.requests, 1)
	require.Empty(t, params[ContextCompacted](r.events))
}
