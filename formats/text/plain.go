package text

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"atelier/formats"
	"atelier/formats/tags"
)

// maxParagraph is how many lines one segment of plain text has at most.
const maxParagraph = 30

// plainUnits returns a unit for each line of plain text, or for each paragraph
// of wrapped prose. Replace keeps the number of lines, so that the other ids
// stay: p3 is paragraph 3 (lines without a blank one between them), p3.2 what
// begins at its second line.
func plainUnits(ctx context.Context, s string) ([]Unit, error) {
	lines := linesOf(s)
	var units []Unit
	n := 0
	for i := 0; i < len(lines); {
		if err := checkContext(ctx, i); err != nil {
			return nil, err
		}
		if isBlankLine(s, lines[i]) {
			i++
			continue
		}
		j := i + 1
		for j < len(lines) && j-i < maxParagraph && !isBlankLine(s, lines[j]) {
			j++
		}
		n++
		units = append(units, paragraphUnits(s, lines[i:j], n, i+1)...)
		i = j
	}
	return units, nil
}

// paragraphUnits returns the units of paragraph n (1-based), whose first line
// is the given one.
func paragraphUnits(s string, lines []line, n, first int) []Unit {
	ls := make([]textLine, len(lines))
	for i, l := range lines {
		ls[i] = newTextLine(s, l)
	}
	var units []Unit
	from := 0
	for _, to := range paragraphRuns(ls) {
		id := fmt.Sprintf("p%d.%d", n, from+1)
		if to-from == len(lines) {
			id = fmt.Sprintf("p%d", n)
		}
		if u, ok := linesUnit(s, lines[from:to], id, first+from); ok {
			units = append(units, u)
		}
		from = to
	}
	return units
}

func isBlankLine(s string, l line) bool {
	a, b := trimBlanks(s, l.start, l.end)
	return a == b
}

// linesUnit returns a line, or wrapped prose of several, that begins at the
// given one.
func linesUnit(s string, lines []line, id string, first int) (Unit, bool) {
	var parts []string
	for _, l := range lines {
		a, b := trimBlanks(s, l.start, l.end)
		parts = append(parts, s[a:b])
	}
	text := strings.Join(parts, " ")
	if !Translatable(text) {
		return Unit{}, false
	}
	place := fmt.Sprintf("line %d", first)
	if len(lines) > 1 {
		place = fmt.Sprintf("lines %d-%d", first, first+len(lines)-1)
	}
	u := Unit{Segment: formats.Segment{ID: id, Text: tags.Escape(text), Place: place}, Start: lines[0].start, End: lines[len(lines)-1].end}
	u.Write = func(target string, _ func(start, end int) string) (string, error) {
		if target == u.Text {
			return s[u.Start:u.End], nil // as it was broken
		}
		fresh, err := fitLines(tags.Plain(target), len(lines))
		if err != nil {
			return "", err
		}
		var sb strings.Builder
		for i, l := range lines {
			a, b := trimBlanks(s, l.start, l.end)
			sb.WriteString(s[l.start:a])
			sb.WriteString(fresh[i])
			sb.WriteString(s[b:l.end])
			if i+1 < len(lines) {
				sb.WriteString(s[l.end:l.next])
			}
		}
		return sb.String(), nil
	}
	return u, true
}

// fitLines breaks text into exactly n lines that are not blank.
func fitLines(text string, n int) ([]string, error) {
	var have []string
	for _, l := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if l = strings.TrimSpace(l); l != "" {
			have = append(have, l)
		}
	}
	if len(have) == n {
		return have, nil
	}
	words := strings.Fields(text)
	sep := " "
	if len(words) < n {
		// Languages without spaces between words can be broken anywhere.
		words, sep = strings.Split(strings.Join(words, ""), ""), ""
	}
	if len(words) < n {
		return nil, fmt.Errorf("the text is too short for the %d lines it must fill", n)
	}
	return balanceLines(words, n, sep), nil
}

// balanceLines spreads words over n lines of about the same length.
func balanceLines(words []string, n int, sep string) []string {
	total := 0
	for _, w := range words {
		total += utf8.RuneCountInString(w) + len(sep)
	}
	out := make([]string, 0, n)
	used, from := 0, 0
	for k := 1; k <= n; k++ {
		to := from
		for to < len(words) && (to == from || used*n < total*k) && len(words)-to > n-k {
			used += utf8.RuneCountInString(words[to]) + len(sep)
			to++
		}
		if k == n {
			to = len(words)
		}
		out = append(out, strings.Join(words[from:to], sep))
		from = to
	}
	return out
}
