package xlsx

import (
	"context"
	"errors"
	"slices"
	"strings"

	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
)

// depSheet is a sheet in a depGraph.
type depSheet struct {
	name   string
	facts  *facts // nil for a sheet without cells
	tables []*book.Table
	dirty  *cellref.Set // cells whose value changes; the search adds to it
}

// depGraph finds the formulas that may depend on edited cells.
type depGraph struct {
	list   []depSheet
	sheets map[string]int // lower-case name → index in list
	names  map[string][]book.DefinedName
	tables map[string]tablePlace
	gone   map[string]bool // lower-case names of deleted sheets
	// goneTables are the changes of tables, among them those that are gone.
	goneTables map[string]formula.TableChange
	known      map[string]node // names looked up so far
	filled     int             // cells of array formulas marked so far
	read       int             // precedents held
	moves      bool            // rows or columns of the sheet moved move
	moved      int             // then addresses as text into it name other cells
	wb         *workbook       // to read formulas again that are too many to hold
	sure       bool            // only what a formula surely reads counts: not ROW(A1), columns of tables, OFFSET
	plain      []cellref.Range // for reuse
	through    []*cellref.Set  // the formulas that count as dependent because what they read is not known
}

// These bound the work on a file made to be slow: over them, what a formula
// reads counts as unknown.
const (
	maxPrecedents = 500     // of one formula
	maxReads      = 500_000 // of all together
	maxFilled     = 20 << 20
)

// newDepGraph returns a graph over the formulas of sheets.
func (wb *workbook) newDepGraph(sheets []depSheet) *depGraph {
	g := &depGraph{list: sheets, sheets: map[string]int{}, names: map[string][]book.DefinedName{}, tables: map[string]tablePlace{}, wb: wb}
	for i, s := range sheets {
		if s.facts == nil {
			continue
		}
		g.sheets[strings.ToLower(s.name)] = i
		for _, t := range s.tables {
			g.tables[strings.ToLower(t.Name)] = tablePlace{i, t.Ref}
		}
	}
	for _, n := range wb.Names {
		low := strings.ToLower(n.Name)
		g.names[low] = append(g.names[low], n)
	}
	return g
}

type tablePlace struct {
	sheet int
	ref   cellref.Range
}

// precedent is a block a formula reads.
type precedent struct {
	sheet int
	r     cellref.Range
}

// node is a formula in the graph. unsure says that not all it reads is known,
// lost that it reads a sheet or table that is gone.
type node struct {
	sheet  int
	f      *book.FormulaCell
	reads  []precedent
	unsure bool
	lost   bool
	dirty  bool
}

// passes bounds the fixpoint: chains that run against the order of the file
// take one pass a link.
const passes = 100

// run marks as dirty all cells that may change when those that are dirty do. It
// returns false when it gave up: then every formula counts as dependent.
// changed are, for each sheet, those cells other than the seeds.
func (g *depGraph) run(ctx context.Context) (changed []*cellref.Set, ok bool) {
	changed = make([]*cellref.Set, len(g.list))
	for i := range changed {
		changed[i] = &cellref.Set{}
	}
	if done, err := g.lookThrough(ctx, changed); done || err != nil {
		return changed, err == nil
	}
	g.filled = 0 // those marked so far are marked again
	nodes, ok := g.nodes()
	if !ok {
		return g.stream(ctx, changed)
	}
	for range passes {
		again := false
		for k, n := range nodes {
			if k&4095 == 0 && ctx.Err() != nil {
				return changed, false
			}
			if n.dirty || !g.reads(n) {
				continue
			}
			n.dirty = true
			grew, ok := g.mark(n, changed)
			if !ok {
				return changed, false
			}
			again = again || grew
		}
		if !again {
			return changed, true
		}
	}
	return changed, false
}

// lookThrough is run without holding what formulas read, which two passes are enough for
// where no formula reads one behind it. done is false where more passes are needed, or
// the formulas are not at hand.
func (g *depGraph) lookThrough(ctx context.Context, changed []*cellref.Set) (done bool, err error) {
	for _, s := range g.list {
		if s.facts != nil && s.facts.many {
			return false, nil
		}
	}
	for range 2 {
		again, left := false, false // left: a formula that does not depend on them so far
		for i, s := range g.list {
			if s.facts == nil {
				continue
			}
			j := 0
			for fc := range s.facts.formulas.all() {
				if j++; j&4095 == 0 && ctx.Err() != nil {
					return false, ctx.Err()
				}
				grew, err := g.formula(i, fc, changed)
				if err != nil {
					return false, err
				}
				again = again || grew
				left = left || !grew && !changed[i].Has(fc.Row, fc.Col)
			}
		}
		if !again || !left {
			return true, nil
		}
	}
	return false, nil
}

