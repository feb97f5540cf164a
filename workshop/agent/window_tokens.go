package agent

import (
	"strings"

	"atelier/llm"
)

// perMessage is what a message costs beside its text, in tokens.
const perMessage = 4

// tokens estimates how many tokens a text has, without any model's own
// vocabulary: four letters of a word to a token, two digits or marks, two
// characters of other alphabets, one of Chinese, Japanese or Korean. Models
// differ by a third either way; a run corrects itself by what the endpoint
// reports (gauge).
func tokens(s string) int {
	n := 0
	for _, c := range s {
		n += quarters(c)
	}
	return (n + 3) / 4
}

// quarters of a token.
func quarters(c rune) int {
	switch {
	case c == ' ' || 'a' <= c|0x20 && c|0x20 <= 'z':
		return 1
	case c < 0x2E80: // digits, marks, other alphabets
		return 2
	}
	return 4
}

func messageTokens(m llm.Message) int {
	n := perMessage + tokens(m.Content)
	for _, c := range m.ToolCalls {
		n += perMessage + tokens(c.Function.Name) + tokens(c.Function.Arguments) + tokens(c.Keep)
	}
	return n
}

func messagesTokens(ms []llm.Message) int {
	n := 0
	for _, m := range ms {
		n += messageTokens(m)
	}
	return n
}

func toolsTokens(ts []llm.Tool) int {
	n := 0
	for _, t := range ts {
		n += perMessage + tokens(t.Function.Name) + tokens(t.Function.Description) + len(t.Function.Parameters)/4 // the marks of JSON cost next to nothing
	}
	return n
}

// gauge corrects estimates by what the endpoint counted.
type gauge struct{ ratio float64 }

// learn takes what a request was estimated at and what it came to.
func (g *gauge) learn(estimated, counted int) {
	if estimated > 0 && counted > 0 {
		g.ratio = min(max(float64(counted)/float64(estimated), 0.5), 3)
	}
}

func (g *gauge) of(estimated int) int {
	if g.ratio == 0 {
		return estimated
	}
	return int(float64(estimated) * g.ratio)
}

// cutTokens is the longest beginning of a text of about n tokens, cut behind a
// line where there is one in its second half.
func cutTokens(s string, n int) string {
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
