package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"atelier/llm"
	"atelier/workshop/agent/runerr"
)

// maxOverflowRetries limits how often ask shortens and sends again a request that
// the endpoint refused as too long. If the window's size is unknown, each refusal
// lowers the estimate of it.
const maxOverflowRetries = 3

// ask gets one answer of the model, streaming its text under the message id.
// It makes room before a request that would come near the model's window, and
// when an endpoint says that the request was too long. On an error the response
// holds the text that was streamed.
func (r *run) ask(ctx context.Context, id string) (llm.ChatResponse, error) {
	if err := r.fit(ctx); err != nil {
		return llm.ChatResponse{}, err
	}
	if err := r.hasRoom(); err != nil {
		return llm.ChatResponse{}, err
	}
	refused := 0
	resp, err := r.retry(ctx, func() (llm.ChatResponse, error) {
		estimated := r.estimate()
		resp, err := r.stream(ctx, id)
		if err == nil || errors.Is(err, errCut) {
			r.gauge.Learn(estimated, resp.Usage.PromptTokens)
			r.noticeCut(resp.Usage.PromptTokens)
		}
		return resp, err
	}, func() (bool, error) {
		if refused++; refused > maxOverflowRetries {
			return false, nil
		}
		return r.overflowed(ctx)
	})
	return resp, r.explainOverflow(err)
}

// explainOverflow returns err as it is, but for a refusal of a request as too long
// of which instructions, the list of files and the tools are at least 80 %: then
// the error says so.
func (r *run) explainOverflow(err error) error {
	var model *llm.Error
	if !errors.As(err, &model) || model.Kind != llm.KindContextLength {
		return err
	}
	fixed, sent := r.fixed(), r.nextRequestTokens()
	if fixed < sent*8/10 {
		return err
	}
	e := runerr.Errorf(runerr.CodeValidation, "%s: about %d tokens were sent, of which instructions, the list of files and the tools alone have %d", model.Error(), sent, fixed)
	e.Hint, e.Actions, e.Err = "use a model with a larger window, or let the server load this one with a larger one", []string{"open_settings"}, err
	return e
}

// retry calls send until it succeeds, fails for good or has streamed text (W-15).
// overflowed makes room after the endpoint refused the request as too long and
// reports whether to send it again; if it is nil, retry returns that error.
func (r *run) retry(ctx context.Context, send func() (llm.ChatResponse, error), overflowed func() (bool, error)) (llm.ChatResponse, error) {
	for attempt := 0; ; {
		resp, err := send()
		if err == nil {
			return resp, nil
		}
		var e *llm.Error
		if !errors.As(err, &e) || e.Emitted || resp.Content != "" || ctx.Err() != nil {
			return resp, err
		}
		switch {
		case e.Kind == llm.KindContextLength && overflowed != nil:
			if again, cerr := overflowed(); cerr != nil || !again {
				return resp, cmp.Or(cerr, err)
			}
		case e.Retryable() && attempt < r.cfg.Limits.Retries:
			attempt++
			if err := r.waitBeforeRetry(ctx, attempt, e); err != nil {
				return resp, err
			}
		default:
			return resp, err
		}
	}
}

// stream makes one request. The text of the response is exactly what was
// streamed (W-22).
func (r *run) stream(ctx context.Context, id string) (llm.ChatResponse, error) {
	var text strings.Builder
	onDelta := func(d string) {
		if d == "" || ctx.Err() != nil {
			return // text that arrives after a cancel is dropped
		}
		text.WriteString(d)
		if !r.phase.private {
			r.emit(EventStreamDelta, StreamDelta{r.wb.ID(), id, d})
		}
	}
	resp, err := r.cfg.Client.Chat(llm.WithEffort(ctx, r.cfg.Efforts[r.phase.name]), llm.Request{Key: r.cfg.APIKey, Model: r.cfg.Model, Messages: r.request(), Tools: r.tools, Stream: true, OnDelta: onDelta, OnThought: r.thought(ctx)})
	if err == nil && text.Len() == 0 {
		onDelta(resp.Content) // a client that does not stream
	}
	resp.Content = text.String()
	return resp, err
}

// thought returns what is called with pieces of reasoning, nil when nobody reads them.
func (r *run) thought(ctx context.Context) func(string) {
	if r.cfg.OnThought == nil || r.phase.private {
		return nil
	}
	return func(text string) {
		if ctx.Err() == nil {
			r.cfg.OnThought(text)
		}
	}
}

// request returns the whole conversation for the model (W-02).
func (r *run) request() []llm.Message {
	prompt := r.phase.prompt
	if r.cfg.Prompt != "" {
		prompt = r.cfg.Prompt
	}
	if r.phase.rules != "" {
		prompt += "\n\n" + r.phase.rules
	}
	system := llm.Message{Role: llm.RoleSystem, Content: prompt + "\n\n" + r.files}
	if r.told != "" {
		system.Content += "\n\n" + r.told
	}
	if r.extra != "" {
		system.Content += "\n\n" + r.extra
	}
	if told := r.toldOfServers(); told != "" {
		system.Content += "\n\n" + told
	}
	out := append(make([]llm.Message, 0, len(r.msgs)+1), system)
	for _, m := range llm.WithoutImages(r.msgs, keepImages, olderImage) {
		if last := &out[len(out)-1]; last.Role == llm.RoleUser && m.Role == llm.RoleUser && (!isUsers(*last) || !isUsers(m)) {
			last.Content += "\n\n" + m.Content // endpoints differ over two messages of the user in a row
			continue
		}
		out = append(out, m)
	}
	if last := out[len(out)-1]; last.Role == llm.RoleAssistant && len(last.ToolCalls) == 0 { // the run stopped in the middle of this answer
		out = append(out, llm.Message{Role: llm.RoleUser, Content: brokenNote})
	}
	return out
}

// waitBeforeRetry announces and waits out the time before retry number attempt.
func (r *run) waitBeforeRetry(ctx context.Context, attempt int, e *llm.Error) error {
	l := r.cfg.Limits
	wait := llm.Backoff(e, attempt, l.RetryBase, l.RetryCap, r.cfg.Jitter())
	if err := r.affordTime(ctx, wait); err != nil {
		return err
	}
	what := "The model endpoint is not reachable"
	switch e.Kind {
	case llm.KindRateLimited:
		what = "The model endpoint limits the rate of requests"
	case llm.KindUnavailable:
		what = "The model endpoint has a problem"
	}
	r.emit(EventRateLimitWarning, RateLimitWarning{
		WorkbenchID: r.wb.ID(), ProviderID: r.cfg.Provider, ModelID: r.cfg.Model, Phase: r.phase.name,
		RetryAttempt: attempt, RetryMax: l.Retries, WaitMS: wait.Milliseconds(),
		WarningMessage: fmt.Sprintf("%s; trying again in %s (%d of %d).", what, wait.Round(time.Millisecond), attempt, l.Retries),
	})
	return r.cfg.Sleep(ctx, wait)
}
