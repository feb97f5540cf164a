package diff

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"atelier/formats"
	"atelier/formats/inventory"
	"atelier/formats/ooxml/opc"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/formula"
)

type Differ struct{ Follow Follow }

// Follow rewrites what the old workbook has outside its cells as it would read
// after the changes that followers stand for.
type Follow struct {
	// sheet rewrites what stands around the rows of a sheet.
	Sheet func(followers []*formula.Rewriter, doc []byte, name string) ([]byte, error)
	// parts returns the package with its tables, charts, drawings, notes and pivots
	// rewritten. renamed has new names of sheets, by the old ones in lower case.
	Parts func(ctx context.Context, wb *book.Workbook, followers []*formula.Rewriter, renamed map[string]string) (*opc.Package, error)
}

// Diff implements formats.Differ: sheets added, removed, renamed and moved, in
// each the cells whose content or formula changed, and as facts all else. Rows and
// columns are aligned, so that inserted ones do not make all behind them a change.
func (df Differ) Diff(ctx context.Context, before, after formats.Source, opt formats.DiffOptions) (*formats.Diff, error) {
	a, err := book.Open(ctx, before)
	if err != nil {
		return nil, err
	}
	b, err := book.Open(ctx, after)
	if err != nil {
		return nil, err
	}
	d, err := diffBooks(ctx, a, b, df.Follow, opt.Limit())
	if err != nil {
		return nil, book.Typed(err, after.Name())
	}
	d.Trim(opt.Limit())
	return d, nil
}

// bookDiff gathers the differences of two workbooks.
type bookDiff struct {
	a, b       *bookSide
	inA, inB   *inventory.Inventory
	same       *bool // see sameRest
	d          *formats.Diff
	facts      []formats.Fact
	followers  []*formula.Rewriter
	follows    Follow
	renamed    map[string]string // new names of sheets, by the old in lower case
	limit      int               // items to keep
	kept       int               // items kept
	reach      []string
	reachOf    map[uint64]bool // whether the formulas of a member's group reach out
	rich       int             // cells whose inner formats changed
	cells      int
	rows       int
	moved      int
	movedCols  int
	inSheets   int
	values     map[string]*valueCount // by how they changed
	toldValues int                    // told one by one
	noteLines  bool                   // see noteSteps
}

func diffBooks(ctx context.Context, a, b *book.Workbook, f Follow, limit int) (*formats.Diff, error) {
	x := &bookDiff{follows: f, reachOf: map[uint64]bool{}, d: &formats.Diff{Groups: []formats.DiffGroup{}}, limit: limit}
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
	sheets := make([]*sheetDiff, len(pairs))
	for i, p := range pairs {
		if sheets[i], err = x.alignSheet(ctx, p); err != nil {
			return nil, err
		}
	}
	x.makeFollowers(sheets)
	old, err := x.follows.Parts(ctx, x.a.Workbook, x.followers, x.renamed)
	if err != nil {
		return nil, err
	}
	x.inA, x.inB = inventory.New(old), inventory.New(b.Package)
	if err := x.compareSheets(ctx, sheets); err != nil {
		return nil, err
	}
	if n := x.rich - maxRich; n > 0 {
		x.fact(formats.Fact{Kind: formats.FactFormat, Change: formats.Changed, At: "workbook", New: "formats within the texts of " + formats.Count(n, "more cell")})
	}
	namesA := make([]string, len(x.a.Sheets))
	for _, s := range sheets {
		if s.sheetPair.a >= 0 {
			namesA[s.sheetPair.a] = s.name
		}
	}
	namesB := make([]string, len(x.b.Sheets))
	for i, s := range x.b.Sheets {
		namesB[i] = s.Name
	}
	if err := x.bookThings(ctx, x.inA, x.a, namesA); err != nil {
		return nil, err
	}
	if err := x.bookThings(ctx, x.inB, x.b, namesB); err != nil {
		return nil, err
	}
	facts, err := inventory.Compare(ctx, x.inA, x.inB)
	if err != nil {
		return nil, err
	}
	x.d.Warnings = x.reaches()
	x.d.SetFacts(append(x.facts, facts...), x.phrases(), limit)
	return x.d, nil
}

// phrases count the items.
func (x *bookDiff) phrases() []string {
	var s []string
	if x.cells > 0 {
		s = append(s, formats.Count(x.cells, "cell")+" in "+formats.Count(x.inSheets, "sheet"))
	}
	if x.rows > 0 {
		s = append(s, formats.Count(x.rows, "row")+" filled or emptied")
	}
	if x.moved > 0 {
		s = append(s, formats.Count(x.moved, "row")+" moved")
	}
	if x.movedCols > 0 {
		s = append(s, formats.Count(x.movedCols, "column")+" moved")
	}
	return append(s, x.valuePhrases()...)
}

