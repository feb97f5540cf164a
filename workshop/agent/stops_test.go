package agent

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"atelier/llm"
	"atelier/llm/openai"
	"atelier/llm/replay"
	"atelier/workshop/agent/runerr"
	"atelier/workshop/tools/catalogue"
	"atelier/workshop/tools/questions"
)

// stop is a place in a run where it is canceled. It is reached with the n-th
// event of a method, or, when there is none, with the n-th request.
type stop struct {
	name    string
	fixture string
	event   string
	n       int
	prepare func(*rig)
}

// blocks ends only with its context.
func blocks(ctx context.Context) (any, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func call(id, name, args string) string {
	return fmt.Sprintf(`{"call":{"id":%q,"name":%q,"arguments":%s}}`+"\n", id, name, args)
}

func inPhasesOf(r *rig) { r.cfg.Workflow = WorkflowRPI }

// stops are the places where a run waits or works.
func stops() []stop {
	const hangs = "{\"hang\":true}\n"
	plan := "-- model-1 --\n{\"text\":\"a.txt is there.\"}\n-- model-2 --\n"
	items := plan + "{\"text\":\"- [ ] 1. One — do it\"}\n-- model-3 --\n"
	return []stop{
		{name: "before an answer", fixture: "-- model --\n" + hangs, n: 1},
		{name: "in a stream", fixture: "-- model --\n{\"text\":\"Let me\"}\n" + hangs, event: EventStreamDelta, n: 1},
		{name: "in the arguments of a call", n: 1, fixture: "-- model --\n" +
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"1","type":"function","function":{"name":"write_text_file","arguments":"{\"path\":\"b.t"}}]}}]}` + "\n" + hangs},
		{name: "in a tool", fixture: "-- model --\n" + call("1", "wait", "{}") + call("2", "write_text_file", `{"path":"b.txt","content":"x"}`), event: EventToolExecuting, n: 1,
			prepare: func(r *rig) { r.addTool("wait", "write", blocks) }},
		{name: "in tools side by side", fixture: "-- model --\n" + call("1", "look", "{}") + call("2", "look", "{}") + call("3", "look", "{}") + call("4", "look", "{}") + call("5", "look", "{}"), event: EventToolExecuting, n: 4,
			prepare: func(r *rig) { r.addTool("look", "read", blocks) }},
		{name: "in a search", fixture: "-- model --\n" + call("1", "grep", `{"pattern":"[a-m]+ [n-z]+ [a-m]+ never"}`), event: EventToolExecuting, n: 1, prepare: manyFiles},
		{name: "in a question", fixture: "-- model --\n" + call("1", "ask_user", `{"questions":[{"name":"a","question":"Which?","schema":"{\"type\":\"string\"}"}]}`), event: EventQuestionPending, n: 1,
			prepare: func(r *rig) { r.cfg.Questions = &questions.Broker{} }},
		{name: "before a retry", fixture: "-- model --\n{\"status\":429,\"headers\":{\"Retry-After\":\"3600\"},\"body\":{\"error\":{\"message\":\"slow down\"}}}\n", event: EventRateLimitWarning, n: 1,
			prepare: func(r *rig) { r.cfg.Sleep = llm.Sleep }},
		{name: "in research", fixture: "-- model --\n" + hangs, n: 1, prepare: inPhasesOf},
		{name: "in planning", fixture: plan + hangs, n: 2, prepare: inPhasesOf},
		{name: "in an item", fixture: items + call("1", "wait", "{}"), event: EventToolExecuting, n: 1,
			prepare: func(r *rig) { inPhasesOf(r); r.addTool("wait", "write", blocks) }},
		{name: "in the last phase", fixture: items + "{\"text\":\"Did it.\"}\n-- model-4 --\n" + hangs, n: 4, prepare: inPhasesOf},
		{name: "in compaction", fixture: "-- model --\n" + hangs, n: 1, prepare: longPast},
	}
}

// manyFiles gives a search something to do.
func manyFiles(r *rig) {
	text := []byte(strings.Repeat("some words of a line that a search has to read\n", 4000))
	for i := range 60 {
		require.NoError(r.t, os.WriteFile(filepath.Join(r.root, fmt.Sprintf("f%d.txt", i)), text, 0o644))
	}
	named, err := catalogue.Named("buildscale")
	require.NoError(r.t, err)
	r.cfg.Catalogue = named
}

// longPast is a conversation that has to be summed up before the next request.
func longPast(r *rig) {
	r.cfg.Window = 20000
	for range 4 {
		_, err := r.run(play(says("I see.")), strings.Repeat("a long story ", 1500))
		require.NoError(r.t, err)
	}
}

// stopped is a run that was canceled where it should be.
type stopped struct {
	rig  *rig
	took time.Duration // from the cancel to the return of the run
	err  error
	late int // events after it had returned
}

// stopAt plays s until its place and cancels there.
func stopAt(t testing.TB, s stop) stopped {
	r := newRig(t, map[string]string{"a.txt": "one"})
	if s.prepare != nil {
		s.prepare(r)
	}
	fixture, err := replay.Parse([]byte(s.fixture))
	require.NoError(t, err)
	srv, err := replay.NewServer(fixture, replay.Options{})
	require.NoError(t, err)
	defer srv.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	r.cfg.Client = openai.New(openai.Options{BaseURL: srv.URL, HTTPClient: &http.Client{Transport: transport}})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	reached := make(chan struct{}, 100)
	r.events.on = func(e Event) {
		if e.Method == s.event {
			reached <- struct{}{}
		}
	}
	ended := make(chan error, 1)
	id := r.say("Do it.")
	go func() {
		_, err := Run(ctx, r.cfg, id)
		ended <- err
	}()
	if s.event != "" {
		for range s.n {
			<-reached
		}
	} else {
		for len(srv.Requests()) < s.n {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(10 * time.Millisecond) // into the answer
	}
	out := stopped{rig: r}
	at := time.Now()
	cancel()
	out.err = <-ended
	out.took = time.Since(at)
	r.events.mu.Lock()
	seen := len(r.events.list)
	r.events.mu.Unlock()
	time.Sleep(20 * time.Millisecond)
	r.events.mu.Lock()
	defer r.events.mu.Unlock()
	out.late = len(r.events.list) - seen
	return out
}

// W-14: a run can be canceled wherever it is. It ends with USER_CANCELED, tells
// nothing after it has returned, leaves no call without a result and no
// goroutine behind.
func TestW14CancelAtEachPlace(t *testing.T) {
	for _, s := range stops() {
		t.Run(s.name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			out := stopAt(t, s)
			require.Equal(t, runerr.CodeUserCanceled, code(out.err), "%v", out.err)
			require.Zero(t, out.late)
			require.Empty(t, openCalls(out.rig.records()))
			out.rig.checkEvents(t)
			require.NoError(t, out.rig.home.Close())
			goleak.VerifyNone(t, before)
		})
	}
}

// BenchmarkCancel is the time from a cancel to the return of the run.
func BenchmarkCancel(b *testing.B) {
	for _, s := range stops() {
		b.Run(strings.ReplaceAll(s.name, " ", "-"), func(b *testing.B) {
			var sum, most time.Duration
			for b.Loop() {
				took := stopAt(b, s).took
				sum, most = sum+took, max(most, took)
			}
			b.ReportMetric(float64(sum.Microseconds())/float64(b.N), "µs/cancel")
			b.ReportMetric(float64(most.Microseconds()), "µs-longest")
		})
	}
}
