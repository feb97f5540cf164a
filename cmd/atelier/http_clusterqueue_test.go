//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
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

// heldModel answers each run at once, but those that say "hold" only when they are let go.
type heldModel struct {
	url  string
	hold chan struct{}

	mu    sync.Mutex
	asked map[string]int // by the text of the run
	done  map[string]int // answers that were given
}

func serveHolding(t *testing.T) *heldModel {
	t.Helper()
	m := &heldModel{hold: make(chan struct{}), asked: map[string]int{}, done: map[string]int{}}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			Messages []llm.Message `json:"messages"`
		}
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		text := ""
		for _, msg := range req.Messages {
			if msg.Role == llm.RoleUser {
				text = msg.Content
			}
		}
		m.count(m.asked, text)
		if strings.Contains(text, "hold") {
			select {
			case <-m.hold:
			case <-r.Context().Done():
				return
			}
		}
		m.count(m.done, text)
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Answered.\"}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":5}}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(srv.Close)
	m.url = srv.URL + "/v1"
	return m
}

func (m *heldModel) count(of map[string]int, text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	of[text]++
}

// times is how often a run with this text was asked for.
func (m *heldModel) times(text string) (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for asked, times := range m.asked {
		if strings.Contains(asked, text) {
			n += times
		}
	}
	return n
}

// queuedRun is a run of a workspace that a test follows.
type queuedRun struct {
	at     *httpNodes // the servers, with the workspace
	text   string
	id     string
	ended  chan error
	mu     sync.Mutex
	events []runEvent
}

// in is the same servers with another workspace.
func (r *httpNodes) in(workspace string) *httpNodes {
	return &httpNodes{t: r.t, nats: r.nats, urls: r.urls, env: r.env, flags: r.flags, each: r.each, token: r.token, workspace: workspace}
}

// begin starts a run at a server and follows it on all.
func (r *httpNodes) begin(n *httpNode, text string) *queuedRun {
	r.t.Helper()
	q := r.unfollowed(n, text)
	q.follow()
	return q
}

// unfollowed starts a run at a server.
func (r *httpNodes) unfollowed(n *httpNode, text string) *queuedRun {
	r.t.Helper()
	var started struct {
		Result struct {
			RunID string `json:"run_id"`
		} `json:"result"`
	}
	require.NoError(r.t, json.Unmarshal([]byte(r.must([]*httpNode{n}, "POST", "/runs", `{"text":"`+text+`"}`)), &started))
	return &queuedRun{at: r, text: text, id: started.Result.RunID, ended: make(chan error, 1)}
}

// follow follows the run from its first event.
func (q *queuedRun) follow() {
	go func() {
		ctx, cancel := context.WithTimeout(q.at.t.Context(), time.Minute)
		defer cancel()
		q.ended <- q.at.follow(ctx, q.id, func(e runEvent) { q.mu.Lock(); q.events = append(q.events, e); q.mu.Unlock() })
	}()
}

// kinds are the kinds of the events of a run, with those of thoughts. Each came once.
func (q *queuedRun) kinds(t *testing.T) (list []string) {
	t.Helper()
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, e := range q.events {
		require.Equal(t, i+1, e.id, "an event of %q is missing, or came twice", q.text)
		var data struct {
			Data struct {
				Kind string `json:"kind"`
			} `json:"data"`
		}
		require.NoError(t, json.Unmarshal(e.data, &data))
		if data.Data.Kind != "" {
			e.kind = data.Data.Kind
		}
		list = append(list, e.kind)
	}
	return list
}

func (q *queuedRun) has(t *testing.T, kind string) bool {
	for _, k := range q.kinds(t) {
		if k == kind {
			return true
		}
	}
	return false
}

