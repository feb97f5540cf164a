package replay

import (
	"encoding/json"
	"strings"
)

// The chunks the short forms stand for, and the completion they add up to.
type (
	delta struct {
		Role      string     `json:"role,omitempty"`
		Content   string     `json:"content,omitempty"`
		Reasoning string     `json:"reasoning_content,omitempty"`
		Calls     []callPart `json:"tool_calls,omitempty"`
	}
	callPart struct {
		Index    *int         `json:"index,omitempty"`
		ID       string       `json:"id,omitempty"`
		Type     string       `json:"type,omitempty"`
		Function functionPart `json:"function"`
	}
	functionPart struct {
		Name      string `json:"name,omitempty"`
		Arguments string `json:"arguments"`
	}
	chunkChoice struct {
		Index   int     `json:"index"`
		Delta   *delta  `json:"delta,omitempty"`
		Message *delta  `json:"message,omitempty"`
		Finish  *string `json:"finish_reason"`
	}
	chunk struct {
		ID      string          `json:"id"`
		Object  string          `json:"object"`
		Model   string          `json:"model"`
		Choices []chunkChoice   `json:"choices"`
		Usage   json.RawMessage `json:"usage,omitempty"`
	}
)

// expander turns the steps of one answer into event data.
type expander struct {
	model  string
	short  bool // a short form was used
	calls  int
	finish bool
}

func (e *expander) chunk(d *delta, finish *string) []byte {
	c := chunk{ID: "replay", Object: "chat.completion.chunk", Model: e.model, Choices: []chunkChoice{{Delta: d, Finish: finish}}}
	return encode(c)
}

func encode(v any) []byte {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return []byte("{}") // cannot be: strings and JSON that was read before
	}
	return []byte(strings.TrimSuffix(b.String(), "\n"))
}

// expand gives the events of one step, none for a step that steers the server.
func (e *expander) expand(s step) [][]byte {
	switch {
	case s.event != nil:
		return [][]byte{s.event}
	case s.Text != nil:
		e.short = true
		return [][]byte{e.chunk(&delta{Content: *s.Text}, nil)}
	case s.Reasoning != nil:
		e.short = true
		return [][]byte{e.chunk(&delta{Reasoning: *s.Reasoning}, nil)}
	case s.Call != nil:
		return e.call(s.Call)
	case s.Finish != nil:
		e.finish = true
		return [][]byte{e.chunk(&delta{}, s.Finish)}
	case s.Usage != nil:
		head := e.end() // usage comes after the finish reason
		return append(head, encode(chunk{ID: "replay", Object: "chat.completion.chunk", Model: e.model, Choices: []chunkChoice{}, Usage: s.Usage}))
	}
	return nil
}

func (e *expander) call(c *scriptedCall) [][]byte {
	e.short = true
	index := e.calls
	if c.Index != nil {
		index = *c.Index
	}
	e.calls++
	head := callPart{Index: &index, ID: c.ID, Type: "function", Function: functionPart{Name: c.Name}}
	args := callPart{Index: &index, Function: functionPart{Arguments: c.arguments()}}
	return [][]byte{
		e.chunk(&delta{Calls: []callPart{head}}, nil),
		e.chunk(&delta{Calls: []callPart{args}}, nil),
	}
}

// end gives the finish reason of an answer in short forms that has none yet.
func (e *expander) end() [][]byte {
	if !e.short || e.finish {
		return nil
	}
	e.finish = true
	reason := "stop"
	if e.calls > 0 {
		reason = "tool_calls"
	}
	return [][]byte{e.chunk(&delta{}, &reason)}
}

// whole adds events up to one completion object, for requests without a stream.
// An event that is an error is the answer itself.
func whole(events [][]byte) []byte {
	sum := chunk{ID: "replay", Object: "chat.completion"}
	msg := &delta{Role: "assistant"}
	out := chunkChoice{Message: msg}
	for _, ev := range events {
		var c struct {
			chunk
			Error json.RawMessage `json:"error"`
		}
		if json.Unmarshal(ev, &c) != nil || len(c.Error) > 0 {
			return ev
		}
		sum.Model = c.Model
		if len(c.Usage) > 0 && string(c.Usage) != "null" {
			sum.Usage = c.Usage
		}
		for _, ch := range c.Choices {
			if ch.Finish != nil {
				out.Finish = ch.Finish
			}
			if ch.Delta != nil {
				msg.add(ch.Delta)
			}
		}
	}
	sum.Choices = []chunkChoice{out}
	return encode(sum)
}

func (m *delta) add(d *delta) {
	m.Content += d.Content
	m.Reasoning += d.Reasoning
	for _, p := range d.Calls {
		at := -1
		for i, have := range m.Calls {
			if have.Index != nil && p.Index != nil && *have.Index == *p.Index {
				at = i
			}
		}
		if at < 0 {
			m.Calls = append(m.Calls, p)
			continue
		}
		m.Calls[at].Function.Name += p.Function.Name
		m.Calls[at].Function.Arguments += p.Function.Arguments
	}
}
