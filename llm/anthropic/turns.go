package anthropic

import (
	"encoding/json"
	"strings"

	"atelier/llm"
	"atelier/llm/endpoint"
	"atelier/llm/models"
)

// turns gives a conversation the form of the API: the system prompt, and turns of
// user and assistant that alternate, of which the user has the first and the last.
func (d *dialogue) turns(messages []llm.Message) (system []*block, _ []turn) {
	for len(messages) > 0 && messages[0].Role == llm.RoleSystem {
		if !blank(messages[0].Content) {
			system = append(system, text(messages[0].Content))
		}
		messages = messages[1:]
	}
	w := turnWriter{d: d}
	for _, m := range messages {
		switch m.Role {
		case llm.RoleAssistant:
			w.assistant(m)
		case llm.RoleTool:
			w.result(m)
		default:
			w.user(m)
		}
	}
	return system, w.end()
}

// turnWriter writes messages into turns.
type turnWriter struct {
	d       *dialogue
	list    []turn
	waiting []string // ids of calls of the last turn without a result so far
}

// last returns the turn of role to write into, a new one if the last is another's.
func (w *turnWriter) last(role string) *turn {
	if n := len(w.list); n == 0 || w.list[n-1].Role != role {
		w.list = append(w.list, turn{Role: role})
	}
	return &w.list[len(w.list)-1]
}

func (w *turnWriter) add(role string, blocks ...*block) {
	t := w.last(role)
	t.Content = append(t.Content, blocks...)
}

func (w *turnWriter) user(m llm.Message) {
	w.answerCalls()
	w.add(llm.RoleUser, withImages(m)...)
}

// result writes the result of a call of the turn before; one without a call there is
// a text of the user.
func (w *turnWriter) result(m llm.Message) {
	id := endpoint.SentID(m.ToolCallID, models.CallIDsAny)
	for i, waits := range w.waiting {
		if waits == id {
			w.waiting = append(w.waiting[:i:i], w.waiting[i+1:]...)
			w.add(llm.RoleUser, &block{Type: "tool_result", ToolUseID: id, Content: withImages(m)})
			return
		}
	}
	w.user(m)
}

// answerCalls gives the calls without a result one, which the API insists on.
func (w *turnWriter) answerCalls() {
	for _, id := range w.waiting {
		w.add(llm.RoleUser, &block{Type: "tool_result", ToolUseID: id, Content: []*block{text("(no result)")}})
	}
	w.waiting = nil
}

func (w *turnWriter) assistant(m llm.Message) {
	w.answerCalls()
	if len(w.list) == 0 {
		w.add(llm.RoleUser, text("(The conversation goes on.)"))
	}
	said := text(m.Content)
	if blank(m.Content) {
		said = nil
	}
	if said == nil && len(m.ToolCalls) == 0 {
		return
	}
	var blocks []*block
	for i, call := range m.ToolCalls {
		k := w.d.kept(call)
		if i == 0 {
			blocks = appendRaw(blocks, k.Lead)
			if said != nil {
				blocks, said = append(blocks, said), nil
			}
		}
		blocks = appendRaw(blocks, k.Blocks)
		id := endpoint.SentID(call.ID, models.CallIDsAny)
		blocks = append(blocks, &block{Type: "tool_use", ID: id, Name: call.Function.Name, Input: json.RawMessage(endpoint.SentArguments(call.Function.Arguments))})
		w.waiting = append(w.waiting, id)
		w.d.sent.calls++
	}
	if said != nil {
		blocks = append(blocks, said)
	}
	w.add(llm.RoleAssistant, blocks...)
}

// end returns the turns. The last is the user's: models do not continue an answer of
// their own.
func (w *turnWriter) end() []turn {
	w.answerCalls()
	for i, t := range w.list {
		if len(t.Content) == 0 {
			w.list[i].Content = []*block{text("(empty)")}
		}
	}
	if n := len(w.list); n == 0 || w.list[n-1].Role == llm.RoleAssistant {
		w.add(llm.RoleUser, text("Go on."))
	}
	return w.list
}

func text(s string) *block { return &block{Type: "text", Text: s} }

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// withImages returns the content of a message: its text, then each image behind its
// name.
func withImages(m llm.Message) []*block {
	var list []*block
	say := func(s string) {
		if !blank(s) {
			list = append(list, text(s))
		}
	}
	say(m.Content)
	for _, im := range m.Images {
		say(im.Name)
		list = append(list, &block{Type: "image", Source: &source{Type: "base64", MediaType: im.MIME, Data: im.Data}})
	}
	return list
}

// keep is the content of llm.ToolCall.Keep: the thinking before a call, which goes back
// with it. Only the same model at the same endpoint gets it.
type keep struct {
	Host   string            `json:"host"`
	Model  string            `json:"model"`
	API    string            `json:"api"`
	Lead   []json.RawMessage `json:"lead,omitempty"`   // before the text of the answer; with its first call
	Blocks []json.RawMessage `json:"blocks,omitempty"` // right before the call
}

const keepAPI = "anthropic"

func (k keep) String() string {
	if len(k.Lead)+len(k.Blocks) == 0 {
		return ""
	}
	b, err := json.Marshal(k)
	if err != nil {
		return ""
	}
	return string(b)
}

// kept reads back the thinking before a call; none when it was another's.
func (d *dialogue) kept(c llm.ToolCall) keep {
	var k keep
	if d.noKept || c.Keep == "" || json.Unmarshal([]byte(c.Keep), &k) != nil || k.API != keepAPI || k.Host != d.c.Host() || k.Model != d.Model {
		return keep{}
	}
	d.sent.kept = d.sent.kept || len(k.Lead)+len(k.Blocks) > 0
	return k
}

func appendRaw(list []*block, raw []json.RawMessage) []*block {
	for _, r := range raw {
		list = append(list, &block{raw: r})
	}
	return list
}
