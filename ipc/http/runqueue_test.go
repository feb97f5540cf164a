package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/internal/metrics"
	"atelier/ipc/accounts"
	"atelier/llm"
)

// gate is a model whose answers wait until the test lets one after the other go.
type gate struct {
	url   string
	asked chan string // what was asked, in the order of asking
	let   chan bool
}

func newGate(t *testing.T) *gate {
	t.Helper()
	g := &gate{asked: make(chan string, 100), let: make(chan bool, 100)}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			Messages []llm.Message `json:"messages"`
		}
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		last := ""
		for _, m := range req.Messages {
			if m.Role == llm.RoleUser {
				last = m.Content
			}
		}
		g.asked <- last
		select {
		case <-g.let:
		case <-r.Context().Done():
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Answered.\"}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(srv.Close)
	g.url = srv.URL
	return g
}

// next lets the answer at work go and returns what is asked next.
func (g *gate) next(t *testing.T) string {
	t.Helper()
	g.let <- true
	return g.at(t)
}

// at is what is asked now.
func (g *gate) at(t *testing.T) string {
	t.Helper()
	select {
	case s := <-g.asked:
		return s
	case <-time.After(30 * time.Second):
		require.FailNow(t, "nothing is asked")
		return ""
	}
}

// person is a user with a workspace for each run.
type person struct {
	*rig
	user  accounts.User
	token string
}

// begin starts a run in a new workspace.
func (p person) begin(text string) (ws string, a answer) {
	ws = p.workspace(text, p.user)
	return ws, p.request("POST", "/api/v1/workspaces/"+ws+"/runs", `{"text":"`+text+`"}`, "Authorization", "Bearer "+p.token)
}

// started is the result of a run that was accepted.
func (r *rig) started(a answer) startedRun {
	r.t.Helper()
	require.Equal(r.t, 200, a.Status, a.Body)
	var reply struct{ Result startedRun }
	require.NoError(r.t, json.Unmarshal([]byte(a.Body), &reply))
	return reply.Result
}

// in returns the rig as the owner of another workspace.
func (p person) in(ws string) *rig {
	r := &rig{t: p.t, http: p.http, srv: p.srv, annToken: p.token, ws: ws, engine: p.engine}
	r.schemasOnce.Do(func() {})
	return r
}

func newQueueRig(t *testing.T, change ...func(*Options)) (*gate, *rig, person, person) {
	g := newGate(t)
	r := newRigWith(t, engine.Options{Model: "some-model", BaseURL: g.url}, append([]func(*Options){func(o *Options) { o.MaxRuns = 1; o.Ping = 20 * time.Millisecond }}, change...)...)
	return g, r, person{r, r.ann, r.annToken}, person{r, r.eve, r.eveToken}
}

