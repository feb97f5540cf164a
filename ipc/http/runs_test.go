package httpapi

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/engine"
)

// sse is one event as a follower receives it.
type sse struct {
	id   int64
	name string
	data struct {
		Type string
		Data map[string]any
	}
}

// follow reads a run's events until the stream ends or until returns true.
func (r *rig) follow(run, lastID string, until func(sse) bool) []sse {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", r.http.URL+"/api/v1/workspaces/"+r.ws+"/runs/"+run+"/events", nil)
	require.NoError(r.t, err)
	req.Header.Set("Authorization", "Bearer "+r.annToken)
	if lastID != "" {
		req.Header.Set("Last-Event-ID", lastID)
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(r.t, err)
	defer resp.Body.Close()
	require.Equal(r.t, 200, resp.StatusCode)
	require.Equal(r.t, "text/event-stream", resp.Header.Get("Content-Type"))
	var out []sse
	var e sse
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "id":
			e.id, err = strconv.ParseInt(value, 10, 64)
			require.NoError(r.t, err)
		case "event":
			e.name = value
		case "data":
			require.NoError(r.t, json.Unmarshal([]byte(value), &e.data))
			require.Equal(r.t, e.name, e.data.Type)
		case "":
			out = append(out, e)
			if until != nil && until(e) {
				return out
			}
			e = sse{}
		}
	}
	require.NoError(r.t, lines.Err())
	return out
}

func (r *rig) runsPath() string { return "/api/v1/workspaces/" + r.ws + "/runs" }

func (r *rig) startRun(text string) string {
	r.t.Helper()
	body, _ := json.Marshal(map[string]string{"text": text})
	a := r.request("POST", r.runsPath(), string(body))
	require.Equal(r.t, 200, a.Status, a.Body)
	var reply struct{ Result struct{ Run_id string } }
	require.NoError(r.t, json.Unmarshal([]byte(a.Body), &reply))
	require.NotEmpty(r.t, reply.Result.Run_id)
	return reply.Result.Run_id
}

// put publishes a file in the workspace through its draft.
func (r *rig) put(path, text string) {
	r.t.Helper()
	args, _ := json.Marshal(map[string]string{"path": path, "content": text})
	params, _ := json.Marshal(engine.ToolCallParams{WorkbenchID: r.ws, Tool: "write_text_file", Args: args})
	_, err := r.engine.Call(context.Background(), "ToolCall", params)
	require.NoError(r.t, err)
	a := r.request("POST", "/api/v1/workspaces/"+r.ws+"/draft/publish", "")
	require.Equal(r.t, 200, a.Status, a.Body)
}

// TestV06Run: a run's events have the names of V-06 and are in order, its
// changes are in the draft, and publishing is a separate call.
func TestV06Run(t *testing.T) {
	r := newRig(t)
	r.put("notas.md", "# Contrato\n\nEl precio es 5 EUR.\n")
	events := r.follow(r.startRun("Translate all documents to English"), "", nil)
	seen := map[string]int{}
	for i, e := range events {
		assert.EqualValues(t, i+1, e.id)
		seen[e.name]++
	}
	assert.Equal(t, "session_init", events[0].name)
	assert.Equal(t, r.ws, events[0].data.Data["workspace_id"])
	last := events[len(events)-1]
	assert.Equal(t, "done", last.name)
	assert.Equal(t, true, last.data.Data["has_draft"])
	assert.Positive(t, seen["chunk"])
	assert.Positive(t, seen["call"])
	assert.Equal(t, seen["call"], seen["observation"])
	assert.Positive(t, seen["file_updated"])

	a := r.request("GET", "/api/v1/workspaces/"+r.ws+"/conversation", "")
	assert.Contains(t, a.Body, "Translate all documents to English")
	a = r.request("GET", r.runsPath(), "")
	assert.Contains(t, a.Body, `"running":false`)
	assert.Contains(t, a.Body, events[0].data.Data["run_id"])

	a = r.request("GET", "/api/v1/workspaces/"+r.ws+"/draft", "")
	assert.Equal(t, 200, a.Status)
	assert.Contains(t, a.Body, `"has_draft":true`)
	assert.Contains(t, a.Body, `notas.md`)
	a = r.request("POST", "/api/v1/workspaces/"+r.ws+"/draft/discard", `{"paths":["notas.md"]}`)
	assert.Equal(t, 200, a.Status, a.Body)
	a = r.request("POST", "/api/v1/workspaces/"+r.ws+"/draft/publish", `{"paths":["../x"]}`)
	assert.Equal(t, 400, a.Status, a.Body)
}

