package openai

import "strings"

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

// thinking keeps reasoning that an answer begins with, in <think> tags, away
// from its text: servers without a parser for it pass it on as text.
type thinking struct {
	state int    // 0: at the beginning, 1: inside, 2: behind
	held  string // what may become a tag
}

// split says what of the next piece is text and what reasoning.
func (t *thinking) split(s string) (text, thought string) {
	s, t.held = t.held+s, ""
	for {
		switch t.state {
		case 0:
			lead := strings.TrimLeft(s, " \t\r\n")
			switch {
			case strings.HasPrefix(lead, thinkOpen):
				s, t.state = lead[len(thinkOpen):], 1
				continue
			case strings.HasPrefix(thinkOpen, lead):
				t.held = s
				return text, thought
			}
			t.state = 2
		case 1:
			inside, rest, closed := strings.Cut(s, thinkClose)
			if closed {
				t.state = 3
				thought += inside
				s = rest
				continue
			}
			keep := partial(inside, thinkClose)
			t.held = inside[len(inside)-keep:]
			return text, thought + inside[:len(inside)-keep]
		case 3: // blanks after the reasoning belong to it
			s = strings.TrimLeft(s, " \t\r\n")
			if s == "" {
				return text, thought
			}
			t.state = 2
		default:
			return text + s, thought
		}
	}
}

// end gives what was held back.
func (t *thinking) end() (text, thought string) {
	s := t.held
	t.held = ""
	if t.state == 1 {
		return "", s
	}
	return s, ""
}

// partial is how many bytes at the end of s are the beginning of mark.
func partial(s, mark string) int {
	for n := min(len(s), len(mark)-1); n > 0; n-- {
		if strings.HasSuffix(s, mark[:n]) {
			return n
		}
	}
	return 0
}
