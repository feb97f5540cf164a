package agent

import (
	"context"
	"encoding/json"
	"fmt"

	"atelier/internal/textclip"
	"atelier/llm"
	"atelier/workshop/tools"
)

// clipBytes is how much shortening keeps of a tool result without a preview, of a
// preview that is too long, and of a path, in bytes. Arguments and reasoning of
// more than argsLimit bytes are replaced whole.
const (
	clipBytes = 400
	argsLimit = 1000
)

// keepAnswers is how many of the last answers stay whole with their results.
const keepAnswers = 2

// shrink shortens the messages before the last keep answers: short(m) replaces a
// tool result, the path of the file replaces long arguments, long reasoning is
// dropped. shortened lists what changed.
func shrink(msgs []llm.Message, keep int, short func(llm.Message) string) (out []llm.Message, shortened []string) {
	recent := recentFrom(msgs, keep)
	out = make([]llm.Message, len(msgs))
	for i, m := range msgs {
		out[i] = m
		if i >= recent {
			continue
		}
		switch m.Role {
		case llm.RoleTool:
			if s := short(m); len(s) < len(m.Content) {
				out[i].Content = s
				shortened = append(shortened, m.ToolCallID)
			}
		case llm.RoleAssistant:
			out[i].ToolCalls = nil
			for _, c := range m.ToolCalls {
				if len(c.Function.Arguments) > argsLimit {
					if s := argsPlaceholder(c); len(s) < len(c.Function.Arguments) {
						c.Function.Arguments = s
						shortened = append(shortened, "arguments of "+c.ID)
					}
				}
				if len(c.Keep) > argsLimit { // the client tells the endpoint that the reasoning was removed
					c.Keep = ""
					shortened = append(shortened, "reasoning of "+c.ID)
				}
				out[i].ToolCalls = append(out[i].ToolCalls, c)
			}
		}
	}
	return out, shortened
}

// preview returns what stands for a tool result whose whole is in the tool log
// (V-02).
func (r *run) preview(m llm.Message) string {
	id := r.entries[m.ToolCallID]
	if id == 0 {
		return r.head(m)
	}
	e, err := r.wb.ToolLog(context.Background(), id)
	if err != nil {
		return r.head(m) // the log was cut, or cannot be read; that is said when the entry is recalled
	}
	short, _ := tools.Receipt(e.Result, id)
	return short
}

// head returns a tool result cut to its beginning.
func (r *run) head(m llm.Message) string {
	note := "\n[shortened to fit the model's window; call the tool again if you need it]"
	if id := r.entries[m.ToolCallID]; id != 0 {
		note = fmt.Sprintf("\n[shortened to fit the model's window; the whole is recall_tool_result entry_id %d]", id)
	}
	return textclip.Bytes(m.Content, clipBytes) + note
}

// argsPlaceholder keeps which file a call concerned; the result stays JSON, which
// endpoints insist on.
func argsPlaceholder(c llm.ToolCall) string {
	out, err := json.Marshal(map[string]string{"path": textclip.Bytes(pathOf(c), clipBytes), "note": "arguments left out to fit the model's window"})
	if err != nil {
		return "{}"
	}
	return string(out)
}

// recentFrom returns the index of the keepth answer from the end, 0 when there are
// fewer.
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
