//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/cluster/clustertest"
	"atelier/llm"
)

// linesEach are the calls of a run, each of which adds a line to a file.
const linesEach = 6

// serveLines is an endpoint that adds a line to journal.txt in each step of a run, and never
// repeats a step: what was done twice is in the file twice.
func serveLines(t *testing.T) (url string) {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			Messages []llm.Message `json:"messages"`
		}
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		run, step := "", 0
		for _, m := range req.Messages {
			if i := strings.Index(m.Content, "Write run "); m.Role == llm.RoleUser && i >= 0 {
				run, step = strings.Fields(m.Content[i:])[2], 0
			}
			step += len(m.ToolCalls)
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-r.Context().Done():
			return
		}
		delta, finish := `{"content":"All lines are there."}`, "stop"
		if step < linesEach {
			id := fmt.Sprintf("%s-%d", run, step)
			args := fmt.Sprintf(`{"path":"journal.txt","search":"END","replace":"(%s)\nEND"}`, id)
			delta, finish = fmt.Sprintf(`{"tool_calls":[{"index":0,"id":"call-%s","type":"function","function":{"name":"replace_text","arguments":%q}}]}`, id, args), "tool_calls"
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":%s}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":5}}\n\ndata: [DONE]\n\n", delta, finish)
	}))
	t.Cleanup(srv.Close)
	return srv.URL + "/v1"
}

// journal makes one run after the other in a workspace until ctx ends, follows each to its
// end, and returns which lines were acknowledged.
type journal struct {
	g         *faultRig
	workspace string
	runs      int
	lines     map[string]bool // by name: the call ended well
}

func (j *journal) work(ctx context.Context) {
	t := j.g.t
	for ; ctx.Err() == nil; j.runs++ {
		name := fmt.Sprint(j.runs)
		var started struct {
			Result struct {
				RunID string `json:"run_id"`
			} `json:"result"`
		}
		status, answer := j.g.at(rand.IntN(len(j.g.addresses)), j.workspace).one(ctx, "POST", "/runs", `{"text":"Write run `+name+` now."}`)
		if status != http.StatusOK {
			time.Sleep(200 * time.Millisecond)
			continue // it may have been started all the same; its lines are there once then
		}
		if !assert.NoError(t, json.Unmarshal([]byte(answer), &started)) {
			return
		}
		r := &httpNodes{t: t, token: j.g.token, workspace: j.workspace}
		for _, url := range j.g.addresses {
			r.each = append(r.each, &httpNode{url: url})
		}
		follow, cancel := context.WithTimeout(t.Context(), 90*time.Second)
		var events []runEvent
		err := r.follow(follow, started.Result.RunID, func(e runEvent) { events = append(events, e) })
		cancel()
		if !assert.NoError(t, err, "run %s of %s had no end after %d events", name, j.workspace, len(events)) {
			return
		}
		j.check(name, events)
	}
}

// one is request with the only server.
func (r *httpNodes) one(ctx context.Context, method, path, body string) (int, string) {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	return r.request(ctx, r.each[0], method, path, body)
}

// check: each event came once, and each call ended once.
func (j *journal) check(name string, events []runEvent) {
	t := j.g.t
	ended := map[string]int{}
	for i, e := range events {
		assert.Equal(t, i+1, e.id, "run %s: an event is missing, or came twice", name)
		var data struct {
			Data struct {
				CallID  string `json:"call_id"`
				Success bool   `json:"success"`
			} `json:"data"`
		}
		assert.NoError(t, json.Unmarshal(e.data, &data))
		if e.kind == "observation" {
			ended[data.Data.CallID]++
			if line := strings.TrimPrefix(data.Data.CallID, "call-"); data.Data.Success {
				j.lines[line] = true
			}
		}
	}
	for id, n := range ended {
		assert.Equal(t, 1, n, "the call %s of run %s ended %d times", id, name, n)
	}
	last := events[len(events)-1]
	assert.Equal(t, "done", last.kind, "%s", last.data)
}

// TestHTTPClusterRunFaults: runs work in two workspaces, and are followed from server to
// server, under the faults of TestHTTPClusterFaults. Each event comes once, and no call is
// done twice: each line is in the file once if its call ended well, else once or not at all.
func TestHTTPClusterRunFaults(t *testing.T) {
	campaign.One(t, 4, 6)
	nats := clustertest.Start(t, 3)
	runsUnderFaults(startRig(t, nats, 3, 3, 2, runsFlags, runsEnv(t)...), campaign.Of(24, 60))
}

// runsFlags and runsEnv are those of servers whose runs runsUnderFaults has.
var runsFlags = []string{"--model", "m", "--allow-egress", "--drain", "1s"}

func runsEnv(t *testing.T) []string {
	return []string{"OPENAI_BASE_URL=" + serveLines(t), "OPENAI_API_KEY=k", "ATELIER_MODEL=m"}
}

// runsUnderFaults has runs in each workspace while faults happen, and checks them.
func runsUnderFaults(g *faultRig, faults int) {
	t := g.t
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	var journals []*journal
	for i, w := range g.workspaces {
		r := g.at(i, w)
		r.must(r.each, "PUT", file("journal.txt"), "END\n")
		j := &journal{g: g, workspace: w, lines: map[string]bool{}}
		journals = append(journals, j)
		all.Go(func() { j.work(ctx) })
	}
	seed := campaign.Seed()
	done := g.faults(rand.New(rand.NewPCG(seed, 1)), faults, func(fault, string, int) func() { return func() {} })
	g.nats.Ready()
	time.Sleep(2 * time.Second)
	cancel()
	all.Wait()
	t.Logf("seed %d: %s", seed, countsOf(done))
	for i, j := range journals {
		r := g.at(i, j.workspace)
		text := r.must(r.each, "GET", file("journal.txt")+"&version=draft", "")
		there := map[string]int{}
		for line := range strings.Lines(text) {
			there[strings.Trim(line, "()\n")]++
		}
		for line, n := range there {
			assert.Equal(t, 1, n, "the line %s is there %d times", line, n)
		}
		for line := range j.lines {
			assert.Positive(t, there[line], "the line %s is not there, though its call ended well", line)
		}
		t.Logf("workspace %d: %d runs, %d calls ended well, %d lines", i, j.runs, len(j.lines), len(there)-1)
		require.NotEmpty(t, j.lines)
	}
}
