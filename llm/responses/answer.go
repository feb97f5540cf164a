package responses

import (
	"encoding/json"

	"atelier/llm"
	"atelier/llm/endpoint"
)

// event is one event of a stream, or a whole response.
type event struct {
	Type     string    `json:"type"`
	Index    int       `json:"output_index"`
	Delta    string    `json:"delta"`
	Item     *item     `json:"item"`
	Response *response `json:"response"`

	// of other APIs
	Choices json.RawMessage `json:"choices"`
	Content json.RawMessage `json:"content"`
	Error   json.RawMessage `json:"error"`

	response // whole
}

type response struct {
	Object     string            `json:"object"`
	Status     string            `json:"status"`
	Output     []json.RawMessage `json:"output"`
	Usage      *usage            `json:"usage"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
}

// item is an item of the output.
type item struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Encrypted string `json:"encrypted_content"`
	Content   []struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	} `json:"content"`
	Summary []struct {
		Text string `json:"text"`
	} `json:"summary"`
}

type usage struct {
	Input   endpoint.Number `json:"input_tokens"`
	Output  endpoint.Number `json:"output_tokens"`
	Details struct {
		Cached endpoint.Number `json:"cached_tokens"`
	} `json:"input_tokens_details"`
}

// reader reads the events of one answer.
type reader struct {
	d     *dialogue
	calls map[int]*openCall // by the index of the item
	texts map[int]bool      // messages of which a piece came
	said  map[int]bool      // reasoning of which a piece came
	lead  []json.RawMessage // reasoning before any text
	items []json.RawMessage // reasoning since then, or since the last call
}

type openCall struct {
	n    int  // in the answer
	args bool // arguments came in pieces
}

// Take implements endpoint.Dialogue. Events and items of unknown types are passed over.
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
	case "response.created", "response.in_progress", "response.queued":
		return nil
	case "response.output_item.added":
		return r.added(ev.Index, ev.Item, c)
	case "response.output_text.delta", "response.refusal.delta":
		mark(&r.texts, ev.Index)
		return say(ev.Delta, c)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		mark(&r.said, ev.Index)
		return c.Reasoning(ev.Delta)
	case "response.function_call_arguments.delta":
		return r.arguments(ev.Index, ev.Delta, c)
	case "response.output_item.done":
		return r.done(ev.Index, ev.Item, data, c)
	case "response.completed", "response.incomplete":
		return r.end(ev.Response, c)
	case "response.failed", "error":
		return c.Fail(failed(ev, data))
	}
	return r.other(ev, data, c)
}

// other reads what is no event of a stream: a whole response, an error without a type,
// an answer in another form. Unknown events are passed over.
func (r *reader) other(ev event, data []byte, c *endpoint.Collector) error {
	switch {
	case c.Begun():
		return nil
	case len(ev.Error) > 0 && string(ev.Error) != "null":
		return c.Fail(data)
	case ev.Object == "response":
		return r.end(&ev.response, c)
	case len(ev.Choices) > 0 || ev.Type == "message_start" || ev.Type == "message" && len(ev.Content) > 0:
		return c.Failure(llm.KindInvalid, "it answers in another form than OpenAI's Responses: check the address, or set api to what the endpoint speaks", nil)
	}
	return nil
}

// failed returns the error of a response that failed, without the rest of it.
func failed(ev event, data []byte) []byte {
	var whole struct {
		Response struct {
			Error json.RawMessage `json:"error"`
		} `json:"response"`
	}
	if json.Unmarshal(data, &whole) == nil && len(whole.Response.Error) > 0 {
		return whole.Response.Error
	}
	return data
}

func mark(set *map[int]bool, i int) {
	if *set == nil {
		*set = map[int]bool{}
	}
	(*set)[i] = true
}

// added opens an item. A call is one of the answer from here on.
func (r *reader) added(index int, it *item, c *endpoint.Collector) error {
	c.Begin()
	if it == nil || it.Type != "function_call" || r.calls[index] != nil {
		return nil
	}
	k := keep{Host: r.d.c.Host(), Model: r.d.Model, API: keepAPI, Lead: r.lead, Items: r.items}
	r.lead, r.items = nil, nil
	n, err := c.Call(it.callID(), it.Name, k.String())
	if r.calls == nil {
		r.calls = map[int]*openCall{}
	}
	r.calls[index] = &openCall{n: n}
	return err
}

func (it *item) callID() string {
	if it.CallID != "" {
		return it.CallID
	}
	return it.ID
}

func (r *reader) arguments(index int, piece string, c *endpoint.Collector) error {
	call := r.calls[index]
	if call == nil || piece == "" {
		return nil
	}
	call.args = true
	return c.Arguments(call.n, piece)
}

// done closes an item. An endpoint may send all of it only here.
func (r *reader) done(index int, it *item, data []byte, c *endpoint.Collector) error {
	if it == nil {
		return nil
	}
	var raw struct {
		Item json.RawMessage `json:"item"`
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	return r.whole(index, it, raw.Item, c)
}

// whole takes what is new of a whole item.
func (r *reader) whole(index int, it *item, raw json.RawMessage, c *endpoint.Collector) error {
	switch it.Type {
	case "message":
		if r.texts[index] {
			return nil
		}
		for _, p := range it.Content {
			if err := say(p.Text+p.Refusal, c); err != nil {
				return err
			}
		}
	case "reasoning":
		return r.reasoning(index, it, raw, c)
	case "function_call":
		if err := r.added(index, it, c); err != nil {
			return err
		}
		if call := r.calls[index]; !call.args {
			return r.arguments(index, it.Arguments, c)
		}
	}
	return nil
}

// reasoning holds a reasoning item for the calls after it. One that is not encrypted
// cannot go back, since nothing is stored.
func (r *reader) reasoning(index int, it *item, raw json.RawMessage, c *endpoint.Collector) error {
	if !r.said[index] {
		for _, s := range it.Summary {
			if err := c.Reasoning(s.Text); err != nil {
				return err
			}
		}
	}
	if it.Encrypted == "" {
		return nil
	}
	if err := c.Count(it.Encrypted); err != nil {
		return err
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	delete(m, "status") // the API gives it and does not take it
	kept, err := json.Marshal(m)
	if err != nil {
		return nil // cannot be: it was read from JSON
	}
	if c.HasText() || c.HasCalls() {
		r.items = append(r.items, kept)
		return nil
	}
	r.lead = append(r.lead, kept)
	return nil
}

// end takes the whole response, of which most came before.
func (r *reader) end(resp *response, c *endpoint.Collector) error {
	if resp == nil {
		resp = &response{}
	}
	if !c.Begun() {
		for i, raw := range resp.Output {
			var it item
			if json.Unmarshal(raw, &it) != nil {
				continue
			}
			if err := r.whole(i, &it, raw, c); err != nil {
				return err
			}
		}
	}
	if u := resp.Usage; u != nil {
		c.Usage = llm.Usage{PromptTokens: u.Input.N, CompletionTokens: u.Output.N, CachedTokens: u.Details.Cached.N}
	}
	c.Begin()
	switch {
	case resp.Incomplete.Reason == "content_filter":
		c.Finish("content_filter")
	case resp.Status == "incomplete" || resp.Incomplete.Reason != "":
		c.Finish("length")
	default:
		c.Finish("stop")
	}
	c.End()
	return nil
}

func say(s string, c *endpoint.Collector) error {
	if s == "" {
		return nil
	}
	return c.Text(s)
}
