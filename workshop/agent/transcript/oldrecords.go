package transcript

import (
	"encoding/json"
	"strings"

	"atelier/workshop"
)

// withoutSources returns a conversation as it was recorded before records said whose
// content they carry, for transcripts of that time.
func withoutSources(conversation string) string {
	var sb strings.Builder
	for line := range strings.Lines(conversation) {
		var rec workshop.Record
		if strings.Contains(line, `"sources":`) && json.Unmarshal([]byte(line), &rec) == nil && rec.Metadata["sources"] != nil {
			delete(rec.Metadata, "sources")
			if b, err := recordLine(rec); err == nil {
				line = string(b) + "\n"
			}
		}
		sb.WriteString(line)
	}
	return sb.String()
}
