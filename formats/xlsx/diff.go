package xlsx

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"golang.org/x/sync/errgroup"

	"atelier/formats"
)

type differ struct{}

// Diff implements formats.Differ: sheets added, removed, renamed and moved, and
// in each the cells whose content, formula or format changed. Rows are aligned,
// so that inserted ones do not make all rows below them a change.
func (differ) Diff(ctx context.Context, before, after formats.Source, opt formats.DiffOptions) (*formats.Diff, error) {
	a, err := open(ctx, before)
	if err != nil {
		return nil, err
	}
	b, err := open(ctx, after)
	if err != nil {
		return nil, err
	}
	d, err := diffBooks(ctx, a, b, opt.Limit())
	if err != nil {
		return nil, typed(err, after.Name())
	}
	d.Trim(opt.Limit())
	return d, nil
}

// bookDiff gathers the differences of two workbooks.
type bookDiff struct {
	a, b     *bookSide
	same     *bool // see sameRest
	d        *formats.Diff
	limit    int    // items to keep
	kept     int    // items kept
	sheet    string // name of the one being compared
	reach    []string
	unseen   int // rows that changed and were not compared
	cells    int
	rows     int
	formats  int
	moved    int
	inSheets int
	sheets   []string // "1 sheet added" …
}

func diffBooks(ctx context.Context, a, b *workbook, limit int) (*formats.Diff, error) {
	x := &bookDiff{d: &formats.Diff{Groups: []formats.DiffGroup{}}, limit: limit}
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() (err error) { x.a, err = newSide(gctx, a); return err })
	g.Go(func() (err error) { x.b, err = newSide(gctx, b); return err })
	if err := g.Wait(); err != nil {
		return nil, err
	}
	pairs, err := x.pairSheets(ctx)
	if err != nil {
		return nil, err
	}
	if err := x.compareSheets(ctx, pairs); err != nil {
		return nil, err
	}
	x.names()
	x.d.Summary = x.summary()
	x.d.Warnings, err = x.risks(ctx)
	return x.d, err
}

func (x *bookDiff) summary() string {
	var s []string
	if x.cells > 0 {
		s = append(s, formats.Count(x.cells, "cell")+" in "+formats.Count(x.inSheets, "sheet"))
	}
	if x.rows > 0 {
		s = append(s, formats.Count(x.rows, "row")+" added or removed")
	}
	if x.unseen > 0 {
		s = append(s, formats.Count(x.unseen, "more row")+" changed")
	}
	if x.moved > 0 {
		s = append(s, formats.Count(x.moved, "row")+" moved")
	}
	if x.formats > 0 {
		s = append(s, "formats of "+formats.Count(x.formats, "cell"))
	}
	return formats.Phrase(append(x.sheets, s...)...)
}

// sheetPair is a sheet of each book; index -1 where there is none.
type sheetPair struct{ a, b int }

// pairSheets matches sheets by name, then by id and part, which a rename keeps.
func (x *bookDiff) pairSheets(ctx context.Context) ([]sheetPair, error) {
	taken := map[int]bool{}
	pairs := make([]sheetPair, len(x.b.sheets))
	match := func(same func(a, b sheetInfo) bool) {
		for j := range x.b.sheets {
			if pairs[j].a >= 0 {
				continue
			}
			for i := range x.a.sheets {
				if !taken[i] && same(x.a.sheets[i], x.b.sheets[j]) {
					pairs[j].a, taken[i] = i, true
					break
				}
			}
		}
	}
	for j := range pairs {
		pairs[j] = sheetPair{-1, j}
	}
	match(func(a, b sheetInfo) bool { return strings.EqualFold(a.name, b.name) })
	match(func(a, b sheetInfo) bool { return a.sheetN == b.sheetN && a.part == b.part })
	for i := range x.a.sheets {
		if !taken[i] {
			pairs = append(pairs, sheetPair{i, -1})
		}
	}
	return pairs, ctx.Err()
}

func (x *bookDiff) compareSheets(ctx context.Context, pairs []sheetPair) error {
	count := map[formats.Change]int{}
	order := -1
	for _, p := range pairs {
		g := formats.DiffGroup{Change: formats.Modified, Items: []formats.DiffItem{}}
		switch {
		case p.b < 0:
			g.Name, g.Change = x.a.sheets[p.a].name, formats.Removed
		case p.a < 0:
			g.Name, g.Change = x.b.sheets[p.b].name, formats.Added
		default:
			a, b := x.a.sheets[p.a], x.b.sheets[p.b]
			g.Name = b.name
			if a.name != b.name {
				g.Change, g.From = formats.Renamed, a.name
			} else if p.a < order {
				g.Change, g.From = formats.Moved, fmt.Sprintf("position %d", p.a+1)
			}
			order = max(order, p.a)
			if a.state != b.state {
				g.Items = append(g.Items, formats.DiffItem{Change: formats.Modified, Notes: []string{shownState(a.state) + " → " + shownState(b.state)}})
			}
		}
		n, rows := x.cells, x.rows
		items, err := x.compareSheet(ctx, p)
		if err != nil {
			return err
		}
		if p.a < 0 || p.b < 0 {
			x.rows = rows // the summary says that of the sheet
		}
		if x.cells > n {
			x.inSheets++
		}
		g.Items = append(g.Items, items...)
		if g.Change != formats.Modified {
			count[g.Change]++
		}
		if g.Change != formats.Modified || len(g.Items) > 0 {
			x.d.Groups = append(x.d.Groups, g)
		}
	}
	for _, c := range []formats.Change{formats.Added, formats.Removed, formats.Renamed, formats.Moved} {
		if count[c] > 0 {
			x.sheets = append(x.sheets, formats.Count(count[c], "sheet")+" "+string(c))
		}
	}
	return nil
}

func shownState(s string) string {
	switch s {
	case "hidden":
		return "hidden"
	case "veryHidden":
		return "hidden so that Excel does not list it"
	}
	return "visible"
}

// names compares the defined names.
func (x *bookDiff) names() {
	key := func(n definedName) string { return fmt.Sprintf("%d %s", n.local, strings.ToLower(n.name)) }
	was := map[string]definedName{}
	for _, n := range x.a.names {
		was[key(n)] = n
	}
	g := formats.DiffGroup{Name: "defined names", Change: formats.Modified}
	for _, n := range x.b.names {
		o, ok := was[key(n)]
		delete(was, key(n))
		switch {
		case !ok:
			g.Items = append(g.Items, formats.DiffItem{Change: formats.Added, At: n.name, New: n.text})
		case o.text != n.text:
			g.Items = append(g.Items, formats.DiffItem{Change: formats.Modified, At: n.name, Old: o.text, New: n.text})
		}
	}
	for _, n := range was {
		g.Items = append(g.Items, formats.DiffItem{Change: formats.Removed, At: n.name, Old: n.text})
	}
	sort.SliceStable(g.Items, func(i, j int) bool { return g.Items[i].At < g.Items[j].At })
	if len(g.Items) > 0 {
		x.d.Groups = append(x.d.Groups, g)
		x.sheets = append(x.sheets, formats.Count(len(g.Items), "defined name"))
	}
}