// sheetPair is a sheet of each book; index -1 where there is none.
type sheetPair struct{ a, b int }

// pairSheets matches sheets by name, then by id and part, which a rename keeps.
func (x *bookDiff) pairSheets(ctx context.Context) ([]sheetPair, error) {
	taken := map[int]bool{}
	pairs := make([]sheetPair, len(x.b.Sheets))
	match := func(same func(a, b book.SheetInfo) bool) {
		for j, b := range x.b.Sheets {
			for i, a := range x.a.Sheets {
				if pairs[j].a < 0 && !taken[i] && same(a, b) {
					pairs[j].a, taken[i] = i, true
				}
			}
		}
	}
	for j := range pairs {
		pairs[j] = sheetPair{-1, j}
	}
	match(func(a, b book.SheetInfo) bool { return strings.EqualFold(a.Name, b.Name) })
	match(func(a, b book.SheetInfo) bool { return a.SheetID == b.SheetID && a.Part == b.Part })
	for i := range x.a.Sheets {
		if !taken[i] {
			pairs = append(pairs, sheetPair{i, -1})
		}
	}
	return pairs, ctx.Err()
}

func (x *bookDiff) compareSheets(ctx context.Context, sheets []*sheetDiff) error {
	order := -1
	for _, p := range sheets {
		g := formats.DiffGroup{Name: p.name, Change: formats.Modified, Items: []formats.DiffItem{}}
		switch {
		case p.sheetPair.b < 0:
			g.Change = formats.Removed
			x.fact(formats.Fact{Kind: formats.FactSheet, Change: formats.Removed, At: p.name, Old: "a sheet of " + formats.Count(len(p.a.numbers), "row"), Warning: "lost: the sheet " + p.name})
		case p.sheetPair.a < 0:
			g.Change = formats.Added
			x.fact(formats.Fact{Kind: formats.FactSheet, Change: formats.Added, At: p.name, New: "a sheet of " + formats.Count(len(p.b.numbers), "row")})
			x.shown(&g, "", x.b.Sheets[p.sheetPair.b].State, false)
		default:
			x.sameSheetFacts(&g, p.sheetPair, order)
			order = max(order, p.sheetPair.a)
		}
		items, err := x.compareSheet(ctx, p)
		if err != nil {
			return err
		}
		g.Items = append(g.Items, items...)
		if g.Change != formats.Modified || len(g.Items) > 0 {
			x.d.Groups = append(x.d.Groups, g)
		}
	}
	return nil
}

// sameSheetFacts tells that a sheet has another name, place or state; order is
// the highest place of the sheets before it in the old file.
func (x *bookDiff) sameSheetFacts(g *formats.DiffGroup, p sheetPair, order int) {
	a, b := x.a.Sheets[p.a], x.b.Sheets[p.b]
	if a.Name != b.Name {
		g.Change, g.From = formats.Renamed, a.Name
		x.fact(formats.Fact{Kind: formats.FactSheet, Change: formats.Changed, At: b.Name, Old: "named " + a.Name, New: "named " + b.Name, Revertible: true})
	}
	if p.a < order {
		was := fmt.Sprintf("position %d", p.a+1)
		if g.Change == formats.Modified {
			g.Change, g.From = formats.Moved, was
		}
		x.fact(formats.Fact{Kind: formats.FactSheet, Change: formats.Moved, At: b.Name, Old: was, New: fmt.Sprintf("position %d", p.b+1)})
	}
	x.shown(g, a.State, b.State, true)
}

// compareSheet tells what changed in a pair of sheets.
func (x *bookDiff) compareSheet(ctx context.Context, s *sheetDiff) ([]formats.DiffItem, error) {
	var items []formats.DiffItem
	if !s.same {
		before := x.cells
		var err error
		if items, err = x.compareCells(ctx, s); err != nil {
			return nil, err
		}
		if x.cells > before {
			x.inSheets++
		}
		x.stateFacts(s)
	}
	err := x.sheetThings(ctx, s)
	s.a, s.b, s.todo = nil, nil, nil
	return items, err
}

// shown tells whether a sheet is hidden.
func (x *bookDiff) shown(g *formats.DiffGroup, was, now string, known bool) {
	if was == now {
		return
	}
	if known {
		g.Items = append(g.Items, formats.DiffItem{Change: formats.Modified, Notes: []string{shownState(was) + " → " + shownState(now)}})
	}
	f := formats.Fact{Kind: formats.FactHiddenSheet, Change: formats.Changed, At: g.Name, Old: shownState(was), New: shownState(now)}
	switch {
	case now == "":
		f.Change, f.New = formats.Removed, ""
	case was == "":
		f.Change, f.Old, f.Warning = formats.Added, "", fmt.Sprintf("the sheet %q is hidden now", g.Name)
	}
	x.fact(f)
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
