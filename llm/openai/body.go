package openai

import (
	"encoding/json"
	"fmt"
	"slices"

	goopenai "github.com/sashabaranov/go-openai"

	"atelier/llm"
	"atelier/llm/models"
)

// extra is what a message has beside what go-openai can say.
type extra struct {
	blank bool              // a text although it is empty
	calls []json.RawMessage // extra_content of its calls; nil: none
	more  details           // reasoning_details
}

// extras completes go-openai's messages, which stand for the messages given.
func (c *Client) extras(out []goopenai.ChatCompletionMessage, messages []llm.Message, model string, made map[string]bool) []extra {
	list := make([]extra, len(out))
	names := map[string]string{} // of tools, by the ids of calls
	for i, m := range messages {
		if made[models.RepairToolName] && m.Role == llm.RoleTool {
			out[i].Name = names[m.ToolCallID]
		}
		for _, call := range m.ToolCalls {
			names[call.ID] = call.Function.Name
		}
		if len(m.ToolCalls) > 0 {
			list[i] = c.extraOfCalls(&out[i], m.ToolCalls, model, made)
			continue
		}
		if len(out[i].MultiContent) > 0 {
			continue
		}
		list[i].blank = out[i].Content == ""
		if made[models.RepairEmpty] && blank(out[i].Content) {
			out[i].Content = "(empty)"
		}
	}
	return list
}

// extraOfCalls completes a message with calls.
func (c *Client) extraOfCalls(o *goopenai.ChatCompletionMessage, calls []llm.ToolCall, model string, made map[string]bool) extra {
	e := extra{}
	ids := map[string]string{}
	for j, call := range calls {
		k := kept(call, c.At.Name, model)
		if ids[k.ID] = o.ToolCalls[j].ID; k.Details != nil {
			e.more = k.Details
		}
		if k.Reasoning != "" && echoes(made) {
			o.ReasoningContent = k.Reasoning
		}
		if len(k.Extra) > 0 {
			if e.calls == nil {
				e.calls = make([]json.RawMessage, len(calls))
			}
			e.calls[j] = k.Extra
		}
	}
	e.more = e.more.named(ids)
	e.replaceMissing(o, made)
	switch {
	case blank(o.Content) && made[models.RepairNull] && made[models.RepairEmpty]:
		o.Content = "(no text)"
	case blank(o.Content) && made[models.RepairEmpty]:
		o.Content = "" // left out
	case o.Content == "":
		e.blank = made[models.RepairNull]
	}
	return e
}

// replaceMissing sets substitutes for what an endpoint wants back with calls and did
// not make itself: a signature, reasoning details, reasoning.
func (e *extra) replaceMissing(o *goopenai.ChatCompletionMessage, made map[string]bool) {
	if made[models.RepairSigned] && e.calls == nil {
		e.calls = make([]json.RawMessage, len(o.ToolCalls))
		e.calls[0] = json.RawMessage(unsigned)
		if made[models.RepairSignature] {
			e.calls[0] = json.RawMessage(unsignedFunction)
		}
	}
	if made[models.RepairDetails] && len(e.more) == 0 {
		e.more = unsignedDetails(o.ToolCalls[0].ID)
	}
	if o.ReasoningContent == "" && echoes(made) {
		o.ReasoningContent = notKept
	}
}

func echoes(made map[string]bool) bool {
	return made[models.RepairEcho] && !made[models.RepairNoEcho]
}

func blank(s string) bool {
	for _, c := range s {
		if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

// complete adds to go-openai's body what it can't say: the text of messages
// without one, which it leaves out, and what belongs to calls.
func complete(body []byte, list []extra) ([]byte, error) {
	if !slices.ContainsFunc(list, func(e extra) bool { return e.blank || e.calls != nil || len(e.more) > 0 }) {
		return body, nil
	}
	var all map[string]json.RawMessage
	var messages []map[string]json.RawMessage
	if err := json.Unmarshal(body, &all); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(all["messages"], &messages); err != nil {
		return nil, err
	}
	for i, m := range messages[:min(len(messages), len(list))] {
		if err := list[i].addTo(m); err != nil {
			return nil, err
		}
	}
	b, err := json.Marshal(messages)
	if err != nil {
		return nil, fmt.Errorf("messages: %w", err)
	}
	all["messages"] = b
	return json.Marshal(all)
}

func (e extra) addTo(message map[string]json.RawMessage) error {
	if e.blank && message["content"] == nil {
		message["content"] = json.RawMessage(`""`)
	}
	if len(e.more) > 0 {
		message["reasoning_details"] = asJSON(e.more)
	}
	return addExtraOfCalls(message, e.calls)
}

func addExtraOfCalls(m map[string]json.RawMessage, extras []json.RawMessage) error {
	if extras == nil {
		return nil
	}
	var calls []map[string]json.RawMessage
	if err := json.Unmarshal(m["tool_calls"], &calls); err != nil {
		return err
	}
	for j, c := range calls {
		switch {
		case j >= len(extras) || len(extras[j]) == 0:
		case extras[j][0] != '"':
			c["extra_content"] = extras[j]
		default:
			var f map[string]json.RawMessage
			if err := json.Unmarshal(c["function"], &f); err != nil {
				return err
			}
			f["thought_signature"] = extras[j]
			c["function"] = asJSON(f)
		}
	}
	b, err := json.Marshal(calls)
	m["tool_calls"] = b
	return err
}
