package engine

import (
	"context"
	"net/http"

	"atelier/llm/endpoint"
	"atelier/llm/models"
	"atelier/llm/replay"
	"atelier/workshop/agent"
)

// RunStart is what a recorder is told of a run beside its Config.
type RunStart struct {
	MessageID string
	Catalogue string          // by name
	Settings  models.Settings // of the model
	API       string          // in which its endpoint is asked; "": chat completions
	Secrets   []string        // every API key the engine knows
}

// RecordFunc begins the recording of a run. It may change cfg to listen to what
// the run tells and is told. The run continues with the returned context; end is
// called once with how it ended. An error refuses the run.
type RecordFunc func(ctx context.Context, cfg *agent.Config, run RunStart) (_ context.Context, end func(error), _ error)

// recording begins the recording of a run, when runs are recorded.
func (e *Engine) recording(ctx context.Context, cfg *agent.Config, run RunStart) (context.Context, func(error), error) {
	if e.opt.Record == nil {
		return ctx, func(error) {}, nil
	}
	run.Secrets = e.secrets()
	return e.opt.Record(ctx, cfg, run)
}

// secrets returns the API keys of all providers, wherever they come from, and the
// passwords of encrypted files.
func (e *Engine) secrets() []string {
	var keys []string
	for _, p := range append([]Provider{e.defaultProvider()}, e.providers()...) {
		keys = append(append(keys, p.APIKey, p.ConfigKey), endpoint.SecretHeaders(p.Headers)...)
		if stored, err := e.opt.Keys.Get(p.ID); err == nil {
			keys = append(keys, stored)
		}
	}
	return append(keys, e.allPasswords()...)
}

// httpClient reaches model endpoints; what is recorded goes through a tap.
func (e *Engine) httpClient() *http.Client {
	if e.opt.Record == nil {
		return e.opt.HTTPClient
	}
	c := http.Client{}
	if e.opt.HTTPClient != nil {
		c = *e.opt.HTTPClient
	}
	c.Transport = replay.Tap(c.Transport)
	return &c
}
