//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

func briefly(ms []simMessage) string {
	var sb strings.Builder
	for i, m := range ms {
		text := m.text()
		if len(text) > 300 {
			text = text[:150] + " … " + text[len(text)-150:]
		}
		fmt.Fprintf(&sb, "%d %s %q id %s calls %s\n", i, m.Role, text, m.ToolCallID, short200(fmt.Sprint(m.ToolCalls)))
	}
	return sb.String()
}

// valid returns why a strict endpoint would refuse a request (W-52, W-54,
// L-01).
func (m *simModel) valid(b simBody) error {
	names := map[string]bool{}
	for _, t := range b.Tools {
		if t.Type != "function" || t.Function.Name == "" || names[t.Function.Name] || !json.Valid(t.Function.Parameters) {
			return fmt.Errorf("the tool %q is not well-formed or there twice", t.Function.Name)
		}
		names[t.Function.Name] = true
	}
	var open []string
	said := false
	for i, msg := range b.Messages {
		if string(msg.Content) != "null" && len(msg.Content) > 0 && !json.Valid(msg.Content) {
			return fmt.Errorf("message %d: content", i)
		}
		text := msg.text()
		if msg.Role != "tool" && len(open) > 0 {
			return fmt.Errorf("message %d: the calls %v have no result", i, open)
		}
		last := simMessage{}
		if i > 0 {
			last = b.Messages[i-1]
		}
		switch msg.Role {
		case "system":
			if i > 0 {
				return fmt.Errorf("message %d is a second system message", i)
			}
		case "user":
			if strings.TrimSpace(text) == "" {
				return fmt.Errorf("message %d of the user is empty", i)
			}
			said = said || m.must == "" || strings.Contains(text, m.must)
			for _, later := range m.later { // it may have started a separate turn
				said = said || strings.Contains(text, later)
			}
		case "assistant":
			if text == "" && len(msg.ToolCalls) == 0 {
				return fmt.Errorf("message %d of the assistant is empty", i)
			}
			if last.Role == "system" {
				return fmt.Errorf("message %d: the assistant has the first word", i)
			}
			ids := map[string]bool{}
			for _, c := range msg.ToolCalls {
				var args map[string]any
				if err := json.Unmarshal([]byte(c.Function.Arguments), &args); err != nil || c.Type != "function" || c.Function.Name == "" || c.ID == "" || ids[c.ID] {
					return fmt.Errorf("message %d: a call that is not well-formed: %+v", i, c)
				}
				ids[c.ID] = true
				open = append(open, c.ID)
			}
		case "tool":
			if len(open) == 0 || open[0] != msg.ToolCallID {
				return fmt.Errorf("message %d is a result of %q, open are %v", i, msg.ToolCallID, open)
			}
			if text == "" {
				return fmt.Errorf("message %d: an empty result", i)
			}
			open = open[1:]
		default:
			return fmt.Errorf("message %d has the role %q", i, msg.Role)
		}
	}
	switch n := len(b.Messages); {
	case len(open) > 0:
		return fmt.Errorf("the calls %v have no result at the end", open)
	case n == 0 || b.Messages[n-1].Role == "assistant" || b.Messages[n-1].Role == "system":
		return errors.New("the last message is not of the user or a tool")
	case !said && len(b.Tools) > 0:
		return fmt.Errorf("what the user said (%s) is not in the request", m.must)
	}
	return nil
}
