package openai

import "strings"

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

// thinking keeps reasoning that an answer begins with, in <think> tags, away
// from its text: servers without a parser for it pass it on as text.
//
// Templates of some models open the tag in the prompt, so that only its end is in
// the answer (begun). All of the answer is held back then until the end comes; it
// is text when none does.
type thinking struct {
	begun bool
	state int    // 0: at the beginning, 1: inside, 2: behind, 3: before the text
	held  string // what may become a tag
	all   strings.Builder
}

// split says what of the next piece is text and what reasoning.
func (t *thinking) split(s string) (text, thought string) {
	if t.begun {
		t.all.WriteString(s)
		if !strings.Contains(t.held+s, thinkClose) {
			keep := partial(t.held+s, thinkClose)
			t.held = (t.held + s)[len(t.held+s)-keep:]
			return "", ""
		}
		s = strings.TrimPrefix(strings.TrimLeft(t.all.String(), " \t\r\n"), thinkOpen)
		t.begun, t.held, t.state = false, "", 1
		t.all.Reset()
	}
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
	if t.begun {
		return t.all.String(), ""
	}
	s := t.held
	t.held = ""
	if t.state == 1 {
		return "", s
	}
	return s, ""
}

// partial returns how many bytes at the end of s are the beginning of mark.
func partial(s, mark string) int {
	for n := min(len(s), len(mark)-1); n > 0; n-- {
		if strings.HasSuffix(s, mark[:n]) {
			return n
		}
	}
	return 0
}
