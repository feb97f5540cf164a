package xlsx

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/internal/lazyregexp"
)

// saidOfFormulas warns of formulas that the operations write and that can have no value:
// they use a function, name, table or sheet that is not there, or read themselves.
func (f *finisher) saidOfFormulas(ctx context.Context) error {
	if !f.typed {
		return nil
	}
	written := f.writtenFormulas()
	if len(written) == 0 {
		return nil
	}
	f.saidOfMissing(written, f.wb.Package.Has(macroPart))
	return f.saidOfCircles(ctx, written)
}

// macroPart holds the macros of a workbook, which may have functions of their own.
const macroPart = "xl/vbaProject.bin"

// writtenFormula is a formula that the plan writes.
type writtenFormula struct {
	sheet int // index in plan.sheets
	at    cellref.Cell
	text  string
}

// writtenFormulas lists the formulas of the plan, sheet by sheet in reading order.
func (f *finisher) writtenFormulas() []writtenFormula {
	var out []writtenFormula
	for i, s := range f.sheets {
		for at, v := range s.cells {
			if v.formula() && len(v.s) <= formula.MaxBytes {
				out = append(out, writtenFormula{i, at, v.s})
			}
		}
	}
	slices.SortFunc(out, func(a, b writtenFormula) int {
		return cmp.Or(a.sheet-b.sheet, a.at.Row-b.at.Row, a.at.Col-b.at.Col)
	})
	return out
}

// missing is what written formulas use and the workbook lacks, with the cells.
type missing struct {
	order  []string // "function FOO", "name Bar"
	places map[string]*placeList
}

func (m *missing) add(what, sheet string, at cellref.Cell) {
	if m.places == nil {
		m.places = map[string]*placeList{}
	}
	p := m.places[what]
	if p == nil {
		p = &placeList{}
		m.places[what] = p
		m.order = append(m.order, what)
	}
	if k := len(p.blocks) - 1; p.n == 0 || p.blocks[k].sheet != sheet || p.blocks[k].R2 != at.Row || p.blocks[k].C2 != at.Col {
		p.add(sheet, at)
	}
}

// saidOfMissing warns of what the formulas use and the workbook lacks.
func (f *finisher) saidOfMissing(written []writtenFormula, macros bool) {
	has := f.known()
	var lacks missing
	for _, w := range written {
		at := func(format, what string) { lacks.add(fmt.Sprintf(format, what), f.sheets[w.sheet].name, w.at) }
		for t := range formula.Tokens(w.text) {
			name := w.text[t.Start:t.End]
			low := strings.ToLower(name)
			switch {
			case t.Kind == formula.Function:
				if !macros && !formula.Known(name) && !has.names[low] && !strings.HasPrefix(low, "_xl") {
					at("function %s", strings.ToUpper(name))
				}
			case t.Kind == formula.Structured:
				table, _, _ := strings.Cut(name, "[")
				if table != "" && !has.names[strings.ToLower(table)] {
					at("table %s", table)
				}
			case t.Sheet != "" && (t.Kind == formula.Ref || t.Kind == formula.Name):
				if !has.sheets[strings.ToLower(t.Sheet)] {
					at("sheet %q", t.Sheet)
				}
			case t.Kind == formula.Name && t.Sheet == "":
				if c := name[0]; !has.names[low] && !strings.HasPrefix(low, "_xl") && low != "true" && low != "false" && c != '.' && (c < '0' || c > '9') {
					at("name %s", name)
				}
			}
		}
	}
	for _, what := range lacks.order {
		f.warn("no %s is there; formulas that use it show an error: %s", what, lacks.places[what].String())
	}
}

// knownNames are what formulas may use, in lower case.
type knownNames struct{ names, sheets map[string]bool }

// known returns the names, tables and sheets of the workbook with those that the
// operations of the call make, later ones too.
func (f *finisher) known() knownNames {
	has := knownNames{map[string]bool{}, map[string]bool{}}
	for _, n := range f.wb.Names {
		has.names[strings.ToLower(n.Name)] = true
	}
	for _, s := range f.sheets {
		has.sheets[strings.ToLower(s.name)] = true
	}
	for _, tabs := range f.tables {
		for _, t := range tabs {
			has.names[strings.ToLower(t.Name)] = true
		}
	}
	for name := range f.made {
		has.names[name], has.sheets[name] = true, true
	}
	return has
}

// namesMade lists, in lower case, the names that operations may give to sheets, tables
// and ranges.
func namesMade(ops []json.RawMessage) map[string]bool {
	made := map[string]bool{}
	for _, raw := range ops {
		var op struct {
			Name, Sheet string
			NewName     string `json:"new_name"`
		}
		if json.Unmarshal(raw, &op) == nil { // an operation that cannot be read is refused later
			made[strings.ToLower(op.Name)], made[strings.ToLower(op.NewName)], made[strings.ToLower(op.Sheet)] = true, true, true
		}
	}
	return made
}