// TestV06Resume: a follower that reconnects with Last-Event-ID gets exactly
// the following events; one that has all events is told not to reconnect.
func TestV06Resume(t *testing.T) {
	r := newRig(t)
	run := r.startRun("List the documents")
	all := r.follow(run, "", nil)
	require.Greater(t, len(all), 2)
	for _, from := range []int{0, 1, len(all) - 1} {
		assert.Equal(t, all[from:], r.follow(run, fmt.Sprint(from), nil))
	}
	path := r.runsPath() + "/" + run + "/events"
	assert.Equal(t, 204, r.request("GET", path, "", "Last-Event-ID", fmt.Sprint(len(all))).Status)
	assert.Equal(t, 204, r.request("GET", path+"?last_event_id="+fmt.Sprint(len(all)), "").Status)
	assert.Equal(t, 400, r.request("GET", path, "", "Last-Event-ID", "x").Status)
	assert.Equal(t, 404, r.request("GET", r.runsPath()+"/nope/events", "").Status)
	// A member of another workspace does not find the run there.
	other := r.workspace("Other", r.ann)
	assert.Equal(t, 404, r.request("GET", "/api/v1/workspaces/"+other+"/runs/"+run+"/events", "").Status)
	assert.Equal(t, 403, r.request("GET", path, "", "Authorization", "Bearer "+r.eveToken).Status)
}

// newSlowRig has a model that starts an answer and does not end it.
func newSlowRig(t *testing.T, change ...func(*Options)) *rig {
	return newModelRig(t, "-- model-* --\n{\"text\":\"Well\"}\n{\"hang\":true}\n", change...)
}

// startSlow starts a run and waits until the model has started to answer.
func (r *rig) startSlow() string {
	r.t.Helper()
	run := r.startRun("work")
	r.follow(run, "", func(e sse) bool { return e.name == "chunk" })
	return run
}

// TestV06Stop: a workspace has one run at a time; stopping it ends the stream
// with stopped; pings are sent while nothing happens.
func TestV06Stop(t *testing.T) {
	r := newSlowRig(t, func(o *Options) { o.Ping = 5 * time.Millisecond; o.MaxRuns, o.MaxQueue = 1, -1 })
	run := r.startSlow()
	a := r.request("POST", r.runsPath(), `{"text":"again"}`)
	assert.Equal(t, 409, a.Status)
	assert.Contains(t, a.Body, run)
	other := r.workspace("Other", r.ann)
	a = r.request("POST", "/api/v1/workspaces/"+other+"/runs", `{"text":"more"}`)
	assert.Equal(t, 503, a.Status, "MaxRuns")

	got := r.follow(run, "", func(e sse) bool { return e.name == "ping" })
	assert.Zero(t, got[len(got)-1].id, "a ping must not move the place to come back to")
	a = r.request("POST", r.runsPath()+"/"+run+"/stop", "")
	assert.Equal(t, `{"success":true,"result":{"stopping":true},"error":null}`, a.Body)
	events := r.follow(run, "1", nil)
	assert.Contains(t, r.request("GET", "/api/v1/workspaces/"+r.ws+"/conversation", "").Body, `"text":"Well"`, "what was said so far is kept")
	assert.Equal(t, "stopped", events[len(events)-1].name)
	assert.Contains(t, r.request("POST", r.runsPath()+"/"+run+"/stop", "").Body, `"stopping":false`)
	assert.Equal(t, 404, r.request("POST", r.runsPath()+"/nope/stop", "").Status)
}

