package engine

import (
	"context"

	"atelier/engine/egress"
)

// EgressListParams are the params of EgressListEvents.
type EgressListParams struct {
	WorkbenchID string `json:"workbench_id,omitempty"` // default: the requests that were made for no workbench
	After       int64  `json:"after,omitempty"`        // events with a greater id; default 0
	Limit       int    `json:"limit,omitempty"`        // 1 to 1000; default 100
	NewestFirst bool   `json:"newest_first,omitempty"` // paged with before instead of after
	Before      int64  `json:"before,omitempty"`       // events with a smaller id; default 0, from the newest
	Find        string `json:"find,omitempty"`         // in host, provider, model, kind, error and files, whatever the case of A to Z
	Left        bool   `json:"left,omitempty"`         // only requests to another machine
}

// EgressEvent is one request, or a consent given or taken back. The first five
// members are the peer's.
type EgressEvent struct {
	Timestamp  string   `json:"timestamp"`
	Kind       string   `json:"kind"` // run, summary, translate, models, validate, probe, fetch, tool_server (what a model sent another program), tool_server_request, tool_sign_in, release, allowed (a scope nobody was asked about, at its first use), consent_granted, consent_revoked
	ProviderID string   `json:"provider_id"`
	ModelID    string   `json:"model_id"`
	ScopeHash  string   `json:"scope_hash"`
	ID         int64    `json:"id"`
	Host       string   `json:"host"`
	Local      bool     `json:"local"`           // the host is this machine: nothing left it
	Files      []string `json:"files"`           // whose content the request carries, or consented to; at most 200
	FileCount  int      `json:"file_count"`      // of all such files, also those that files leaves out
	BytesOut   int64    `json:"bytes_out"`       // of the body; of one that has not ended what was to be sent
	BytesIn    int64    `json:"bytes_in"`        // of the body, decompressed
	Status     int      `json:"status"`          // HTTP status, 0 when there was no answer
	ElapsedMS  int64    `json:"elapsed_ms"`      // until the answer was read
	Retried    bool     `json:"retried"`         // the same was sent before and failed
	Error      string   `json:"error,omitempty"` // refused (nothing was sent), canceled, timeout, unknown host, not reachable, connection lost, failed
	Ended      bool     `json:"ended"`           // false: under way, or the engine died
}

// EgressEvents is the result of EgressListEvents.
type EgressEvents struct {
	Events  []EgressEvent `json:"events"`
	HasMore bool          `json:"has_more"`
	Dropped int64         `json:"dropped"` // events that the log no longer has; it keeps 100,000
}

func (e *Engine) egressEvents(ctx context.Context, p EgressListParams) (EgressEvents, error) {
	if p.Limit == 0 {
		p.Limit = 100
	}
	if p.Limit < 1 || p.Limit > 1000 {
		return EgressEvents{}, validation("limit must be from 1 to 1000")
	}
	if p.WorkbenchID != "" {
		_, done, err := e.reader(ctx, p.WorkbenchID)
		if err != nil {
			return EgressEvents{}, err
		}
		defer done()
	}
	r := EgressEvents{Events: []EgressEvent{}}
	err := e.egress.logs.Read(p.WorkbenchID, func(l *egress.Log) error {
		if l == nil {
			return nil
		}
		list, dropped, err := l.Find(ctx, egress.Query{After: p.After, Before: p.Before, Newest: p.NewestFirst, Left: p.Left, Find: p.Find, Limit: p.Limit + 1})
		r.HasMore, r.Dropped = len(list) > p.Limit, dropped
		for _, ev := range list[:min(len(list), p.Limit)] {
			r.Events = append(r.Events, EgressEvent{Timestamp: rfc3339(ev.At), Kind: ev.Kind, ProviderID: ev.Provider, ModelID: ev.Model, ScopeHash: ev.ScopeHash,
				ID: ev.ID, Host: ev.Host, Local: ev.Local, Files: orEmpty(ev.Files), FileCount: ev.FileCount, BytesOut: ev.BytesOut, BytesIn: ev.BytesIn, Status: ev.Status,
				ElapsedMS: ev.Elapsed.Milliseconds(), Retried: ev.Retried, Error: ev.Error, Ended: ev.Ended})
		}
		return err
	})
	return r, err
}
