package relay_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/cluster"
	"atelier/internal/cluster/clustertest"
	"atelier/llm"
	"atelier/llm/relay"
)

const beat = 200 * time.Millisecond

func open(t testing.TB, urls ...string) *relay.Queue {
	t.Helper()
	c, err := cluster.Connect(t.Context(), cluster.Options{URLs: urls, Name: t.Name(), Timeout: 2 * time.Second})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	q, err := relay.Open(t.Context(), c, relay.Options{Beat: beat})
	require.NoError(t, err)
	return q
}

var target = relay.Target{Model: "m", Origin: "http://localhost:1"}

func begin(t testing.TB, q *relay.Queue, id string) *relay.Job {
	t.Helper()
	j, err := q.Begin(t.Context(), relay.JobInfo{ID: id, Title: "contracts", Model: target.String()}, target, nil)
	require.NoError(t, err)
	t.Cleanup(func() { j.End(relay.JobComplete, "") })
	return j
}

// model is a client that answers with what it is asked.
type model struct {
	asked  atomic.Int64
	answer func(ctx context.Context, text string) (llm.ChatResponse, error)
}

func (m *model) Chat(ctx context.Context, r llm.Request) (llm.ChatResponse, error) {
	m.asked.Add(1)
	text := r.Messages[len(r.Messages)-1].Content
	if m.answer != nil {
		return m.answer(ctx, text)
	}
	return llm.ChatResponse{Content: text + "!", FinishReason: "stop", Reasoning: "hm", Limit: llm.Limit(ctx), Usage: llm.Usage{PromptTokens: 3, CompletionTokens: 2},
		ToolCalls: append(r.Messages[0].ToolCalls, llm.ToolCall{ID: "2", Function: llm.FunctionCall{Name: llm.Effort(ctx)}, Keep: "signature 2"})}, nil
}

// work runs a worker until stop is called, which waits for its end.
func work(t testing.TB, q *relay.Queue, name string, m llm.Client, opt relay.WorkerOptions) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	opt.Name, opt.Client = name, m
	if opt.Target == (relay.Target{}) {
		opt.Target = target
	}
	go func() { done <- q.Work(ctx, opt) }()
	stop = sync.OnceFunc(func() {
		cancel()
		require.NoError(t, <-done)
	})
	t.Cleanup(stop)
	return stop
}

func ask(text string) llm.Request {
	return llm.Request{Key: "secret", Model: "other", Messages: []llm.Message{{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: "1", Keep: "signature"}}}, {Role: llm.RoleUser, Content: text}}}
}

// What a model answers comes back whole, with what the JSON of an answer leaves out, and
// so do errors.
func TestAnswers(t *testing.T) {
	t.Parallel()
	q := open(t, clustertest.Start(t, 1).URLs()...)
	m := &model{}
	work(t, q, "w", m, relay.WorkerOptions{AtOnce: 4})
	j := begin(t, q, "j")
	resp, err := j.Chat(llm.WithEffort(llm.WithLimit(t.Context(), 77), "high"), ask("a"))
	require.NoError(t, err)
	require.Equal(t, llm.ChatResponse{Content: "a!", FinishReason: "stop", Reasoning: "hm", Limit: 77, Usage: llm.Usage{PromptTokens: 3, CompletionTokens: 2},
		ToolCalls: []llm.ToolCall{{ID: "1", Keep: "signature"}, {ID: "2", Function: llm.FunctionCall{Name: "high"}, Keep: "signature 2"}}}, resp)

	m.answer = func(context.Context, string) (llm.ChatResponse, error) {
		return llm.ChatResponse{Usage: llm.Usage{PromptTokens: 9}}, &llm.Error{Kind: llm.KindRateLimited, Status: 429, Message: "slow down", RetryAfter: time.Minute, Sent: true}
	}
	resp, err = j.Chat(t.Context(), ask("a"))
	require.Equal(t, &llm.Error{Kind: llm.KindRateLimited, Status: 429, Message: "slow down", RetryAfter: time.Minute, Sent: true}, err)
	require.Equal(t, 9, resp.Usage.PromptTokens)

	_, err = j.Chat(t.Context(), ask(strings.Repeat("x", 1<<20)))
	require.ErrorContains(t, err, "larger than the cluster takes")
	m.answer = func(context.Context, string) (llm.ChatResponse, error) {
		return llm.ChatResponse{Content: strings.Repeat("x", 1<<20), Usage: llm.Usage{PromptTokens: 9}}, nil
	}
	resp, err = j.Chat(t.Context(), ask("a"))
	require.ErrorIs(t, err, llm.ErrTooLarge)
	require.Equal(t, 9, resp.Usage.PromptTokens, "it is paid for")
}

