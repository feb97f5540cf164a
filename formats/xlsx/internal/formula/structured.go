package formula

import (
	"strings"
)

// UnescapeColumn returns the name of a column without the escapes of a
// structured reference.
func UnescapeColumn(s string) string {
	var sb strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\'' && i+1 < len(s) {
			i++
		}
		sb.WriteByte(s[i])
	}
	return sb.String()
}

// escapeColumn escapes the name of a column for a structured reference.
func escapeColumn(s string) string {
	return strings.NewReplacer("'", "''", "[", "'[", "]", "']", "#", "'#").Replace(s)
}
