//go:build unix

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/llm"
)

// stepModel is an endpoint that writes a file in each of some steps, and takes a while for
// each. It repeats a step of which it is told that it may not have been done, and takes the
// steps from heldFrom on only after hold is closed.
type stepModel struct {
	url   string
	steps int

	hold chan struct{}

	mu       sync.Mutex
	asked    int
	finished bool
}

const heldFrom = 4

func serveSteps(t *testing.T, steps int, each time.Duration) *stepModel {
	t.Helper()
	m := &stepModel{steps: steps, hold: make(chan struct{})}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			Messages []llm.Message `json:"messages"`
		}
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		step, calls := 0, 0
		for _, msg := range req.Messages {
			calls += len(msg.ToolCalls)
			if msg.Role == llm.RoleTool && !strings.Contains(msg.Content, "Error: ") {
				step++
			}
		}
		select {
		case <-time.After(each):
		case <-r.Context().Done():
			return
		}
		if step >= heldFrom {
			select {
			case <-m.hold:
			case <-r.Context().Done():
				return
			}
		}
		m.mu.Lock()
		m.asked++
		m.finished = m.finished || step >= m.steps
		m.mu.Unlock()
		delta, finish := `{"content":"All steps are done."}`, "stop"
		if step < m.steps {
			args := fmt.Sprintf(`{"path":"step-%d.md","content":"Step %d."}`, step, step)
			delta, finish = fmt.Sprintf(`{"content":"Next.","tool_calls":[{"index":0,"id":"call-%d","type":"function","function":{"name":"write_text_file","arguments":%q}}]}`, calls, args), "tool_calls"
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":%s}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":5}}\n\ndata: [DONE]\n\n", delta, finish)
	}))
	t.Cleanup(srv.Close)
	m.url = srv.URL + "/v1"
	return m
}

// done reports whether the last answer was given.
func (m *stepModel) done() bool { m.mu.Lock(); defer m.mu.Unlock(); return m.finished }

// runEvent is an event that a follower got.
type runEvent struct {
	id   int
	kind string
	data json.RawMessage
}

// follow follows a run on one server after another, each time it is cut off, until the last
// event.
func (r *httpNodes) follow(ctx context.Context, run string, got func(runEvent)) error {
	last, kind := 0, ""
	for i := 0; ctx.Err() == nil; i++ {
		// A server that is paused says nothing, not even a ping.
		alive, cut := context.WithCancel(ctx)
		silence := time.AfterFunc(3*time.Second, cut)
		defer cut()
		req, err := http.NewRequestWithContext(alive, "GET", r.each[i%len(r.each)].url+"/api/v1/workspaces/"+r.workspace+"/runs/"+run+"/events", nil)
		if err != nil {
			return err
		}
		req.Header.Set("Authorization", "Bearer "+r.token)
		req.Header.Set("Last-Event-ID", strconv.Itoa(last))
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			time.Sleep(50 * time.Millisecond)
			continue
		}
		lines := bufio.NewScanner(res.Body)
		lines.Buffer(nil, 1<<20)
		id := 0
		for lines.Scan() {
			silence.Reset(3 * time.Second)
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "id":
				id, _ = strconv.Atoi(value)
			case "event":
				kind = value
			case "data":
				if id > 0 {
					got(runEvent{id, kind, json.RawMessage(value)})
					last = id
				}
				if id > 0 && (kind == "done" || kind == "error" || kind == "stopped") {
					res.Body.Close()
					return nil
				}
				id = 0
			}
		}
		res.Body.Close()
		time.Sleep(50 * time.Millisecond)
	}
	return ctx.Err()
}