// These bound the search for circular references: over them it says nothing.
const (
	maxCircleSteps = 5_000_000 // formulas looked at for the ranges that formulas read
	maxCircleDepth = 50_000    // formulas in a chain
	maxCircles     = 3         // that are told
)

// conditional finds functions that do not read all their arguments.
var conditional = lazyregexp.New(`(?i)\b(IF|IFS|IFERROR|IFNA|CHOOSE|SWITCH)\(`)

// circles looks for formulas that read themselves.
type circles struct {
	g     *depGraph
	rows  []map[int][]*node // by sheet, then row
	first []*node           // of the written formulas
	fresh map[*node]bool    // those of first
	state map[*node]byte    // 1: in the chain, 2: done
	chain []*node
	steps int
	found [][]*node
}

// saidOfCircles warns of circular references through the written formulas.
func (f *finisher) saidOfCircles(ctx context.Context, written []writtenFormula) error {
	if f.wb.Iterates {
		return nil
	}
	c := f.newCircles(written)
	for _, n := range c.first {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if c.state[n] == 0 && !c.visit(n) {
			return nil
		}
	}
	for _, loop := range c.found {
		var cells []string
		for _, n := range loop {
			cells = append(cells, f.sheets[n.sheet].name+"!"+cellref.Name(n.f.Row, n.f.Col))
			if len(cells) == 4 && len(loop) > 5 {
				cells = append(cells, fmt.Sprintf("%d more", len(loop)-4))
				break
			}
		}
		cells = append(cells, cells[0])
		unless := ""
		if slices.ContainsFunc(loop, func(n *node) bool { return conditional.MatchString(n.f.Text) }) {
			unless = ", unless a condition keeps it from being read"
		}
		f.warn("circular reference, which has no value%s: %s", unless, strings.Join(cells, " → "))
	}
	return nil
}

// newCircles returns a search over the formulas of the file that stay and the written
// ones.
func (f *finisher) newCircles(written []writtenFormula) *circles {
	sheets := make([]depSheet, len(f.sheets))
	at := map[*planSheet]int{}
	for i, s := range f.sheets {
		at[s] = i
		sheets[i] = depSheet{name: s.name, facts: &facts{}, dirty: &cellref.Set{}}
	}
	for k, s := range f.keep {
		sheets[at[s]].facts, sheets[at[s]].tables = f.facts[k], f.tables[k]
	}
	c := &circles{g: f.wb.newDepGraph(sheets), rows: make([]map[int][]*node, len(sheets)), state: map[*node]byte{}, fresh: map[*node]bool{}}
	c.g.sure = true
	for i := range sheets {
		c.rows[i] = map[int][]*node{}
		for fc := range sheets[i].facts.formulas.all() {
			if _, edited := f.sheets[i].cells[cellref.At(fc.Row, fc.Col)]; !edited {
				c.add(&node{sheet: i, f: &fc})
			}
		}
	}
	for _, w := range written {
		n := c.add(&node{sheet: w.sheet, f: &book.FormulaCell{Row: w.at.Row, Col: w.at.Col, Text: w.text}})
		c.first, c.fresh[n] = append(c.first, n), true
	}
	return c
}

func (c *circles) add(n *node) *node {
	c.rows[n.sheet][n.f.Row] = append(c.rows[n.sheet][n.f.Row], n)
	return n
}

// visit follows what a formula reads; false when that takes too long.
func (c *circles) visit(n *node) bool {
	if len(c.chain) > maxCircleDepth || len(c.found) == maxCircles {
		return false
	}
	c.state[n] = 1
	c.chain = append(c.chain, n)
	c.g.collect(n, n.f.Text, n.sheet, 0)
	for _, p := range n.reads {
		if !c.reads(p) {
			return false
		}
	}
	c.chain = c.chain[:len(c.chain)-1]
	c.state[n] = 2
	return true
}

// reads visits the formulas in a block.
func (c *circles) reads(p precedent) bool {
	rows := c.rows[p.sheet]
	if p.r.R2-p.r.R1 < len(rows) {
		for row := p.r.R1; row <= p.r.R2; row++ {
			if !c.row(rows[row], p.r) {
				return false
			}
		}
		return true
	}
	for row, list := range rows {
		if row >= p.r.R1 && row <= p.r.R2 && !c.row(list, p.r) {
			return false
		}
	}
	return true
}

// row visits the formulas of a row that are in a block.
func (c *circles) row(list []*node, r cellref.Range) bool {
	if c.steps += len(list) + 1; c.steps > maxCircleSteps {
		return false
	}
	for _, m := range list {
		if m.f.Col < r.C1 || m.f.Col > r.C2 {
			continue
		}
		switch c.state[m] {
		case 0:
			if !c.visit(m) {
				return false
			}
		case 1:
			loop := c.chain[slices.Index(c.chain, m):]
			if slices.ContainsFunc(loop, func(n *node) bool { return c.fresh[n] }) {
				c.found = append(c.found, slices.Clone(loop))
			}
		}
	}
	return true
}
