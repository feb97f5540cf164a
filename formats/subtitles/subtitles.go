package subtitles

import (
	"context"
	"errors"
	"fmt"
	"html"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"atelier/formats"
	"atelier/formats/tags"
	"atelier/formats/text"
	"atelier/internal/lazyregexp"
)

const (
	maxBytes = 4 << 20
	maxCues  = 20_000
	// lineWidth is the length of a line that reads well, in columns; broadcasters
	// ask for 37 to 42.
	lineWidth = 42
	// maxLine bounds a line in bytes, maxLines the lines of one segment.
	maxLine  = 16 << 10
	maxLines = 50
)

// Extensions are the file extensions of subtitles.
var Extensions = []string{".srt", ".vtt"}

// Segmenter takes translatable text out of subtitles.
func Segmenter() formats.Segmenter { return text.Splicer{Find: findUnits, Limit: maxBytes} }

var (
	timing       = lazyregexp.New(`^\s*(?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3}\s*-->\s*(?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3}`)
	cueNumber    = lazyregexp.New(`^\s*\d+\s*$`)
	markup       = lazyregexp.New(`</?[A-Za-z0-9][^<>]*>|\{\\[^{}]*\}|\\[Nnh]`)
	tagName      = lazyregexp.New(`^</?([A-Za-z]+)`)
	speakerLabel = lazyregexp.New(`^\s*(?:<[^<>]*>|\{[^{}]*\})*\s*[-–—‐]`)
	controls     = lazyregexp.New(`^(?:WEBVTT|NOTE|STYLE|REGION)(?:\s|$)`)
)

// line is [start,end) without its terminator.
type line struct{ start, end int }

// cueFinder finds the texts of cues.
type cueFinder struct {
	d           text.Document
	f           text.Found
	vtt         bool
	newline     string
	cues, parts int    // parts of the current cue
	at          string // the beginning of the current cue's time, "" outside cues
	block       []line
	fresh       bool // the block began after a blank line
}

func findUnits(ctx context.Context, d text.Document) (text.Found, error) {
	c := &cueFinder{d: d, f: text.Found{UTF8: &text.Conversion{Mark: true}}, vtt: strings.EqualFold(path.Ext(d.Name), ".vtt"), newline: "\n", fresh: true}
	if strings.Contains(d.Text, "\r\n") {
		c.newline = "\r\n"
	}
	for pos, n := 0, 0; pos <= len(d.Text); n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return c.f, ctx.Err()
		}
		end := len(d.Text)
		if i := strings.IndexByte(d.Text[pos:], '\n'); i >= 0 {
			end = pos + i
		}
		l := trimmedLine(d.Text, pos, end)
		pos = end + 1
		if n := l.end - l.start; n > maxLine {
			return c.f, formats.Errorf(formats.CodeTooLarge, "%s has a line of %d bytes; %d are too many for subtitles", d.Name, n, maxLine)
		}
		c.addLine(l)
		if end == len(d.Text) {
			c.endBlock()
			break
		}
		if c.cues > maxCues || len(c.f.Units) > maxCues {
			return c.f, formats.Errorf(formats.CodeTooLarge, "%s has more than %d cues; split it", d.Name, maxCues)
		}
	}
	return c.f, nil
}

// trimmedLine is [start,end) without blanks at its end.
func trimmedLine(s string, start, end int) line {
	for end > start && strings.IndexByte(" \t\r", s[end-1]) >= 0 {
		end--
	}
	return line{start, end}
}

func (c *cueFinder) addLine(l line) {
	s := c.d.Text[l.start:l.end]
	switch {
	case timing.MatchString(s):
		c.dropCueName()
		c.endBlock()
		c.cues, c.parts, c.fresh = c.cues+1, 0, false
		c.at, _, _ = strings.Cut(strings.TrimSpace(s), " ")
	case s == "":
		c.endBlock()
		c.fresh = true
	case c.vtt && len(c.block) == 0 && controls.MatchString(s):
		c.at = "" // until the next cue
	default:
		if len(c.block) >= maxLines {
			c.endBlock()
		}
		c.block = append(c.block, l)
	}
}

// dropCueName removes the line before a time, when it is the cue's number or
// name.
func (c *cueFinder) dropCueName() {
	k := len(c.block) - 1
	if k >= 0 && (cueNumber.MatchString(c.d.Text[c.block[k].start:c.block[k].end]) || c.vtt && c.fresh) {
		c.block = c.block[:k]
	}
}

// endBlock makes a unit of the lines of text read last.
func (c *cueFinder) endBlock() {
	block := c.block
	c.block = c.block[:0]
	if len(block) == 0 || c.at == "" {
		return
	}
	u, ok := cueUnit(c.d.Text, block, c.vtt, c.newline)
	if !ok {
		return
	}
	u.ID, u.Place, u.Part = fmt.Sprintf("c%d", c.cues), fmt.Sprintf("cue %d, %s", c.cues, c.at), "subtitle"
	if c.parts++; c.parts > 1 { // text after a blank line
		u.ID += fmt.Sprintf(".%d", c.parts)
	}
	c.f.Units = append(c.f.Units, u)
}

// linesOf splits [start,end) into lines without blanks at their ends.
func linesOf(s string, start, end int) (out []line) {
	for start <= end {
		next := end + 1
		if i := strings.IndexByte(s[start:end], '\n'); i >= 0 {
			next = start + i + 1
		}
		out = append(out, trimmedLine(s, start, next-1))
		start = next
	}
	return out
}

