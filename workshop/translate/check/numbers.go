package check

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/formats/tags"
	"atelier/internal/lazyregexp"
)

// afternoon matches texts in which hours may become those of a 24-hour clock.
var afternoon = lazyregexp.New(`(?i)\d\s*(?:[ap]\.?\s?m\b)|午後|下午|오후`)

// scaled matches texts with words for large numbers: 1.5 million is 150万.
var scaled = lazyregexp.New(`(?i)[万億亿萬兆만억천]|\b(?:million|billion|trillion|thousand|mill|mil|mio|mrd|lakh|crore|tausend|dozen)`)

// numbersOf finds numbers that are missing, added or moved in the
// translation. Separators, digits of other scripts and the order of dates
// depend on the language (TR-04).
func (r Rules) numbersOf(source, target string, s, d *side) []Finding {
	if !hasDigit(s.plain) && !hasDigit(d.plain) {
		return nil
	}
	src, dst := r.withoutKept(s), r.withoutKept(d)
	want, wantNamed := numbersIn(src)
	have, haveNamed := numbersIn(dst)
	if len(want)+len(have)+len(wantNamed)+len(haveNamed) == 0 {
		return nil
	}
	if n := foreignNumber(wantNamed, slices.Concat(have, haveNamed)); n != "" {
		return []Finding{{Code: Number, Message: fmt.Sprintf("the number %s of a name is missing from the translation; keep its digits", n), Retry: true}}
	}
	if n := foreignNumber(haveNamed, slices.Concat(want, wantNamed)); n != "" {
		return []Finding{{Code: Number, Message: fmt.Sprintf("the number %s of a name is not in the source; keep the name as it is", n), Retry: true}}
	}
	lostWhole, addedWhole := leftOver(want, have)
	if len(lostWhole) == 0 && len(addedWhole) == 0 {
		if n := lostMinus(src, dst); n != "" {
			return []Finding{{Code: Number, Message: fmt.Sprintf("the number %s has lost its minus sign; keep it", n), Retry: true}}
		}
		return swappedNumbers(source, target, want, have)
	}
	lost, added := withoutAtoms(lostWhole, addedWhole)
	if afternoon.MatchString(src) || afternoon.MatchString(dst) {
		lost, added = withoutHours(lost, added)
	}
	added = wholeNumbers(added, addedWhole)
	inDst, inSrc := stands{text: dst}, stands{text: src}
	free := scaled.MatchString(src) != scaled.MatchString(dst) || r.scalesOtherwise(dst)
	var out []Finding
	for _, n := range lost {
		switch {
		case len(out) == maxKept:
			return out
		case isSmallNumber(n) || inDst.in(n):
			continue // written as a word, or a month by its name
		case free:
			out = append(out, Finding{Code: Number, Message: fmt.Sprintf("the number %s is missing or written with a word; compare", n)})
		default:
			out = append(out, Finding{Code: Number, Message: fmt.Sprintf("the number %s is missing from the translation; keep its digits", n), Retry: true})
		}
	}
	for _, n := range added {
		if len(out) == maxKept {
			break
		}
		if isSmallNumber(n) || free || inSrc.in(n) {
			continue
		}
		out = append(out, Finding{Code: Number, Message: fmt.Sprintf("the number %s is not in the source; leave it out", n), Retry: true})
	}
	return out
}

// foreignNumber returns the first of named with two or more digits that do not
// occur in others.
func foreignNumber(named, others []number) string {
	if len(named) == 0 {
		return ""
	}
	known := map[string]bool{}
	for _, o := range others {
		for _, atom := range o.atoms {
			known[atom] = true
		}
	}
	for _, n := range named {
		for _, atom := range n.atoms {
			if len(atom) >= 2 && !known[atom] {
				return atom
			}
		}
	}
	return ""
}

// stands searches for numbers in a text. Each search reads the text, so their
// count is limited: after that, numbers count as not found.
type stands struct {
	text     string
	searched int
}

const maxSearched = 1000

func (s *stands) in(n string) bool {
	s.searched++
	return s.searched <= maxSearched && standsIn(s.text, n)
}

// word is like in, for a text as it is.
func (s *stands) word(w string) bool {
	s.searched++
	return s.searched <= maxSearched && strings.Contains(s.text, w)
}

