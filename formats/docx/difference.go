package docx

import (
	"unicode/utf8"

	"atelier/formats/ooxml/paragraph"
	"atelier/internal/lazyregexp"
)

// words are what a text is compared by: words, numbers, blanks and each other
// character.
var words = lazyregexp.New(`[\pL\pM\pN_]+|\s+|.`)

// maxCompare bounds the table in which two texts are aligned, in cells.
const maxCompare = 4 << 20

// difference returns what changes old into now, word by word, so that
// formatting of words that stay is kept. An insertion is an empty range.
func difference(old, now string) []paragraph.Range {
	a, b := words.FindAllString(old, -1), words.FindAllString(now, -1)
	from, tail := commonEdges(a, b)
	pos := length(a[:from])
	a, b = a[from:len(a)-tail], b[from:len(b)-tail]
	if len(a)*len(b) > maxCompare {
		return []paragraph.Range{{Start: pos, End: pos + length(a), New: joinWords(b)}}
	}
	return newAlignment(a, b).ranges(pos)
}

// commonEdges returns how many words are the same at the start and at the end.
func commonEdges(a, b []string) (from, tail int) {
	for from < len(a) && from < len(b) && a[from] == b[from] {
		from++
	}
	for tail < len(a)-from && tail < len(b)-from && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return from, tail
}

// alignment is two lists of words with the length of the longest common
// subsequence of each pair of their tails, a[i:] and b[j:] (Hirschberg's table
// without the saving: paragraphs are short).
type alignment struct {
	a, b   []string
	common []int32
}

func newAlignment(a, b []string) alignment {
	al := alignment{a, b, make([]int32, (len(a)+1)*(len(b)+1))}
	w := len(b) + 1
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				al.common[i*w+j] = al.common[(i+1)*w+j+1] + 1
			} else {
				al.common[i*w+j] = max(al.common[(i+1)*w+j], al.common[i*w+j+1])
			}
		}
	}
	return al
}

// same reports whether the words at i and j are aligned with each other.
func (al alignment) same(i, j int) bool {
	return i < len(al.a) && j < len(al.b) && al.a[i] == al.b[j]
}

// drops reports whether, of two words that differ, that of a goes first.
func (al alignment) drops(i, j int) bool {
	w := len(al.b) + 1
	return j >= len(al.b) || i < len(al.a) && al.common[(i+1)*w+j] >= al.common[i*w+j+1]
}

// ranges returns what changes a into b; pos is where a begins.
func (al alignment) ranges(pos int) (out []paragraph.Range) {
	for i, j := 0, 0; i < len(al.a) || j < len(al.b); {
		if al.same(i, j) {
			pos += len(al.a[i])
			i, j = i+1, j+1
			continue
		}
		r := paragraph.Range{Start: pos, End: pos}
		for (i < len(al.a) || j < len(al.b)) && !al.same(i, j) {
			if al.drops(i, j) {
				r.End += len(al.a[i])
				i++
			} else {
				r.New += al.b[j]
				j++
			}
		}
		pos = r.End
		out = append(out, r)
	}
	return out
}

// differing narrows ranges to the words in which each differs from what takes
// its place.
func differing(text string, ranges []paragraph.Range) []paragraph.Range {
	var out []paragraph.Range
	for _, r := range ranges {
		for _, d := range difference(text[r.Start:r.End], r.New) {
			out = append(out, paragraph.Range{Start: r.Start + d.Start, End: r.Start + d.End, New: d.New})
		}
	}
	return out
}

func length(list []string) int { return len(joinWords(list)) }

func joinWords(list []string) string {
	var out []byte
	for _, s := range list {
		out = append(out, s...)
	}
	return string(out)
}

// anchored returns insertions a character to hold on to, whose formatting they
// take: the one before, or at the start the one after.
func anchored(text string, ranges []paragraph.Range) []paragraph.Range {
	var out []paragraph.Range
	for _, r := range ranges {
		if r.Start < r.End || text == "" {
			out = append(out, r)
			continue
		}
		free := 0 // where the range before ends
		if len(out) > 0 {
			free = out[len(out)-1].End
		}
		before, n := utf8.DecodeLastRuneInString(text[:r.Start])
		_, m := utf8.DecodeRuneInString(text[r.Start:])
		switch {
		case n > 0 && free <= r.Start-n && before != '\n' && before != '\t':
			r = paragraph.Range{Start: r.Start - n, End: r.End, New: text[r.Start-n:r.Start] + r.New}
		case m > 0:
			r = paragraph.Range{Start: r.Start, End: r.End + m, New: r.New + text[r.Start:r.Start+m]}
		case n > 0 && free <= r.Start-n:
			r = paragraph.Range{Start: r.Start - n, End: r.End, New: text[r.Start-n:r.Start] + r.New}
		case len(out) > 0: // the range before has the last character
			out[len(out)-1].New += r.New
			continue
		}
		out = append(out, r)
	}
	return out
}
