package probe

import (
	"context"
	"errors"
	"strings"

	"atelier/llm"
)

// assumedWindow is tried when nobody says how large the window is, tokens.
const assumedWindow = 131_072

// maxOverflow bounds the long request, in words of about a token each.
const maxOverflow = 2_000_000

// overflow sends more than the window holds. A refusal has to be known as such:
// then a run compacts the conversation and continues.
func (p *prober) overflow(ctx context.Context) {
	const name = "overflow"
	if !p.o.Overflow {
		p.add(name, Skip, "not tried; an endpoint that takes the long request may charge for it")
		return
	}
	window := p.window
	if window == 0 {
		window = p.set.Window
	}
	known := window > 0
	if !known {
		window = assumedWindow
	}
	n := min(window+window/4+1000, maxOverflow)
	resp, err := p.ask(ctx, p.client, []llm.Message{user("The first word is osprey. " + strings.Repeat("one ", n) + "\nWhich bird was named first? Answer with one word.")}, nil, nil)
	e := asError(err)
	switch {
	case err == nil && resp.Usage.PromptTokens > 0 && resp.Usage.PromptTokens < n/2:
		p.add(name, Fail, "%d words were cut to %d tokens in silence; start the endpoint with a larger window, and set window to it", n, resp.Usage.PromptTokens)
		p.found.Window = resp.Usage.PromptTokens
	case err == nil && known:
		p.add(name, Note, "%d words were taken; the window is larger than the %d tokens known", n, window)
	case err == nil:
		p.add(name, Note, "%d words were taken", n)
	case e.Kind == llm.KindContextLength:
		p.add(name, OK, "refused as too long, and understood: %s", short(e.Message))
	case e.Kind == llm.KindRateLimited:
		p.add(name, Note, "the rate limit came first: %s", short(e.Message))
	default:
		p.add(name, Fail, "the refusal is not understood, so a long conversation ends there: %s", short(e.Error()))
	}
}

func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 160 {
		return string(r[:160]) + "…"
	}
	return s
}

// asError returns err as the client gives it; never nil.
func asError(err error) *llm.Error {
	var e *llm.Error
	switch {
	case errors.As(err, &e):
		return e
	case err != nil:
		return &llm.Error{Kind: llm.KindInvalid, Message: err.Error()}
	}
	return &llm.Error{}
}