// cueUnit returns the segment of a cue's lines.
func cueUnit(s string, lines []line, vtt bool, newline string) (text.Unit, bool) {
	talk := len(lines) > 1
	width := lineWidth
	for _, l := range lines {
		talk = talk && speakerLabel.MatchString(s[l.start:l.end])
		width = max(width, utf8.RuneCountInString(markup.ReplaceAllString(s[l.start:l.end], "")))
	}
	joint := " "
	if talk {
		joint = "\n"
	}
	ps := cuePieces(s, lines, vtt, joint)
	plain := text.Plain(ps)
	if !text.Translatable(plain) || !utf8.ValidString(plain) {
		return text.Unit{}, false
	}
	u := text.Unit{Segment: formats.Segment{Text: text.Tagged(ps)}, Start: ps[0].Start, End: ps[len(ps)-1].End}
	if talk {
		u.Notes = []string{fmt.Sprintf("keep the %d lines", len(lines))}
	} else {
		u.Notes = []string{fmt.Sprintf("subtitle: at most %d lines of %d characters", max(2, len(lines)), width)}
	}
	from, to := lines[0].start, lines[len(lines)-1].end
	count := len(lines)
	u.Write = func(target string, inside func(start, end int) string) (string, error) {
		ps := cuePieces(s, linesOf(s, from, to), vtt, joint) // read again rather than kept
		target = strings.TrimSpace(target)
		if strings.TrimSpace(tags.Plain(target)) == "" {
			return "", errors.New("the text is empty")
		}
		if have := strings.Count(target, "\n"); talk && have != count-1 {
			return "", fmt.Errorf("the text has %d lines; keep the %d lines", have+1, count)
		}
		out := text.WritePieces(ps, target, inside, func(s string) string { return encodeText(s, vtt, talk) })
		if !talk {
			out = wrapLines(out, width)
		}
		if timing.MatchString(out) || strings.Contains(out, "-->") {
			return "", errors.New("the text holds an arrow, which marks times in subtitles")
		}
		return strings.ReplaceAll(out, "\n", newline), nil
	}
	return u, true
}

// cuePieces reads the lines of a cue; joint stands for a line end.
func cuePieces(s string, lines []line, vtt bool, joint string) []text.Piece {
	var out []text.Piece
	add := func(from, to int) {
		if from < to {
			t := s[from:to]
			if vtt {
				t = html.UnescapeString(t)
			}
			out = append(out, text.Piece{Kind: tags.Text, Start: from, End: to, Text: t})
		}
	}
	for i, l := range lines {
		if i > 0 {
			out = append(out, text.Piece{Kind: tags.Text, Start: lines[i-1].end, End: l.start, Text: joint})
		}
		pos := l.start
		for _, m := range markup.FindAllStringIndex(s[l.start:l.end], 1000) {
			from, to := l.start+m[0], l.start+m[1]
			add(pos, from)
			p := text.Piece{Kind: tags.Single, Start: from, End: to}
			if name := tagName.FindStringSubmatch(s[from:to]); name != nil {
				p.Name, p.Kind = strings.ToLower(name[1]), tags.Open
				if s[from+1] == '/' {
					p.Kind = tags.Close
				}
			}
			out = append(out, p)
			pos = to
		}
		add(pos, l.end)
	}
	return text.Pieces(s, out)
}

func encodeText(s string, vtt, lines bool) string {
	if !lines {
		s = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ").Replace(s)
	} else {
		s = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s)
	}
	if vtt {
		s = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
	}
	return s
}

// wrapLines breaks a text into lines of about the same length, where Unicode allows
// it (UAX 14) and outside markup: as few as width asks for.
func wrapLines(s string, width int) string {
	type chunk struct {
		text  string
		width int
	}
	var chunks []chunk
	total := 0
	add := func(t string, w int) {
		chunks = append(chunks, chunk{t, w})
		total += w
	}
	pos := 0
	for _, m := range append(markup.FindAllStringIndex(s, 1000), []int{len(s), len(s)}) {
		for rest, state := s[pos:m[0]], -1; rest != ""; {
			var seg string
			seg, rest, _, state = uniseg.FirstLineSegmentInString(rest, state)
			add(seg, uniseg.StringWidth(seg))
		}
		if m[0] < m[1] {
			add(s[m[0]:m[1]], 0)
		}
		pos = m[1]
	}
	lines := (total + width - 1) / width
	if lines < 2 {
		return s
	}
	goal := total/lines + 1
	var sb strings.Builder
	used := 0
	for i, c := range chunks {
		sb.WriteString(c.text)
		used += c.width
		if i+1 == len(chunks) || c.width == 0 {
			continue
		}
		// Nearer the goal with the next piece than without it?
		next := chunks[i+1].width
		if used >= goal || used+next > width || used+next-goal > goal-used {
			if strings.HasSuffix(c.text, " ") || !endsWord(c.text) {
				out := strings.TrimRight(sb.String(), " ")
				sb.Reset()
				sb.WriteString(out + "\n")
				used = 0
			}
		}
	}
	return sb.String()
}

// endsWord reports whether a piece ends inside a word that markup parts.
func endsWord(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r < 0x2E80 // East Asian text breaks anywhere
}
