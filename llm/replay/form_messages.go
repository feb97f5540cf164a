package replay

import (
	"bytes"
	"encoding/base64"
	"encoding/json"

	"atelier/llm"
)

// messagesForm is that of Anthropic's Messages.
type messagesForm struct {
	model string
	begun bool
	open  string // the type of the open block; "": none
	index int    // of the next block
	calls delta
}

func (f *messagesForm) events(data []byte) []string {
	var c scripted
	if json.Unmarshal(data, &c) != nil {
		return chatForm{}.events(data)
	}
	switch {
	case c.Type != "" && len(c.Choices) == 0:
		return []string{named(c.Type, data)} // it is in this form
	case len(c.Error) > 0:
		return []string{named("error", object{"type": "error", "error": c.Error})}
	}
	out := f.start()
	for _, ch := range c.Choices {
		if s := ch.Delta.Reasoning; s != "" {
			out = append(out, f.block("thinking", object{"thinking": "", "signature": ""}, object{"type": "thinking_delta", "thinking": s})...)
		}
		if s := ch.Delta.Content; s != "" {
			out = append(out, f.block("text", object{"text": ""}, object{"type": "text_delta", "text": s})...)
		}
		f.calls.add(&delta{Calls: ch.Delta.Calls})
		if ch.Finish != nil {
			out = append(out, f.finish(*ch.Finish)...)
		}
	}
	if u := c.Usage; u != nil {
		out = append(out, named("message_delta", object{"type": "message_delta", "delta": object{}, "usage": object{
			"input_tokens": u.Prompt - u.Details.Cached - u.Details.Written, "cache_read_input_tokens": u.Details.Cached, "cache_creation_input_tokens": u.Details.Written, "output_tokens": u.Completion}}))
	}
	return out
}

func (f *messagesForm) start() []string {
	if f.begun {
		return nil
	}
	f.begun = true
	return []string{named("message_start", object{"type": "message_start", "message": object{
		"id": "replay", "type": "message", "role": "assistant", "model": f.model, "content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": object{"input_tokens": 0, "output_tokens": 0}}})}
}

// block gives a piece of a block, which it opens if another is open.
func (f *messagesForm) block(kind string, empty, piece object) []string {
	var out []string
	if f.open != kind || kind == "tool_use" {
		out = f.close()
		empty["type"], f.open = kind, kind
		out = append(out, named("content_block_start", object{"type": "content_block_start", "index": f.index, "content_block": empty}))
	}
	return append(out, named("content_block_delta", object{"type": "content_block_delta", "index": f.index, "delta": piece}))
}

func (f *messagesForm) close() []string {
	if f.open == "" {
		return nil
	}
	f.open = ""
	f.index++
	return []string{named("content_block_stop", object{"type": "content_block_stop", "index": f.index - 1})}
}

// finish gives the calls and the stop reason.
func (f *messagesForm) finish(reason string) []string {
	var out []string
	for _, c := range f.calls.Calls {
		out = append(out, f.block("tool_use", object{"id": c.ID, "name": c.Function.Name, "input": object{}}, object{"type": "input_json_delta", "partial_json": c.Function.Arguments})...)
	}
	f.calls = delta{}
	out = append(out, f.close()...)
	stop := map[string]string{"length": "max_tokens", "tool_calls": "tool_use", "content_filter": "refusal"}[reason]
	if stop == "" {
		stop = "end_turn"
	}
	return append(out, named("message_delta", object{"type": "message_delta", "delta": object{"stop_reason": stop}, "usage": object{}}))
}

func (f *messagesForm) end() []string {
	return []string{named("message_stop", object{"type": "message_stop"})}
}

// contentBlock is a block of a request's content.
type contentBlock struct {
	Type   string `json:"type"`
	Text   string `json:"text"`
	Source struct {
		MIME string `json:"media_type"`
		Data string `json:"data"`
	} `json:"source"`
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	Call    string          `json:"tool_use_id"`
	Content contentBlocks   `json:"content"`
}

// contentBlocks is a content: a list of blocks, or a text as short for one.
type contentBlocks []contentBlock

// UnmarshalJSON implements json.Unmarshaler.
func (b *contentBlocks) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*b = contentBlocks{{Type: "text", Text: text}}
		return nil
	}
	return json.Unmarshal(data, (*[]contentBlock)(b))
}

func (f *messagesForm) read(body []byte, r *Request) error {
	var req struct {
		Model    string        `json:"model"`
		Stream   bool          `json:"stream"`
		System   contentBlocks `json:"system"`
		Messages []struct {
			Role    string        `json:"role"`
			Content contentBlocks `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Schema      json.RawMessage `json:"input_schema"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return err
	}
	r.Model, r.Stream, f.model = req.Model, req.Stream, req.Model
	if len(req.System) > 0 {
		m, err := contentOf(req.System)
		if err != nil {
			return err
		}
		r.Messages = append(r.Messages, m.as(llm.RoleSystem, ""))
	}
	for _, m := range req.Messages {
		list, err := turnOf(m.Role, m.Content)
		if err != nil {
			return err
		}
		r.Messages = append(r.Messages, list...)
	}
	for _, t := range req.Tools {
		r.Tools = append(r.Tools, llm.Tool{Type: "function", Function: llm.FunctionDef{Name: t.Name, Description: t.Description, Parameters: t.Schema}})
	}
	return nil
}

// turnOf returns the messages of a turn: results of tools one by one, then the rest.
func turnOf(role string, list []contentBlock) ([]llm.Message, error) {
	var out []llm.Message
	var rest []contentBlock
	var calls []llm.ToolCall
	for _, b := range list {
		switch b.Type {
		case "tool_result":
			m, err := contentOf(b.Content)
			if err != nil {
				return nil, err
			}
			out = append(out, m.as(llm.RoleTool, b.Call))
		case "tool_use":
			var args bytes.Buffer
			if err := json.Compact(&args, b.Input); err != nil {
				return nil, err
			}
			calls = append(calls, llm.ToolCall{ID: b.ID, Type: "function", Function: llm.FunctionCall{Name: b.Name, Arguments: args.String()}})
		default:
			rest = append(rest, b)
		}
	}
	m, err := contentOf(rest)
	if err != nil || m.empty() && calls == nil {
		return out, err
	}
	last := m.as(role, "")
	last.ToolCalls = calls
	return append(out, last), nil
}

func contentOf(list []contentBlock) (m message, err error) {
	for _, b := range list {
		switch b.Type {
		case "text":
			m.texts = append(m.texts, b.Text)
		case "image":
			data, err := base64.StdEncoding.DecodeString(b.Source.Data)
			if err != nil {
				return m, err
			}
			m.images = append(m.images, llm.Image{MIME: b.Source.MIME, Data: data})
		}
	}
	return m, nil
}
