package xlsx

import (
	"strings"
)

func unescapeColumn(s string) string {
	var sb strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\'' && i+1 < len(s) {
			i++
		}
		sb.WriteByte(s[i])
	}
	return sb.String()
}

func escapeColumn(s string) string {
	return strings.NewReplacer("'", "''", "[", "'[", "]", "']", "#", "'#").Replace(s)
}