// A worker that dies gives its request to another, one that stops finishes it, and a
// model is asked once except for what was on its way to one that died.
func TestWorkersComeAndGo(t *testing.T) {
	t.Parallel()
	servers := clustertest.Start(t, 1)
	link := servers.Link(0)
	j := begin(t, open(t, servers.URLs()...), "j")
	began := make(chan string, 10)
	slow := func(name string, took time.Duration) *model {
		return &model{answer: func(ctx context.Context, text string) (llm.ChatResponse, error) {
			began <- name
			select {
			case <-time.After(took):
			case <-ctx.Done():
				return llm.ChatResponse{}, &llm.Error{Kind: llm.KindCanceled, Err: ctx.Err()}
			}
			return llm.ChatResponse{Content: name}, nil
		}}
	}
	cut := slow("cut", time.Hour)
	work(t, open(t, "nats://"+link.Addr()), "cut", cut, relay.WorkerOptions{Drain: time.Millisecond})
	answers := make(chan string, 10)
	chat := func() {
		resp, err := j.Chat(t.Context(), ask("a"))
		answers <- fmt.Sprint(resp.Content, err)
	}
	go chat()
	require.Equal(t, "cut", <-began)
	link.Cut()
	q := open(t, servers.URLs()...)
	drains := slow("drains", 3*beat)
	stop := work(t, q, "drains", drains, relay.WorkerOptions{})
	require.Equal(t, "drains", <-began)
	stopped := make(chan bool)
	go func() {
		stop()
		close(stopped)
	}()
	require.Equal(t, "drains<nil>", <-answers, "what was begun is finished")
	<-stopped

	hurries := slow("hurries", time.Hour)
	stop = work(t, q, "hurries", hurries, relay.WorkerOptions{Drain: beat})
	go chat()
	require.Equal(t, "hurries", <-began)
	stop()
	work(t, q, "last", slow("last", 0), relay.WorkerOptions{})
	require.Equal(t, "last<nil>", <-answers, "what a worker gave back is done by another")
	require.EqualValues(t, []int64{1, 1, 1}, []int64{cut.asked.Load(), drains.asked.Load(), hurries.asked.Load()})
}

// Servers that stop forget the queue: requests are put in again, and those at work are not
// asked for twice.
func TestServersThatForget(t *testing.T) {
	t.Parallel()
	servers := clustertest.Start(t, 1)
	j := begin(t, open(t, servers.URLs()...), "j")
	answers := make(chan error, 20)
	for i := range 20 {
		go func() {
			resp, err := j.Chat(t.Context(), ask(fmt.Sprint(i)))
			if err == nil && resp.Content != fmt.Sprint(i, "!") {
				err = fmt.Errorf("%d was answered with %q", i, resp.Content)
			}
			answers <- err
		}()
	}
	time.Sleep(beat)
	servers.Kill(0)
	servers.Restart(0)
	servers.Ready()
	m := &model{answer: func(_ context.Context, text string) (llm.ChatResponse, error) {
		time.Sleep(beat)
		return llm.ChatResponse{Content: text + "!"}, nil
	}}
	work(t, open(t, servers.URLs()...), "w", m, relay.WorkerOptions{AtOnce: 3})
	time.Sleep(6 * beat)
	servers.Kill(0)
	servers.Restart(0)
	for range 20 {
		require.NoError(t, <-answers)
	}
	require.EqualValues(t, 20, m.asked.Load(), "each once, since no worker died")
}

