package pseudo

import (
	"context"
	"strings"
	"unicode/utf8"

	"atelier/llm"
)

// Model is the name this model goes by.
const Model = "pseudo"

// Client implements llm.Client. The zero value works; it holds no state.
type Client struct{}

// New returns the offline model.
func New() *Client { return &Client{} }

// Chat answers; a stream gets the text in small pieces. The key and the model's name
// are ignored. The only error is a canceled ctx.
func (c *Client) Chat(ctx context.Context, r llm.Request) (llm.ChatResponse, error) {
	if !r.Stream {
		r.OnDelta, r.OnCall = nil, nil
	}
	var resp llm.ChatResponse
	text, calls, turn := answer(r.Messages, r.Tools)
	encoded, err := encode(calls, turn)
	if err != nil {
		return resp, &llm.Error{Kind: llm.KindInvalid, Message: err.Error(), Err: err}
	}
	for _, d := range deltas(text) {
		if err := ctx.Err(); err != nil {
			return resp, canceled(err, resp.Content != "")
		}
		resp.Content += d
		if r.OnDelta != nil {
			r.OnDelta(d)
		}
	}
	if err := ctx.Err(); err != nil {
		return resp, canceled(err, resp.Content != "")
	}
	resp.FinishReason = "stop"
	if len(encoded) > 0 {
		resp.ToolCalls, resp.FinishReason = encoded, "tool_calls"
	}
	if r.OnCall != nil {
		for _, tc := range encoded {
			r.OnCall(tc)
		}
	}
	resp.Usage = usage(r.Messages, resp)
	return resp, nil
}

func canceled(err error, emitted bool) error {
	return &llm.Error{Kind: llm.KindCanceled, Message: "the request was canceled", Emitted: emitted, Err: err}
}

// deltas cuts text into pieces of about the size a real model streams.
func deltas(text string) []string {
	const size = 16
	var out []string
	for len(text) > size {
		i := strings.IndexByte(text[size:], ' ')
		if i < 0 {
			break
		}
		out = append(out, text[:size+i+1])
		text = text[size+i+1:]
	}
	if text != "" {
		out = append(out, text)
	}
	return out
}

// usage estimates tokens as a quarter of the characters.
func usage(messages []llm.Message, resp llm.ChatResponse) llm.Usage {
	in, out := 0, utf8.RuneCountInString(resp.Content)
	for _, m := range messages {
		in += utf8.RuneCountInString(m.Content)
		for _, c := range m.ToolCalls {
			in += len(c.Function.Arguments)
		}
	}
	for _, c := range resp.ToolCalls {
		out += len(c.Function.Arguments)
	}
	return llm.Usage{PromptTokens: in / 4, CompletionTokens: out / 4}
}
