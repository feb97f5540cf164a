package tokens

import (
	"strings"
	"unicode/utf8"

	"atelier/llm"
)

// PerMessage is how many tokens a message takes besides its text.
const PerMessage = 4

// Count estimates how many tokens a text has, without any model's own
// vocabulary: four letters of a word to a token, two digits or marks, two
// characters of other alphabets, one of Chinese, Japanese or Korean. Models
// differ by a third either way; a run corrects itself by what the endpoint
// reports (gauge).
func Count(s string) int {
	n := 0
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			n += int(ofASCII[c])
			i++
			continue
		}
		c, size := utf8.DecodeRuneInString(s[i:])
		n += quarters(c)
		i += size
	}
	return (n + 3) / 4
}

// ofASCII are the quarters of each character of ASCII, which most text consists of.
var ofASCII = func() (t [utf8.RuneSelf]uint8) {
	for c := range t {
		t[c] = uint8(quarters(rune(c)))
	}
	return t
}()

// quarters returns how many quarters of a token a character takes.
func quarters(c rune) int {
	switch {
	case c == ' ' || 'a' <= c|0x20 && c|0x20 <= 'z':
		return 1
	case c < 0x2E80: // digits, marks, other alphabets
		return 2
	}
	return 4
}

// OfMessage estimates the tokens of a message with its calls.
func OfMessage(m llm.Message) int {
	n := PerMessage + Count(m.Content)
	for _, i := range m.Images {
		n += OfImage(i.Width, i.Height)
	}
	for _, c := range m.ToolCalls {
		n += PerMessage + Count(c.Function.Name) + Count(c.Function.Arguments) + Count(c.Keep)
	}
	return n
}

// OfImage estimates the tokens of an image of so many pixels: one for 28 × 28 of them
// and a few more, at least 85. Endpoints count from half to one and a half of that
// (Anthropic: width × height / 750; OpenAI: 170 for 512 × 512 and 85 more, or 32 × 32
// pixels a token; Gemini: 258 for 768 × 768; Qwen: 28 × 28 pixels a token).
func OfImage(width, height int) int {
	const side = 28
	return 85 + (width+side-1)/side*((height+side-1)/side)
}

// OfMessages estimates the tokens of several messages.
func OfMessages(ms []llm.Message) int {
	n := 0
	for _, m := range ms {
		n += OfMessage(m)
	}
	return n
}

// OfTools estimates the tokens of tool descriptions.
func OfTools(ts []llm.Tool) int {
	n := 0
	for _, t := range ts {
		n += PerMessage + Count(t.Function.Name) + Count(t.Function.Description) + len(t.Function.Parameters)/4 // the marks of JSON cost next to nothing
	}
	return n
}

// OfRequest estimates the tokens of a request without its answer.
func OfRequest(r llm.Request) int { return OfMessages(r.Messages) + OfTools(r.Tools) }

// Gauge corrects estimates by what the endpoint counted. The zero value corrects
// nothing.
type Gauge struct{ ratio float64 }

// Learn remembers what a request was estimated at and what the endpoint counted.
func (g *Gauge) Learn(estimated, counted int) {
	if estimated > 0 && counted > 0 {
		g.ratio = min(max(float64(counted)/float64(estimated), 0.5), 3)
	}
}

// Of returns the corrected estimate.
func (g *Gauge) Of(estimated int) int {
	if g.ratio == 0 {
		return estimated
	}
	return int(float64(estimated) * g.ratio)
}

// Cut returns the longest beginning of a text with about n tokens. It ends after a
// line if a line ends in its second half.
func Cut(s string, n int) string {
	room, end := 4*n, len(s)
	for i, c := range s {
		if room -= quarters(c); room < 0 {
			end = i
			break
		}
	}
	if end == len(s) {
		return s
	}
	head := s[:end]
	if i := strings.LastIndexByte(head, '\n'); i > len(head)/2 {
		head = head[:i+1]
	}
	return head
}
