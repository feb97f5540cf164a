package catalogue

import (
	"strings"

	"atelier/formats"
	"atelier/workshop/tools/files"
)

// besideText is what a result takes at most beside its text and its path.
const besideText = 700

// Shorten implements tools.Shortener: fewer lines, with where the next begin.
func (r readResult) Shorten(limit int) any {
	text := formats.JSONPrefix(r.Content.text, limit-besideText-formats.JSONLen(r.Path))
	end := strings.LastIndexByte(text, '\n')
	if r.Content.value != nil || r.Offset == nil || end < 0 {
		return r // a line that is too long by itself
	}
	r.Content.text = strings.TrimSuffix(text[:end], "\r")
	more, next := true, *r.Offset+files.CountLines(text[:end+1])
	r.Truncated, r.Cursor = &more, &next
	return r
}

// Shorten implements tools.Shortener.
func (r aptixReadResult) Shorten(limit int) any {
	r.File.Content = formats.JSONPrefix(r.File.Content, limit-besideText-formats.JSONLen(r.File.Path))
	r.File.Truncated = true
	return r
}
