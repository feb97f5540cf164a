package text

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"

	"atelier/internal/lazyregexp"
)

// Wrapped prose has lines of like width that end in mid-sentence. Everything
// else (dialogues, lists, logs, verses, addresses) is taken line by line.
const (
	leastWidth = 30 // columns of the widest line
	plainWidth = 45 // from which on half of the evidence is enough
)

// textLine is a line of a paragraph with what the decision depends on.
type textLine struct {
	text   string // trimmed
	indent int    // bytes before it
	width  int    // columns
}

func newTextLine(s string, l line) textLine {
	a, b := trimBlanks(s, l.start, l.end)
	return textLine{s[a:b], a - l.start, columns(s[a:b])}
}

func columns(s string) int {
	n := 0
	for _, r := range s {
		if k := width.LookupRune(r).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
			n++
		}
		n++
	}
	return n
}

// paragraphRuns cuts a paragraph into runs: wrapped prose, which is one
// segment, and single lines. Each number is the index after the end of a run.
func paragraphRuns(ls []textLine) []int {
	begins := beginnings(ls)
	var ends []int
	for i := 0; i < len(ls); {
		j := i + 1
		for j < len(ls) && !begins[j] {
			j++
		}
		ends = append(ends, proseRuns(ls, i, j)...)
		i = j
	}
	return ends
}

var (
	listMark     = lazyregexp.New(`^([-*+•‣◦·–—>|#]+\s|[-–—•*]|\(?[\pL\d]{1,3}[.)]\s|\[|\d+[.:/-]\d)`)
	speakerLabel = lazyregexp.New(`^[^\s:：]{1,30}(\s[^\s:：]{1,20}){0,2}\s?[:：]`)
)

// beginnings reports which lines begin a new unit: a list item, another
// speaker, a log record.
func beginnings(ls []textLine) []bool {
	out := make([]bool, len(ls))
	speakers, words := 0, map[string]int{}
	for _, l := range ls {
		if speakerLabel.MatchString(l.text) {
			speakers++
		}
		words[firstWord(l.text)]++
	}
	for i, l := range ls {
		w := firstWord(l.text)
		out[i] = i == 0 || listMark.MatchString(l.text) || speakers > 1 && speakerLabel.MatchString(l.text) || words[w] > 2 && words[w]*2 > len(ls)
	}
	return out
}

// proseRuns cuts ls[from:to] where a line does not continue in the next.
func proseRuns(ls []textLine, from, to int) []int {
	full := fullWidth(ls[from:to])
	var ends []int
	for i := from; i < to; {
		j := i + 1
		for j < to && mayContinue(ls[j-1], ls[j], full) && (j == i+1 || ls[j].indent == ls[j-1].indent) {
			j++
		}
		if !isProse(ls[i:j]) {
			for k := i + 1; k < j; k++ {
				ends = append(ends, k)
			}
		}
		ends = append(ends, j)
		i = j
	}
	return ends
}

// fullWidth returns the width that lines were broken to: that of the widest,
// apart from a few that could not be broken.
func fullWidth(ls []textLine) int {
	ws := make([]int, len(ls))
	for i, l := range ls {
		ws[i] = l.width
	}
	slices.Sort(ws)
	return ws[len(ws)-1-len(ws)/6]
}

// mayContinue reports whether the first word of b would not have fit on line a,
// so that the text may have been broken there.
func mayContinue(a, b textLine, full int) bool {
	return full >= leastWidth && a.width+1+columns(firstWord(b.text)) > full && a.width*2 > full
}

// firstWord returns what would have been moved to the line before: a word, or a
// character where words are not separated.
func firstWord(s string) string {
	for i, r := range s {
		switch {
		case unicode.IsSpace(r):
			return s[:i]
		case i == 0 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			return s[:min(len(s), 4*utf8.RuneLen(r))] // with punctuation that may not begin a line
		}
	}
	return s
}

// isProse reports whether lines that may have been broken end in mid-sentence.
func isProse(ls []textLine) bool {
	pairs := len(ls) - 1
	if pairs < 1 {
		return true
	}
	inside, closed, widest := 0, 0, 0
	for i := range pairs {
		widest = max(widest, ls[i].width)
		switch sentenceBoundary(ls[i].text, ls[i+1].text) {
		case boundaryInside:
			inside++
		case boundaryEnd:
			closed++
		}
	}
	switch {
	case inside == 0 || closed*2 > pairs:
		return false
	case pairs == 1: // with no third line to compare widths with
		return widest >= plainWidth && sentenceBoundary(ls[1].text, "") == boundaryEnd
	case widest >= plainWidth:
		return inside*3 >= pairs
	}
	return inside*2 > pairs
}

// The results of sentenceBoundary for two lines.
const (
	boundaryUnknown = iota // it may continue
	boundaryInside         // a sentence plainly continues
	boundaryEnd            // a sentence ends
)

func sentenceBoundary(a, b string) int {
	a = strings.TrimRight(a, `"'”’»)]*_`)
	last, _ := utf8.DecodeLastRuneInString(a)
	if strings.ContainsRune(".!?…:;。！？：；।؟", last) {
		return boundaryEnd
	}
	first, _ := utf8.DecodeRuneInString(b)
	if !unicode.IsLetter(last) && !unicode.IsMark(last) && !unicode.IsDigit(last) && last != '-' && last != ',' && last != '，' && last != '、' {
		return boundaryUnknown
	}
	switch {
	case unicode.IsLower(first):
		if last == ',' {
			return boundaryUnknown // verses end so as well
		}
		return boundaryInside
	case unicode.IsUpper(first):
		if strings.IndexFunc(a, unicode.IsLower) < 0 && strings.IndexFunc(b, unicode.IsLower) < 0 {
			return boundaryInside // all in capitals
		}
		return boundaryUnknown
	case unicode.IsLetter(first): // a script without capitals
		return boundaryInside
	}
	return boundaryUnknown
}
