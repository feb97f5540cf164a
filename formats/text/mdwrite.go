package text

import (
	"errors"
	"strings"
	"unicode/utf8"

	"atelier/formats/tags"
	"atelier/internal/lazyregexp"
)

// composeMarkdown writes a target as Markdown, with the bytes of source in
// place of its tags. escape says how much of the text to escape: 0 nothing, 1
// every character that can mean something, 2 also writes _x_ as *x*, since
// underscores do not work inside words.
func composeMarkdown(source []span, target string, escape int) (string, []span) {
	singles, opens, closes := map[int]string{}, map[int]string{}, map[int]string{}
	for _, s := range source {
		switch s.kind {
		case tags.Single:
			singles[s.n] = s.raw
		case tags.Open:
			opens[s.n] = starDelimiters(s.raw, escape)
		case tags.Close:
			closes[s.n] = starDelimiters(s.raw, escape)
		}
	}
	var want []span
	for _, t := range moveBlanksOutside(tags.Parse(target), opens) {
		s := span{kind: t.Kind, n: t.N, text: t.Text}
		switch t.Kind {
		case tags.Single:
			s.raw = singles[t.N]
		case tags.Open:
			s.raw = opens[t.N]
		case tags.Close:
			s.raw = closes[t.N]
		}
		want = append(want, s)
	}
	var sb strings.Builder
	for _, s := range want {
		if s.kind == tags.Text && escape > 0 {
			sb.WriteString(escaper.Replace(s.text))
		} else {
			sb.WriteString(s.text)
		}
		sb.WriteString(s.raw)
	}
	return sb.String(), want
}

var escaper = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, "~", `\~`, "!", `\!`)

func starDelimiters(mark string, escape int) string {
	if escape > 1 && strings.Trim(mark, "_") == "" {
		return strings.ReplaceAll(mark, "_", "*")
	}
	return mark
}

// moveBlanksOutside moves blanks at the inner edges of emphasis outside,
// because emphasis must not begin or end with a blank, and joins the lines of
// the text.
func moveBlanksOutside(tokens []tags.Token, opens map[int]string) []tags.Token {
	var out []tags.Token
	text := func(s string) {
		if s == "" {
			return
		}
		if n := len(out); n > 0 && out[n-1].Kind == tags.Text {
			out[n-1].Text += s
			return
		}
		out = append(out, tags.Token{Kind: tags.Text, Text: s})
	}
	held := "" // blanks from before a closing mark
	for i, t := range tokens {
		emphasis := strings.Trim(opens[t.N], "*_~") == "" && t.N > 0
		if t.Kind == tags.Text {
			s := held + strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ").Replace(t.Text)
			held = ""
			if i > 0 && tokens[i-1].Kind == tags.Open && strings.Trim(opens[tokens[i-1].N], "*_~") == "" {
				if cut := strings.TrimLeft(s, " "); len(cut) < len(s) {
					mark := out[len(out)-1]
					out = out[:len(out)-1]
					text(s[:len(s)-len(cut)])
					out = append(out, mark)
					s = cut
				}
			}
			if i+1 < len(tokens) && tokens[i+1].Kind == tags.Close && strings.Trim(opens[tokens[i+1].N], "*_~") == "" {
				cut := strings.TrimRight(s, " ")
				held, s = s[len(cut):], cut
			}
			text(s)
			continue
		}
		if held != "" && !(t.Kind == tags.Close && emphasis) {
			text(held)
			held = ""
		}
		out = append(out, t)
	}
	text(held)
	return out
}

// sameSpans reports whether two readings agree in text and marks.
func sameSpans(a, b []span) bool {
	flat := func(spans []span) string {
		var sb strings.Builder
		for _, s := range spans {
			if s.kind == tags.Text {
				sb.WriteString("\x01" + s.text)
			} else {
				sb.WriteString("\x02" + s.raw)
			}
		}
		return strings.TrimSpace(strings.ReplaceAll(sb.String(), "\x01", ""))
	}
	return flat(a) == flat(b)
}

// errNoMarkdown says that a target cannot be written so that it reads back.
var errNoMarkdown = errors.New("the text with its tags cannot be written in Markdown; put the tags around whole words and leave none empty")

// inlineMarkdown writes target with the least escaping that parses back to the
// same text.
func inlineMarkdown(source []span, target string, labels map[string]bool) (string, error) {
	for escape := range 3 {
		s, want := composeMarkdown(source, target, escape)
		if sameSpans(parseInline(s, labels), want) {
			return s, nil
		}
	}
	return "", errNoMarkdown
}

var blockStart = lazyregexp.New(`^(?:#{1,6}(?:\s|$)|[-+*](?:\s|$)|\d{1,9}[.)](?:\s|$)|>|={1,}\s*$|-{2,}\s*$|\||` + "```" + `|~~~|\$\$|\[[^\]]*\]:)`)

// guardStart escapes what would make the first word of a line begin a block.
func guardStart(s string) string {
	if !blockStart.MatchString(s) {
		return s
	}
	if i := strings.IndexAny(s, ".)"); i > 0 && s[0] >= '0' && s[0] <= '9' {
		return s[:i] + `\` + s[i:]
	}
	return `\` + s
}

// wrapMarkdown breaks s at blanks so that lines have at most width characters; no line
// begins with what would start a block. Hard breaks in s stay.
func wrapMarkdown(s string, width int) []string {
	var out []string
	for i, hard := range strings.Split(s, "\n") {
		if i > 0 {
			hard = strings.TrimLeft(hard, " ")
		}
		line := ""
		for _, w := range splitWords(hard) {
			if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(strings.TrimRight(w, " ")) > width && !blockStart.MatchString(w) {
				out = append(out, line)
				line = w
				continue
			}
			if line != "" {
				line += " "
			}
			line += w
		}
		out = append(out, line)
	}
	return out
}

// splitWords splits at single blanks outside code spans, link targets and
// tags; trailing blanks stay with the last word, as they may be a hard break.
func splitWords(s string) []string {
	tail := s[len(strings.TrimRight(s, " ")):]
	s = s[:len(s)-len(tail)]
	var words []string
	from, depth := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '`':
			if n := codeSpan(s[i:]); n > 0 {
				i += n - 1
			}
		case '<', '(':
			depth++
		case '>', ')':
			depth = max(0, depth-1)
		case ' ':
			if depth == 0 {
				words = append(words, s[from:i])
				from = i + 1
			}
		}
	}
	return append(words, s[from:]+tail)
}
