package probe

import "context"

// Windows, in tokens, that a model should be loaded with: below the first, runs
// with tools have no room to work in, below the second they are cramped.
const (
	leastWindow = 8_192
	goodWindow  = 32_768
)

// served looks with which window a server on this machine or network has the
// model loaded. Runs ask for it too.
func (p *prober) served(ctx context.Context) {
	if !p.client.Local() {
		return
	}
	w := p.client.ServedWindow(ctx, p.o.Key, p.o.Model)
	if w == 0 {
		return
	}
	if w != p.window {
		p.window, p.found.Window = w, 0 // the list says what the model could do, not what it is loaded with
	}
	const widen = "start the server with more (Ollama: OLLAMA_CONTEXT_LENGTH=32768; llama.cpp: --ctx-size 32768; LM Studio: the context length of the loaded model)"
	switch {
	case w < leastWindow:
		p.add("window", Fail, "the model is loaded with %d tokens, too few for documents and tools; %s", w, widen)
	case w < goodWindow:
		p.add("window", Note, "the model is loaded with %d tokens: tools are described in short, and long conversations are summarised early; %s", w, widen)
	default:
		p.add("window", OK, "the model is loaded with %d tokens", w)
	}
}
