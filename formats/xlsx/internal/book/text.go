package book

import (
	"strings"

	"atelier/formats"
	"atelier/internal/textclip"
)

// Clip cuts s to n characters.
func Clip(s string, n int) string { return textclip.Head(s, n) }

var lineBreaks = strings.NewReplacer("\r\n", `\n`, "\n", `\n`, "\r", `\n`)

// OneLine keeps a value on its line: breaks in it show as \n.
func OneLine(v string) string {
	if strings.IndexByte(v, '\n') < 0 && strings.IndexByte(v, '\r') < 0 {
		return v
	}
	return lineBreaks.Replace(v)
}

// CorruptPart is the error of a part that cannot be read, nil when err is nil.
func CorruptPart(err error, part string) error {
	if err == nil {
		return nil
	}
	return formats.Errorf(formats.CodeCorrupt, "%s: %w", part, err)
}

// MaxObjects bounds the parts that are read whole for what hangs on a sheet.
const MaxObjects = 16 << 20
