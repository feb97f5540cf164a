package agent

import (
	"encoding/json"
	"fmt"
	"slices"

	"atelier/llm"
	"atelier/workshop"
)

// What stands in the user's place when a message is run again that has an answer,
// or the beginning of one: a conversation that ends with the model's own words is
// refused by some endpoints, taken for a text to complete by others, and tells
// the model nothing of what happened.
const (
	brokenNote   = "[Your last answer broke off where it ends above. Go on with the request from there; what you said and did so far stands.]"
	answeredNote = "[Your last answer stands above; the user has the request run again. Go on with what is left of it, or say that nothing is.]"
)

// isNote reports whether a text is one of those that no person and no record
// said.
func isNote(text string) bool {
	return slices.Contains([]string{blankNote, brokenNote, answeredNote}, text)
}

// askOn makes a conversation that ends with an answer one that asks for the next.
func askOn(msgs []llm.Message, records []workshop.Record) []llm.Message {
	if n := len(msgs); n == 0 || msgs[n-1].Role != llm.RoleAssistant || len(msgs[n-1].ToolCalls) > 0 {
		return msgs
	}
	note := answeredNote
	for _, rec := range slices.Backward(records) {
		if rec.Type == workshop.TypeAssistant {
			if rec.Metadata["interrupted"] != nil {
				note = brokenNote
			}
			break
		}
	}
	return append(msgs, llm.Message{Role: llm.RoleUser, Content: note})
}

// cutCall returns the result of a call that cannot be carried out since the answer
// ended in the middle of it, "" when it did not. Without the reason a model makes
// the same call again, until the run is stopped.
func (r *run) cutCall(c llm.ToolCall) string {
	if !r.longest || json.Valid([]byte(c.Function.Arguments)) {
		return ""
	}
	return fmt.Sprintf("Error: invalid arguments: the JSON is cut off, since your answer reached the longest one allowed (%d bytes of this call arrived). Nothing was done. Write less in one call, and do the rest with further calls.", len(c.Function.Arguments))
}