// Runs above MaxRuns wait, users have their turns one after the other, and all are answered.
// Followers are told the place and the beginning.
func TestRunsTakeTurns(t *testing.T) {
	set := metrics.NewSet()
	g, r, ann, eve := newQueueRig(t, func(o *Options) { o.Figures, o.Metrics = NewFigures(set), set })
	_, a := ann.begin("a0")
	require.Nil(t, r.started(a).Ahead, "it does not wait")
	require.Equal(t, "a0", g.at(t))
	workspaces, runs := map[string]string{}, map[string]string{}
	for i, name := range []string{"a1", "a2", "a3"} {
		ws, a := ann.begin(name)
		s := r.started(a)
		require.NotNil(t, s.Ahead)
		require.Equal(t, i, *s.Ahead)
		workspaces[name], runs[name] = ws, s.RunID
	}
	ws, a := eve.begin("e1")
	s := r.started(a)
	require.Equal(t, 1, *s.Ahead, "one of each user has its turn before the second of one")
	workspaces["e1"], runs["e1"] = ws, s.RunID

	// A run that waits is listed with its place, and its workspace can be used.
	mine := ann.in(workspaces["a2"])
	list := mine.request("GET", mine.runsPath(), "").Body
	require.Contains(t, list, `"running":true,"state":"queued","ahead":2`)
	a = mine.request("PUT", "/api/v1/workspaces/"+mine.ws+"/files/content?path=/x.md", "x", "Content-Type", "text/plain")
	require.Equal(t, 200, a.Status, a.Body)
	a = mine.request("POST", "/api/v1/workspaces/"+mine.ws+"/draft/discard", "")
	require.Equal(t, 200, a.Status, a.Body)
	a = mine.request("POST", mine.runsPath(), `{"text":"another"}`)
	require.Equal(t, 409, a.Status)
	require.Contains(t, a.Body, "A run waits for its turn in this workspace: "+runs["a2"])
	a = mine.request("POST", mine.runsPath()+"/"+runs["a2"]+"/messages", `{"text":"and this"}`)
	require.Equal(t, 409, a.Status)
	require.Contains(t, a.Body, "takes no messages yet")
	require.Contains(t, mine.request("GET", "/api/v1/workspaces/"+mine.ws+"/conversation", "").Body, `"a2"`, "its message is kept from the start")
	require.EqualValues(t, 4, values(t, set)["atelier_runs_waiting"])
	require.EqualValues(t, 1, values(t, set)["atelier_runs run"])

	var order []string
	for range 4 {
		order = append(order, g.next(t))
	}
	require.Equal(t, []string{"a1", "e1", "a2", "a3"}, order)
	g.let <- true
	for name, run := range runs {
		p := ann
		if name[0] == 'e' {
			p = eve
		}
		events := p.in(workspaces[name]).follow(run, "", nil)
		var kinds []string
		places := []int{}
		for _, e := range events {
			if e.name == "thought" {
				kinds = append(kinds, e.data.Data["kind"].(string))
				if n, ok := e.data.Data["ahead"].(float64); ok {
					places = append(places, int(n))
				}
			} else if e.name != "ping" {
				kinds = append(kinds, e.name)
			}
		}
		require.Equal(t, "session_init", kinds[0])
		require.Equal(t, "queued", kinds[1])
		require.Equal(t, "done", kinds[len(kinds)-1], "%s: %v", name, kinds)
		begun := 0
		for i, k := range kinds {
			if k == "begun" {
				begun++
				require.NotContains(t, kinds[i:], "queued")
			}
		}
		require.Equal(t, 1, begun, "%v", kinds)
		require.NotEmpty(t, places)
	}
	require.EqualValues(t, 5, values(t, set)["atelier_run_wait_seconds begun"])
	require.EqualValues(t, 0, values(t, set)["atelier_runs_waiting"])
}

// The number of those who wait is bounded, of all and of a user; the refusal says so, and
// stores nothing.
func TestQueueIsBounded(t *testing.T) {
	g, r, ann, eve := newQueueRig(t, func(o *Options) { o.MaxQueue = 5 }) // one of a user
	_, a := ann.begin("a0")
	r.started(a)
	g.at(t)
	_, a = ann.begin("a1")
	r.started(a)
	ws, a := ann.begin("a2")
	require.Equal(t, 503, a.Status)
	require.Contains(t, a.Body, "1 of yours wait for their turn, which is the most of one user")
	require.Equal(t, "10", a.Header.Get("Retry-After"))
	require.NotContains(t, ann.in(ws).request("GET", "/api/v1/workspaces/"+ws+"/conversation", "").Body, "a2")
	_, a = eve.begin("e1")
	r.started(a)
	for i := range 3 {
		u, err := r.accounts.AddUser(t.Context(), fmt.Sprintf("u%d@example.org", i), "")
		require.NoError(t, err)
		_, a = person{r, u, r.token(u)}.begin(fmt.Sprint("u", i))
		r.started(a)
	}
	u, err := r.accounts.AddUser(t.Context(), "late@example.org", "")
	require.NoError(t, err)
	_, a = person{r, u, r.token(u)}.begin("late")
	require.Equal(t, 503, a.Status)
	require.Contains(t, a.Body, "5 wait for their turn, which is the most; try again")
	require.NotEmpty(t, a.Header.Get("Retry-After"))
}

