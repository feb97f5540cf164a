package html

import (
	"errors"
	"html"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/inline"
	"atelier/formats/text"
)

// page is a text with what writing to it must know.
type page struct {
	s     string
	xml   bool
	ascii bool // its encoding is unknown and it holds no character beyond ASCII
	// found remembers answers of next: none of the tag stands in [from,at).
	found map[string][2]int
}

// piece is a piece of running text: text, a tag of a pair, or a mark.
type piece struct {
	kind       inline.Kind
	n          int
	start, end int    // the bytes it stands for
	text       string // of Text, decoded
	name       string // of tags
}

// unit is the segment of the running text [start,end).
func (p page) unit(start, end int, pre bool) (text.Unit, bool) {
	ps := p.pieces(start, end, pre)
	if len(ps) == 0 {
		return text.Unit{}, false
	}
	tokens := make([]inline.Token, len(ps))
	for i, t := range ps {
		tokens[i] = inline.Token{Kind: t.kind, N: t.n, Text: t.text}
	}
	u := text.Unit{Segment: formats.Segment{Text: inline.String(tokens)}, Start: ps[0].start, End: ps[len(ps)-1].end}
	u.Write = func(target string, inside func(start, end int) string) (string, error) {
		// Read again rather than kept, since a page has many of these.
		return p.write(p.pieces(start, end, pre), target, inside)
	}
	return u, true
}

var errEmpty = errors.New("the text is empty")

// write puts a target in place of pieces.
func (p page) write(ps []piece, target string, inside func(start, end int) string) (string, error) {
	if strings.TrimSpace(inline.Plain(target)) == "" {
		return "", errEmpty
	}
	type key struct {
		kind inline.Kind
		n    int
	}
	marks := map[key]piece{}
	nbsp := false
	for _, t := range ps {
		if t.kind == inline.Text {
			nbsp = nbsp || strings.Contains(p.s[t.start:t.end], "&nbsp;")
			continue
		}
		marks[key{t.kind, t.n}] = t
	}
	var sb strings.Builder
	for _, t := range inline.Parse(strings.TrimSpace(target)) {
		if t.Kind == inline.Text {
			sb.WriteString(p.encode(oneLine(t.Text), nbsp))
			continue
		}
		m := marks[key{t.Kind, t.N}]
		sb.WriteString(inside(m.start, m.end))
	}
	return sb.String(), nil
}

// pieces reads the running text [start,end) and leaves out what stands around
// its text: blanks, marks, and pairs of tags that enclose all of it.
func (p page) pieces(start, end int, pre bool) []piece {
	z := tokenizer{s: p.s[:end], pos: start, xml: p.xml}
	var out []piece
	var open []int // in out
	closed := func(i int, t token) {
		last := len(out) - 1
		if last == i || last == i+1 && out[last].kind == inline.Single {
			out = append(out[:i], piece{kind: inline.Single, start: out[i].start, end: t.end})
			out = merged(out)
			return
		}
		out = append(out, piece{kind: inline.Close, start: t.start, end: t.end, n: i})
	}
	for {
		t, ok := z.next()
		if !ok {
			break
		}
		if t.kind == startToken {
			if end, ok := p.opaque(&z, t); ok {
				t = token{start: t.start, end: end, kind: otherToken}
			}
		}
		switch {
		case t.kind == textToken:
			out = append(out, piece{kind: inline.Text, start: t.start, end: t.end, text: decode(p.s[t.start:t.end], pre)})
		case t.kind == startToken && !voids[t.name] && !(t.closed && p.xml):
			open = append(open, len(out))
			out = append(out, piece{kind: inline.Open, start: t.start, end: t.end, name: t.name})
		case t.kind == endToken && lastOpen(out, open, t.name) >= 0:
			k := lastOpen(out, open, t.name)
			for _, i := range open[k+1:] {
				out[i].kind = inline.Single
			}
			i := open[k]
			open = open[:k]
			closed(i, t)
		default:
			out = merged(append(out, piece{kind: inline.Single, start: t.start, end: t.end}))
		}
	}
	for _, i := range open {
		out[i].kind = inline.Single
	}
	return numbered(trim(p.s, out))
}