// formula marks a formula of a sheet that reads what changes; grew says that others may
// follow.
func (g *depGraph) formula(sheet int, fc book.FormulaCell, changed []*cellref.Set) (grew bool, err error) {
	if changed[sheet].Has(fc.Row, fc.Col) {
		return false, nil
	}
	known, reads := g.readsPlainly(sheet, fc)
	unsure := false
	if !known {
		held := fc
		n := g.node(sheet, &held)
		reads, unsure = g.reads(n), n.unsure
	}
	if !reads {
		return false, nil
	}
	grew, ok := g.markFormula(sheet, fc, unsure, changed)
	if !ok {
		return false, errTooMany
	}
	return grew, nil
}

// readsPlainly reports whether a formula reads what changes, where that is known without
// its tokens.
func (g *depGraph) readsPlainly(sheet int, fc book.FormulaCell) (known, reads bool) {
	if g.sure || fc.Table {
		return false, false
	}
	if g.plain, known = formula.PlainRefs(g.plain[:0], fc.Text); !known || len(g.plain) > maxPrecedents {
		return false, false
	}
	for _, r := range g.plain {
		if g.list[sheet].dirty.Meets(r) {
			return true, true
		}
	}
	return true, false
}

// nodes returns all formulas; ok is false when they or what they read is too
// much to hold.
func (g *depGraph) nodes() (nodes []*node, ok bool) {
	for i, s := range g.list {
		switch {
		case s.facts == nil:
			continue
		case s.facts.many:
			return nil, false
		}
		for fc := range s.facts.formulas.all() {
			if len(nodes) >= maxFormulas {
				return nil, false
			}
			n := g.node(i, &fc)
			if g.read += len(n.reads); g.read > maxReads {
				return nil, false
			}
			nodes = append(nodes, n)
		}
	}
	return nodes, true
}

// node is a formula with what it reads.
func (g *depGraph) node(sheet int, fc *book.FormulaCell) *node {
	n := &node{sheet: sheet, f: fc}
	n.unsure = fc.Table || fc.Text == "" || len(fc.Text) > formula.MaxBytes
	g.collect(n, fc.Text, sheet, 0)
	return n
}

// mark puts the cells of a formula among those that change; grew says that
// others may follow, ok is false when they are too many.
func (g *depGraph) mark(n *node, changed []*cellref.Set) (grew, ok bool) {
	return g.markFormula(n.sheet, *n.f, n.unsure, changed)
}

func (g *depGraph) markFormula(sheet int, fc book.FormulaCell, unsure bool, changed []*cellref.Set) (grew, ok bool) {
	r := fc.Spill
	if r.Empty() {
		r = cellref.Block(fc.Row, fc.Col, fc.Row, fc.Col)
	}
	if g.filled += (r.R2 - r.R1 + 1) * (r.C2 - r.C1 + 1); g.filled > maxFilled {
		return false, false
	}
	if unsure {
		for len(g.through) <= sheet {
			g.through = append(g.through, &cellref.Set{})
		}
		g.through[sheet].Add(fc.Row, fc.Col)
	}
	changed[sheet].AddRange(r)
	return g.list[sheet].dirty.AddRange(r), true
}

// streamed bounds the passes over a workbook whose formulas are too many to
// hold: chains that run against the order of the file take one pass a link.
const streamed = 8

// maxStreamed bounds the text of formulas read over all passes, in bytes, of
// which those of a long formula count several times: members of one long shared
// formula each have all of its text.
const maxStreamed = 32 << 20

// stream is run without holding formulas: each pass reads them from the file.
func (g *depGraph) stream(ctx context.Context, changed []*cellref.Set) ([]*cellref.Set, bool) {
	text := 0
	for range streamed {
		again := false
		for i, s := range g.list {
			if s.facts == nil || !s.facts.hasF {
				continue
			}
			grew, err := g.streamSheet(ctx, i, changed, &text)
			if err != nil {
				return changed, false
			}
			again = again || grew
		}
		if !again {
			return changed, true
		}
	}
	return changed, false
}

var errTooMany = errors.New("too many cells change, or formulas are too long")

// streamSheet marks the formulas of a sheet that read what changes; grew says
// that others may follow. text is how much was read so far, against maxStreamed.
func (g *depGraph) streamSheet(ctx context.Context, i int, changed []*cellref.Set, text *int) (grew bool, err error) {
	err = g.wb.formulasOf(ctx, g.list[i].facts, func(fc book.FormulaCell) error {
		if *text += len(fc.Text) + len(fc.Text)*len(fc.Text)/256; *text > maxStreamed {
			return errTooMany
		}
		more, err := g.formula(i, fc, changed)
		grew = grew || more
		return err
	})
	return grew, err
}

// throughOf is the part of through in a sheet.
func (g *depGraph) throughOf(sheet int) *cellref.Set {
	if sheet < len(g.through) {
		return g.through[sheet]
	}
	return nil
}

func (g *depGraph) reads(n *node) bool {
	if n.unsure || n.lost {
		return true
	}
	for _, p := range n.reads {
		if g.list[p.sheet].dirty.Meets(p.r) {
			return true
		}
	}
	return false
}