// A run that waits is stopped at once; one that waited too long, and those of a server that
// stops, end and say so. None of them is begun.
func TestWaitsEnd(t *testing.T) {
	g, r, ann, eve := newQueueRig(t, func(o *Options) { o.QueueWait = 1500 * time.Millisecond; o.MaxQueue = 40 })
	_, a := ann.begin("a0")
	first := r.started(a)
	g.at(t)
	last := func(p person, ws, run string) sse {
		events := p.in(ws).follow(run, "", nil)
		return events[len(events)-1]
	}
	ws, a := ann.begin("stopped")
	run := r.started(a).RunID
	begun := time.Now()
	require.Equal(t, 200, ann.in(ws).request("POST", "/api/v1/workspaces/"+ws+"/runs/"+run+"/stop", "").Status)
	e := last(ann, ws, run)
	require.Equal(t, "stopped", e.name)
	require.Contains(t, e.data.Data["reason"], "stopped before it had its turn")
	require.Less(t, time.Since(begun), time.Second)
	require.Contains(t, ann.in(ws).request("GET", "/api/v1/workspaces/"+ws+"/runs", "").Body, `"running":false,"state":"ended"`)
	// The workspace takes the next run.
	r.started(ann.in(ws).request("POST", "/api/v1/workspaces/"+ws+"/runs", `{"text":"over"}`))

	ws, a = eve.begin("over")
	run = r.started(a).RunID
	e = last(eve, ws, run)
	require.Equal(t, "error", e.name)
	require.Equal(t, "UNAVAILABLE", e.data.Data["code"])
	require.Contains(t, e.data.Data["error"], "waited for its turn for 1.5s")
	require.Equal(t, true, e.data.Data["retryable"])

	ws, a = eve.begin("closing")
	run = r.started(a).RunID
	ctx, cancel := context.WithCancel(t.Context())
	drained := make(chan struct{})
	go func() { r.srv.runs.drain(ctx); close(drained) }()
	e = last(eve, ws, run)
	require.Equal(t, "stopped", e.name)
	require.Contains(t, e.data.Data["reason"], "The server stopped before the run had its turn")
	g.let <- true // the one at work may end
	<-drained
	cancel()
	require.NotEmpty(t, first.RunID)
	select {
	case what := <-g.asked:
		require.FailNow(t, "it was begun", what)
	default:
	}
	require.Zero(t, r.srv.runs.queue.Waiting())
}

// A translation that waits is checked at once, tells that it waits, can be stopped, and works
// when it has its turn.
func TestTranslationsWait(t *testing.T) {
	g, base, ann, _ := newQueueRig(t, func(o *Options) { o.Tools = o.Engine.(*engine.Engine).Live() })
	_, a := ann.begin("a0")
	base.started(a)
	g.at(t)
	r := translations{base}
	r.Put("a.md", "One.\n")
	params := map[string]any{"to": []string{"es"}, "engine": "pseudo"}
	require.Equal(t, 400, r.start(map[string]any{"to": []string{"nonsense!"}, "engine": "pseudo"}).Status)
	id := r.result(r.start(params))["job_id"].(string)
	var status map[string]any
	require.Eventually(t, func() bool {
		status = r.result(r.request("GET", r.path("/"+id), ""))
		return status["queued"] == true
	}, 10*time.Second, time.Millisecond)
	require.Equal(t, "running", status["status"])
	require.Contains(t, status["note"], "Waits for its turn")
	require.Equal(t, map[string]any{"cancel_requested": true}, r.result(r.request("POST", r.path("/"+id+"/stop"), "")))
	require.Eventually(t, func() bool { return r.result(r.request("GET", r.path("/"+id), ""))["status"] == "canceled" }, 10*time.Second, time.Millisecond)
	require.Empty(t, r.Draft("translated/es/a.md"))
	require.Eventually(t, func() bool { return r.start(params).Status == 200 }, 10*time.Second, 10*time.Millisecond)
	g.let <- true
	require.Eventually(t, func() bool {
		status = r.result(r.request("GET", r.path("/"+id), ""))
		return status["status"] == "complete"
	}, 30*time.Second, 5*time.Millisecond)
	require.Nil(t, status["queued"])
	require.Nil(t, status["note"])
	require.NotEmpty(t, r.Draft("translated/es/a.md"))
}

