package html

import (
	"errors"
	"html"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/tags"
	"atelier/formats/text"
)

// page is the text of a page with what is needed to write into it.
type page struct {
	s     string
	xml   bool
	ascii bool // its encoding is unknown and it has only ASCII characters
	// tagOffsets caches results of nextTag: the tag does not occur in
	// [from,at).
	tagOffsets map[string][2]int
}

// runUnit returns the segment of the running text [start,end), when it is
// language.
func (p page) runUnit(start, end int, pre bool) (text.Unit, bool) {
	ps := p.pieces(start, end, pre)
	if len(ps) == 0 || !text.Translatable(text.Plain(ps)) {
		return text.Unit{}, false
	}
	u := text.Unit{Segment: formats.Segment{Text: text.Tagged(ps)}, Start: ps[0].Start, End: ps[len(ps)-1].End}
	u.Write = func(target string, inside func(start, end int) string) (string, error) {
		if strings.TrimSpace(tags.Plain(target)) == "" {
			return "", errEmpty
		}
		ps := p.pieces(start, end, pre) // read again rather than kept, since a page has many
		nbsp := false
		for _, t := range ps {
			nbsp = nbsp || t.Kind == tags.Text && strings.Contains(p.s[t.Start:t.End], "&nbsp;")
		}
		return text.WritePieces(ps, strings.TrimSpace(target), inside, func(s string) string { return p.encodeText(oneLine(s), nbsp) }), nil
	}
	return u, true
}

var errEmpty = errors.New("the text is empty")

// pieces reads the running text [start,end).
func (p page) pieces(start, end int, pre bool) []text.Piece {
	z := tokenizer{s: p.s[:end], pos: start, xml: p.xml}
	var out []text.Piece
	for {
		t, ok := z.next()
		if !ok {
			return text.Pieces(p.s, out)
		}
		next := text.Piece{Kind: tags.Single, Start: t.start, End: t.end, Name: t.name}
		switch t.kind {
		case textToken:
			next.Kind, next.Text = tags.Text, decodeText(p.s[t.start:t.end], pre)
		case startToken:
			if end, ok := p.opaqueEnd(&z, t); ok {
				next.End = end
			} else if !voidElements[t.name] && !(t.closed && p.xml) {
				next.Kind = tags.Open
			}
		case endToken:
			next.Kind = tags.Close
		}
		out = append(out, next)
	}
}

// decodeText returns the text that s shows: without character references, and
// with blanks run together unless it is preformatted.
func decodeText(s string, pre bool) string {
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

var lineEnds = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")

func oneLine(s string) string { return lineEnds.Replace(s) }

// encodeText writes text as markup. nbsp: non-breaking blanks were written &nbsp;.
func (p page) encodeText(s string, nbsp bool) string {
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

// reference returns a numeric character reference.
func reference(r rune) string { return "&#" + strconv.Itoa(int(r)) + ";" }
