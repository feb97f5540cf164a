package agent

import (
	"context"
	"encoding/json"
	"fmt"

	"atelier/internal/textclip"
	"atelier/llm"
	"atelier/workshop/tools"
)

// What shortening leaves of an old tool result that has no receipt or whose
// receipt is too long still, and of old arguments, in bytes.
const (
	keepHead = 400
	keepArgs = 1000
)

// keepAnswers is how many of the last answers stay whole with their results.
const keepAnswers = 2

// shrink puts what short gives in the place of tool results, and the file in
// that of long arguments, but for those of the last keep answers. It names what
// became shorter.
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
				if len(c.Function.Arguments) > keepArgs {
					if s := shortArgs(c); len(s) < len(c.Function.Arguments) {
						c.Function.Arguments = s
						shortened = append(shortened, "arguments of "+c.ID)
					}
				}
				if len(c.Keep) > keepArgs { // the client says to the endpoint that it is gone
					c.Keep = ""
					shortened = append(shortened, "reasoning of "+c.ID)
				}
				out[i].ToolCalls = append(out[i].ToolCalls, c)
			}
		}
	}
	return out, shortened
}

// receipt returns what stands for a tool result whose whole is in the tool log
// (V-02).
func (r *run) receipt(m llm.Message) string {
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
	return textclip.Bytes(m.Content, keepHead) + note
}

// shortArgs keeps which file a call concerned; the result stays JSON, which
// endpoints insist on.
func shortArgs(c llm.ToolCall) string {
	out, err := json.Marshal(map[string]string{"path": textclip.Bytes(pathOf(c), keepHead), "note": "arguments left out to fit the model's window"})
	if err != nil {
		return "{}"
	}
	return string(out)
}

// recentFrom returns the index of the keep-last answer, 0 when there are fewer.
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
