package engine

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"

	"atelier/engine/egress"
	"atelier/llm"
	"atelier/workshop/provenance"
	"atelier/workshop/web"
)

// gate is what every request of the engine goes through.
type gate struct {
	logs      *egress.Logs
	transport *egress.Transport
	client    *http.Client // for model endpoints
	session   sessionGrants
	granting  sync.Mutex   // held while a consent is taken back, or widened by what a run made
	changes   atomic.Int64 // counts consents and modes that were taken back
	allowed   sync.Map     // true, by workbench, party and scope that the log has as allowed
}

// openGate makes the engine's gate.
func (e *Engine) openGate() {
	g := &e.gate
	g.logs = egress.NewLogs(func(workbench string) string {
		if workbench == "" {
			return e.home.Dir()
		}
		return e.home.StateDir(workbench)
	})
	g.client = &http.Client{}
	if c := e.httpClient(); c != nil {
		*g.client = *c
	}
	g.transport = egress.New(egress.Options{Base: g.client.Transport, Logs: g.logs.Get, LocalOnly: e.opt.Egress == EgressLocalOnly, Now: e.opt.Now, Warn: e.log})
	g.client.Transport = g.transport
	if f, ok := e.opt.Fetch.(*web.HTTP); ok {
		e.opt.Fetch = f.Through(func(base http.RoundTripper) http.RoundTripper { return g.transport.Through(base) })
	}
}

// closeLog closes the log of a workbench that is closed.
func (e *Engine) closeLog(workbench string) {
	if err := e.gate.logs.Close(workbench); err != nil {
		e.log.Warn("the egress log of a workbench did not close well", "workbench", workbench, "err", err)
	}
}

// announced gives the requests of a model client their purpose.
type announced struct {
	llm.Client
	engine  *Engine
	consent *consent // with which the work began
	purpose egress.Purpose
	named   namedFiles
	now     atomic.Pointer[consent] // as it stands now
}

func (a *announced) with(ctx context.Context, ms []llm.Message) context.Context {
	p := a.purpose
	c := a.now.Load()
	if c.since != a.engine.gate.changes.Load() {
		if fresh := a.engine.stillGiven(ctx, a.consent); fresh != nil {
			a.now.Store(fresh)
			c = fresh
		} else {
			p.Origin = "" // taken back while the work was going on
		}
	}
	if files, ok := provenance.Carried(ctx); ok {
		p.Files, p.FileCount, p.Withheld = files[:min(len(files), maxNamed)], len(files), c.withheld(files)
	} else {
		p.Files = a.named.in(ms)
	}
	if p.Kind == egress.KindRun && llm.IsSummary(ctx) {
		p.Kind = egress.KindSummary
	}
	return egress.With(ctx, p)
}

// ChatWithTools implements llm.Client.
func (a *announced) ChatWithTools(ctx context.Context, key, model string, ms []llm.Message, ts []llm.Tool) (llm.ChatResponse, error) {
	return a.Client.ChatWithTools(a.with(ctx, ms), key, model, ms, ts)
}

// StreamChatWithTools implements llm.Client.
func (a *announced) StreamChatWithTools(ctx context.Context, key, model string, ms []llm.Message, ts []llm.Tool, onDelta func(string), onCall func(llm.ToolCall)) (llm.ChatResponse, error) {
	return a.Client.StreamChatWithTools(a.with(ctx, ms), key, model, ms, ts, onDelta, onCall)
}

// toProvider allows requests that hold no documents: the user asked for them by
// name, and they go to the provider's own address only.
func (e *Engine) toProvider(ctx context.Context, p Provider, kind, model string) context.Context {
	_, origin := e.addressOf(p)
	return egress.With(ctx, egress.Purpose{Kind: kind, Provider: p.ID, Model: model, Origin: origin})
}

// addressOf returns where a provider's endpoint is; empty when its address is
// unusable, which the first request says.
func (e *Engine) addressOf(p Provider) (at *url.URL, origin string) {
	at, err := url.Parse(e.endpoint(p).Address())
	if err != nil || at.Host == "" {
		return &url.URL{}, ""
	}
	return at, egress.OriginOf(at)
}