// standsIn finds a number after letters, where it is not a separate number:
// RFC 4648 may be written RFC4648.
func standsIn(s, n string) bool {
	for from := 0; ; {
		i := strings.Index(s[from:], n)
		if i < 0 {
			return false
		}
		from += i
		before, _ := utf8.DecodeLastRuneInString(s[:from])
		after, _ := utf8.DecodeRuneInString(s[from+len(n):])
		if unicode.IsLetter(before) && !unicode.IsDigit(after) {
			return true
		}
		from += len(n)
	}
}

// withoutKept returns a plain text without the parts that must stay.
func (r Rules) withoutKept(of *side) string {
	_, s := of.kept()
	if r.Protected == nil {
		return s
	}
	for _, w := range r.Protected.In(tags.Escape(s)) {
		s = strings.ReplaceAll(s, w, strings.Repeat(" ", len(w)))
	}
	return s
}

// negative matches a negative number, not a range, an option or a list's
// dash.
var negative = lazyregexp.New(`(?:^|[\s(=:])[-−–]\p{Nd}[\p{Nd}.,]*`)

// minus matches a minus sign or word in the translation, in the positions and
// languages that use one.
var minus = lazyregexp.New(`[-−–－]\s?\p{Nd}|\p{Nd}\s?[-−–]|\(\p{Nd}|(?i)\b(?:minus|menos|moins|meno)\b|минус|マイナス|负|負|零下|마이너스|영하`)

// lostMinus returns the first negative number of src if dst has no minus sign
// at all.
func lostMinus(src, dst string) string {
	if !strings.ContainsAny(src, "-−–") {
		return ""
	}
	n := negative.FindString(src)
	if n == "" || minus.MatchString(dst) {
		return ""
	}
	return strings.TrimLeft(n, " \t\n(=:\u00a0")
}

// scalesOtherwise reports whether the target counts in ten thousands.
func (r Rules) scalesOtherwise(dst string) bool {
	base := baseOf(r.To)
	return (base == "zh" || base == "ja" || base == "ko") && strings.ContainsFunc(dst, func(c rune) bool { return strings.ContainsRune("万億亿萬兆만억천", c) })
}

// leftOver pairs numbers that can mean the same and returns the others.
func leftOver(want, have []number) (lost, added []number) {
	if slices.EqualFunc(want, have, func(a, b number) bool { return a.text == b.text }) {
		return nil, nil
	}
	used := make([]bool, len(have))
	pair := func(want []number, keys func(number) []string) (rest []number) {
		at := map[string][]int{}
		for i, h := range have {
			if !used[i] {
				for _, k := range keys(h) {
					at[k] = append(at[k], i)
				}
			}
		}
		for _, w := range want {
			if !takeUnused(at, keys(w), used) {
				rest = append(rest, w)
			}
		}
		return rest
	}
	// Identical spellings first, so that 1.5 does not take the place of 1,5.
	lost = pair(want, func(n number) []string { return []string{n.text} })
	lost = pair(lost, func(n number) []string { return n.readings })
	for i, h := range have {
		if !used[i] {
			added = append(added, h)
		}
	}
	return lost, added
}

// takeUnused marks the first unused index of the keys.
func takeUnused(at map[string][]int, keys []string, used []bool) bool {
	for _, k := range keys {
		for len(at[k]) > 0 {
			i := at[k][0]
			at[k] = at[k][1:]
			if !used[i] {
				used[i] = true
				return true
			}
		}
	}
	return false
}

// withoutAtoms pairs the remaining groups of digits: 3.4.2024 is 3, 4 and
// 2024 in "April 3, 2024".
func withoutAtoms(lost, added []number) (l, a []string) {
	left := map[string]int{} // counts of the atoms of added
	for _, n := range added {
		a = append(a, n.atoms...)
	}
	for _, atom := range a {
		left[atom]++
	}
	for _, n := range lost {
		var rest, taken []string
		for _, atom := range n.atoms {
			if left[atom] > 0 {
				left[atom]--
				taken = append(taken, atom)
			} else {
				rest = append(rest, atom)
			}
		}
		switch {
		case len(rest) == 0:
		case dateLike(n):
			l = append(l, rest...)
		default:
			for _, atom := range taken {
				left[atom]++
			}
			l = append(l, n.text)
		}
	}
	// Of equal ones the last remain, in their order.
	var last []string
	for _, atom := range slices.Backward(a) {
		if left[atom] > 0 {
			left[atom]--
			last = append(last, atom)
		}
	}
	slices.Reverse(last)
	return l, last
}

