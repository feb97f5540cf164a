package agent

import (
	"encoding/json"
	"fmt"
	"strings"

	"atelier/llm"
)

// What shortening leaves of an old tool result and of old arguments, in bytes.
const (
	keepHead = 400
	keepArgs = 1000
)

// keepAnswers is how many of the last answers stay whole with their results.
const keepAnswers = 2

// shrink cuts tool results and arguments to their heads but for those of the
// last keep answers. It says how many were cut.
func (r *run) shrink(msgs []llm.Message, keep int) ([]llm.Message, int) {
	recent := recentFrom(msgs, keep)
	shortened := 0
	out := make([]llm.Message, len(msgs))
	for i, m := range msgs {
		out[i] = m
		if i >= recent {
			continue
		}
		switch m.Role {
		case llm.RoleTool:
			if s, ok := r.head(m); ok {
				out[i].Content = s
				shortened++
			}
		case llm.RoleAssistant:
			out[i].ToolCalls = nil
			for _, c := range m.ToolCalls {
				if len(c.Function.Arguments) > keepArgs {
					c.Function.Arguments = shortArgs(c)
					shortened++
				}
				out[i].ToolCalls = append(out[i].ToolCalls, c)
			}
		}
	}
	return out, shortened
}

// head is a tool result cut to its beginning, and whether that is shorter.
func (r *run) head(m llm.Message) (string, bool) {
	note := "\n[shortened to fit the model's window; call the tool again if you need it]"
	if id := r.entries[m.ToolCallID]; id != 0 {
		note = fmt.Sprintf("\n[shortened to fit the model's window; the whole is recall_tool_result entry_id %d]", id)
	}
	if len(m.Content) <= keepHead+len(note) || strings.Contains(m.Content, "\n[shortened to fit the model's window") {
		return "", false
	}
	return strings.ToValidUTF8(m.Content[:keepHead], "") + note, true
}

// shortArgs keeps which file a call concerned; the result stays JSON, which
// endpoints insist on.
func shortArgs(c llm.ToolCall) string {
	out, err := json.Marshal(map[string]string{"path": pathOf(c), "note": "arguments left out to fit the model's window"})
	if err != nil {
		return "{}"
	}
	return string(out)
}

// recentFrom is the index of the keep-last answer, 0 when there are fewer.
func recentFrom(msgs []llm.Message, keep int) int {
	if keep == 0 {
		return len(msgs)
	}
	n := 0
	for i := len(msgs) - 1; i >= 0; i-- {
		if msgs[i].Role == llm.RoleAssistant {
			if n++; n == keep {
				return i
			}
		}
	}
	return 0
}