// TestStreamOutlivesReadTimeout: the server's read timeout cuts neither a
// stream nor a call that takes longer.
func TestStreamOutlivesReadTimeout(t *testing.T) {
	r := newSlowRig(t, func(o *Options) { o.Ping = 20 * time.Millisecond })
	limited := r.srv.httpServer()
	limited.ReadTimeout, limited.WriteTimeout = 50*time.Millisecond, 50*time.Millisecond
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go limited.Serve(l)
	defer limited.Close()
	r.http.URL = "http://" + l.Addr().String()
	run := r.startSlow()
	pings := 0
	r.follow(run, "", func(e sse) bool {
		if e.name == "ping" {
			pings++
		}
		return pings == 10
	})
	assert.Equal(t, 10, pings, "the stream was cut")

	r.tools.hold, r.tools.held = make(chan struct{}), make(chan struct{})
	go func() { <-r.tools.held; time.Sleep(200 * time.Millisecond); close(r.tools.hold) }()
	assert.Equal(t, 200, r.tool(`{"tool":"wait"}`).Status)
}

// TestMaxStreams: streams over the limit are refused, and ending a stream
// frees its place.
func TestMaxStreams(t *testing.T) {
	r := newSlowRig(t, func(o *Options) { o.MaxStreams = 1; o.Ping = 5 * time.Millisecond })
	run := r.startRun("work")
	path := r.runsPath() + "/" + run + "/events"
	r.follow(run, "", func(sse) bool {
		assert.Equal(t, 503, r.request("GET", path, "").Status)
		return true
	})
	require.Eventually(t, func() bool { // the server notices the disconnect
		return r.request("HEAD", path, "").Status == 200
	}, 10*time.Second, 5*time.Millisecond)
}

// TestStreamEndsWithMembership: the stream of a user who is removed from the
// workspace ends.
func TestStreamEndsWithMembership(t *testing.T) {
	r := newSlowRig(t, func(o *Options) { o.Ping = 5 * time.Millisecond })
	_, err := r.accounts.AddMember(t.Context(), r.ws, r.eve.ID)
	require.NoError(t, err)
	run := r.startSlow()
	r.annToken = r.eveToken
	seen := 0
	r.follow(run, "", func(sse) bool {
		if seen++; seen == 2 {
			_, err := r.accounts.RemoveMember(t.Context(), r.ws, r.eve.ID)
			require.NoError(t, err)
		}
		return false // until the server ends it
	})
	assert.GreaterOrEqual(t, seen, 2)
}

// TestDrainRuns: a stopping server lets runs end, then stops the others.
func TestDrainRuns(t *testing.T) {
	r := newSlowRig(t)
	run := r.startSlow()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	r.srv.runs.drain(ctx)
	events := r.follow(run, "", nil)
	assert.Equal(t, "stopped", events[len(events)-1].name)
	assert.Equal(t, 503, r.request("POST", r.runsPath(), `{"text":"more"}`).Status)
}

// TestRunRefusals: errors in requests for a run.
func TestRunRefusals(t *testing.T) {
	r := newRig(t)
	for _, body := range []string{`{}`, `{"text":"  "}`, `{"text":5}`, `nonsense`} {
		a := r.request("POST", r.runsPath(), body)
		assert.Equal(t, 400, a.Status, body)
		assert.Contains(t, a.Body, `"code":"VALIDATION_ERROR"`)
	}
	// A model that cannot be reached gives an error event, the last one.
	a := r.request("POST", r.runsPath(), `{"text":"hello","model":"gpt-5"}`)
	require.Equal(t, 200, a.Status)
	var reply struct{ Result struct{ Run_id string } }
	require.NoError(t, json.Unmarshal([]byte(a.Body), &reply))
	events := r.follow(reply.Result.Run_id, "", nil)
	last := events[len(events)-1]
	assert.Equal(t, "error", last.name)
	assert.Equal(t, engine.CodeNotConfigured, last.data.Data["code"])
}