func lastOpen(out []piece, open []int, name string) int {
	for k := len(open) - 1; k >= 0; k-- {
		if out[open[k]].name == name {
			return k
		}
	}
	return -1
}

// merged makes one of two marks that stand side by side at the end.
func merged(out []piece) []piece {
	n := len(out)
	if n > 1 && out[n-1].kind == inline.Single && out[n-2].kind == inline.Single && out[n-2].end == out[n-1].start {
		out[n-2].end = out[n-1].end
		return out[:n-1]
	}
	return out
}

// trim takes from both ends what is no text.
func trim(s string, ps []piece) []piece {
	depths := map[int]int{} // positions of pairs, to see which encloses all
	var open []int
	for i := range ps {
		switch ps[i].kind {
		case inline.Open:
			open = append(open, i)
		case inline.Close:
			if len(open) > 0 {
				depths[open[len(open)-1]] = i
				open = open[:len(open)-1]
			}
		}
	}
	a, b := 0, len(ps)
	for a < b {
		switch first := &ps[a]; first.kind {
		case inline.Single:
			a++
			continue
		case inline.Text:
			for first.start < first.end && isSpace(s[first.start]) {
				first.start++
			}
			first.text = strings.TrimLeft(first.text, " \t\r\n\f")
			if first.text == "" {
				a++
				continue
			}
		}
		switch last := &ps[b-1]; last.kind {
		case inline.Single:
			b--
			continue
		case inline.Text:
			for last.start < last.end && isSpace(s[last.end-1]) {
				last.end--
			}
			last.text = strings.TrimRight(last.text, " \t\r\n\f")
			if last.text == "" {
				b--
				continue
			}
		}
		if ps[a].kind == inline.Open && depths[a] == b-1 {
			a, b = a+1, b-1
			continue
		}
		break
	}
	return ps[a:b]
}

// numbered gives tags their numbers in order of appearance.
func numbered(ps []piece) []piece {
	n := 0
	var open []int
	for i := range ps {
		switch ps[i].kind {
		case inline.Open:
			n++
			ps[i].n = n
			open = append(open, n)
		case inline.Single:
			n++
			ps[i].n = n
		case inline.Close:
			ps[i].n = open[len(open)-1]
			open = open[:len(open)-1]
		}
	}
	return ps
}

// decode is the text that s shows: without character references, and with
// blanks run together unless it is preformatted.
func decode(s string, pre bool) string {
	s = html.UnescapeString(collapse(s, pre))
	return strings.ReplaceAll(s, "\x00", "\uFFFD")
}

func collapse(s string, pre bool) string {
	if pre {
		return s
	}
	if !strings.ContainsAny(s, "\n\t\r\f") && !strings.Contains(s, "  ") {
		return s
	}
	var sb strings.Builder
	blank := false
	for i := 0; i < len(s); i++ {
		if isSpace(s[i]) {
			if !blank {
				sb.WriteByte(' ')
			}
			blank = true
			continue
		}
		blank = false
		sb.WriteByte(s[i])
	}
	return sb.String()
}

func oneLine(s string) string {
	return strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ").Replace(s)
}

// encode writes text as markup. nbsp: non-breaking blanks were written &nbsp;.
func (p page) encode(s string, nbsp bool) string {
	var sb strings.Builder
	for _, r := range s {
		switch {
		case r == '&':
			sb.WriteString("&amp;")
		case r == '<':
			sb.WriteString("&lt;")
		case r == '>':
			sb.WriteString("&gt;")
		case r == '\u00a0' && nbsp:
			sb.WriteString("&nbsp;")
		case r >= 0x80 && p.ascii:
			sb.WriteString(reference(r))
		case r < 0x20 && r != '\t' && r != '\n' && r != '\r': // no character of a page
		default:
			sb.WriteRune(r)
		}
	}
	return sb.String()
}

// reference is a numeric character reference.
func reference(r rune) string { return "&#" + strconv.Itoa(int(r)) + ";" }
