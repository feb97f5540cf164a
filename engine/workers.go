package engine

import (
	"context"
	"net/url"

	"atelier/engine/egress"
	"atelier/llm"
)

// ModelAt is a model at its endpoint, as all machines name it.
type ModelAt struct {
	Model  string // as the endpoint names it
	Origin string // scheme, host and port of the endpoint
}

// at returns the model as all machines name it.
func (m resolvedModel) at() ModelAt {
	_, origin := addressOf(m.endpoint)
	return ModelAt{m.name, origin}
}

// modelsElsewhere makes the workers of a cluster ask a model.
type modelsElsewhere struct {
	// address is where requests are handed over, such as nats://10.0.0.1:4222. Consent is
	// to it where the endpoint's own address says only "this machine".
	address *url.URL
	// ask returns the client of a model at its endpoint; nil: nothing is asked.
	ask func(ModelAt) llm.Client
}

// to returns where the content of requests goes, as consent names it.
func (w *modelsElsewhere) to(m resolvedModel) (*url.URL, string) {
	at, _ := addressOf(m.endpoint)
	if at == nil || m.endpoint.Local() {
		at = w.address
	}
	return at, egress.OriginOf(at)
}

// client returns the client of a model whose requests go to workers, as far as there is
// consent, and are logged.
func (w *modelsElsewhere) client(e *Engine, m resolvedModel) llm.Client {
	to, _ := w.to(m)
	return llm.Wrap(w.ask(m.at()), func(ctx context.Context, r llm.Request, next llm.Client) (resp llm.ChatResponse, err error) {
		r.Key = ""
		err = e.egress.transport.Pass(ctx, to, sizeOf(r.Messages), func() (int64, error) {
			resp, err = next.Chat(ctx, r)
			in := len(resp.Content) + len(resp.Reasoning)
			for _, c := range resp.ToolCalls {
				in += len(c.Function.Arguments)
			}
			return int64(in), err
		})
		return resp, err
	})
}

// sizeOf is how many bytes of text messages have.
func sizeOf(messages []llm.Message) (n int64) {
	for _, m := range messages {
		n += int64(len(m.Content))
		for _, c := range m.ToolCalls {
			n += int64(len(c.Function.Arguments))
		}
	}
	return n
}

// WorkerModel returns a model for requests that this process makes for others: what it is
// to all machines, and a client with this process's key. The policy and the consents of
// this process decide whether documents may be sent there; the names of the documents are
// known only when a request comes, so that a consent to the endpoint is needed.
func (e *Engine) WorkerModel(ctx context.Context, model string) (ModelAt, llm.Client, error) {
	m := e.resolve(model)
	if m.builtIn() {
		return ModelAt{}, nil, validation("a worker needs a model that is not built in: name it with --model")
	}
	client, key, err := e.filesClient(ctx, m, nil)
	if err != nil {
		return ModelAt{}, nil, err
	}
	if err := m.endpoint.Ready(key); err != nil {
		return ModelAt{}, nil, err
	}
	return m.at(), llm.Wrap(client, func(ctx context.Context, r llm.Request, next llm.Client) (llm.ChatResponse, error) {
		r.Key = key
		return next.Chat(ctx, r)
	}), nil
}
