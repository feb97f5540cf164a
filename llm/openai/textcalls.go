package openai

import (
	"fmt"
	"strings"

	"atelier/llm"
)

// textCalls takes calls out of text, in the forms of textforms.go.
//
// A call counts if it is of declared tools and is meant: it stands on lines of
// its own, or at the end of the answer, and not in a block of code. One that is
// quoted in prose or in an example stays text, as does anything else. So does one
// that stands in a document or message as it is: the model repeats it then, and
// whoever wrote a document has nothing to say here.
type textCalls struct {
	tools tools
	told  []string        // what came from elsewhere: results, messages of the user, files in instructions
	asked bool            // the model was told to write its calls into the text
	held  strings.Builder // text from a possible call on
	sure  bool            // held begins with a whole marker
	said  surroundings    // around the end of the text that was passed on
}

// add takes the next piece of text and returns what is surely text.
func (t *textCalls) add(s string) string {
	if s == "" {
		return ""
	}
	t.held.WriteString(s)
	if t.sure {
		return ""
	}
	var out strings.Builder
	for {
		all := t.held.String()
		at, form, next := scan(all, t.said)
		if form != nil && form.open == fence && otherCode(all[at:]) {
			at += len(fence) // a block in another language: go on behind its beginning
			form, next = nil, next.after(fence)
		}
		t.sure = form != nil && (form.open != fence || strings.Contains(all[at:], "\n"))
		if at == 0 {
			return out.String()
		}
		t.said = next
		out.WriteString(all[:at])
		t.held.Reset()
		t.held.WriteString(all[at:])
	}
}

// scan finds where in s, which follows text that ended in c, a call may begin:
// form is its form, nil when s may end in the beginning of a marker or has none.
// next is the surroundings there.
func scan(s string, c surroundings) (at int, f *form, next surroundings) {
	for i := 0; i < len(s); i++ {
		if f, here := formAt(s[i:], c); here {
			return i, f, c
		}
		c.step(s[i])
	}
	return len(s), nil, c
}

// formAt returns the form of the call that may begin s; here is also true, with no
// form, when s is the beginning of a marker.
func formAt(s string, c surroundings) (f *form, here bool) {
	if strings.IndexByte(firstBytes, s[0]) < 0 {
		return nil, false
	}
	for n := range forms {
		f := &forms[n]
		if f.alone && c.spoken || c.code() && f.open != fence {
			continue
		}
		switch {
		case strings.HasPrefix(s, f.open):
			return f, true
		case strings.HasPrefix(f.open, s):
			return nil, true
		}
	}
	return nil, false
}

// maxTextWork bounds the bytes that are looked through for calls at the end of an
// answer: from each marker on it may be all that follows.
const maxTextWork = 512 << 20

// end returns the text and the calls in what was held back, and reasoning that
// was written between them. n calls came in the usual way already; asked makes
// the ids differ between requests.
func (t *textCalls) end(n, asked int) (text, thought string, calls []llm.ToolCall) {
	s, c := t.held.String(), t.said
	var out, think strings.Builder
	from := 0 // of what is not in out yet
	for pos, work := 0, maxTextWork; pos < len(s); {
		at, f, next := scan(s[pos:], c)
		if f == nil {
			break
		}
		at += pos
		if work -= len(s) - at; work < 0 {
			break // thousands of markers without a call: the rest stays text
		}
		got, end, ok := t.parse(s, at, f, next)
		if !ok {
			c, pos = next.after(s[at:at+1]), at+1
			continue
		}
		out.WriteString(s[from:at] + got.text)
		think.WriteString(got.thought)
		for _, call := range got.calls {
			calls = append(calls, llm.ToolCall{ID: fmt.Sprintf("call_%d_%d", asked, n+len(calls)), Type: "function", Function: call})
		}
		if len(got.calls) > 0 && invented(strings.TrimSpace(s[end:])) {
			s = s[:end]
		}
		c, pos, from = next.after(got.text), end, end
	}
	out.WriteString(s[from:])
	if calls == nil {
		return out.String(), think.String(), nil
	}
	return strings.TrimRight(out.String(), " \t\r\n"), think.String(), calls
}

// parse reads the form f at a place of s with its surroundings; end is where it ends.
// ok is false where the text is no call, or a call that is quoted or repeated.
func (t *textCalls) parse(s string, at int, f *form, c surroundings) (got written, end int, ok bool) {
	got, ok = f.parse(t.tools, s[at+len(f.open):])
	if !ok && t.asked && f.open == toolCallOpen {
		got, ok = unreadable(s[at+len(f.open):])
	}
	end = at + len(f.open) + got.n
	switch {
	case !ok:
	case len(got.calls) > 0 && (!meant(t.tools, s[end:], c) || t.repeated(s[at:end])):
		ok = false
	case f.alone && strings.TrimSpace(s[end:]) != "":
		ok = false
	}
	return got, end, ok
}

// meant reports whether a call that began in the surroundings c and is followed by
// rest is one, rather than quoted: it has lines of its own, or nothing but calls
// comes after it.
func meant(ts tools, rest string, c surroundings) bool {
	if wrapped(rest) {
		return false
	}
	line, _, _ := strings.Cut(rest, "\n")
	if !c.midway && strings.TrimSpace(line) == "" {
		return true
	}
	for rest = strings.TrimSpace(rest); rest != "" && !invented(rest); rest = strings.TrimSpace(rest) {
		at, f, _ := scan(rest, surroundings{spoken: true})
		if f == nil || at != 0 {
			return false
		}
		got, ok := f.parse(ts, rest[len(f.open):])
		if !ok {
			return false
		}
		rest = rest[len(f.open)+got.n:]
	}
	return true
}

// wrapped reports whether what is followed by rest stands in something that
// quotes with tags.
func wrapped(rest string) bool {
	if strings.HasPrefix(strings.TrimSpace(rest), "-->") {
		return true
	}
	for _, tag := range []string{"pre", "code", "blockquote", "quote", "q", "document", "example", "tool_response"} {
		before, _, ok := strings.Cut(rest, "</"+tag+">")
		if ok && !strings.Contains(before, "<"+tag) {
			return true
		}
	}
	return false
}

// repeated reports whether a call stands in something that the model was told:
// its lines, in their order, whatever is before and behind them, such as numbers
// of lines, and whatever blanks and escapes are in them.
func (t *textCalls) repeated(call string) bool {
	var lines []string
	for l := range strings.Lines(call) {
		if l = plainly.Replace(l); !strings.HasPrefix(l, fence) {
			lines = append(lines, l)
		}
	}
	for _, s := range t.told {
		rest, in := plainly.Replace(s), true
		for _, l := range lines {
			if _, rest, in = strings.Cut(rest, l); !in {
				break
			}
		}
		if in {
			return true
		}
	}
	return false
}

var plainly = strings.NewReplacer(" ", "", "\t", "", "\r", "", "\n", "", "\\", "")

// toldIn returns what the model did not say itself.
func toldIn(messages []llm.Message) []string {
	var out []string
	for _, m := range messages {
		if m.Role != llm.RoleAssistant {
			out = append(out, m.Content)
		}
	}
	return out
}

// invented reports whether rest, after a call, is a result that the model made
// up, as small models do. It is dropped: the real one follows.
func invented(rest string) bool {
	return strings.HasPrefix(rest, "<tool_response>") || strings.HasPrefix(rest, "<|im_start|>")
}
