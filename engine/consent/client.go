package consent

import (
	"context"
	"sync/atomic"

	"atelier/engine/egress"
	"atelier/llm"
	"atelier/workshop/provenance"
)

// Client returns a model client whose requests have the purpose that c allows. Each
// checks first that the consent was not revoked, and that c covers the files whose
// content it carries.
func (s *Store) Client(client llm.Client, c *Consent, kind string) llm.Client {
	p := &requestPurpose{store: s, consent: c, purpose: c.purpose(kind)}
	p.now.Store(c)
	return llm.Wrap(client, func(ctx context.Context, r llm.Request, next llm.Client) (llm.ChatResponse, error) {
		return next.Chat(p.with(ctx, r.Messages), r)
	})
}

// requestPurpose gives the requests of a model client their purpose.
type requestPurpose struct {
	store   *Store
	consent *Consent // with which the work began
	purpose egress.Purpose
	named   namedFiles
	now     atomic.Pointer[Consent] // as it was looked up last
}

func (c *requestPurpose) with(ctx context.Context, ms []llm.Message) context.Context {
	p := c.purpose
	now := c.now.Load()
	if now.since != c.store.changes.Load() {
		if fresh := c.store.current(ctx, c.consent); fresh != nil {
			c.now.Store(fresh)
			now = fresh
		} else {
			p.Origin = "" // revoked while the work was in progress
		}
	}
	if files, ok := provenance.Carried(ctx); ok {
		p.Files, p.FileCount, p.Withheld = files[:min(len(files), maxNamed)], len(files), now.Withheld(files)
	} else {
		p.Files = c.named.in(ms)
	}
	if p.Kind == egress.KindRun && llm.IsSummary(ctx) {
		p.Kind = egress.KindSummary
	}
	return egress.With(ctx, p)
}
