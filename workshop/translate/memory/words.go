package memory

import (
	"cmp"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/formats/tags"
	"atelier/workshop/translate/terms"
)

// Similarity is measured in words: words, numbers and punctuation marks count
// one each; in scripts without spaces each letter counts one.

// maxWords is how many words of a text are compared.
const maxWords = 400

// wordsOf splits a text with inline tags into case-folded words, without the
// tags.
func wordsOf(text string) []string {
	var out []string
	s := tags.Plain(text)
	for i := 0; i < len(s) && len(out) < maxWords; {
		r, n := utf8.DecodeRuneInString(s[i:])
		end := i + n
		switch {
		case unicode.IsSpace(r):
			i = end
			continue
		case isWord(r) && !terms.Unspaced(r):
			for end < len(s) {
				r, n := utf8.DecodeRuneInString(s[end:])
				if !isWord(r) || terms.Unspaced(r) {
					break
				}
				end += n
			}
		}
		out = append(out, strings.ToLower(s[i:end]))
		i = end
	}
	return out
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// To find similar texts, the index maps words to entries. It does not need
// every word: if d changes turn one text into the other, both share one of
// their first d+1 words, in any fixed order of all words (prefix filtering:
// Chaudhuri, Ganti, Kaushik, A Primitive Operator for Similarity Joins,
// 2006). Longer words come first, because they are rarer. In scripts without
// spaces, pairs of letters are the words.

// indexFrom is the lowest score that the index supports, and indexMost the
// maximum number of words that it stores for an entry.
const (
	indexFrom = 0.65
	indexMost = 16
)

// indexOrder returns a text's distinct words for the index, in the fixed order.
func indexOrder(words []string) []string {
	set := map[string]bool{}
	for i, w := range words {
		r, _ := utf8.DecodeRuneInString(w)
		switch {
		case !isWord(r):
		case !terms.Unspaced(r):
			set[w] = true
		case i+1 < len(words):
			if next, _ := utf8.DecodeRuneInString(words[i+1]); terms.Unspaced(next) {
				w += words[i+1]
			}
			set[w] = true
		default:
			set[w] = true
		}
	}
	out := make([]string, 0, len(set))
	for w := range set {
		out = append(out, w)
	}
	slices.SortFunc(out, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(hashOf(a), hashOf(b)), cmp.Compare(a, b))
	})
	return out
}

// wordsToSearch returns how many words of the fixed order must be looked up to find
// all texts with a score, for a text of n words. A change affects one word,
// or two pairs of letters.
func wordsToSearch(n int, paired bool, score float64) int {
	d := int((1 - score) * float64(n) / score)
	if paired {
		d *= 2
	}
	return d + 1
}

// hasPairs reports whether the index has pairs of letters for a text.
func hasPairs(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { r, _ := utf8.DecodeRuneInString(w); return terms.Unspaced(r) })
}

func hashOf(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

// sizeOf returns the class of a text's length; similar texts are in the same
// class or neighbouring ones.
func sizeOf(words int) int { return int(math.Log(float64(max(words, 1))) / math.Log(1.6)) }

// token returns a word as the index stores it: with the language of the
// target and the length class, so that the lists are short.
func token(word, to string, size int) string {
	base, _, _ := strings.Cut(to, "-")
	return strconv.FormatUint(hashOf(base+"\x00"+strconv.Itoa(size)+"\x00"+word), 36)
}

// indexWords returns the tokens of an entry, separated by spaces.
func indexWords(source, to string) string {
	words := wordsOf(source)
	list := indexOrder(words)
	size := sizeOf(len(words))
	var out []string
	for _, w := range list[:min(len(list), wordsToSearch(len(words), hasPairs(words), indexFrom), indexMost)] {
		out = append(out, token(w, to, size))
	}
	return strings.Join(out, " ")
}

// distance returns the lowest number of words to insert, delete or change to
// turn a into b (Levenshtein), or a number above most if it is higher than
// most.
func distance(a, b []string, most int) int {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	prev, cur := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i, w := range a {
		cur[0] = i + 1
		least := cur[0]
		for j, v := range b {
			c := prev[j]
			if w != v {
				c = min(prev[j], prev[j+1], cur[j]) + 1
			}
			cur[j+1] = c
			least = min(least, c)
		}
		if least > most {
			return most + 1
		}
		prev, cur = cur, prev
	}
	return prev[len(b)]
}
