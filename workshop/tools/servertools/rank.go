package servertools

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"unicode"
)

// The weights of Okapi BM25, as its authors recommend them, and how often a word of
// the name counts.
const (
	bmK, bmB   = 1.2, 0.75
	nameWeight = 3
	// leastOfBest: tools of a smaller part of the best score do not fit.
	leastOfBest = 4
)

// entry is a tool with its words.
type entry struct {
	tool  Tool
	words map[string]float64
	total float64
}

func entryOf(t Tool) entry {
	e := entry{tool: t, words: map[string]float64{}}
	add := func(text string, weight float64) {
		for _, w := range wordsOf(text) {
			e.words[w] += weight
			e.total += weight
		}
	}
	add(t.Name, nameWeight)
	add(t.Title, nameWeight)
	add(t.Description, 1)
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(t.Schema, &schema) == nil {
		for name := range schema.Properties {
			add(name, 1)
		}
	}
	return e
}

// rank returns those of the entries that have a word of a query, the best first; of
// equal ones the first by name. A tool whose name is the query comes first.
func rank(entries []entry, query string) []Tool {
	asked := wordsOf(query)
	slices.Sort(asked)
	asked = slices.Compact(asked)
	mean := 0.0
	for _, e := range entries {
		mean += e.total / float64(len(entries))
	}
	weights := make([]float64, len(asked)) // inverse document frequencies
	for i, w := range asked {
		n := 0.0
		for _, e := range entries {
			if e.words[w] > 0 {
				n++
			}
		}
		weights[i] = math.Log(1 + (float64(len(entries))-n+0.5)/(n+0.5))
	}
	type scored struct {
		tool  Tool
		score float64
	}
	var found []scored
	for _, e := range entries {
		score := 0.0
		for i, w := range asked {
			if f := e.words[w]; f > 0 {
				score += weights[i] * f * (bmK + 1) / (f + bmK*(1-bmB+bmB*e.total/mean))
			}
		}
		if name := strings.TrimSpace(query); strings.EqualFold(name, e.tool.Name) || strings.EqualFold(name, e.tool.Own) {
			score = math.Inf(1)
		}
		if score > 0 {
			found = append(found, scored{e.tool, score})
		}
	}
	slices.SortFunc(found, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.tool.Name, b.tool.Name))
	})
	var out []Tool
	for _, f := range found {
		if f.score >= found[0].score/leastOfBest {
			out = append(out, f.tool)
		}
	}
	return out
}

// wordsOf splits a text into words in lower case: at what is no letter or digit, and
// where a small letter comes before a capital. An English plural is its singular;
// scripts without spaces give pairs of letters.
func wordsOf(text string) []string {
	var out []string
	var word []rune
	end := func() {
		switch {
		case len(word) == 0, len(word) == 1 && word[0] < unicode.MaxASCII && unicode.IsLetter(word[0]): // "a" says nothing
		case unicode.In(word[0], unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			for i := range max(len(word)-1, 1) {
				out = append(out, string(word[i:min(i+2, len(word))]))
			}
		default:
			out = append(out, singular(string(word)))
		}
		word = word[:0]
	}
	prev := ' '
	for _, c := range text {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) && !unicode.IsMark(c) || unicode.IsUpper(c) && unicode.IsLower(prev) {
			end()
		}
		if prev = c; unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c) {
			word = append(word, unicode.ToLower(c))
		}
	}
	end()
	return out
}

func singular(w string) string {
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss"):
		return w[:len(w)-1]
	}
	return w
}
