package docx

import (
	"regexp"
	"unicode/utf8"

	"atelier/formats/ooxml/paragraph"
)

// words are what a text is compared by: words, numbers, blanks and each other
// character.
var words = regexp.MustCompile(`[\pL\pM\pN_]+|\s+|.`)

// maxCompare bounds the table in which two texts are aligned, in cells.
const maxCompare = 4 << 20

// difference returns what changes old into now, word by word, so that
// formatting of words that stay is kept. An insertion is an empty range.
func difference(old, now string) []paragraph.Range {
	a, b := words.FindAllString(old, -1), words.FindAllString(now, -1)
	from, pos := 0, 0
	for from < len(a) && from < len(b) && a[from] == b[from] {
		pos += len(a[from])
		from++
	}
	tail := 0
	for tail < len(a)-from && tail < len(b)-from && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	a, b = a[from:len(a)-tail], b[from:len(b)-tail]
	if len(a)*len(b) > maxCompare {
		return []paragraph.Range{{Start: pos, End: pos + length(a), New: joinWords(b)}}
	}
	// common[i][j] is the length of the longest common subsequence of a[i:] and
	// b[j:] (Hirschberg's table without the saving: paragraphs are short).
	w := len(b) + 1
	common := make([]int32, (len(a)+1)*w)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i*w+j] = common[(i+1)*w+j+1] + 1
			} else {
				common[i*w+j] = max(common[(i+1)*w+j], common[i*w+j+1])
			}
		}
	}
	var out []paragraph.Range
	for i, j := 0, 0; i < len(a) || j < len(b); {
		if i < len(a) && j < len(b) && a[i] == b[j] {
			pos += len(a[i])
			i, j = i+1, j+1
			continue
		}
		r := paragraph.Range{Start: pos, End: pos}
		for i < len(a) || j < len(b) {
			if i < len(a) && j < len(b) && a[i] == b[j] {
				break
			}
			if j >= len(b) || i < len(a) && common[(i+1)*w+j] >= common[i*w+j+1] {
				r.End += len(a[i])
				i++
			} else {
				r.New += b[j]
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
