package anthropic

import (
	"encoding/json"

	"atelier/llm"
	"atelier/llm/endpoint"
)

// event is one event of a stream, or a whole message.
type event struct {
	Type    string   `json:"type"`
	Index   int      `json:"index"`
	Message *message `json:"message"`       // message_start
	Block   *piece   `json:"content_block"` // content_block_start
	Delta   *piece   `json:"delta"`         // content_block_delta, message_delta
	Usage   *usage   `json:"usage"`         // message_delta

	// of a whole message
	Content    []piece `json:"content"`
	StopReason string  `json:"stop_reason"`

	// of other APIs
	Choices json.RawMessage `json:"choices"`
	Object  string          `json:"object"`
	Error   json.RawMessage `json:"error"`
}

type message struct {
	Usage *usage `json:"usage"`
}

// piece is a block of content, a piece of one, or the end of a message.
type piece struct {
	Type       string          `json:"type"`
	Text       string          `json:"text"`
	Thinking   string          `json:"thinking"`
	Signature  string          `json:"signature"`
	Data       string          `json:"data"` // redacted_thinking
	ID         string          `json:"id"`
	Name       string          `json:"name"`
	Input      json.RawMessage `json:"input"`
	Partial    string          `json:"partial_json"`
	StopReason string          `json:"stop_reason"`
}

type usage struct {
	Input     endpoint.Number `json:"input_tokens"`
	Output    endpoint.Number `json:"output_tokens"`
	CacheRead endpoint.Number `json:"cache_read_input_tokens"`
	CacheMade endpoint.Number `json:"cache_creation_input_tokens"`
}

// reader reads the events of one answer.
type reader struct {
	d      *dialogue
	index  int               // of the open block
	open   *piece            // the open block; nil: none
	call   int               // of an open tool_use: its number
	args   bool              // it got arguments
	lead   []json.RawMessage // thinking before any text
	blocks []json.RawMessage // thinking since then, or since the last call
	usage  usage
}

// Take implements endpoint.Dialogue. Events and blocks of unknown types are passed over.
func (d *dialogue) Take(name string, data []byte, c *endpoint.Collector) error {
	var ev event
	if err := json.Unmarshal(data, &ev); err != nil {
		return c.Failure(llm.KindUnavailable, "it sent an event that is no JSON", err)
	}
	if ev.Type == "" {
		ev.Type = name
	}
	return d.answer.take(ev, data, c)
}

func (r *reader) take(ev event, data []byte, c *endpoint.Collector) error {
	switch ev.Type {
	case "message_start":
		c.Begin()
		if ev.Message != nil {
			r.count(ev.Message.Usage, c)
		}
	case "content_block_start":
		return r.start(ev.Index, ev.Block, c)
	case "content_block_delta":
		return r.delta(ev.Index, ev.Delta, c)
	case "content_block_stop":
		return r.stop(c)
	case "message_delta":
		r.count(ev.Usage, c)
		if ev.Delta != nil && ev.Delta.StopReason != "" {
			c.Finish(finishReason(ev.Delta.StopReason))
		}
	case "message_stop":
		return r.end(c)
	case "message":
		return r.whole(ev, c)
	case "error":
		return c.Fail(data)
	default:
		return otherForm(ev, data, c)
	}
	return nil
}

// otherForm returns the error of an answer of another API or of an error without a
// type; nil for an unknown event.
func otherForm(ev event, data []byte, c *endpoint.Collector) error {
	switch {
	case c.Begun():
		return nil
	case len(ev.Choices) > 0 || ev.Object != "" && ev.Object != "error":
		return c.Failure(llm.KindInvalid, "it answers in another form than Anthropic's Messages: check the address, or set api to what the endpoint speaks", nil)
	case len(ev.Error) > 0 || ev.Object == "error":
		return c.Fail(data)
	}
	return nil
}

// finishReason maps the API's stop reasons to OpenAI's.
func finishReason(reason string) string {
	switch reason {
	case "max_tokens", "model_context_window_exceeded":
		return "length"
	case "refusal":
		return "content_filter"
	}
	return "stop" // end_turn, stop_sequence, tool_use, pause_turn
}

