package replay

import (
	"bytes"
	"encoding/json"
	"strings"

	"atelier/llm"
)

// geminiForm is that of streamGenerateContent of Google's Gemini API.
type geminiForm struct {
	path  string
	calls delta
}

func (f *geminiForm) events(data []byte) []string {
	var c scripted
	if json.Unmarshal(data, &c) != nil || len(c.Error) > 0 || c.Choices == nil {
		return chatForm{}.events(data)
	}
	var parts []any
	candidate := object{"index": 0}
	for _, ch := range c.Choices {
		if s := ch.Delta.Reasoning; s != "" {
			parts = append(parts, object{"text": s, "thought": true})
		}
		if s := ch.Delta.Content; s != "" {
			parts = append(parts, object{"text": s})
		}
		f.calls.add(&delta{Calls: ch.Delta.Calls})
		if ch.Finish != nil {
			parts = append(parts, f.callParts()...)
			candidate["finishReason"] = "STOP"
			if *ch.Finish == "length" {
				candidate["finishReason"] = "MAX_TOKENS"
			}
		}
	}
	event := object{}
	if u := c.Usage; u != nil {
		event["usageMetadata"] = object{"promptTokenCount": u.Prompt, "candidatesTokenCount": u.Completion, "cachedContentTokenCount": u.Details.Cached, "totalTokenCount": u.Prompt + u.Completion}
	}
	if len(parts) == 0 && candidate["finishReason"] != nil {
		parts = append(parts, object{"text": ""}) // the real one sends a part with every content
	}
	if len(parts) > 0 {
		candidate["content"] = object{"role": "model", "parts": parts}
		event["candidates"] = []any{candidate}
	}
	if len(event) == 0 {
		return nil
	}
	return chatForm{}.events(encode(event))
}

// callParts gives the calls of the answer.
func (f *geminiForm) callParts() (parts []any) {
	for _, c := range f.calls.Calls {
		args := json.RawMessage(c.Function.Arguments)
		if !json.Valid(args) {
			args = json.RawMessage("{}")
		}
		parts = append(parts, object{"functionCall": object{"id": c.ID, "name": c.Function.Name, "args": args}})
	}
	f.calls = delta{}
	return parts
}

func (f *geminiForm) end() []string { return nil }

// geminiPart is a part of a request's content.
type geminiPart struct {
	Text   string `json:"text"`
	Inline *struct {
		MIME string `json:"mimeType"`
		Data []byte `json:"data"`
	} `json:"inlineData"`
	Call *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	Response *struct {
		ID       string          `json:"id"`
		Response json.RawMessage `json:"response"`
	} `json:"functionResponse"`
}

func (f *geminiForm) read(body []byte, r *Request) error {
	type content struct {
		Role  string       `json:"role"`
		Parts []geminiPart `json:"parts"`
	}
	var req struct {
		System   content   `json:"systemInstruction"`
		Contents []content `json:"contents"`
		Tools    []struct {
			Functions []struct {
				Name        string          `json:"name"`
				Description string          `json:"description"`
				Parameters  json.RawMessage `json:"parameters"`
				Schema      json.RawMessage `json:"parametersJsonSchema"`
			} `json:"functionDeclarations"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return err
	}
	r.Model, _, _ = strings.Cut(f.path[strings.LastIndexByte(f.path, '/')+1:], ":")
	r.Stream = true
	if len(req.System.Parts) > 0 {
		r.Messages = append(r.Messages, geminiMessages(llm.RoleSystem, req.System.Parts)...)
	}
	for _, c := range req.Contents {
		role := llm.RoleUser
		if c.Role == "model" {
			role = llm.RoleAssistant
		}
		r.Messages = append(r.Messages, geminiMessages(role, c.Parts)...)
	}
	for _, t := range req.Tools {
		for _, fn := range t.Functions {
			schema := fn.Schema
			if schema == nil {
				schema = fn.Parameters
			}
			r.Tools = append(r.Tools, llm.Tool{Type: "function", Function: llm.FunctionDef{Name: fn.Name, Description: fn.Description, Parameters: schema}})
		}
	}
	return nil
}

// geminiMessages returns the messages of one content: results of tools one by one, then
// the rest.
func geminiMessages(role string, parts []geminiPart) (out []llm.Message) {
	var m message
	var calls []llm.ToolCall
	for _, p := range parts {
		switch {
		case p.Response != nil:
			out = append(out, llm.Message{Role: llm.RoleTool, ToolCallID: p.Response.ID, Content: string(p.Response.Response)})
		case p.Call != nil:
			var args bytes.Buffer
			if json.Compact(&args, p.Call.Args) != nil {
				args.WriteString("{}")
			}
			calls = append(calls, llm.ToolCall{ID: p.Call.ID, Type: "function", Function: llm.FunctionCall{Name: p.Call.Name, Arguments: args.String()}})
		case p.Inline != nil:
			m.images = append(m.images, llm.Image{MIME: p.Inline.MIME, Data: p.Inline.Data})
		case p.Text != "":
			m.texts = append(m.texts, p.Text)
		}
	}
	if m.empty() && calls == nil {
		return out
	}
	last := m.as(role, "")
	last.ToolCalls = calls
	return append(out, last)
}
