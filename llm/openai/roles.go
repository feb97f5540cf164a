package openai

import (
	"slices"
	"strings"

	"atelier/llm"
	"atelier/llm/endpoint"
)

// alternate gives a conversation the turns that some endpoints insist on:
// messages of the user that follow one another become one, and a message of the
// user right after a tool result, as when a run was stopped there, gets an
// answer before it that says so. The user has the first word and, but for
// results, the last.
func alternate(messages []llm.Message) []llm.Message {
	var out []llm.Message
	for _, m := range messages {
		last := llm.Message{}
		if len(out) > 0 {
			last = out[len(out)-1]
		}
		switch {
		case m.Role == llm.RoleUser && last.Role == llm.RoleUser:
			joined := &out[len(out)-1]
			joined.Content += "\n\n" + m.Content
			joined.Images = slices.Concat(joined.Images, m.Images)
			continue
		case m.Role == llm.RoleAssistant && last.Role == llm.RoleAssistant && len(last.ToolCalls) == 0:
			m.Content = last.Content + "\n\n" + m.Content
			out[len(out)-1] = m
			continue
		case m.Role == llm.RoleUser && last.Role == llm.RoleTool:
			between := "(I was interrupted here.)"
			if strings.HasPrefix(m.Content, endpoint.ImagesOfResults) {
				between = "(Now the images.)"
			}
			out = append(out, llm.Message{Role: llm.RoleAssistant, Content: between})
		case m.Role == llm.RoleAssistant && (last.Role == "" || last.Role == llm.RoleSystem):
			out = append(out, llm.Message{Role: llm.RoleUser, Content: "(The conversation goes on.)"})
		}
		out = append(out, m)
	}
	if n := len(out); n > 0 && out[n-1].Role == llm.RoleAssistant && len(out[n-1].ToolCalls) == 0 {
		out = append(out, llm.Message{Role: llm.RoleUser, Content: "Go on."})
	}
	return out
}

// oneSystem puts all system messages into one at the beginning.
func oneSystem(messages []llm.Message) []llm.Message {
	var rest []llm.Message
	var texts []string
	for _, m := range messages {
		if m.Role == llm.RoleSystem {
			texts = append(texts, m.Content)
			continue
		}
		rest = append(rest, m)
	}
	if texts == nil {
		return messages
	}
	return append([]llm.Message{{Role: llm.RoleSystem, Content: strings.Join(texts, "\n\n")}}, rest...)
}

// noSystem puts the system messages before the user's first one, for models
// that know no such role.
func noSystem(messages []llm.Message) []llm.Message {
	messages = oneSystem(messages)
	if len(messages) == 0 || messages[0].Role != llm.RoleSystem {
		return messages
	}
	out := append([]llm.Message(nil), messages[1:]...)
	told := messages[0].Content
	if len(out) == 0 || out[0].Role != llm.RoleUser {
		return append([]llm.Message{{Role: llm.RoleUser, Content: told}}, out...)
	}
	out[0].Content = told + "\n\n" + out[0].Content
	return out
}

// oneCall sends an answer with several calls as several answers, each with its
// result.
func oneCall(messages []llm.Message) []llm.Message {
	var out []llm.Message
	for i := 0; i < len(messages); i++ {
		m := messages[i]
		if len(m.ToolCalls) < 2 {
			out = append(out, m)
			continue
		}
		results := map[string]llm.Message{}
		for i+1 < len(messages) && messages[i+1].Role == llm.RoleTool {
			i++
			results[messages[i].ToolCallID] = messages[i]
		}
		for n, call := range m.ToolCalls {
			one := llm.Message{Role: m.Role, ToolCalls: []llm.ToolCall{call}}
			if n == 0 {
				one.Content = m.Content
			}
			out = append(out, one)
			if r, ok := results[call.ID]; ok {
				out = append(out, r)
			}
		}
	}
	return out
}
