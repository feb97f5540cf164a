package openai

import (
	"encoding/json"
	"strings"

	"atelier/llm"
	"atelier/llm/endpoint"
)

// For models without tools of their own: the tools are described in the system
// message, calls and results are written into the text in the form that Hermes
// and Qwen were trained on, and textCalls reads the model's calls back.

const toolsIntro = `# Tools

You can call tools. To call one, end your answer with exactly this, the arguments being a JSON object:
<tool_call>
{"name": "NAME", "arguments": {}}
</tool_call>
Several calls may follow one another. Write nothing after them: the results come in the next message, inside <tool_response> tags. Never write a <tool_response> yourself. These are the tools, one on a line, with the JSON Schema of their arguments:
<tools>
`

// writeTools gives messages without roles, calls or results of tools.
func writeTools(messages []llm.Message, tools []llm.Tool) []llm.Message {
	var out []llm.Message
	if len(tools) > 0 {
		var sb strings.Builder
		sb.WriteString(toolsIntro)
		for _, t := range tools {
			if !json.Valid(t.Function.Parameters) {
				t.Function.Parameters = json.RawMessage("{}")
			}
			sb.Write(asJSON(t.Function))
			sb.WriteByte('\n')
		}
		sb.WriteString("</tools>")
		out = append(out, llm.Message{Role: llm.RoleSystem, Content: sb.String()})
	}
	for _, m := range messages {
		switch {
		case m.Role == llm.RoleTool:
			out = append(out, llm.Message{Role: llm.RoleUser, Content: "<tool_response>\n" + strings.ReplaceAll(m.Content, "</tool_response>", "</tool_response >") + "\n</tool_response>"})
			continue
		case len(m.ToolCalls) > 0:
			for _, c := range m.ToolCalls {
				m.Content = strings.TrimLeft(m.Content+"\n"+writeCall(c), "\n")
			}
			m.ToolCalls = nil
		}
		out = append(out, m)
	}
	if len(out) > 1 && out[1].Role == llm.RoleSystem {
		out[0], out[1] = out[1], out[0] // the instructions come first
	}
	return alternate(oneSystem(out))
}

func writeCall(c llm.ToolCall) string {
	b := asJSON(map[string]any{"name": c.Function.Name, "arguments": json.RawMessage(endpoint.SentArguments(c.Function.Arguments))})
	return "<tool_call>\n" + string(b) + "\n</tool_call>"
}
