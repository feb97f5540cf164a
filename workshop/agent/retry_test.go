package agent

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/workshop/agent/runerr"
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
	require.Equal(t, runerr.CodeUnavailable, code(err))
	require.True(t, err.(*runerr.Error).Retryable)
	require.Len(t, m.requests, 6)
	require.Equal(t, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second}, *waits)

	r = newRig(t, nil)
	waits = r.waits()
	r.cfg.Limits.Retries = 8
	_, err = r.run(play(fails(llm.KindRateLimited, 0)), "hello")
	require.Equal(t, runerr.CodeUnavailable, code(err))
	require.Equal(t, []time.Duration{32 * time.Second, time.Minute, time.Minute}, (*waits)[5:], "the cap")
}

func TestNoRetryAfterSomethingWasShown(t *testing.T) { // W-15, L-07
	r := newRig(t, nil)
	waits := r.waits()
	m := play(func(_ context.Context, onDelta func(string)) (response, error) {
		onDelta("The answ")
		return response{Content: "The answ"}, &llm.Error{Kind: llm.KindUnavailable, Message: "the stream was cut", Emitted: true}
	}, says("never"))
	_, err := r.run(m, "hello")
	require.Equal(t, runerr.CodeUnavailable, code(err))
	require.True(t, err.(*runerr.Error).Retryable, "the person may try again")
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
	require.Equal(t, []string{"user:hello", "assistant:The answ", "user:again"}, summarized(m.requests[0][1:]), "the partial text is part of the history")
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
		llm.KindUnauthorized: runerr.CodeAuthFailed, llm.KindNoKey: runerr.CodeNotConfigured, llm.KindInvalid: runerr.CodeValidation, llm.KindContextLength: runerr.CodeValidation,
		llm.KindRateLimited: runerr.CodeUnavailable, llm.KindUnavailable: runerr.CodeUnavailable, llm.KindNetwork: runerr.CodeNetwork, llm.KindCanceled: runerr.CodeUserCanceled,
	} {
		r := newRig(t, nil)
		r.waits()
		m := play(fails(kind, 0))
		_, err := r.run(m, "hello")
		require.Equal(t, want, code(err), kind)
		require.ErrorIs(t, err, &llm.Error{Kind: kind})
		e := err.(*runerr.Error)
		if want == runerr.CodeAuthFailed || want == runerr.CodeNotConfigured {
			require.Equal(t, []string{"open_settings"}, e.Actions)
			require.Len(t, m.requests, 1)
		}
	}
	e := asError(t.Context(), errors.New("disk on fire"))
	require.Equal(t, runerr.CodeWriteFailed, e.Code)
}

func TestKeysNeverShow(t *testing.T) { // L-11
	const key = "sk-very-secret-key"
	r := newRig(t, nil)
	r.cfg.APIKey = key
	m := play(func(context.Context, func(string)) (response, error) {
		return response{}, &llm.Error{Kind: llm.KindUnauthorized, Message: "incorrect API key provided: " + key}
	})
	_, err := r.run(m, "hello")
	require.Equal(t, runerr.CodeAuthFailed, code(err))
	require.Equal(t, []string{key}, m.keys)
	require.NotContains(t, fmt.Sprintf("%v %+v %#v", err, err, err), key)
	require.NotContains(t, fmt.Sprintf("%+v", errors.Unwrap(err)), key)
	require.NotContains(t, fmt.Sprint(r.events.list, r.records()), key)
}
