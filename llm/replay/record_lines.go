package replay

import (
	"encoding/json"
	"iter"
	"strings"
)

// blocks splits a stream after each blank line; nothing is lost.
func blocks(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for s != "" {
			end := len(s)
			if i := strings.Index(s, "\n\n"); i >= 0 {
				end = i + 2
			}
			if !yield(s[:end]) {
				return
			}
			s = s[end:]
		}
	}
}

// plainEvent returns the data of block if a server sends exactly block for it
// and Parse takes it for an event.
func plainEvent(block string) (string, bool) {
	data, ok := strings.CutPrefix(block, "data: ")
	data, ended := strings.CutSuffix(data, "\n\n")
	var keys map[string]json.RawMessage
	if !ok || !ended || strings.ContainsAny(data, "\n\r") || strings.TrimSpace(data) != data || !strings.HasPrefix(data, "{") {
		return "", false
	}
	if json.Unmarshal([]byte(data), &keys) != nil || isForm(keys) {
		return "", false
	}
	return data, true
}
