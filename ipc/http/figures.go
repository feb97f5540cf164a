package httpapi

import (
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"atelier/engine"
	"atelier/internal/metrics"
	"atelier/workshop"
	"atelier/workshop/agent"
	"atelier/workshop/tools/catalogue"
)

// Figures count what a server does, for Prometheus. A nil *Figures counts nothing. The
// values of their labels come from lists of the program: patterns of routes, codes of
// errors, names of tools. Models are the exception: a caller can name any, so the first
// modelsMost that have answered are told apart.
type Figures struct {
	requests  *metrics.Counter
	durations *metrics.Histogram
	refusals  *metrics.Counter
	tools     *metrics.Counter
	asked     *metrics.Counter
	tokens    *metrics.Counter
	passedOn  *metrics.Counter
	waits     *metrics.Histogram
	followers atomic.Int64
	known     map[string]bool // names of tools

	mu     sync.Mutex // protects models
	models map[[2]string]bool
}

// modelsMost is how many models have figures of their name; the others share "other".
const modelsMost = 50

// durationBounds are in seconds. A stream of events takes as long as its run.
var durationBounds = []float64{.005, .025, .1, .25, .5, 1, 2.5, 5, 10, 30, 120}

// waitBounds are in seconds.
var waitBounds = []float64{0, 1, 5, 10, 30, 60, 120, 300, 600}

// NewFigures adds the figures of a server to a set. Its Watch is for the server's engine,
// itself for Options.Figures.
func NewFigures(set *metrics.Set) *Figures {
	f := &Figures{known: map[string]bool{}, models: map[[2]string]bool{},
		requests:  set.Counter("atelier_http_requests_total", "Requests that were answered.", "route", "method", "status"),
		durations: set.Histogram("atelier_http_request_seconds", "Time until a request was answered; of a stream, until it ended.", durationBounds, "route"),
		refusals:  set.Counter("atelier_http_refused_total", "Requests that were refused or failed, by the code of the error.", "code"),
		passedOn:  set.Counter("atelier_http_passed_on_total", "Requests that another server of the cluster answered, since it has their workspace."),
		waits:     set.Histogram("atelier_run_wait_seconds", "Time that runs and translations waited for their turn, by how the wait ended: begun, stopped, over, closing or leaves.", waitBounds, "outcome"),
		tools:     set.Counter("atelier_tool_calls_total", "Tool calls that ended: by the model of a run (run), by a client of the HTTP API (api), by another agent (mcp).", "by", "tool", "outcome"),
		asked:     set.Counter("atelier_model_requests_total", "Requests to models that ended.", "provider", "model", "outcome"),
		tokens:    set.Counter("atelier_model_tokens_total", "Tokens of requests to models. Those of kind cached are among those of kind input.", "provider", "model", "kind"),
	}
	for _, name := range catalogue.Names() {
		if c, err := catalogue.Named(name); err == nil {
			for _, t := range c.Tools() {
				f.known[t.Function.Name] = true
			}
		}
	}
	return f
}

// Watch counts what an engine does.
func (f *Figures) Watch() engine.Watch {
	return engine.Watch{Used: f.used, Called: f.called}
}

// follow counts what only the server knows, and tool calls of runs.
func (f *Figures) follow(s *Server, set *metrics.Set) {
	set.Gauges("atelier_runs", "Runs in progress.", []string{"kind"}, func(emit func(float64, ...string)) {
		runs, translations := s.runs.inProgress()
		emit(float64(runs), "run")
		emit(float64(translations), "translation")
	})
	set.Gauge("atelier_runs_waiting", "Runs and translations that wait for their turn.", func() float64 { return float64(s.runs.queue.Waiting()) })
	set.Gauge("atelier_event_followers", "Open streams of events of runs.", func() float64 { return float64(f.followers.Load()) })
	set.Gauge("atelier_page_connections", "Connections of the page.", func() float64 {
		if s.page == nil {
			return 0
		}
		return float64(s.page.shares.taken())
	})
}

// answered counts a request. The route is a pattern of this server.
func (f *Figures) answered(route, method string, status int, took time.Duration) {
	if f == nil {
		return
	}
	if route == "" {
		route = metrics.Other
	}
	if !slices.Contains(methods, method) {
		method = metrics.Other
	}
	if status == 0 {
		status = 499 // the client left before there was an answer
	}
	f.requests.Add(1, route, method, strconv.Itoa(status))
	f.durations.Observe(took.Seconds(), route)
}

// passed counts a request that another server answered.
func (f *Figures) passed() {
	if f != nil {
		f.passedOn.Add(1)
	}
}

// waited counts a wait for a turn that ended.
func (f *Figures) waited(outcome string, d time.Duration) {
	if f != nil {
		f.waits.Observe(d.Seconds(), outcome)
	}
}

// refused counts an error by its code.
func (f *Figures) refused(code string) {
	if f != nil {
		f.refusals.Add(1, code)
	}
}

// following counts a follower of events until left is called.
func (f *Figures) following() (left func()) {
	if f == nil {
		return func() {}
	}
	f.followers.Add(1)
	return func() { f.followers.Add(-1) }
}

// heard counts the tool calls of runs.
func (f *Figures) heard(n engine.Notification) {
	if f == nil {
		return
	}
	if c, ok := n.Params.(agent.ToolComplete); ok {
		f.called("run", c.ToolName, c.Success)
	}
}

func (f *Figures) called(by, tool string, ok bool) {
	if !f.known[tool] {
		tool = metrics.Other // of another program, or one that a model made up
	}
	f.tools.Add(1, by, tool, outcome(ok))
}

func outcome(ok bool) string {
	if ok {
		return "ok"
	}
	return "failed"
}

func (f *Figures) used(u workshop.Usage) {
	ok := u.State == workshop.UsageOK
	p, m := f.modelNames(u.Provider, u.Model, ok)
	f.asked.Add(1, p, m, outcome(ok))
	f.tokens.Add(float64(u.Input), p, m, "input")
	f.tokens.Add(float64(u.Cached), p, m, "cached")
	f.tokens.Add(float64(u.Output), p, m, "output")
}

// modelNames returns the values of labels for a model.
func (f *Figures) modelNames(provider, model string, answered bool) (string, string) {
	key := [2]string{provider, model}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.models[key] {
		if !answered || len(f.models) >= modelsMost {
			return metrics.Other, metrics.Other
		}
		f.models[key] = true
	}
	return provider, model
}

// codeOf is the code of an error that has a status only.
func codeOf(status int) string {
	switch status {
	case http.StatusBadRequest:
		return codeValidation
	case http.StatusUnauthorized:
		return codeToken
	case http.StatusTooManyRequests:
		return codeRate
	case http.StatusServiceUnavailable:
		return codeUnavailable
	case http.StatusForbidden, http.StatusMisdirectedRequest:
		return codeForbidden
	}
	return codeInternal
}
