package docx

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"atelier/formats"
)

func textKey(s string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s))
	return h.Sum64()
}

// addFact adds its own fact, beside those of the inventories.
func (c *comparison) addFact(kind string, change formats.Change, at, old, now, warning string) {
	if c.ids == nil {
		c.ids = map[string]int{}
	}
	id := formats.FactID(kind, at, change, old, now)
	if n := c.ids[id]; n > 0 {
		c.ids[id]++
		id = formats.FactID(kind, fmt.Sprint(at, n), change, old, now)
	}
	c.ids[id]++
	if warning != "" {
		warning = at + ": " + warning
	}
	c.facts = append(c.facts, formats.Fact{ID: id, Kind: kind, Change: change, At: at, Old: old, New: now, Warning: warning})
}

// groupEntries makes the items of entries. What changed alike in several of them is
// one fact; the rest stands as notes at each.
func (c *comparison) groupEntries(entries []*entry) []formats.DiffItem {
	where := map[string][]int{} // entries by note
	first := map[string]note{}
	var order []string
	for i, e := range entries {
		if e == nil {
			continue
		}
		for _, n := range e.notes {
			k := noteKey(n)
			if list := where[k]; len(list) == 0 || list[len(list)-1] != i {
				if list == nil {
					order = append(order, k)
					first[k] = n
				}
				where[k] = append(list, i)
			}
		}
	}
	c.factOfShared(entries, where, first, order)
	var out []formats.DiffItem
	for _, e := range entries {
		if e == nil {
			continue
		}
		it := e.item
		seen := map[string]bool{}
		for _, n := range e.notes {
			if s := n.String(); !seen[s] && (len(where[noteKey(n)]) < 2 || n.partial) {
				seen[s] = true
				it.Notes = append(it.Notes, s)
			}
		}
		if it.Change == "" && len(it.Notes) == 0 {
			continue
		}
		if it.Change == "" {
			it.Change, it.At, it.New = formats.Formatted, e.at, e.text
			c.formatted++
		}
		out = append(out, it)
	}
	return out
}

func noteKey(n note) string {
	k := n.name + "\x00" + n.note
	if n.on != "" {
		k += "\x00in places"
	}
	return k
}

// factOfShared makes a fact of the notes that the same entries share.
func (c *comparison) factOfShared(entries []*entry, where map[string][]int, first map[string]note, order []string) {
	type shared struct {
		kind    string
		list    []int
		changes []propChange
		partial bool
	}
	var groups []*shared
	byPlace := map[string]*shared{}
	for _, k := range order {
		list := where[k]
		if len(list) < 2 || first[k].partial {
			continue
		}
		kind := formats.FactFormat
		if first[k].name == "numPr" {
			kind = formats.FactList
		}
		place := kind + fmt.Sprint(first[k].on != "") + intsKey(list)
		g := byPlace[place]
		if g == nil {
			g = &shared{kind: kind, list: list, partial: first[k].on != ""}
			byPlace[place] = g
			groups = append(groups, g)
		}
		g.changes = append(g.changes, first[k].propChange)
	}
	for _, g := range groups {
		var at []string
		for _, i := range g.list {
			at = append(at, entries[i].at)
		}
		old, now := oldAndNew(g.changes)
		place := ranges(at)
		if g.partial {
			place += ", in places"
		}
		c.formatted += len(g.list)
		c.addFact(g.kind, formats.Changed, place, old, now, "")
	}
}

func intsKey(list []int) string {
	var sb strings.Builder
	for _, i := range list {
		sb.WriteString(strconv.Itoa(i))
		sb.WriteByte(' ')
	}
	return sb.String()
}

// ranges writes addresses as stretches: "p3–p9, p12". Of many it keeps the
// first.
func ranges(list []string) string {
	split := func(a string) (string, int) {
		i := len(a)
		for i > 0 && a[i-1] >= '0' && a[i-1] <= '9' {
			i--
		}
		return a[:i], atoi(a[i:])
	}
	var out []string
	left := 0
	for i := 0; i < len(list); {
		prefix, n := split(list[i])
		j := i + 1
		for j < len(list) {
			if p, m := split(list[j]); p != prefix || m != n+j-i {
				break
			}
			j++
		}
		switch {
		case len(out) == 6:
			left += j - i
		case j-i > 1:
			out = append(out, list[i]+"–"+list[j-1])
		default:
			out = append(out, list[i])
		}
		i = j
	}
	s := strings.Join(out, ", ")
	if left > 0 {
		s += fmt.Sprintf(" and %d more", left)
	}
	if len(list) > 0 {
		if n := placeName(list[0]); n != list[0] { // "header 1 (h0.p0)"
			if word, _, ok := strings.Cut(n, " ("); ok {
				return word + " (" + s + ")"
			}
		}
	}
	return s
}

// emptyLines are the empty paragraphs that came and went.
type emptyLines struct{ added, removed []string }

func (e *emptyLines) add(at string, change formats.Change) {
	if change == formats.Added {
		e.added = append(e.added, at)
	} else {
		e.removed = append(e.removed, at)
	}
}

func (c *comparison) tellEmpty(e *emptyLines) {
	if n := len(e.added); n > 0 {
		c.addFact(formats.FactParagraphs, formats.Added, ranges(e.added), "", formats.Count(n, "empty paragraph"), "")
	}
	if n := len(e.removed); n > 0 {
		c.addFact(formats.FactParagraphs, formats.Removed, ranges(e.removed), formats.Count(n, "empty paragraph"), "", "")
	}
}
