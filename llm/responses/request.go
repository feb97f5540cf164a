package responses

import (
	"encoding/json"
	"strings"

	"atelier/llm"
	"atelier/llm/endpoint"
	"atelier/llm/models"
)

// The forms of the API's reference, as far as they are used.
type (
	request struct {
		Model       string            `json:"model"`
		Input       []json.RawMessage `json:"input"`
		Tools       []tool            `json:"tools,omitempty"`
		ToolChoice  string            `json:"tool_choice,omitempty"`
		Parallel    *bool             `json:"parallel_tool_calls,omitempty"`
		Reasoning   *reasoning        `json:"reasoning,omitempty"`
		Include     []string          `json:"include,omitempty"`
		MaxTokens   int               `json:"max_output_tokens,omitempty"`
		Temperature *float64          `json:"temperature,omitempty"`
		Store       bool              `json:"store"`
		Stream      bool              `json:"stream"`
	}
	tool struct {
		Type        string          `json:"type"`
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters"`
		Strict      bool            `json:"strict"` // the API's default is true, which takes few schemas
	}
	reasoning struct {
		Effort string `json:"effort"`
	}
	messageItem struct {
		Type    string `json:"type"`
		Role    string `json:"role"`
		Content []part `json:"content"`
	}
	callItem struct {
		Type      string `json:"type"`
		CallID    string `json:"call_id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	outputItem struct {
		Type   string `json:"type"`
		CallID string `json:"call_id"`
		Output any    `json:"output"` // a text, or parts
	}
	part struct {
		Type     string `json:"type"`
		Text     string `json:"text,omitempty"`
		ImageURL string `json:"image_url,omitempty"`
	}
)

// encrypted asks for reasoning in a form that can go back where nothing is stored.
const encrypted = "reasoning.encrypted_content"

// Body implements endpoint.Dialogue.
func (d *dialogue) Body() ([]byte, error) {
	d.sent, d.answer = features{}, reader{d: d}
	r := request{Model: d.Model, Stream: true}
	messages := endpoint.FitImages(d.Messages, d.set.MaxImages, d.made)
	if d.made[models.RepairImagesApart] {
		messages = endpoint.ImagesBehindResults(messages)
	}
	d.sent.images = llm.CountImages(messages)
	for _, m := range messages {
		if err := d.add(&r, m); err != nil {
			return nil, err
		}
	}
	d.addTools(&r)
	d.addOptions(&r)
	return json.Marshal(r)
}

// add writes a message as items.
func (d *dialogue) add(r *request, m llm.Message) error {
	put := func(item any) error {
		b, err := json.Marshal(item)
		r.Input = append(r.Input, b)
		return err
	}
	switch m.Role {
	case llm.RoleTool:
		d.sent.imagesInOutputs = d.sent.imagesInOutputs || len(m.Images) > 0
		return put(outputItem{Type: "function_call_output", CallID: d.callID(m.ToolCallID), Output: output(m)})
	case llm.RoleAssistant:
		return d.addAnswer(r, m, put)
	}
	return put(messageItem{Type: "message", Role: m.Role, Content: parts(m)})
}

// addAnswer writes an answer of the model: the reasoning before its text, the text,
// and each call behind the reasoning before it.
func (d *dialogue) addAnswer(r *request, m llm.Message, put func(any) error) error {
	say := func() error {
		if strings.TrimSpace(m.Content) == "" {
			return nil
		}
		return put(messageItem{Type: "message", Role: m.Role, Content: []part{{Type: "output_text", Text: m.Content}}})
	}
	if len(m.ToolCalls) == 0 {
		return say()
	}
	for i, call := range m.ToolCalls {
		k := d.kept(call)
		if i == 0 {
			r.Input = append(r.Input, k.Lead...)
			if err := say(); err != nil {
				return err
			}
		}
		r.Input = append(r.Input, k.Items...)
		if err := put(callItem{Type: "function_call", CallID: d.callID(call.ID), Name: call.Function.Name, Arguments: endpoint.SentArguments(call.Function.Arguments)}); err != nil {
			return err
		}
	}
	return nil
}

func (d *dialogue) callID(id string) string { return endpoint.SentID(id, models.CallIDsAny) }

// output returns the result of a call: a text, or parts where it has images.
func output(m llm.Message) any {
	if len(m.Images) == 0 {
		return m.Content
	}
	return parts(m)
}

// parts returns the content of a message: its text, then each image behind its name.
func parts(m llm.Message) []part {
	list := []part{}
	if strings.TrimSpace(m.Content) != "" || len(m.Images) == 0 {
		list = append(list, part{Type: "input_text", Text: m.Content})
	}
	for _, im := range m.Images {
		if im.Name != "" {
			list = append(list, part{Type: "input_text", Text: im.Name})
		}
		list = append(list, part{Type: "input_image", ImageURL: im.DataURL()})
	}
	return list
}

func (d *dialogue) addTools(r *request) {
	for _, t := range d.Tools {
		schema := t.Function.Parameters
		switch {
		case len(schema) == 0:
			schema = json.RawMessage(`{"type":"object","properties":{}}`)
		case d.made[models.RepairSchemas]:
			schema = endpoint.PlainSchema(schema)
		}
		r.Tools = append(r.Tools, tool{Type: "function", Name: t.Function.Name, Description: t.Function.Description, Parameters: schema})
	}
	d.sent.tools = len(r.Tools)
	if len(r.Tools) > 0 {
		r.ToolChoice = "auto"
		if !d.made[paramParallel] {
			r.Parallel = d.set.Parallel
		}
	}
}

func (d *dialogue) addOptions(r *request) {
	if !d.made[paramInclude] {
		r.Include = []string{encrypted}
	}
	if d.set.Effort != "" && !d.made[paramEffort] {
		r.Reasoning = &reasoning{d.set.Effort}
	}
	if !d.made[paramLimit] {
		r.MaxTokens = d.own
		if d.limit > 0 {
			r.MaxTokens = d.limit
		}
	}
	d.sent.maxTokens = r.MaxTokens
	if !d.made[paramTemperature] && !d.set.Heat.Omit {
		r.Temperature, d.sent.temperature = &d.set.Heat.Value, true
	}
}

// keep is the content of llm.ToolCall.Keep: the reasoning items before a call, which go
// back with it. Only the same model at the same endpoint gets them.
type keep struct {
	Host  string            `json:"host"`
	Model string            `json:"model"`
	API   string            `json:"api"`
	Lead  []json.RawMessage `json:"lead,omitempty"`  // before the text of the answer; with its first call
	Items []json.RawMessage `json:"items,omitempty"` // right before the call
}

const keepAPI = "responses"

func (k keep) String() string {
	if len(k.Lead)+len(k.Items) == 0 {
		return ""
	}
	b, err := json.Marshal(k)
	if err != nil {
		return ""
	}
	return string(b)
}

// kept reads back the reasoning before a call; none when it was another's.
func (d *dialogue) kept(c llm.ToolCall) keep {
	var k keep
	if d.noKept || c.Keep == "" || json.Unmarshal([]byte(c.Keep), &k) != nil || k.API != keepAPI || k.Host != d.c.Host() || k.Model != d.Model {
		return keep{}
	}
	d.sent.kept = d.sent.kept || len(k.Lead)+len(k.Items) > 0
	return k
}
