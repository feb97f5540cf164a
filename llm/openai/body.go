package openai

import (
	"encoding/json"
	"fmt"

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
	names := map[string]string{}
	for i, m := range messages {
		o := &out[i]
		if made[models.RepairToolName] && m.Role == llm.RoleTool {
			o.Name = names[m.ToolCallID]
		}
		signed := false
		ids := map[string]string{}
		for j, call := range m.ToolCalls {
			names[call.ID] = call.Function.Name
			k := kept(call, c.at.name, model)
			if ids[k.ID] = o.ToolCalls[j].ID; k.Details != nil {
				list[i].more = k.Details
			}
			if k.Reasoning != "" && echoes(made) {
				o.ReasoningContent = k.Reasoning
			}
			if len(k.Extra) > 0 {
				if list[i].calls == nil {
					list[i].calls = make([]json.RawMessage, len(m.ToolCalls))
				}
				list[i].calls[j], signed = k.Extra, true
			}
		}
		list[i].more = list[i].more.named(ids)
		if len(m.ToolCalls) == 0 {
			list[i].blank = o.Content == ""
			if made[models.RepairEmpty] && blank(o.Content) {
				o.Content = "(empty)"
			}
			continue
		}
		if made[models.RepairSigned] && !signed {
			list[i].calls = make([]json.RawMessage, len(m.ToolCalls))
			list[i].calls[0] = json.RawMessage(unsigned)
			if made[models.RepairSignature] {
				list[i].calls[0] = json.RawMessage(unsignedFunction)
			}
		}
		if made[models.RepairDetails] && len(list[i].more) == 0 {
			list[i].more = unsignedDetails(o.ToolCalls[0].ID)
		}
		if o.ReasoningContent == "" && echoes(made) {
			o.ReasoningContent = notKept
		}
		switch {
		case blank(o.Content) && made[models.RepairNull] && made[models.RepairEmpty]:
			o.Content = "(no text)"
		case blank(o.Content) && made[models.RepairEmpty]:
			o.Content = "" // left out
		case o.Content == "":
			list[i].blank = made[models.RepairNull]
		}
	}
	return list
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
	needed := false
	for _, e := range list {
		needed = needed || e.blank || e.calls != nil || len(e.more) > 0
	}
	if !needed {
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
	for i, m := range messages {
		if i >= len(list) {
			break
		}
		if list[i].blank && m["content"] == nil {
			m["content"] = json.RawMessage(`""`)
		}
		if err := addExtra(m, list[i].calls); err != nil {
			return nil, err
		}
		if len(list[i].more) > 0 {
			m["reasoning_details"] = asJSON(list[i].more)
		}
	}
	b, err := json.Marshal(messages)
	if err != nil {
		return nil, fmt.Errorf("messages: %w", err)
	}
	all["messages"] = b
	return json.Marshal(all)
}

func addExtra(m map[string]json.RawMessage, extras []json.RawMessage) error {
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
