package engine

import (
	"context"
	"time"

	"atelier/engine/egress"
)

// How long what an endpoint said of a model's window holds. A model may be
// loaded anew with another one; an endpoint that said nothing is left alone for
// longer.
const (
	windowHolds   = time.Minute
	noWindowHolds = 10 * time.Minute
)

// servedWindow is what an endpoint said of a model.
type servedWindow struct {
	tokens int // 0: nothing
	at     time.Time
}

// window returns the window of a model in tokens, 0 when it is not known: what the
// table and config.json say, or less when a server has the model loaded with less;
// served is then true.
// Only endpoints on this machine or network are asked, when work with the model
// begins: they are the ones that cut what is longer, where others refuse it.
func (e *Engine) window(ctx context.Context, m resolvedModel, key string) (tokens int, served bool) {
	if m.builtIn() {
		return 0, false
	}
	if m.endpoint.Local() {
		if s, ok := e.served.Load(m.servedID()); !ok || e.stale(s.(servedWindow)) {
			n := m.endpoint.ServedWindow(e.toProvider(ctx, m.provider, egress.KindModels, m.name), key, m.name)
			if ctx.Err() == nil {
				e.served.Store(m.servedID(), servedWindow{n, e.opt.Now()})
			}
		}
	}
	return e.knownWindow(m)
}

// servedID is the key of a model in Engine.served.
func (m resolvedModel) servedID() string { return m.provider.ID + "\x00" + m.name }

func (e *Engine) stale(s servedWindow) bool {
	holds := windowHolds
	if s.tokens == 0 {
		holds = noWindowHolds
	}
	return e.opt.Now().Sub(s.at) >= holds
}

// knownWindow is window without asking.
func (e *Engine) knownWindow(m resolvedModel) (tokens int, served bool) {
	w := m.settings.Window
	if s, ok := e.served.Load(m.servedID()); ok {
		if n := s.(servedWindow).tokens; n > 0 && (w == 0 || n < w) {
			return n, true
		}
	}
	return w, false
}
