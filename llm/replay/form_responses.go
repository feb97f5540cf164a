package replay

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"atelier/llm"
)

// responsesForm is that of OpenAI's Responses.
type responsesForm struct {
	begun  bool
	open   string // the type of the open item; "": none
	text   string // of the open item so far
	index  int    // of the next item
	calls  delta
	reason string // the finish reason
	usage  object
	past   bool                 // the script said how it ends in this form
	spaces map[string][2]string // tools of a namespace: it and the name there
}

func (f *responsesForm) events(data []byte) []string {
	var c scripted
	if json.Unmarshal(data, &c) != nil {
		return chatForm{}.events(data)
	}
	switch {
	case c.Type != "" && len(c.Choices) == 0:
		f.past = f.past || c.Type == "response.completed" || c.Type == "response.incomplete" || c.Type == "response.failed"
		return []string{named(c.Type, data)} // it is in this form
	case len(c.Error) > 0:
		return []string{named("response.failed", object{"type": "response.failed", "response": object{"status": "failed", "error": c.Error}})}
	}
	var out []string
	if !f.begun {
		f.begun = true
		out = append(out, named("response.created", object{"type": "response.created", "response": object{"id": "replay", "status": "in_progress"}}))
	}
	for _, ch := range c.Choices {
		if s := ch.Delta.Reasoning; s != "" {
			out = append(out, f.piece("reasoning", object{"summary": []any{}}, "response.reasoning_summary_text.delta", s)...)
		}
		if s := ch.Delta.Content; s != "" {
			out = append(out, f.piece("message", object{"role": "assistant", "content": []any{}}, "response.output_text.delta", s)...)
		}
		f.calls.add(&delta{Calls: ch.Delta.Calls})
		if ch.Finish != nil {
			f.reason = *ch.Finish
			out = append(out, f.close()...)
			out = append(out, f.callItems()...)
		}
	}
	if u := c.Usage; u != nil {
		f.usage = object{"input_tokens": u.Prompt, "output_tokens": u.Completion, "input_tokens_details": object{"cached_tokens": u.Details.Cached}}
	}
	return out
}

// piece gives a piece of an item, which it opens if another is open.
func (f *responsesForm) piece(kind string, item object, event, text string) []string {
	var out []string
	if f.open != kind {
		out = f.close()
		item["type"], item["id"], f.open = kind, fmt.Sprint("item_", f.index), kind
		out = append(out, named("response.output_item.added", object{"type": "response.output_item.added", "output_index": f.index, "item": item}))
	}
	f.text += text
	return append(out, named(event, object{"type": event, "item_id": fmt.Sprint("item_", f.index), "output_index": f.index, "content_index": 0, "summary_index": 0, "delta": text}))
}

func (f *responsesForm) close() []string {
	if f.open == "" {
		return nil
	}
	item := object{"type": f.open, "id": fmt.Sprint("item_", f.index)}
	if f.open == "message" {
		item["role"], item["status"], item["content"] = "assistant", "completed", []any{object{"type": "output_text", "text": f.text, "annotations": []any{}}}
	} else {
		item["summary"] = []any{object{"type": "summary_text", "text": f.text}}
	}
	f.open, f.text = "", ""
	f.index++
	return []string{named("response.output_item.done", object{"type": "response.output_item.done", "output_index": f.index - 1, "item": item})}
}

// callItems gives the calls of the answer.
func (f *responsesForm) callItems() []string {
	var out []string
	for _, c := range f.calls.Calls {
		item := func(args string) object {
			it := object{"type": "function_call", "id": fmt.Sprint("item_", f.index), "call_id": c.ID, "name": c.Function.Name, "arguments": args}
			if s, ok := f.spaces[c.Function.Name]; ok {
				it["namespace"], it["name"] = s[0], s[1]
			}
			return it
		}
		out = append(out,
			named("response.output_item.added", object{"type": "response.output_item.added", "output_index": f.index, "item": item("")}),
			named("response.function_call_arguments.delta", object{"type": "response.function_call_arguments.delta", "output_index": f.index, "delta": c.Function.Arguments}),
			named("response.output_item.done", object{"type": "response.output_item.done", "output_index": f.index, "item": item(c.Function.Arguments)}))
		f.index++
	}
	f.calls = delta{}
	return out
}

