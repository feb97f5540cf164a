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

// Window returns the window of a model in tokens, 0 when nobody knows: what the table
// and config.json say, or less when a server has the model loaded with less,
// which is then served.
// Only endpoints on this machine or network are asked, when work with the model
// begins: they are the ones that cut what is longer, where others refuse it.
func (e *Engine) Window(ctx context.Context, model, key string) (tokens int, served bool) {
	if model == PseudoModel {
		return 0, false
	}
	c := e.choose(model)
	client := e.endpoint(c.provider)
	if client.Local() {
		id := c.provider.ID + "\x00" + c.name
		if s, ok := e.served.Load(id); !ok || e.stale(s.(servedWindow)) {
			n := client.ServedWindow(e.toProvider(ctx, c.provider, egress.KindModels, c.name), key, c.name)
			if ctx.Err() == nil {
				e.served.Store(id, servedWindow{n, e.opt.Now()})
			}
		}
	}
	return e.knownWindow(model)
}

func (e *Engine) stale(s servedWindow) bool {
	holds := windowHolds
	if s.tokens == 0 {
		holds = noWindowHolds
	}
	return e.opt.Now().Sub(s.at) >= holds
}

// knownWindow is Window without asking.
func (e *Engine) knownWindow(model string) (tokens int, served bool) {
	w := e.Settings(model).Window
	c := e.choose(model)
	if s, ok := e.served.Load(c.provider.ID + "\x00" + c.name); ok {
		if n := s.(servedWindow).tokens; n > 0 && (w == 0 || n < w) {
			return n, true
		}
	}
	return w, false
}