// A run that waits on a full server begins on another one that has room, and so does a
// translation; with room nowhere they wait, and begin in their turn.
func TestHTTPClusterQueueSpreads(t *testing.T) {
	campaign.Slow(t)
	m := serveHolding(t)
	r := startNodes(t, 1, 2, []string{"--model", "m", "--allow-egress", "--max-runs", "1"}, "OPENAI_BASE_URL="+m.url, "OPENAI_API_KEY=k", "ATELIER_MODEL=m")
	first := r.each[0]
	var in []*httpNodes
	for i := range 4 {
		w := r
		if i > 0 {
			w = r.in(r.second())
		}
		w.must([]*httpNode{first}, "PUT", file("a.md"), "Some text.\n") // the first server takes it
		in = append(in, w)
	}
	held := in[0].begin(first, "hold this")
	require.Eventually(t, func() bool { return m.times("hold this") == 1 }, 20*time.Second, 20*time.Millisecond)

	begun := time.Now()
	quick := in[1].unfollowed(first, "quick one") // what it told is kept though nobody follows
	require.Eventually(t, func() bool { return m.times("quick one") == 1 }, time.Minute, 20*time.Millisecond)
	t.Logf("a run that waited on a full server began on another %.1f s after its start", time.Since(begun).Seconds())
	quick.follow()
	require.NoError(t, <-quick.ended)
	require.Equal(t, []string{"session_init", "queued", "moved", "begun"}, quick.kinds(t)[:4])
	require.Equal(t, "done", quick.events[len(quick.events)-1].kind)
	require.Equal(t, 1, m.times("quick one"))

	var job struct {
		Result struct {
			JobID string `json:"job_id"`
		} `json:"result"`
	}
	require.NoError(t, json.Unmarshal([]byte(in[2].must([]*httpNode{first}, "POST", "/translations", `{"to":["de"],"engine":"pseudo"}`)), &job))
	require.Eventually(t, func() bool { return in[2].job(r.each, job.Result.JobID).Status == "complete" }, 30*time.Second, 50*time.Millisecond)
	require.Contains(t, first.log.String(), "is moved to a server with room")

	// The other server is full too: nothing moves, and the wait ends in the turn.
	also := in[2].begin(r.each[1], "hold also")
	require.Eventually(t, func() bool { return m.times("hold also") == 1 }, 20*time.Second, 20*time.Millisecond)
	last := in[3].begin(first, "last one")
	time.Sleep(5 * time.Second)
	require.False(t, last.has(t, "moved"), "%v", last.kinds(t))
	require.Contains(t, in[3].must(r.each, "GET", "/runs", ""), `"state":"queued","ahead":0`)
	require.False(t, held.has(t, "moved"))
	close(m.hold)
	for _, q := range []*queuedRun{held, also, last} {
		require.NoError(t, <-q.ended)
		kinds := q.kinds(t)
		require.Equal(t, "done", kinds[len(kinds)-1], "%v", kinds)
		require.Equal(t, 1, m.times(q.text))
	}
	require.False(t, last.has(t, "moved"))
}

// Runs that wait on a server that is killed or stopped are begun by another one, each once.
func TestHTTPClusterQueueOutlives(t *testing.T) {
	campaign.Slow(t)
	for i, how := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		if leftOut(i, 2) {
			continue
		}
		t.Run(how.String(), func(t *testing.T) {
			m := serveHolding(t)
			r := startNodes(t, 1, 2, []string{"--model", "m", "--allow-egress", "--max-runs", "1", "--drain", "500ms"}, "OPENAI_BASE_URL="+m.url, "OPENAI_API_KEY=k", "ATELIER_MODEL=m")
			var runs []*queuedRun
			for i, text := range []string{"hold on the other", "hold on the first", "one that waits", "two that waits", "three that waits"} {
				w := r
				if i > 0 {
					w = r.in(r.second())
				}
				n := r.each[min(i, 1)]
				w.must([]*httpNode{n}, "PUT", file("a.md"), "Some text.\n")
				runs = append(runs, w.begin(n, text))
				if i < 2 {
					require.Eventually(t, func() bool { return m.times(text) == 1 }, 20*time.Second, 20*time.Millisecond)
				}
			}
			time.Sleep(3 * time.Second) // with room nowhere they stay
			for _, q := range runs[2:] {
				require.Equal(t, "queued", q.kinds(t)[1])
				require.False(t, q.has(t, "moved"))
			}
			require.NoError(t, r.each[1].cmd.Process.Signal(how))
			<-r.each[1].ended
			time.Sleep(time.Second)
			close(m.hold)
			for i, q := range runs {
				require.NoError(t, <-q.ended, "%s: %v", q.text, q.kinds(t))
				kinds := q.kinds(t)
				require.Equal(t, "done", kinds[len(kinds)-1], "%s: %v", q.text, kinds)
				n := map[string]int{}
				for _, k := range kinds {
					n[k]++
				}
				if i >= 2 {
					assert.Equal(t, 1, m.times(q.text), "%s: %v", q.text, kinds)
					assert.Equal(t, 1, n["begun"], "%s: %v", q.text, kinds)
					assert.Zero(t, n["continued"], "it was not begun before: %v", kinds)
				} else {
					assert.Equal(t, i, n["continued"], "%v", kinds)
				}
				said := q.at.must(r.each[:1], "GET", "/conversation", "")
				assert.Equal(t, 1, strings.Count(said, `"Answered."`), "%s: %s", q.text, said)
			}
		})
	}
}