// read adds a precedent. Formulas name the same cells again and again, mostly
// close together; the last few are looked through.
func (n *node) read(p precedent) {
	if !slices.Contains(n.reads[max(0, len(n.reads)-8):], p) {
		n.reads = append(n.reads, p)
	}
}

// collect adds what text, a formula on sheet, reads.
func (g *depGraph) collect(n *node, text string, sheet, depth int) {
	asked := -1 // where the only argument of ROW and the like begins
	for t := range formula.Tokens(text) {
		if g.sure && t.Kind == formula.Ref && t.Start == asked && t.End < len(text) && text[t.End] == ')' {
			continue
		}
		if t.Kind == formula.Function && askPlaces[strings.ToUpper(text[t.Start:t.End])] {
			asked = t.End + 1
		}
		if t.LastSheet != "" || len(n.reads) > maxPrecedents || !g.token(n, t, text, sheet, depth) {
			n.unsure = true
			return
		}
	}
}

// askPlaces are functions of the place of a range, not of its values.
var askPlaces = map[string]bool{"ROW": true, "ROWS": true, "COLUMN": true, "COLUMNS": true, "AREAS": true, "ISREF": true, "_XLFN.SHEET": true}

// token adds what a token of a formula reads; false when that is not known.
func (g *depGraph) token(n *node, t formula.Token, text string, sheet, depth int) bool {
	switch t.Kind {
	case formula.Ref:
		g.reference(n, t, sheet)
	case formula.Structured:
		if g.sure {
			return true
		}
		name := text[t.Start:t.End]
		return g.table(n, strings.ToLower(name[:strings.IndexByte(name, '[')]))
	case formula.Function:
		switch name := strings.ToUpper(text[t.Start:t.End]); name {
		case "INDIRECT", "OFFSET":
			if g.sure {
				return false
			}
			return g.made(n, name, text, t.End, sheet, depth)
		case "GETPIVOTDATA":
			return false
		}
	case formula.Other:
		return text[t.Start] != ':' // A1:INDEX(B:B,9) reads what lies between
	case formula.External:
		return !strings.HasPrefix(text[t.Start:], "[0]")
	case formula.Name:
		return g.name(n, text[t.Body:t.End], sheet, depth)
	}
	return true
}

// reference adds a range.
func (g *depGraph) reference(n *node, t formula.Token, sheet int) {
	if t.Sheet != "" {
		low := strings.ToLower(t.Sheet)
		if g.gone[low] {
			n.lost = true
			return
		}
		i, ok := g.sheets[low]
		if !ok {
			return // a chart sheet, or one that is not there
		}
		sheet = i
	}
	n.read(precedent{sheet, t.Range()})
}

// table adds the cells of a table, given in lower case; false when it is not
// known.
func (g *depGraph) table(n *node, low string) bool {
	p, ok := g.tables[low]
	if ok {
		n.read(precedent{p.sheet, p.ref})
	}
	lost := g.goneTables[low].Removed
	n.lost = n.lost || lost
	return ok || lost
}

// name adds what a defined name reads; false when it is not known.
func (g *depGraph) name(n *node, name string, sheet, depth int) bool {
	low := strings.ToLower(name)
	if c := name[0]; c >= '0' && c <= '9' || c == '.' || low == "true" || low == "false" {
		return true
	}
	if g.table(n, low) {
		return true
	}
	def, ok := g.known[low]
	if !ok {
		def = g.define(low, depth)
		if g.known == nil {
			g.known = map[string]node{}
		}
		g.known[low] = def
	}
	n.reads = append(n.reads, def.reads...)
	n.lost = n.lost || def.lost
	return !def.unsure
}

// define finds out what a defined name reads, wherever it is used.
func (g *depGraph) define(low string, depth int) node {
	var def node
	defs := g.names[low]
	if len(defs) == 0 || depth > 8 {
		return node{unsure: true}
	}
	for _, d := range defs {
		if relative(d.Text) || len(d.Text) > formula.MaxBytes {
			return node{unsure: true} // it reads other cells from each cell it is used in
		}
		g.collect(&def, d.Text, 0, depth+1)
	}
	return def
}

// relative reports whether a name's text has a reference without dollars or
// without a sheet.
func relative(text string) bool {
	for t := range formula.Tokens(text) {
		if t.Kind != formula.Ref {
			continue
		}
		if t.Sheet == "" {
			return true
		}
		if relativeEnd(t.From) || relativeEnd(t.To) {
			return true
		}
	}
	return false
}

// relativeEnd reports whether an end of a range lacks a dollar sign.
func relativeEnd(a cellref.End) bool {
	switch a.Kind {
	case cellref.CellEnd:
		return !(a.AbsCol && a.AbsRow)
	case cellref.ColumnEnd:
		return !a.AbsCol
	case cellref.RowEnd:
		return !a.AbsRow
	}
	return false
}
