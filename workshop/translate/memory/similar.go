package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"atelier/formats/tags"
)

// Match is an entry similar to a text.
type Match struct {
	Entry
	Score float64 // 0 to 1
}

// Limits of a search: rows read for a word of the index, and entries
// compared.
const (
	maxRows     = 3000
	maxCompared = 150
	maxAsked    = 12
)

// Similar returns the entries most similar to source, best first: at most
// limit, and none with a score below least. They are translations to show to
// a person or a model as examples. Only a person's and imported entries are
// returned, because a machine entry is no better than a new request. Any
// region of the target language is accepted.
//
// The score is 1 - d/n, where n is the number of words of the longer text
// (words, numbers, punctuation; letters of scripts without spaces) and d is
// how many words must be inserted, deleted or changed to turn one text into
// the other, ignoring case. A difference in case, white space or tags costs a
// hundredth, so that 1 means the same text.
//
// The search uses the longest words of both texts. It finds all entries with
// a score of 0.65 or more, unless thousands of entries of that length have
// those words; then it finds the newest.
func (m *Memory) Similar(ctx context.Context, p Pair, source string, limit int, least float64) ([]Match, error) {
	p = p.Canonical()
	langs, err := m.nearLanguages(ctx, p, 2)
	if err != nil || limit < 1 || len(langs.to) == 0 {
		return nil, err
	}
	words := wordsOf(source)
	ids, err := m.candidates(ctx, words, p.To, least)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	n := numberingOf(source)
	asked, back := normalText(source, n), n.inverse()
	var out []Match
	err = m.eachEntry(ctx, langs, "e.id IN (?"+strings.Repeat(", ?", len(ids)-1)+")", ids, func(r row) {
		score := scoreOf(words, asked, r.entry.Source, least)
		if score < least {
			return
		}
		e := r.entry
		if len(numberingOf(e.Source)) <= len(back) { // otherwise the request has too few tag numbers
			e.Source, e.Target = restoreNumbers(e.Source, back), restoreNumbers(e.Target, back)
		}
		out = append(out, Match{e, score})
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(out, func(a, b Match) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(slices.Index(origins, a.Origin), slices.Index(origins, b.Origin)),
			b.Changed.Compare(a.Changed), cmp.Compare(a.Source, b.Source), cmp.Compare(a.Target, b.Target))
	})
	return out[:min(len(out), limit)], nil
}

// scoreOf compares two texts whose tags are numbered in order.
func scoreOf(words []string, a, b string, least float64) float64 {
	if a == b {
		return 1
	}
	other := wordsOf(b)
	n := max(len(words), len(other))
	if n == 0 {
		return 0
	}
	d := distance(words, other, int((1-least)*float64(n))+1)
	score := 1 - float64(min(d, n))/float64(n)
	if d == 0 { // case, white space, positions of tags
		score -= 0.01
	}
	if tags.Check(a, b) != nil {
		score -= 0.01
	}
	return max(score, 0)
}

// candidates returns the ids of the entries that share the most index words
// with a text.
func (m *Memory) candidates(ctx context.Context, words []string, to string, least float64) ([]any, error) {
	list := indexOrder(words)
	if len(list) == 0 {
		return nil, nil
	}
	least = min(max(least, 0.1), 1)
	list = list[:min(len(list), wordsToSearch(len(words), hasPairs(words), least), maxAsked)]
	shortest, longest := sizeOf(int(least*float64(len(words)))), sizeOf(int(float64(len(words))/least))
	shared := map[int64]int{}
	for _, w := range list {
		var asked []string
		for size := shortest; size <= longest; size++ {
			asked = append(asked, token(w, to, size))
		}
		if err := m.countSharedWords(ctx, strings.Join(asked, " OR "), shared); err != nil {
			return nil, err
		}
	}
	ids := make([]int64, 0, len(shared))
	for id := range shared {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b int64) int { return cmp.Or(cmp.Compare(shared[b], shared[a]), cmp.Compare(b, a)) })
	out := []any{}
	for _, id := range ids[:min(len(ids), maxCompared)] {
		out = append(out, id)
	}
	return out, nil
}

func (m *Memory) countSharedWords(ctx context.Context, match string, shared map[int64]int) error {
	rows, err := m.db.QueryContext(ctx, "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?", match, maxRows)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return err
		}
		shared[id]++
	}
	return rows.Err()
}
