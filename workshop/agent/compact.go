package agent

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"atelier/llm"
	"atelier/workshop"
)

// What shortening leaves of an old tool result and of old arguments, in bytes.
const (
	keepHead = 400
	keepArgs = 1000
)

// compact shortens the conversation as the model sees it: old tool results and
// arguments to their heads, and when that does not halve it, whole earlier
// requests. The last two answers with their results stay, and so does the
// stored conversation. It reports whether anything became shorter.
func (r *run) compact() bool {
	before := size(r.msgs)
	recent := recentFrom(r.msgs)
	shortened := 0
	msgs := make([]llm.Message, len(r.msgs))
	for i, m := range r.msgs {
		msgs[i] = m
		if i >= recent {
			continue
		}
		switch m.Role {
		case llm.RoleTool:
			if s, ok := r.head(m); ok {
				msgs[i].Content = s
				shortened++
			}
		case llm.RoleAssistant:
			msgs[i].ToolCalls = nil
			for _, c := range m.ToolCalls {
				if len(c.Function.Arguments) > keepArgs {
					c.Function.Arguments = shortArgs(c)
					shortened++
				}
				msgs[i].ToolCalls = append(msgs[i].ToolCalls, c)
			}
		}
	}
	dropped := 0
	if size(msgs) > before/2 {
		msgs, dropped = dropEarlier(msgs)
	}
	after := size(msgs)
	if after >= before {
		return false
	}
	r.msgs = msgs
	ev := ContextCompacted{WorkbenchID: r.wb.ID(), Phase: r.phase.name, Shortened: shortened, Dropped: dropped, CharactersWere: before, CharactersAre: after}
	r.noteCompacted(ev)
	r.emit(EventContextCompacted, ev)
	return true
}

// noteCompacted records that the model went on with less than the conversation
// shows.
func (r *run) noteCompacted(ev ContextCompacted) {
	err := r.append(workshop.Record{Type: workshop.TypeSystem, MessageID: r.wb.Conversation().NewMessageID("s-"),
		Text:      fmt.Sprintf("The conversation was longer than the model's window: %d results were shortened and %d messages left out for it.", ev.Shortened, ev.Dropped),
		CreatedAt: r.cfg.Now().UTC(), EventKind: "context_compacted"})
	if err != nil {
		r.cfg.Log.Warn("a compaction could not be noted", "err", err)
	}
}

// head is a tool result cut to its beginning, and whether that is shorter.
func (r *run) head(m llm.Message) (string, bool) {
	note := "\n[shortened to fit the model's window; call the tool again if you need it]"
	if id := r.entries[m.ToolCallID]; id != 0 {
		note = fmt.Sprintf("\n[shortened to fit the model's window; the whole is recall_tool_result entry_id %d]", id)
	}
	if len(m.Content) <= keepHead+len(note) {
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

// recentFrom is the index of the second-last answer: it and all after it stay
// whole.
func recentFrom(msgs []llm.Message) int {
	n := 0
	for i := len(msgs) - 1; i >= 0; i-- {
		if msgs[i].Role == llm.RoleAssistant {
			if n++; n == 2 {
				return i
			}
		}
	}
	return 0
}

// dropEarlier leaves out what came before the last user message.
func dropEarlier(msgs []llm.Message) ([]llm.Message, int) {
	last := 0
	for i, m := range msgs {
		if m.Role == llm.RoleUser {
			last = i
		}
	}
	if last == 0 {
		return msgs, 0
	}
	note := llm.Message{Role: llm.RoleUser, Content: fmt.Sprintf("[%d earlier messages of this conversation were left out to fit the model's window.]", last)}
	return append([]llm.Message{note}, msgs[last:]...), last
}

// size counts characters.
func size(msgs []llm.Message) int {
	n := 0
	for _, m := range msgs {
		n += utf8.RuneCountInString(m.Content)
		for _, c := range m.ToolCalls {
			n += utf8.RuneCountInString(c.Function.Arguments)
		}
	}
	return n
}