// start opens a block. An endpoint may have all of it here.
func (r *reader) start(index int, b *piece, c *endpoint.Collector) (err error) {
	if err := r.stop(c); err != nil || b == nil {
		return err
	}
	c.Begin()
	open := *b
	r.index, r.open, r.args = index, &open, false
	switch b.Type {
	case "text":
		return say(b.Text, c)
	case "thinking":
		return c.Reasoning(b.Thinking)
	case "redacted_thinking":
		return c.Count(b.Data)
	case "tool_use":
		k := keep{Host: r.d.c.Host(), Model: r.d.Model, API: keepAPI, Lead: r.lead, Blocks: r.blocks}
		r.lead, r.blocks = nil, nil
		r.call, err = c.Call(b.ID, b.Name, k.String())
	}
	return err
}

func (r *reader) delta(index int, d *piece, c *endpoint.Collector) error {
	if d == nil || r.open == nil || index != r.index {
		return nil
	}
	switch d.Type {
	case "text_delta":
		return say(d.Text, c)
	case "thinking_delta":
		r.open.Thinking += d.Thinking
		return c.Reasoning(d.Thinking)
	case "signature_delta":
		r.open.Signature += d.Signature
		return c.Count(d.Signature)
	case "input_json_delta":
		if r.open.Type != "tool_use" || d.Partial == "" {
			return nil
		}
		r.args = true
		return c.Arguments(r.call, d.Partial)
	}
	return nil
}

// stop closes the open block.
func (r *reader) stop(c *endpoint.Collector) error {
	b := r.open
	if r.open = nil; b == nil {
		return nil
	}
	switch b.Type {
	case "tool_use":
		if !r.args && len(b.Input) > 0 && string(b.Input) != "null" && string(b.Input) != "{}" {
			return c.Arguments(r.call, string(b.Input))
		}
	case "thinking":
		r.keep(map[string]string{"type": b.Type, "thinking": b.Thinking, "signature": b.Signature}, c)
	case "redacted_thinking":
		r.keep(map[string]string{"type": b.Type, "data": b.Data}, c)
	}
	return nil
}

// keep holds a block of thinking for the calls after it.
func (r *reader) keep(block map[string]string, c *endpoint.Collector) {
	b, err := json.Marshal(block)
	if err != nil {
		return // cannot be: strings only
	}
	if c.HasText() || c.HasCalls() {
		r.blocks = append(r.blocks, b)
		return
	}
	r.lead = append(r.lead, b)
}

func (r *reader) end(c *endpoint.Collector) error {
	err := r.stop(c)
	c.End()
	return err
}

// whole reads an answer that came in one piece.
func (r *reader) whole(ev event, c *endpoint.Collector) error {
	r.count(ev.Usage, c)
	for i, b := range ev.Content {
		if err := r.start(i, &b, c); err != nil {
			return err
		}
	}
	c.Begin()
	c.Finish(finishReason(ev.StopReason))
	return r.end(c)
}

// count takes what was counted, as OpenAI would count it: the prompt with what was
// read from the cache and written into it. Later counts replace earlier ones.
func (r *reader) count(u *usage, c *endpoint.Collector) {
	if u == nil {
		return
	}
	for _, f := range []struct{ to, from *endpoint.Number }{{&r.usage.Input, &u.Input}, {&r.usage.Output, &u.Output}, {&r.usage.CacheRead, &u.CacheRead}, {&r.usage.CacheMade, &u.CacheMade}} {
		if f.from.N > 0 {
			*f.to = *f.from
		}
	}
	read, made := r.usage.CacheRead.N, r.usage.CacheMade.N
	c.Usage = llm.Usage{PromptTokens: r.usage.Input.N + read + made, CompletionTokens: r.usage.Output.N, CachedTokens: read, WrittenTokens: made}
}

func say(s string, c *endpoint.Collector) error {
	if s == "" {
		return nil
	}
	return c.Text(s)
}
