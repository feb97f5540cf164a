package cellref

import "strings"

// CutSheet splits "Sales!A1:B2" and "'My sheet'!A1".
func CutSheet(s string) (sheet, rng string, ok bool) {
	i := strings.LastIndexByte(s, '!')
	if i < 0 {
		return "", s, false
	}
	sheet = strings.TrimSpace(s[:i])
	if len(sheet) > 1 && sheet[0] == '\'' && sheet[len(sheet)-1] == '\'' {
		sheet = strings.ReplaceAll(sheet[1:len(sheet)-1], "''", "'")
	}
	return sheet, s[i+1:], true
}
