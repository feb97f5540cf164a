package tools

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"atelier/formats"
)

// Part is a text with what there is to say of it (W-42): which part of more it
// is, and notes. Nothing of that is in the text, since models write back what
// they read. The text stands last.
type Part struct {
	Ignored []string           `json:"ignored,omitempty"` // arguments that the tool does not take
	Chunk   *formats.ChunkInfo `json:"chunk_info,omitempty"`
	Note    string             `json:"note,omitempty"`
	Text    string             `json:"text"`
}

// Said returns the text itself when there is nothing to say of it, else the Part.
func (p Part) Said() any {
	if p.Chunk == nil && p.Note == "" {
		return p.Text
	}
	return p
}

// partHead is what a Part takes at most beside its text, its Next and its note.
const partHead = 300

// Room returns how long the text of a result may be beside what is said of it, of
// which said is a part.
func (e *Env) Room(said ...string) formats.TextLimit {
	limit := e.Max()
	beside := partHead
	for _, s := range said {
		beside += formats.JSONLen(s)
	}
	return formats.TextLimit{Whole: limit, Part: max(limit-beside, limit/2)}
}

// pageOf returns the part of a text that begins at character from and that there is
// room for; next says how to ask for the rest.
func pageOf(room formats.TextLimit, text string, from, total int, next func(offset int) string) Part {
	piece := formats.JSONPrefix(text, room.Part)
	if len(piece) < len(text) {
		if i := strings.LastIndexByte(piece, '\n') + 1; i > len(piece)/2 {
			piece = piece[:i]
		}
	}
	to := from + utf8.RuneCountInString(piece)
	c := &formats.ChunkInfo{HasMore: to < total, Range: characters(from, to, total), TotalChunks: max(1, (total+room.Part-1)/room.Part)}
	c.ChunkIndex = min(from/room.Part, c.TotalChunks-1)
	if c.HasMore {
		c.Next = next(to)
	}
	return Part{Chunk: c, Text: piece}
}

// characters names a part of a text: "characters 1-9000 of 502892".
func characters(from, to, total int) string {
	return fmt.Sprintf("characters %d-%d of %d", from+1, to, total)
}