// A job that has ended has none of its requests asked; one that is canceled from elsewhere
// ends; all that shows in the lists.
func TestJobsEnd(t *testing.T) {
	t.Parallel()
	urls := clustertest.Start(t, 1).URLs()
	q := open(t, urls...)
	gone := begin(t, open(t, urls...), "gone")
	ctx, cancel := context.WithCancel(t.Context())
	refused := make(chan error, 1)
	go func() {
		_, err := gone.Chat(ctx, ask("never"))
		refused <- err
	}()
	time.Sleep(beat)
	cancel()
	require.ErrorIs(t, <-refused, context.Canceled)
	gone.End(relay.JobStopped, "a signal")

	m := &model{}
	work(t, q, "w", m, relay.WorkerOptions{AtOnce: 2})
	j := begin(t, q, "j")
	resp, err := j.Chat(t.Context(), ask("a"))
	require.NoError(t, err)
	require.Equal(t, "a!", resp.Content)
	require.EqualValues(t, 1, m.asked.Load(), "nobody wants the other any more")

	j.Update(relay.Figures{Documents: 7, Done: 3})
	require.Eventually(t, func() bool {
		jobs, err := q.Jobs(t.Context())
		workers, werr := q.Workers(t.Context())
		return err == nil && werr == nil && len(jobs) == 2 && jobs[0].Done == 3 && jobs[0].State == relay.JobRunning && jobs[1].State == relay.JobStopped && jobs[1].Error == "a signal" &&
			len(workers) == 1 && workers[0].Answered == 1
	}, 10*time.Second, beat)
	require.ErrorIs(t, q.Cancel(t.Context(), "gone"), relay.ErrNotRunning)
	require.ErrorIs(t, q.Cancel(t.Context(), "none.such"), cluster.ErrNotFound)
	require.NoError(t, q.Cancel(t.Context(), "j"))
	<-j.Context().Done()
	require.ErrorIs(t, context.Cause(j.Context()), relay.ErrCanceled)
	_, err = j.Chat(t.Context(), ask("a"))
	require.ErrorIs(t, err, &llm.Error{Kind: llm.KindRefused})
}

// Whether a job is interrupted does not depend on the clock of its machine.
func TestJobsOfOtherClocks(t *testing.T) {
	t.Parallel()
	urls := clustertest.Start(t, 1).URLs()
	q := open(t, urls...)
	c, err := cluster.Connect(t.Context(), cluster.Options{URLs: urls, Name: t.Name()})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	begin(t, q, "works")
	kv, err := c.JetStream().KeyValue(t.Context(), "atelier-jobs")
	require.NoError(t, err)
	for id, by := range map[string]time.Duration{"behind": -time.Hour, "ahead": time.Hour} {
		b, err := json.Marshal(relay.JobInfo{ID: id, State: relay.JobRunning, Updated: time.Now().Add(by)})
		require.NoError(t, err)
		_, err = kv.Put(t.Context(), id, b)
		require.NoError(t, err)
	}
	states := func() map[string]relay.JobState {
		jobs, err := q.Jobs(t.Context())
		require.NoError(t, err)
		all := map[string]relay.JobState{}
		for _, j := range jobs {
			all[j.ID] = j.State
		}
		return all
	}
	require.Equal(t, map[string]relay.JobState{"works": relay.JobRunning, "behind": relay.JobRunning, "ahead": relay.JobRunning}, states())
	silent := map[string]relay.JobState{"works": relay.JobRunning, "behind": relay.JobInterrupted, "ahead": relay.JobInterrupted}
	require.Eventually(t, func() bool { return maps.Equal(silent, states()) }, 30*beat, beat)
}

// A request over which each worker dies ends, and a job says that it has no worker.
func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	servers := clustertest.Start(t, 1)
	said := make(chan string, 10)
	j, err := open(t, servers.URLs()...).Begin(t.Context(), relay.JobInfo{ID: "j"}, target, func(s string) { said <- s })
	require.NoError(t, err)
	t.Cleanup(func() { j.End(relay.JobStopped, "") })
	failed := make(chan error, 1)
	go func() {
		_, err := j.Chat(t.Context(), ask("deadly"))
		failed <- err
	}()
	require.Contains(t, <-said, "no worker of the cluster asks m at http://localhost:1; start one")
	for range 5 {
		link := servers.Link(0)
		began := make(chan bool, 1)
		dies := &model{answer: func(ctx context.Context, _ string) (llm.ChatResponse, error) {
			began <- true
			<-ctx.Done()
			return llm.ChatResponse{}, ctx.Err()
		}}
		work(t, open(t, "nats://"+link.Addr()), "dies", dies, relay.WorkerOptions{Drain: time.Millisecond})
		<-began
		link.Cut()
	}
	work(t, open(t, servers.URLs()...), "last", &model{}, relay.WorkerOptions{})
	require.ErrorContains(t, <-failed, "5 workers died or were silent")
}
