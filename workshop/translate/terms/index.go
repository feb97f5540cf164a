package terms

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"atelier/formats/tags"
)

// index finds terms by their first word, so that the search costs one look-up
// for each word of a text, independent of the number of terms.
type index struct {
	byWord map[string][]needle // terms by their first word, folded; longest first
	byRune map[rune][]needle   // terms of scripts without spaces, by first letter
	count  int
	plural bool // a final s or es may follow a term
}

// plurals are the languages whose plurals end in s.
var plurals = []string{"", "en", "es", "fr", "pt", "ca", "gl"}

// needle is a term prepared for the search.
type needle struct {
	term   Term
	text   []rune // folded, or as written if the case matters
	before int    // runes of text before its first word: 1 in ".NET"
	order  int
}

func newIndex() *index {
	return &index{byWord: map[string][]needle{}, byRune: map[rune][]needle{}}
}

func (ix *index) add(t Term) {
	text := []rune(t.Source)
	if len(text) == 0 {
		return
	}
	if !t.CaseSensitive {
		text = foldCase(text)
	}
	n := needle{term: t, text: text, order: ix.count}
	ix.count++
	if Unspaced(text[0]) {
		ix.byRune[text[0]] = append(ix.byRune[text[0]], n)
		return
	}
	for n.before < len(text) && !wordRune(text[n.before]) {
		n.before++
	}
	if n.before == len(text) {
		return // no letter and no digit: a check could not find it
	}
	key := wordAt(foldCase(text), n.before)
	ix.byWord[key] = append(ix.byWord[key], n)
}

func (ix *index) sort() {
	longest := func(a, b needle) int {
		return cmp.Or(cmp.Compare(len(b.text), len(a.text)), cmp.Compare(a.order, b.order))
	}
	for _, ns := range ix.byWord {
		slices.SortStableFunc(ns, longest)
	}
	for _, ns := range ix.byRune {
		slices.SortStableFunc(ns, longest)
	}
}

// find returns the terms in a text with inline tags, each once, in the order
// of occurrence. A term inside a longer one is not found.
func (ix *index) find(source string) []Term {
	text := []rune(tidyTerm(tags.Plain(source)))
	folded := foldCase(text)
	var out []Term
	found := map[Term]bool{}
	for i := 0; i < len(text); {
		end := i
		cands, starts := ix.byRune[folded[i]], false
		if !Unspaced(folded[i]) {
			starts = wordRune(folded[i]) && (i == 0 || !wordRune(folded[i-1]) || Unspaced(folded[i-1]))
			cands = nil
			if starts {
				cands = ix.withFirst(wordAt(folded, i))
			}
		}
		for _, n := range cands {
			if end > i && i-n.before+len(n.text) != end {
				continue // shorter than the one found
			}
			if n.matchesAt(text, folded, i, ix.plural) {
				end = i - n.before + len(n.text)
				if !found[n.term] {
					found[n.term] = true
					out = append(out, n.term)
				}
			}
		}
		i = max(end, i+1)
	}
	return out
}

// withFirst returns the terms whose first word is w, or w without its plural
// ending.
func (ix *index) withFirst(w string) []needle {
	out := ix.byWord[w]
	if one, ok := strings.CutSuffix(w, "s"); ok && ix.plural {
		out = slices.Concat(out, ix.byWord[one])
		if one, ok := strings.CutSuffix(one, "e"); ok {
			out = slices.Concat(out, ix.byWord[one])
		}
	}
	return out
}

// matchesAt reports whether the needle occurs where its first word begins at i.
func (n needle) matchesAt(text, folded []rune, i int, plural bool) bool {
	hay := folded
	if n.term.CaseSensitive {
		hay = text
	}
	start := i - n.before
	end := start + len(n.text)
	if start < 0 || end > len(hay) || !slices.Equal(hay[start:end], n.text) {
		return false
	}
	last := n.text[len(n.text)-1]
	if plural && unicode.In(last, unicode.Latin) {
		switch rest := folded[end:]; {
		case len(rest) > 0 && rest[0] == 's' && last != 's':
			end++
		case len(rest) > 1 && rest[0] == 'e' && rest[1] == 's':
			end += 2
		}
	}
	return end == len(hay) || Unspaced(last) || !wordRune(last) || !wordRune(hay[end]) || Unspaced(hay[end])
}

// foldCase converts letters to one case, one rune for each.
func foldCase(rs []rune) []rune {
	out := make([]rune, len(rs))
	for i, r := range rs {
		switch out[i] = unicode.ToLower(r); out[i] {
		case '’', 'ʼ':
			out[i] = '\''
		case '‑', '–':
			out[i] = '-'
		}
	}
	return out
}

func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

func wordAt(rs []rune, i int) string {
	end := i
	for end < len(rs) && wordRune(rs[end]) && (end == i || !Unspaced(rs[end])) {
		end++
	}
	return string(rs[i:end])
}

// Unspaced reports whether a letter's script is written without spaces
// between words or, like Korean, with endings attached to them.
func Unspaced(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// Uses reports whether a translation (with inline tags) uses a term's target,
// in any grammatical form: each of its words must occur with the same
// beginning, or as part of a compound.
func Uses(target string, t Term) bool {
	text := norm.NFC.String(tags.Plain(target))
	if t.CaseSensitive && strings.Contains(text, t.Target) {
		return true
	}
	hay := string(foldCase([]rune(text)))
	words := strings.FieldsFunc(string(foldCase([]rune(tidyTerm(t.Target)))), func(r rune) bool { return !wordRune(r) })
	if len(words) == 0 {
		return strings.Contains(hay, strings.ToLower(t.Target))
	}
	for _, w := range words {
		if !strings.Contains(hay, stem(w)) {
			return false
		}
	}
	return true
}

// Says is like Uses but compares whole words, ignoring case. It is for
// forbidden targets, where a word with the same beginning is another word.
func Says(target string, t Term) bool {
	ix := newIndex()
	ix.add(Term{Source: tidyTerm(t.Target), CaseSensitive: t.CaseSensitive || isAcronym(t.Target)})
	return len(ix.find(target)) > 0
}

// stem returns the beginning that the forms of a word share. It is a guess
// for most languages: it removes endings of up to three letters, but at most
// a third of the word.
func stem(w string) string {
	n := utf8.RuneCountInString(w)
	cut := min(3, n/3)
	if n < 4 || Unspaced([]rune(w)[0]) {
		cut = 0
	}
	return string([]rune(w)[:n-cut])
}
