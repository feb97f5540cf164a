package check

import (
	"slices"
	"strings"
	"unicode"

	"atelier/formats/tags"
)

// nestTags orders closing tags so that pairs nest. Each pair is complete at its
// start. If two crossing pairs are separate in the source, the first ends
// where the second begins; otherwise the inner one ends with the outer one.
func nestTags(tokens []tags.Token, parents map[int]int) []tags.Token {
	var out []tags.Token
	var open []int
	closed := map[int]bool{}
	for _, t := range orderTags(tokens) {
		switch t.Kind {
		case tags.Open:
			open = append(open, t.N)
		case tags.Close:
			i := slices.Index(open, t.N)
			if i < 0 || closed[t.N] {
				continue // closed early
			}
			closed[t.N] = true
			if i+1 < len(open) && !within(open[i+1], t.N, parents) {
				at := slices.Index(out, tags.Token{Kind: tags.Open, N: open[i+1]})
				out = slices.Insert(out, at, t)
				open = slices.Delete(open, i, i+1)
				continue
			}
			for j := len(open) - 1; j > i; j-- {
				closed[open[j]] = true
				out = append(out, tags.Token{Kind: tags.Close, N: open[j]})
			}
			open = open[:i]
		}
		out = append(out, t)
	}
	return out
}

// orderTags moves a closing tag that comes before its opening tag behind it.
func orderTags(tokens []tags.Token) []tags.Token {
	var out []tags.Token
	opened, early := map[int]bool{}, map[int]bool{}
	for _, t := range tokens {
		switch {
		case t.Kind == tags.Close && !opened[t.N]:
			early[t.N] = true
			continue
		case t.Kind == tags.Open:
			opened[t.N] = true
			if early[t.N] {
				out = append(out, t, tags.Token{Kind: tags.Close, N: t.N})
				continue
			}
		}
		out = append(out, t)
	}
	return out
}

func within(n, outer int, parents map[int]int) bool {
	for p := parents[n]; p != 0; p = parents[p] {
		if p == outer {
			return true
		}
	}
	return false
}

// offsetOf returns the number of runes of text before token i.
func offsetOf(tokens []tags.Token, i int) int { return textLen(tokens[:max(i, 0)]) }

func textLen(tokens []tags.Token) int {
	n := 0
	for _, t := range tokens {
		n += len([]rune(t.Text))
	}
	return n
}

func plainOf(tokens []tags.Token) string {
	var sb strings.Builder
	for _, t := range tokens {
		sb.WriteString(t.Text)
	}
	return sb.String()
}

// sameEdges gives target the white space at the start and end of source,
// which models drop; white space inside tags at the edges counts.
func sameEdges(source, target string) string {
	src, dst := tags.Plain(source), tags.Plain(target)
	if strings.TrimSpace(dst) == "" || strings.TrimSpace(src) == "" {
		return target
	}
	lead, trail := edges(src)
	l, t := edges(dst)
	if lead == l && trail == t {
		return target
	}
	tokens := tags.Parse(target)
	skip, rest := len(l), lead
	for i := range tokens { // from the left: remove white space, then insert that of the source
		if tokens[i].Kind != tags.Text {
			continue
		}
		n := min(skip, len(tokens[i].Text))
		tokens[i].Text = tokens[i].Text[n:]
		if skip -= n; skip == 0 && tokens[i].Text != "" {
			tokens[i].Text = rest + tokens[i].Text
			break
		}
	}
	skip, rest = len(t), trail
	for i := len(tokens) - 1; i >= 0; i-- {
		if tokens[i].Kind != tags.Text {
			continue
		}
		n := min(skip, len(tokens[i].Text))
		tokens[i].Text = tokens[i].Text[:len(tokens[i].Text)-n]
		if skip -= n; skip == 0 && strings.TrimRightFunc(tokens[i].Text, unicode.IsSpace) != "" {
			tokens[i].Text += rest
			break
		}
	}
	return tags.String(tokens)
}