// wholeNumbers returns added groups of digits with those of one number as that
// number, except for dates.
func wholeNumbers(added []string, from []number) (out []string) {
	left := map[string]int{}
	for _, atom := range added {
		left[atom]++
	}
	for _, n := range from {
		want := map[string]int{}
		for _, atom := range n.atoms {
			want[atom]++
		}
		missing := false
		for atom, times := range want {
			missing = missing || left[atom] < times
		}
		if dateLike(n) || missing {
			continue
		}
		out = append(out, n.text)
		for atom, times := range want {
			left[atom] -= times
		}
	}
	for _, atom := range added {
		if left[atom] > 0 {
			left[atom]--
			out = append(out, atom)
		}
	}
	return out
}

// dateLike reports whether a number is several numbers joined by points:
// 3.4.2024, 1.2.3.
func dateLike(n number) bool { return len(n.readings) == 0 || len(n.atoms) == 1 }

// withoutHours pairs hours of a 12-hour clock with those of a 24-hour clock.
func withoutHours(lost, added []string) (l, a []string) {
	at := map[int][]int{} // positions of the hours in added, in order
	for i, n := range added {
		if h := hour(n); h >= 0 {
			at[h] = append(at[h], i)
		}
	}
	gone := map[int]bool{}
	for _, n := range lost {
		h, first := hour(n), -1
		others := []int{h + 12, h - 12}
		if h < 0 {
			others = nil
		}
		for _, o := range others { // the first of either
			if is := at[o]; len(is) > 0 && (first < 0 || is[0] < at[first][0]) {
				first = o
			}
		}
		if first < 0 {
			l = append(l, n)
			continue
		}
		gone[at[first][0]] = true
		at[first] = at[first][1:]
	}
	for i, n := range added {
		if !gone[i] {
			a = append(a, n)
		}
	}
	return l, a
}

func hour(s string) int {
	n := 0
	for _, r := range s {
		if r < '0' || r > '9' || n > 24 {
			return -100
		}
		n = n*10 + int(r-'0')
	}
	return n
}

// swappedNumbers finds the same numbers in other places. In other formatting that is
// an error; in another order it may be correct in the language.
func swappedNumbers(source, target string, want, have []number) []Finding {
	var src, dst map[string]int
	if strings.Contains(source, "<") && strings.Contains(target, "<") {
		src, dst = taggedNumbers(source), taggedNumbers(target)
	}
	for n, tags := range src {
		if other, ok := dst[n]; ok && other != tags && tags > 0 && other > 0 {
			return []Finding{{Code: Number, Message: fmt.Sprintf("the number %s stands in <%d> in the source and in <%d> in the translation; do not swap numbers", n, tags, other), Retry: true}}
		}
	}
	if len(want) != len(have) || len(want) < 2 {
		return nil
	}
	for i := range want {
		if !want[i].same(have[i]) && !isCalendarNumber(want[i]) && !isCalendarNumber(have[i]) {
			return []Finding{{Code: NumberOrder, Message: fmt.Sprintf("the numbers %s and %s stand in another order than in the source; see that each belongs to its words", want[i].text, have[i].text)}}
		}
	}
	return nil
}

// isCalendarNumber reports whether a number may be part of a date, whose order
// depends on the language.
func isCalendarNumber(n number) bool {
	if len(n.atoms) != 1 {
		return len(n.readings) == 0
	}
	v := n.atoms[0]
	return len(v) <= 2 || len(v) == 4 && (strings.HasPrefix(v, "19") || strings.HasPrefix(v, "20"))
}

// taggedNumbers returns the tag directly around each number; 0 for numbers
// that occur in several places.
func taggedNumbers(s string) map[string]int {
	out := map[string]int{}
	var open []int
	for _, t := range tags.Parse(s) {
		switch t.Kind {
		case tags.Open:
			open = append(open, t.N)
		case tags.Close:
			open = open[:max(0, len(open)-1)]
		case tags.Text:
			if len(open) == 0 || !strings.ContainsFunc(t.Text, unicode.IsDigit) {
				continue
			}
			plain, _ := numbersIn(t.Text)
			for _, n := range plain {
				key := strings.Join(n.atoms, "")
				if _, twice := out[key]; twice {
					out[key] = 0
				} else {
					out[key] = open[len(open)-1]
				}
			}
		}
	}
	return out
}