// A follower of a run whose server ends gets every event once, from other servers, and the
// run is continued there: no call is made twice.
func TestHTTPClusterRun(t *testing.T) {
	campaign.Slow(t)
	for i, how := range []struct {
		name   string
		signal syscall.Signal
	}{{"killed", syscall.SIGKILL}, {"stopped", syscall.SIGTERM}, {"paused", syscall.SIGSTOP}} {
		if leftOut(i, 3) {
			continue
		}
		t.Run(how.name, func(t *testing.T) {
			const steps = 10
			m := serveSteps(t, steps, 300*time.Millisecond)
			r := startNodes(t, 3, 3, []string{"--model", "m", "--allow-egress", "--drain", "500ms"}, "OPENAI_BASE_URL="+m.url, "OPENAI_API_KEY=k", "ATELIER_MODEL=m")
			var started struct {
				Result struct {
					RunID string `json:"run_id"`
				} `json:"result"`
			}
			require.NoError(t, json.Unmarshal([]byte(r.must(r.each, "POST", "/runs", `{"text":"Do the steps."}`)), &started))
			var mu sync.Mutex
			var events []runEvent
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			ended := make(chan error, 1)
			go func() {
				ended <- r.follow(ctx, started.Result.RunID, func(e runEvent) { mu.Lock(); events = append(events, e); mu.Unlock() })
			}()
			calls := func() (n int) {
				mu.Lock()
				defer mu.Unlock()
				for _, e := range events {
					if e.kind == "observation" {
						n++
					}
				}
				return n
			}
			require.Eventually(t, func() bool { return calls() >= 3 }, 30*time.Second, 10*time.Millisecond)
			owner, others := r.owner()
			begun, had := time.Now(), calls()
			require.NoError(t, owner.cmd.Process.Signal(how.signal))
			close(m.hold)
			require.Eventually(t, func() bool { return calls() > had+1 }, 30*time.Second, 10*time.Millisecond)
			t.Logf("the run was continued %.1f s after its server was %s (lease %s)", time.Since(begun).Seconds(), how.name, nodesLease())
			require.NoError(t, <-ended)
			if how.signal == syscall.SIGSTOP {
				require.NoError(t, owner.cmd.Process.Signal(syscall.SIGCONT))
				others = r.each
			}
			made := map[string]int{}
			continued := false
			for i, e := range events {
				require.Equal(t, i+1, e.id, "an event is missing, or came twice")
				var data struct {
					Data struct {
						CallID string `json:"call_id"`
						Kind   string `json:"kind"`
					} `json:"data"`
				}
				require.NoError(t, json.Unmarshal(e.data, &data))
				if e.kind == "observation" {
					made[data.Data.CallID]++
				}
				continued = continued || data.Data.Kind == "continued"
			}
			assert.True(t, continued, "nobody was told that another server continues")
			assert.Equal(t, "done", events[len(events)-1].kind, "%s", events[len(events)-1].data)
			assert.GreaterOrEqual(t, len(made), steps)
			assert.LessOrEqual(t, len(made), steps+1, "only the step that was at work may be repeated")
			for id, n := range made {
				assert.Equal(t, 1, n, "result of the call %s", id)
			}
			for i := range steps {
				r.must(others, "GET", file(fmt.Sprintf("step-%d.md", i))+"&version=draft", "")
			}
			m.mu.Lock()
			t.Logf("the model was asked %d times for %d answers", m.asked, steps+1)
			m.mu.Unlock()
		})
	}
}

// A run whose server was killed is continued though no call comes.
func TestHTTPClusterRunAlone(t *testing.T) {
	campaign.Slow(t)
	m := serveSteps(t, 6, 300*time.Millisecond)
	r := startNodes(t, 1, 2, []string{"--model", "m", "--allow-egress"}, "OPENAI_BASE_URL="+m.url, "OPENAI_API_KEY=k", "ATELIER_MODEL=m")
	r.must(r.each, "POST", "/runs", `{"text":"Do the steps."}`)
	owner, others := r.owner()
	require.False(t, m.done())
	r.kill(owner)
	close(m.hold)
	require.Eventually(t, m.done, 30*time.Second, 50*time.Millisecond)
	require.Eventually(t, func() bool {
		return !strings.Contains(r.must(others, "GET", "/runs", ""), `"running":true`)
	}, 30*time.Second, 50*time.Millisecond)
	for i := range 6 {
		r.must(others, "GET", file(fmt.Sprintf("step-%d.md", i))+"&version=draft", "")
	}
}
