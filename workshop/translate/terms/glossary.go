package terms

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Term is an entry of a glossary that applies to a text.
type Term struct {
	Source        string // as written in the glossary
	Target        string // the required translation (the prohibited one if Forbidden)
	Note          string // definition or remark, or ""
	CaseSensitive bool
	Forbidden     bool // Target must not be used
}

// word is one term of one language in a concept.
type word struct {
	lang      string // BCP 47, lower case; "" if the file names no language
	text      string
	forbidden bool
}

// concept is a row of a CSV or an entry of a TBX: words with the same
// meaning.
type concept struct {
	words         []word
	note          string
	caseSensitive bool
}

// Glossary is a list of terms. It is safe for concurrent use.
type Glossary struct {
	concepts []concept
	hash     string

	mu      sync.Mutex
	indexes map[[2]string]*index // by source and target language; protected by mu
}

// maxTerms limits the size of a glossary, maxTerm the characters of one term.
const (
	maxTerms = 500_000
	maxTerm  = 1_000
)

func newGlossary(cs []concept) *Glossary {
	h := sha256.New()
	for _, c := range cs {
		for _, w := range c.words {
			fmt.Fprintf(h, "%q %q %t ", w.lang, w.text, w.forbidden)
		}
		fmt.Fprintf(h, "%q %t\n", c.note, c.caseSensitive)
	}
	return &Glossary{concepts: cs, hash: hex.EncodeToString(h.Sum(nil)[:16]), indexes: map[[2]string]*index{}}
}

// Len returns the number of concepts (rows of a CSV, entries of a TBX).
func (g *Glossary) Len() int {
	if g == nil {
		return 0
	}
	return len(g.concepts)
}

// Hash returns a hash of the glossary's content, for the recipe of a
// translation; "" for nil.
func (g *Glossary) Hash() string {
	if g == nil {
		return ""
	}
	return g.hash
}

// In is Between with an unknown source language.
func (g *Glossary) In(source, to string) []Term { return g.Between(source, "", to) }

// Between returns the terms that occur in source (a text with inline tags),
// in the order of occurrence, with their targets in the language to. A term
// with several targets is returned once for each. from "" is any language
// except to.
func (g *Glossary) Between(source, from, to string) []Term {
	if g == nil || len(g.concepts) == 0 {
		return nil
	}
	return g.index(canonical(from), canonical(to)).find(source)
}

func (g *Glossary) index(from, to string) *index {
	g.mu.Lock()
	defer g.mu.Unlock()
	key := [2]string{from, to}
	ix := g.indexes[key]
	if ix == nil {
		ix = newIndex()
		ix.plural = slices.Contains(plurals, baseOf(from))
		for _, c := range g.concepts {
			targets := c.wordsIn(to)
			for _, s := range c.sources(from, to) {
				for _, t := range targets {
					ix.add(Term{s.text, t.text, c.note, c.caseSensitive || isAcronym(s.text), t.forbidden})
				}
			}
		}
		ix.sort()
		g.indexes[key] = ix
	}
	return ix
}

// targetWord is the language of a plain "target" column.
const targetWord = "*target"

// wordsIn returns the concept's words in a language: in exactly that one, or else
// in the nearest with the same base ("es" or "es-es" for "es-mx").
func (c concept) wordsIn(lang string) []word {
	var exact, base, near []word
	for _, w := range c.words {
		switch {
		case w.lang == targetWord || w.lang == lang:
			exact = append(exact, w)
		case w.lang != "" && w.lang == baseOf(lang):
			base = append(base, w)
		case w.lang != "" && baseOf(w.lang) == baseOf(lang):
			near = append(near, w)
		}
	}
	if len(exact) == 0 {
		exact = base
	}
	if len(exact) == 0 {
		exact = near
	}
	return exact
}

func (c concept) sources(from, to string) []word {
	var out []word
	for _, w := range c.words {
		if w.forbidden || w.lang == targetWord || w.lang != "" && baseOf(w.lang) == baseOf(to) {
			continue
		}
		if w.lang == "" || from == "" || baseOf(w.lang) == baseOf(from) {
			out = append(out, w)
		}
	}
	if len(out) == 0 && from != "" && baseOf(from) == baseOf(to) { // from en-US to en-GB
		for _, w := range c.words {
			if w.lang == from {
				out = append(out, w)
			}
		}
	}
	return out
}

// canonical returns a language tag as the glossary stores it: lower case,
// '-'.
func canonical(lang string) string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimSpace(lang), "_", "-"))
}

func baseOf(lang string) string {
	base, _, _ := strings.Cut(lang, "-")
	return base
}

// isAcronym reports whether a term is recognized by its capitals: "IT", "WHO",
// "US".
func isAcronym(s string) bool {
	n := utf8.RuneCountInString(s)
	return n >= 2 && n <= 6 && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsUpper(r) && !unicode.IsDigit(r) }) &&
		strings.ContainsFunc(s, unicode.IsUpper)
}

// tidyTerm returns a term without outer and repeated white space.
func tidyTerm(s string) string { return norm.NFC.String(strings.Join(strings.Fields(s), " ")) }

// addWord checks a term and adds it to the concept.
func (c *concept) addWord(w word) error {
	w.text, w.lang = tidyTerm(w.text), canonical(w.lang)
	switch {
	case w.text == "":
		return nil
	case utf8.RuneCountInString(w.text) > maxTerm:
		return fmt.Errorf("the term %q… has more than %d characters", string([]rune(w.text)[:40]), maxTerm)
	case !slices.Contains(c.words, w):
		c.words = append(c.words, w)
	}
	return nil
}
