package formats

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"
)

// TextLimit bounds the length of a Text. The zero value means no limit.
type TextLimit struct {
	Whole int // bytes of a text that is all there is
	Part  int // bytes of a part, as they are written in a JSON string
}

// Limited reports whether there is a bound.
func (r TextLimit) Limited() bool { return r.Part > 0 }

// FittingReader is a Reader that selects the part by Selector.Limit before it
// writes it, so that its ChunkInfo matches the Text. It returns at least one
// unit (a line, row, page or slide), however long.
type FittingReader interface {
	Reader
	ReadFitting(ctx context.Context, src Source, sel Selector) (Text, error)
}

// ReadFitting reads the selection of sel, starting at sel.Offset, up to
// sel.Limit. Following ChunkInfo.Next gives the rest without a gap: a part that
// begins with an offset continues inside a line, page or paragraph.
func ReadFitting(ctx context.Context, r Reader, src Source, sel Selector) (Text, error) {
	read := r.Read
	if f, ok := r.(FittingReader); ok && sel.Limit.Limited() {
		read = f.ReadFitting
	}
	t, err := read(ctx, src, sel)
	if err != nil {
		return t, err
	}
	return t.cutToLimit(sel)
}

// cutToLimit drops the first sel.Offset characters and everything beyond
// sel.Limit.
func (t Text) cutToLimit(sel Selector) (cut Text, err error) {
	defer func() { cut.positions = nil }()
	skip, ok := t.byteOffset(sel.Offset)
	if !ok {
		return Text{}, Errorf(CodeInvalid, "offset must be from 0 to %d, the number of characters selected", utf8.RuneCountInString(t.Text))
	}
	rest, room := t.Text[skip:], sel.Limit
	whole := t.Chunk == nil && len(t.Notes) == 0 && len(rest) <= room.Whole
	if skip == 0 && (!room.Limited() || whole || jsonFits(rest, room.Part)) {
		return t, nil
	}
	piece := rest
	if room.Limited() && !jsonFits(rest, room.Part) {
		piece = JSONPrefix(rest, room.Part)
		if i := strings.LastIndexByte(piece, '\n') + 1; i > len(piece)/2 {
			piece = piece[:i]
		}
	}
	c := ChunkInfo{TotalChunks: 1}
	if t.Chunk != nil {
		c = *t.Chunk
		c.Range += ", "
	} else if room.Limited() {
		c.TotalChunks = max(1, (t.jsonLenTo(len(t.Text))+room.Part-1)/room.Part)
		c.ChunkIndex = min(c.TotalChunks-1, t.jsonLenTo(skip)/room.Part)
	}
	from, to := sel.Offset, sel.Offset+utf8.RuneCountInString(piece)
	c.Range += fmt.Sprintf("characters %d-%d of %d", from+1, to, to+t.runesFrom(skip+len(piece), to))
	if len(piece) < len(rest) {
		c.HasMore, c.Next = true, sel.continuation(to)
	}
	t.Text, t.Chunk = piece, &c
	return t, nil
}

// continuation returns how to ask for the same again from another offset on.
func (s Selector) continuation(offset int) string {
	var out []string
	add := func(name, value string) {
		if value != "" {
			out = append(out, fmt.Sprintf("%s=%q", name, value))
		}
	}
	number := func(name string, value *int) {
		if value != nil {
			out = append(out, fmt.Sprintf("%s=%d", name, *value))
		}
	}
	add("sheet", s.Sheet)
	add("range", s.Range)
	add("section", s.Section)
	number("slide_index", s.SlideIndex)
	add("pages", s.Pages)
	number("line_start", s.LineStart)
	number("line_count", s.LineCount)
	if len(s.Include) > 0 {
		out = append(out, fmt.Sprintf("include=%q", s.Include))
	}
	return strings.Join(append(out, fmt.Sprintf("offset=%d", offset)), " ")
}

// byteOffset returns where character n of s begins; ok is false when it has
// fewer.
func byteOffset(s string, n int) (at int, ok bool) {
	if n <= 0 {
		return 0, n == 0
	}
	for i := range s {
		if n == 0 {
			return i, true
		}
		n--
	}
	return len(s), n == 0
}

// jsonLen returns how many bytes a character takes in a JSON string as
// encoding/json writes it without escaping HTML.
func jsonLen(r rune, size int) int {
	switch {
	case r == '"', r == '\\', r == '\n', r == '\r', r == '\t', r == '\b', r == '\f':
		return 2
	case r < ' ', r == '\u2028', r == '\u2029', r == utf8.RuneError && size == 1:
		return 6
	}
	return size
}

// JSONLen returns how many bytes s takes in a JSON string, without its quotes.
func JSONLen(s string) int {
	n := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		n += jsonLen(r, size)
		i += size
	}
	return n
}

// jsonFits reports whether s takes at most n bytes in a JSON string, which has at least as
// many as s.
func jsonFits(s string, n int) bool { return len(s) <= n && JSONLen(s) <= n }

// JSONPrefix returns the longest beginning of s, of whole characters and at
// least one, that takes at most n bytes in a JSON string.
func JSONPrefix(s string, n int) string {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if n -= jsonLen(r, size); n < 0 && i > 0 {
			return s[:i]
		}
		i += size
	}
	return s
}

// Joined joins units with sep up to the limit, at least one of them, and
// returns how many it joined. next yields them in order; ok is false after the
// last.
func (r TextLimit) Joined(sep string, next func() (unit string, ok bool, err error)) (text string, units int, all bool, err error) {
	var sb strings.Builder
	escaped, fits, fitsTo, n := 0, 0, 0, 0 // fits: the units that fit as a part, which end at fitsTo
	for ; ; n++ {
		u, ok, err := next()
		if err != nil {
			return "", 0, false, err
		}
		if !ok {
			all = true
			break
		}
		if n > 0 {
			u = sep + u
		}
		sb.WriteString(u)
		escaped += JSONLen(u)
		if !r.Limited() || n == 0 || escaped <= r.Part {
			fits, fitsTo = n+1, sb.Len()
		} else if sb.Len() > r.Whole {
			break
		}
	}
	if all && (fits == n || sb.Len() <= r.Whole) {
		return sb.String(), n, true, nil
	}
	return sb.String()[:fitsTo], fits, false, nil
}
