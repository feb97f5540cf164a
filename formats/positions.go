package formats

import (
	"sort"
	"unicode/utf8"
)

// positionStep is how many bytes of a text are between two known positions: a cut reads at
// most this much in front of it.
const positionStep = 4 << 10

// positions are known places of a long text, so that a cut at a character far inside it
// does not read all that is before.
type positions struct {
	known []position
	end   position
}

// position is the beginning of a character.
type position struct {
	at      int // in bytes
	runes   int // characters before it
	escaped int // bytes that the text before it takes in a JSON string
}

// Index makes parts of t by Selector.Offset cost the same wherever they begin. Readers that
// keep a Text for further parts call it once.
func (t *Text) Index() {
	x := &positions{known: make([]position, 1, 1+len(t.Text)/positionStep)}
	var p position
	for p.at < len(t.Text) {
		if p.at >= len(x.known)*positionStep {
			x.known = append(x.known, p)
		}
		if c := t.Text[p.at]; c < utf8.RuneSelf {
			p.at++
			p.escaped += jsonLen(rune(c), 1)
		} else {
			r, size := utf8.DecodeRuneInString(t.Text[p.at:])
			p.at += size
			p.escaped += jsonLen(r, size)
		}
		p.runes++
	}
	x.end = p
	t.positions = x
}

// IndexSize returns the memory of what Index made, in bytes.
func (t *Text) IndexSize() int {
	if t.positions == nil {
		return 0
	}
	return 24 * cap(t.positions.known)
}

// Continues reports whether a part with room for this many bytes in a JSON string that
// begins at a character leaves something for another part. Index was called before.
func (t *Text) Continues(offset, room int) bool {
	at, ok := t.byteOffset(offset)
	return ok && t.positions.end.escaped-t.jsonLenTo(at) > room
}

// before returns the last known position for which after is false.
func (x *positions) before(after func(position) bool) position {
	i := sort.Search(len(x.known), func(i int) bool { return after(x.known[i]) })
	return x.known[max(i-1, 0)]
}

// byteOffset returns where a character of the text begins; ok is false when it has fewer.
func (t *Text) byteOffset(n int) (at int, ok bool) {
	x := t.positions
	switch {
	case x == nil || n <= 0:
		return byteOffset(t.Text, n)
	case n > x.end.runes:
		return len(t.Text), false
	}
	p := x.before(func(p position) bool { return p.runes > n })
	at, ok = byteOffset(t.Text[p.at:], n-p.runes)
	return p.at + at, ok
}

// jsonLenTo returns how many bytes the text before a place takes in a JSON string.
func (t *Text) jsonLenTo(at int) int {
	x := t.positions
	switch {
	case x == nil:
		return JSONLen(t.Text[:at])
	case at == len(t.Text):
		return x.end.escaped
	}
	p := x.before(func(p position) bool { return p.at > at })
	return p.escaped + JSONLen(t.Text[p.at:at])
}

// runesFrom returns how many characters begin at a place, which is after runes characters.
func (t *Text) runesFrom(at, runes int) int {
	if t.positions != nil {
		return t.positions.end.runes - runes
	}
	return utf8.RuneCountInString(t.Text[at:])
}
