package column

import (
	"context"
	"slices"
	"sync"

	"atelier/formats/tablequery/internal/image"
)

// Rounding is the function round of SQL: v is nil, int64 or float64.
type Rounding func(v any, digits int) (any, error)

// Run answers a question with rows of nil, int64, float64 and string; ok is
// false when it must be left to SQLite. It fails with ctx, round and eval only.
func (t *Table) Run(ctx context.Context, p Plan, round Rounding, eval Expression) (rows [][]any, ok bool, err error) {
	if t == nil {
		return nil, false, nil
	}
	if len(p.derived) > 0 {
		if t, err = t.with(p, eval); t == nil || err != nil {
			return nil, false, err
		}
	}
	keys := make([]*codes, len(p.group))
	groups := 1
	for i, c := range p.group {
		if keys[i] = t.readCodes(c); keys[i].failed {
			return nil, false, ctx.Err()
		}
		if groups *= len(keys[i].values); groups > maxGroups {
			return nil, false, nil
		}
	}
	group := make([]int32, t.rows)
	t.numberGroups(group, keys)
	for _, c := range p.where {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		if !t.filter(c, group) {
			return nil, false, nil
		}
	}
	counts := make([]int64, groups)
	for _, g := range group {
		if g != leftOut {
			counts[g]++
		}
	}
	results := make([]func(g int) any, len(p.items))
	if !t.sumUp(ctx, p, group, counts, keys, results) {
		return nil, false, ctx.Err()
	}
	order := groupOrder(p, keys, counts)
	if p.distinct {
		order = byFirstRow(group, order, groups)
	}
	for _, g := range order {
		row := make([]any, len(p.items))
		for i, f := range results {
			row[i] = f(g)
			if p.items[i].round {
				if _, text := row[i].(string); text {
					return nil, false, nil
				}
				if row[i], err = round(row[i], p.items[i].digits); err != nil {
					return nil, false, err
				}
			}
		}
		switch has, ok := meetsAll(row, p.having); {
		case !ok:
			return nil, false, nil
		case has:
			rows = append(rows, row)
		}
	}
	if t.lacks.Load() {
		return nil, false, nil
	}
	rows = sortedWindow(rows, p)
	for i := range rows {
		rows[i] = rows[i][:p.shown]
	}
	return rows, true, ctx.Err()
}

// groupOrder lists the groups that have rows in the order in which SQLite comes by
// them, which tells where rows stand that are equal in the order asked for:
// ascending, but each as the order says where that has as many terms.
func groupOrder(p Plan, keys []*codes, counts []int64) []int {
	var groups []int
	for g, n := range counts {
		if n > 0 || len(p.group) == 0 {
			groups = append(groups, g)
		}
	}
	if len(p.order) != len(p.group) || !slices.ContainsFunc(p.order, func(t term) bool { return t.desc }) {
		return groups
	}
	slices.SortFunc(groups, func(a, b int) int {
		// From the last key, which changes fastest, to the first, which counts most.
		c := 0
		for k := len(keys) - 1; k >= 0; k-- {
			n := len(keys[k].values)
			if d := a%n - b%n; d != 0 {
				if c = d; p.order[k].desc {
					c = -d
				}
			}
			a, b = a/n, b/n
		}
		return c
	})
	return groups
}

// byFirstRow puts groups in the order of their first rows in the table.
func byFirstRow(group []int32, order []int, groups int) []int {
	seen := make([]bool, groups)
	out := make([]int, 0, len(order))
	for _, g := range group {
		if g != leftOut && !seen[g] {
			seen[g] = true
			if out = append(out, int(g)); len(out) == len(order) {
				break
			}
		}
	}
	return out
}

// numberGroups numbers the groups so that their order is that of their values.
func (t *Table) numberGroups(group []int32, keys []*codes) {
	eachShare(t.rows, func(_, from, to int) {
		for _, k := range keys {
			n := int32(len(k.values))
			for i, c := range k.of[from:to] {
				group[from+i] = group[from+i]*n + int32(c)
			}
		}
	})
}

// sumUp makes the result of each item, several at once: each goes through the
// rows in their order, so that sums of floats round as SQLite's do.
func (t *Table) sumUp(ctx context.Context, p Plan, group []int32, counts []int64, keys []*codes, results []func(int) any) bool {
	var wg sync.WaitGroup
	turn := make(chan struct{}, 4)
	for i, it := range p.items {
		if it.fn == "" {
			results[i] = keyOf(keys, slices.Index(p.group, it.column))
			continue
		}
		turn <- struct{}{}
		wg.Go(func() {
			defer func() { <-turn }()
			if ctx.Err() == nil {
				results[i] = t.aggregate(it, group, counts)
			}
		})
	}
	wg.Wait()
	return !slices.ContainsFunc(results, func(f func(int) any) bool { return f == nil })
}

// keyOf returns the value of the k-th column of a group.
func keyOf(keys []*codes, k int) func(int) any {
	below := 1
	for _, c := range keys[k+1:] {
		below *= len(c.values)
	}
	return func(g int) any { return keys[k].values[g/below%len(keys[k].values)] }
}

// aggregate sums a column up by group; nil when it cannot.
func (t *Table) aggregate(it item, group []int32, counts []int64) func(int) any {
	text := it.column >= 0 && t.types[it.column] == image.Text
	switch {
	case it.column < 0:
		return func(g int) any { return counts[g] }
	case it.fn == "distinct" || it.fn != "sum" && it.fn != "avg" && text:
		c := t.readCodes(it.column)
		if c.failed {
			return nil
		}
		return c.aggregate(it.fn, group, len(counts))
	case text:
		return nil // texts count as the number they begin with
	}
	n := t.readNumbers(it.column)
	if n.ints != nil {
		return sumInts(it.fn, n, group, len(counts))
	}
	return sumFloats(it.fn, n, group, len(counts))
}

// sortedWindow puts rows in order and cuts out those asked for. Rows that are equal
// in it stay in the order of their groups.
func sortedWindow(rows [][]any, p Plan) [][]any {
	if len(p.order) > 0 {
		slices.SortStableFunc(rows, func(a, b []any) int {
			for _, t := range p.order {
				if c := compare(a[t.item], b[t.item]); c != 0 {
					if t.desc {
						return -c
					}
					return c
				}
			}
			return 0
		})
	}
	rows = rows[min(p.offset, len(rows)):]
	if p.limit >= 0 {
		rows = rows[:min(p.limit, len(rows))]
	}
	return rows
}
