package agent

import (
	"slices"
	"strings"

	"atelier/llm"
	"atelier/workshop"
	"atelier/workshop/tools/attachments"
)

// interruptedResult stands for the result of a call whose run ended before it
// was recorded: the process died, or the store failed.
const interruptedResult = "Error: interrupted: the run ended before this call's result was recorded, so it may or may not have taken effect; check before you repeat it"

// messages rebuilds what the model saw from the records (W-54): each call is
// followed by its result in call order, and a summary that was made of a stretch
// stands in its place. Of system events a note on an abandoned plan is told, that the user
// rejected changes, and that another program changed the draft.
func messages(records []workshop.Record) []llm.Message {
	return messagesOf(records, items(records))
}

func messagesOf(records []workshop.Record, list []item) []llm.Message {
	var out []llm.Message
	for _, it := range list {
		if it.summary != "" {
			out = append(out, summaryMessage(it.summary))
			continue
		}
		i, r := it.record, records[it.record]
		switch r.Type {
		case workshop.TypeUser:
			out = append(out, userMessage(attachments.Text(r)))
		case workshop.TypeSystem:
			if said := toldEvent(r); said != "" && !repeats(out, r) {
				out = append(out, llm.Message{Role: llm.RoleUser, Content: said})
			}
		case workshop.TypeAssistant:
			if strings.TrimSpace(r.Text) == "" && len(r.ToolCalls) == 0 {
				continue // endpoints refuse an empty message
			}
			out = append(out, assistantMessage(r))
			results := resultsOf(records, i)
			for j, c := range r.ToolCalls {
				m := llm.Message{Role: llm.RoleTool, ToolCallID: c.ID, Content: interruptedResult}
				if results[j] != nil {
					m.Content, m.Images = results[j].Content, imagesOf(*results[j])
				}
				out = append(out, m)
			}
		}
	}
	return out
}

// toldEvent returns what a model is told of a system event, "" for most.
func toldEvent(r workshop.Record) string {
	mark := map[string]string{eventAbandoned: planMark, workshop.EventReject: workshop.RejectMark, workshop.EventDiscard: workshop.DiscardMark, workshop.EventGuest: workshop.GuestMark}[r.EventKind]
	if mark == "" || !strings.HasPrefix(r.Text, mark) {
		return ""
	}
	return r.Text
}

// repeats reports whether the messages before a change by another program end with the
// same words: a program that makes a hundred changes to one file is told of once.
func repeats(out []llm.Message, r workshop.Record) bool {
	for i := len(out) - 1; i >= 0 && r.EventKind == workshop.EventGuest && strings.HasPrefix(out[i].Content, workshop.GuestMark); i-- {
		if out[i].Content == r.Text {
			return true
		}
	}
	return false
}

// isTold reports whether a text begins as that of an event does.
func isTold(text string) bool {
	return slices.ContainsFunc([]string{planMark, workshop.RejectMark, workshop.DiscardMark, workshop.GuestMark}, func(mark string) bool { return strings.HasPrefix(text, mark) })
}

// userMessage returns what the user wrote, set off by an empty line when it begins as
// something does that is told in the user's place, so that it cannot be taken
// for that.
func userMessage(text string) llm.Message {
	if strings.HasPrefix(text, summaryMark) || isTold(text) {
		text = "\n" + text
	}
	return llm.Message{Role: llm.RoleUser, Content: text}
}

// isUsers reports whether a message is the user's own; summaries, words on plans
// and notes on the last answer have their role too.
func isUsers(m llm.Message) bool {
	return m.Role == llm.RoleUser && !isSummary(m) && !isTold(m.Content) && !isNote(m.Content)
}

func assistantMessage(r workshop.Record) llm.Message {
	m := llm.Message{Role: llm.RoleAssistant, Content: r.Text}
	for _, c := range r.ToolCalls {
		m.ToolCalls = append(m.ToolCalls, llm.ToolCall{ID: c.ID, Type: "function", Keep: c.Keep,
			Function: llm.FunctionCall{Name: c.Function.Name, Arguments: c.Function.Arguments}})
	}
	return m
}

// resultsOf finds the results of the calls of the assistant record at i, nil
// where there is none. A result may stand behind later messages when the call
// was closed by a later run, but never behind a later call of the same id.
func resultsOf(records []workshop.Record, i int) []*workshop.Record {
	calls := records[i].ToolCalls
	found := make([]*workshop.Record, len(calls))
	open := map[string]int{}
	for j, c := range calls {
		open[c.ID] = j
	}
	for k := i + 1; k < len(records) && len(open) > 0; k++ {
		for _, c := range records[k].ToolCalls {
			delete(open, c.ID)
		}
		if j, ok := open[records[k].ToolCallID]; ok && records[k].Type == workshop.TypeToolResult {
			found[j] = &records[k]
			delete(open, records[k].ToolCallID)
		}
	}
	return found
}

// openCall is a call without a result.
type openCall struct{ id, name string }

func openCalls(records []workshop.Record) []openCall {
	var open []openCall
	for i, r := range records {
		if len(r.ToolCalls) == 0 {
			continue
		}
		for j, res := range resultsOf(records, i) {
			if res == nil {
				open = append(open, openCall{r.ToolCalls[j].ID, r.ToolCalls[j].Function.Name})
			}
		}
	}
	return open
}

// Answered finds the final answer to a user message: the last one that came
// after it and before the next, without calls and not broken off. Messages that
// its run took up are part of it.
func Answered(records []workshop.Record, messageID string) (answer workshop.Record, ok bool) {
	from := len(records) // nothing before the message counts
	for i := range slices.Backward(records) {
		if records[i].Type == workshop.TypeUser && records[i].MessageID == messageID {
			from = i
			break
		}
	}
	after := false
	for _, r := range records[from:] {
		switch {
		case r.Type == workshop.TypeUser && after && Steers(r) == messageID:
			answer, ok = workshop.Record{}, false // the run went on with it
		case r.Type == workshop.TypeUser:
			after = r.MessageID == messageID
		case after && r.Type == workshop.TypeAssistant && len(r.ToolCalls) == 0 && r.Metadata["interrupted"] == nil:
			answer, ok = r, true
		}
	}
	return answer, ok
}
