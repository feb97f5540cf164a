package openai

import (
	"regexp"

	"atelier/llm"
)

// refusedRoles are the words, in lower case, of endpoints that insist on turns:
// Mistral ("unexpected role 'user' after role 'tool'") and the chat templates
// of local servers ("conversation roles must alternate
// user/assistant/user/assistant").
var refusedRoles = regexp.MustCompile(`unexpected role '?[a-z]+'? after role|roles must alternate`)

// alternate gives a conversation the turns such endpoints want: messages of the
// user that follow one another become one, and a message of the user right
// after a tool result, as when a run was stopped there, gets an answer before
// it that says so.
func alternate(messages []llm.Message) []llm.Message {
	var out []llm.Message
	for _, m := range messages {
		last := llm.Message{}
		if len(out) > 0 {
			last = out[len(out)-1]
		}
		switch {
		case m.Role == llm.RoleUser && last.Role == llm.RoleUser:
			out[len(out)-1].Content += "\n\n" + m.Content
			continue
		case m.Role == llm.RoleAssistant && last.Role == llm.RoleAssistant && len(last.ToolCalls) == 0:
			m.Content = last.Content + "\n\n" + m.Content
			out[len(out)-1] = m
			continue
		case m.Role == llm.RoleUser && last.Role == llm.RoleTool:
			out = append(out, llm.Message{Role: llm.RoleAssistant, Content: "(I was interrupted here.)"})
		}
		out = append(out, m)
	}
	return out
}