// With many users at the same time each run is answered once.
func TestManyWait(t *testing.T) {
	g, r, ann, eve := newQueueRig(t, func(o *Options) { o.MaxRuns = 3; o.MaxQueue = 200 })
	for range 24 {
		g.let <- true
	}
	var all sync.WaitGroup
	for i := range 24 {
		p := ann
		if i%3 == 0 {
			p = eve
		}
		ws := p.workspace(fmt.Sprint("w", i), p.user)
		all.Go(func() {
			one := p.in(ws)
			a := one.request("POST", one.runsPath(), fmt.Sprintf(`{"text":"run %d"}`, i))
			if !assert.Equal(t, 200, a.Status, a.Body) {
				return
			}
			var reply struct{ Result startedRun }
			assert.NoError(t, json.Unmarshal([]byte(a.Body), &reply))
			events := one.follow(reply.Result.RunID, "", nil)
			assert.Equal(t, "done", events[len(events)-1].name)
		})
	}
	all.Wait()
	seen := map[string]int{}
	for range 24 {
		seen[g.at(t)]++
	}
	require.Len(t, seen, 24)
	require.Equal(t, 3, r.srv.runs.queue.Free())
	require.False(t, strings.Contains(r.log.String(), "level=ERROR"), r.log.String())
}

// A run of the page waits in the same queue. The page is told its place, also when it is
// opened again, and stops it.
func TestPageWaits(t *testing.T) {
	g, base, ann, _ := newQueueRig(t, func(o *Options) { o.Page = true })
	_, a := ann.begin("a0")
	base.started(a)
	g.at(t)
	r := &pageRig{base}
	one, two := r.page(r.annToken), r.page(r.annToken)
	in := func(more string) string { return `{"workbench_id":"` + r.ws + `"` + more + `}` }
	_, code := one.call("EventsResume", in(""))
	require.Empty(t, code)
	sent, code := one.call("WorkshopSendUserMessage", in(`,"text":"from the page"`))
	require.Empty(t, code, sent)
	var ref engine.MessageRef
	require.NoError(t, json.Unmarshal([]byte(sent), &ref))
	type answered struct{ text, code string }
	run := func() chan answered {
		done := make(chan answered, 1)
		go func() {
			text, code := one.call("WorkshopRunAgent", in(`,"message_id":"`+ref.MessageID+`"`))
			done <- answered{text, code}
		}()
		return done
	}
	waits := func() bool {
		st, _ := two.call("WorkshopGetState", in(""))
		return strings.Contains(st, `"running":true`) && strings.Contains(st, `"activity":"run"`) && strings.Contains(st, `"ahead":0`)
	}
	done := run()
	require.Eventually(t, waits, 10*time.Second, 5*time.Millisecond)
	text, code := two.call("WorkshopSteerRun", in(`,"text":"and this"`))
	require.Equal(t, "CONFLICT", code)
	require.Contains(t, text, "takes no messages yet")
	text, code = two.call("WorkshopRunAgent", in(`,"message_id":"`+ref.MessageID+`"`))
	require.Equal(t, "CONFLICT", code)
	require.Contains(t, text, "waits for its turn in this workspace")
	text, code = two.call("WorkshopCancelRun", in(""))
	require.Empty(t, code, text)
	require.Contains(t, text, `"cancel_requested":true`)
	stop := <-done
	require.Equal(t, "USER_CANCELED", stop.code)
	require.Contains(t, stop.text, "stopped before it had its turn")
	require.Contains(t, strings.Join(one.notes, "\n"), `"method":"WorkshopRunQueued","params":{"workbench_id":"`+r.ws+`","message_id":"`+ref.MessageID+`","ahead":0`)
	require.Contains(t, strings.Join(one.notes, "\n"), `"ahead":0,"over":"The run was stopped before it had its turn`)

	done = run()
	require.Eventually(t, waits, 10*time.Second, 5*time.Millisecond)
	require.Equal(t, "from the page", g.next(t))
	g.let <- true
	end := <-done
	require.Empty(t, end.code, end.text)
	st, _ := two.call("WorkshopGetState", in(""))
	require.NotContains(t, st, "ahead")
}
