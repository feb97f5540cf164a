package memory

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"atelier/formats/tags"
)

// Exact returns the best entry for each of sources that the memory has with
// the same text and the same tags (white space at the ends is ignored). A
// person's entry comes before an imported one, and that before a machine
// entry of the same recipe; with the same origin, the nearest language wins
// (es-MX before es), then the newest. Entries for another region (es-ES for
// es-MX) are not used. The keys of the result are as in sources, and the tags
// of entries have the numbers of the requested source. Entries whose target
// has other tags than the source are left out.
//
// If a source is not found, Exact searches for it without the tags around the
// whole text, because other tools omit them, and puts them around the target.
// A machine entry applies only to exactly the same text.
func (m *Memory) Exact(ctx context.Context, p Pair, recipe string, sources []string) (map[string]Entry, error) {
	langs, err := m.nearLanguages(ctx, p.Canonical(), 1)
	if err != nil || len(langs.to) == 0 {
		return map[string]Entry{}, err
	}
	found, err := m.exact(ctx, langs, recipe, sources)
	if err != nil {
		return nil, err
	}
	whole := map[string][]string{} // sources by their cores
	for _, s := range sources {
		if _, ok := found[s]; ok || !strings.Contains(s, "<") {
			continue
		}
		if _, core, _, ok := peelTags(s); ok {
			whole[core] = append(whole[core], s)
		}
	}
	inner, err := m.exact(ctx, langs, recipe, slices.Collect(maps.Keys(whole)))
	if err != nil {
		return nil, err
	}
	for core, e := range inner {
		if e.Origin == Machine {
			continue // see kept
		}
		for _, s := range whole[core] {
			before, _, after, _ := peelTags(s)
			w := e
			w.Source, w.Target = s, before+e.Target+after
			if tags.Check(s, w.Target) == nil {
				found[s] = w
			}
		}
	}
	return found, nil
}

func (m *Memory) exact(ctx context.Context, langs near, recipe string, sources []string) (map[string]Entry, error) {
	asked := map[int64][]string{}
	for _, s := range sources {
		n := numberingOf(s)
		whole, core := storedText(s, n, Machine), storedText(s, n, Person)
		asked[keyOf(core)] = append(asked[keyOf(core)], s)
		if whole != core {
			asked[keyOf(whole)] = append(asked[keyOf(whole)], s)
		}
	}
	found := map[string]Entry{}
	ranks := map[string]rank{}
	keys := make([]any, 0, len(asked))
	for k := range asked {
		keys = append(keys, k)
	}
	for len(keys) > 0 {
		n := min(len(keys), 500)
		err := m.eachEntry(ctx, langs, "e.key IN (?"+strings.Repeat(", ?", n-1)+")", keys[:n], func(r row) {
			for _, s := range asked[r.key] {
				r.takeIfBest(s, recipe, langs, found, ranks)
			}
		})
		if err != nil {
			return nil, err
		}
		keys = keys[n:]
	}
	return found, nil
}

// rank orders the entries of one source; less is better.
type rank struct {
	origin, near int
	age          int64
}

func (a rank) better(b rank) bool {
	return cmp.Or(cmp.Compare(a.origin, b.origin), cmp.Compare(a.near, b.near), cmp.Compare(a.age, b.age)) < 0
}

// row is a stored entry.
type row struct {
	id, key  int64
	src, dst int64
	origin   int
	entry    Entry // tags numbered in order
}

// takeIfBest puts a row into found if it is the best so far for the text s.
func (r row) takeIfBest(s, recipe string, langs near, found map[string]Entry, ranks map[string]rank) {
	e := r.entry
	if e.Origin == Machine && (e.Recipe != recipe || langs.to[r.dst] != 0) {
		return
	}
	n := numberingOf(s)
	if storedText(s, n, e.Origin) != e.Source {
		return
	}
	this := rank{r.origin, 3*langs.to[r.dst] + langs.from[r.src], -e.Changed.UnixMilli()}
	if old, ok := ranks[s]; ok && !this.better(old) {
		return
	}
	e.Source, e.Target = s, restoreNumbers(e.Target, n.inverse())
	if e.Origin != Machine {
		e.Target = withEdgesOf(s, e.Target)
	}
	if tags.Check(s, e.Target) != nil {
		return
	}
	found[s], ranks[s] = e, this
}

// near lists the languages of the memory that serve a pair, with their
// nearness.
type near struct {
	from, to map[int64]int
	tags     map[int64]string
}

// nearLanguages reads them from the database, because other processes may add some.
func (m *Memory) nearLanguages(ctx context.Context, p Pair, most int) (near, error) {
	out := near{map[int64]int{}, map[int64]int{}, map[int64]string{}}
	rows, err := m.db.QueryContext(ctx, "SELECT id, tag FROM languages")
	if err != nil {
		return out, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var tag string
		if err := rows.Scan(&id, &tag); err != nil {
			return out, err
		}
		out.tags[id] = tag
		if n := nearness(p.To, tag); n >= 0 && n <= most {
			out.to[id] = n
		}
		switch n := nearness(p.From, tag); {
		case n >= 0:
			out.from[id] = n
		case p.From == "" || tag == "":
			out.from[id] = 2
		}
	}
	return out, rows.Err()
}

const columns = `e.id, e.key, e.src, e.dst, e.origin, r.text, e.source, e.target, e.document, e.place, e.author, e.changed`

// eachEntry calls do for the entries of a condition in the languages of langs.
func (m *Memory) eachEntry(ctx context.Context, langs near, where string, args []any, do func(row)) error {
	return m.eachRow(ctx, langs, where, args, func(r row) {
		if langs.serves(r) {
			do(r)
		}
	})
}

func (n near) serves(r row) bool {
	_, to := n.to[r.dst]
	_, from := n.from[r.src]
	return to && from
}

// eachRow calls do for the entries of a condition. Languages added after langs
// was read have no tag.
func (m *Memory) eachRow(ctx context.Context, langs near, where string, args []any, do func(row)) error {
	rows, err := m.db.QueryContext(ctx, "SELECT "+columns+" FROM entries e JOIN recipes r ON r.id = e.recipe WHERE "+where, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var r row
		var changed int64
		e := &r.entry
		if err := rows.Scan(&r.id, &r.key, &r.src, &r.dst, &r.origin, &e.Recipe, &e.Source, &e.Target, &e.Document, &e.Place, &e.By, &changed); err != nil {
			return err
		}
		e.Origin, e.Changed = origins[r.origin], time.UnixMilli(changed).UTC()
		e.From, e.To = langs.tags[r.src], langs.tags[r.dst]
		do(r)
	}
	return rows.Err()
}
