package agent

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/workshop/agent/runerr"
)

// cancelOn cancels the run's context at the n-th event of a method.
func (r *rig) cancelOn(method string, n int) context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	r.events.on = func(e Event) {
		if e.Method == method {
			if n--; n == 0 {
				cancel()
			}
		}
	}
	r.t.Cleanup(cancel)
	return ctx
}

func TestCancelInTheMiddleOfAStream(t *testing.T) { // W-14, L-07
	r := newRig(t, nil)
	ctx := r.cancelOn(EventStreamDelta, 2)
	m := play(func(ctx context.Context, onDelta func(string)) (response, error) {
		for _, d := range []string{"one ", "two ", "three ", "four"} {
			onDelta(d) // this client notices late; what it still sends is not shown
		}
		return response{Content: "one two three four"}, &llm.Error{Kind: llm.KindCanceled, Message: "canceled", Emitted: true, Err: ctx.Err()}
	})
	_, err := r.runCtx(ctx, m, "Count")
	require.Equal(t, runerr.CodeUserCanceled, code(err))
	rs := r.records()
	require.Equal(t, "one two ", rs[1].Text)
	require.Equal(t, true, rs[1].Metadata["interrupted"])
	require.Equal(t, []string{"AssistantStreamDelta"}, r.events.methods())
}

func TestCancelInTheMiddleOfATool(t *testing.T) { // W-14
	r := newRig(t, map[string]string{"a.txt": "x"})
	started := make(chan struct{})
	r.addTool("wait", "write", func(ctx context.Context) (any, error) {
		close(started)
		<-ctx.Done()
		return nil, ctx.Err()
	})
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-started
		cancel()
	}()
	res, err := r.runCtx(ctx, play(calls("read_file", `{"path":"a.txt"}`, "wait", "{}", "write_text_file", `{"path":"b.txt","content":"x"}`), says("never")), "go")
	require.Equal(t, runerr.CodeUserCanceled, code(err))
	require.False(t, res.HasDraft)
	got := r.results()
	require.Len(t, got, 3)
	require.Contains(t, got[0], "x", "a finished result stays")
	require.Equal(t, "Error: tool wait did not finish: the run was canceled", got[1])
	require.Equal(t, "Error: not carried out: the run was canceled", got[2])
	require.Equal(t, []string{"ToolExecuting", "ToolComplete", "ToolExecuting", "ToolComplete"}, r.events.methods())
	require.False(t, params[ToolComplete](r.events)[1].Success)

	// The next run goes on from there.
	m := play(says("Where were we?"))
	r.events.on = nil
	_, err = r.run(m, "Go on")
	require.NoError(t, err)
	require.Equal(t, messages(r.records()[:6]), m.requests[0][1:])
}

func TestCancelDuringAWait(t *testing.T) { // W-15
	r := newRig(t, nil)
	ctx := r.cancelOn(EventRateLimitWarning, 1)
	r.cfg.Sleep = llm.Sleep
	m := play(fails(llm.KindRateLimited, time.Hour))
	_, err := r.runCtx(ctx, m, "hello")
	require.Equal(t, runerr.CodeUserCanceled, code(err))
	require.Len(t, m.requests, 1)
}

func TestCanceledBeforeItBegins(t *testing.T) {
	r := newRig(t, nil)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := r.runCtx(ctx, play(says("never")), "hello")
	require.Equal(t, runerr.CodeUserCanceled, code(err))
	require.Len(t, r.records(), 1)
}

func TestCrashBetweenCallAndResult(t *testing.T) { // DESIGN 2, W-52
	r := newRig(t, map[string]string{"a.txt": "x"})
	// The process dies as the tool begins: nothing after it happens.
	r.events.on = func(e Event) {
		if e.Method == EventToolExecuting {
			runtime.Goexit()
		}
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.run(play(calls("list_files", "{}", "write_text_file", `{"path":"b.txt","content":"y"}`)), "go")
	}()
	<-ended
	require.Len(t, openCalls(r.records()), 2)

	r.events.on = nil
	r.reopen()
	m := play(says("I see."))
	_, err := r.run(m, "Are you there?")
	require.NoError(t, err)
	require.Empty(t, openCalls(r.records()))
	ids := r.records()[1].ToolCalls
	require.Equal(t, []string{"user:go", "assistant:(" + ids[0].ID + ")(" + ids[1].ID + ")",
		"tool:" + interruptedResult + "←" + ids[0].ID, "tool:" + interruptedResult + "←" + ids[1].ID, "user:Are you there?"}, summarized(m.requests[0][1:]))
	r.reopen()
	require.Equal(t, m.requests[0][1:], messages(r.records())[:5])
}