func (f *responsesForm) end() []string {
	if f.past {
		return nil
	}
	kind, resp := "response.completed", object{"id": "replay", "object": "response", "status": "completed", "output": []any{}}
	if reason := map[string]string{"length": "max_output_tokens", "content_filter": "content_filter"}[f.reason]; reason != "" {
		kind, resp["status"], resp["incomplete_details"] = "response.incomplete", "incomplete", object{"reason": reason}
	}
	if f.usage != nil {
		resp["usage"] = f.usage
	}
	return append(f.close(), named(kind, object{"type": kind, "response": resp}))
}

// inputItem is an item of a request's input.
type inputItem struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   []inputPart     `json:"content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Output    json.RawMessage `json:"output"`
}

// inputTool is a tool of a request, or a namespace of tools.
type inputTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Tools       []inputTool     `json:"tools"`
}

type inputPart struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	ImageURL string `json:"image_url"`
}

func (f *responsesForm) read(body []byte, r *Request) error {
	var req struct {
		Model  string      `json:"model"`
		Stream bool        `json:"stream"`
		Input  []inputItem `json:"input"`
		Tools  []inputTool `json:"tools"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return err
	}
	r.Model, r.Stream = req.Model, req.Stream
	for _, it := range req.Input {
		if err := f.item(it, r); err != nil {
			return err
		}
	}
	for _, t := range req.Tools {
		f.tool(t, "", r)
	}
	return nil
}

// tool adds a tool, or those of a namespace by names that begin with it.
func (f *responsesForm) tool(t inputTool, space string, r *Request) {
	name := t.Name
	if space != "" {
		if f.spaces == nil {
			f.spaces = map[string][2]string{}
		}
		name = space + "__" + t.Name
		f.spaces[name] = [2]string{space, t.Name}
	}
	if t.Type != "namespace" {
		r.Tools = append(r.Tools, llm.Tool{Type: "function", Function: llm.FunctionDef{Name: name, Description: t.Description, Parameters: t.Parameters}})
		return
	}
	for _, in := range t.Tools {
		f.tool(in, t.Name, r)
	}
}

// item adds an item to the messages: calls to the answer that they are part of.
func (f *responsesForm) item(it inputItem, r *Request) error {
	switch it.Type {
	case "message":
		m, err := contentOfParts(it.Content)
		if err == nil {
			r.Messages = append(r.Messages, m.as(it.Role, ""))
		}
		return err
	case "function_call":
		if n := len(r.Messages); n == 0 || r.Messages[n-1].Role != llm.RoleAssistant {
			r.Messages = append(r.Messages, llm.Message{Role: llm.RoleAssistant})
		}
		last := &r.Messages[len(r.Messages)-1]
		last.ToolCalls = append(last.ToolCalls, llm.ToolCall{ID: it.CallID, Type: "function", Function: llm.FunctionCall{Name: it.Name, Arguments: it.Arguments}})
	case "function_call_output":
		var text string
		if json.Unmarshal(it.Output, &text) == nil {
			r.Messages = append(r.Messages, llm.Message{Role: llm.RoleTool, ToolCallID: it.CallID, Content: text})
			return nil
		}
		var parts []inputPart
		if err := json.Unmarshal(it.Output, &parts); err != nil {
			return err
		}
		m, err := contentOfParts(parts)
		r.Messages = append(r.Messages, m.as(llm.RoleTool, it.CallID))
		return err
	}
	return nil
}

func contentOfParts(parts []inputPart) (m message, err error) {
	for _, p := range parts {
		if p.Type != "input_image" {
			m.texts = append(m.texts, p.Text)
			continue
		}
		head, data, _ := strings.Cut(p.ImageURL, ";base64,")
		b, err := base64.StdEncoding.DecodeString(data)
		if err != nil {
			return m, err
		}
		m.images = append(m.images, llm.Image{MIME: strings.TrimPrefix(head, "data:"), Data: b})
	}
	return m, nil
}
