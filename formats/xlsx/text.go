package xlsx

import (
	"strings"

	"atelier/formats"
)

// clip cuts s to n characters.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	count := 0
	for i := range s {
		if count++; count > n {
			return s[:i] + "…"
		}
	}
	return s
}

var lineBreaks = strings.NewReplacer("\r\n", `\n`, "\n", `\n`, "\r", `\n`)

// oneLine keeps a value on its line: breaks in it show as \n.
func oneLine(v string) string {
	if strings.IndexByte(v, '\n') < 0 && strings.IndexByte(v, '\r') < 0 {
		return v
	}
	return lineBreaks.Replace(v)
}

func corruptPart(err error, part string) error {
	if err == nil {
		return nil
	}
	return formats.Errorf(formats.CodeCorrupt, "%s: %w", part, err)
}

// maxObjects bounds the parts that are read whole for what hangs on a sheet.
const maxObjects = 16 << 20
