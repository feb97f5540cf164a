package audit

import (
	"context"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
)

// errors reports the cells where errors begin: those with an error whose
// precedents have none, and formulas that lost a reference.
func (a *auditing) errors(ctx context.Context) {
	bad := make([]*cellref.Set, len(a.sheets))
	total := 0
	for i, s := range a.sheets {
		bad[i] = &cellref.Set{}
		for k := range s.cells {
			if c := &s.cells[k]; c.kind == failed {
				bad[i].Add(int(c.row), int(c.col))
				total++
			}
		}
	}
	a.eachFormula(ctx, func(s *sheet, c *cell) {
		f := a.forms[c.form]
		if c.kind == noValue && f.undefined != "" && !f.lost {
			a.undefined(s, c, f)
			return
		}
		if c.kind != failed && !(f.lost && !f.catches) || c.kind == failed && a.readsAny(s, c, bad) {
			return
		}
		text, sev := a.textAt(c), formats.SeverityHigh
		fact := fmt.Sprintf("%s gives %s, and nothing that it reads is an error", shorten(f.at(int(c.row), int(c.col))), text)
		switch {
		case f.lost:
			fact = fmt.Sprintf("%s has lost a reference (#REF!)", shorten(f.at(int(c.row), int(c.col))))
		case text == "#N/A":
			sev = formats.SeverityMedium
		}
		if c.kind == failed && total > 1 {
			fact += fmt.Sprintf("; %d cells of the workbook have errors", total)
		}
		a.hits.add(hit{kind: kindError, sheet: s.index, area: cellref.Block(int(c.row), int(c.col), int(c.row), int(c.col)),
			key: fmt.Sprint(c.form, text), severity: sev, fact: fact})
	})
}

// undefined reports a formula without a value that names what the workbook does not have.
// With a value it is another program's: that one knew the name.
func (a *auditing) undefined(s *sheet, c *cell, f *form) {
	if strings.Contains(f.skeleton, "LET(") || strings.Contains(f.skeleton, "LAMBDA(") {
		return // which define names; some programs write them without prefix
	}
	a.hits.add(hit{kind: kindError, sheet: s.index, area: one(c), key: f.undefined, severity: formats.SeverityHigh,
		fact: fmt.Sprintf("%s names %s, which is not defined in the workbook; it will give #NAME?", shorten(f.at(int(c.row), int(c.col))), shorten(f.undefined))})
}

// readsAny reports whether a formula reads any cell of the sets, but for its own.
func (a *auditing) readsAny(s *sheet, c *cell, sets []*cellref.Set) bool {
	for n, b := range a.blocksRead(s, c) {
		if sets[n].Meets(b) {
			return true
		}
	}
	return false
}

// sources reports the formulas that read other workbooks and those without a
// value, once for each sheet.
func (a *auditing) sources(ctx context.Context) {
	type place struct {
		n     int
		first *cell
	}
	for _, s := range a.sheets {
		if ctx.Err() != nil {
			return
		}
		links, missing := map[string]*place{}, place{}
		var order []string
		for k := range s.cells {
			c := &s.cells[k]
			if c.form < 0 {
				continue
			}
			if c.kind == noValue {
				if missing.n++; missing.first == nil {
					missing.first = c
				}
			}
			for _, l := range a.forms[c.form].external {
				if links[l] == nil {
					links[l], order = &place{first: c}, append(order, l)
				}
				links[l].n++
			}
		}
		if a.wants(kindExternal) {
			for _, l := range order {
				p := links[l]
				a.hits.add(hit{kind: kindExternal, sheet: s.index, area: one(p.first), key: l, severity: formats.SeverityLow,
					fact: fmt.Sprintf("%d formulas read the other workbook %s, the first here; their values may be out of date", p.n, l)})
			}
		}
		if a.wants(kindNoValue) && missing.n > 0 {
			a.hits.add(hit{kind: kindNoValue, sheet: s.index, area: one(missing.first), severity: formats.SeverityLow,
				fact: fmt.Sprintf("%d formulas of the sheet have no stored value, the first here", missing.n), expected: "a value; recalculate fills it in"})
		}
	}
}

// one returns the range of a cell.
func one(c *cell) cellref.Range {
	return cellref.Block(int(c.row), int(c.col), int(c.row), int(c.col))
}

// inputWords are parts of the names of sheets that hold inputs.
var inputWords = []string{"input", "assumption", "param", "driver", "annahme", "eingabe", "hypoth"}

// unusedInputs reports numbers on sheets of inputs that no formula reads.
// Charts, rules and macros may read them.
func (a *auditing) unusedInputs(ctx context.Context) error {
	used := make([]*cellref.Set, len(a.sheets))
	for i := range used {
		used[i] = &cellref.Set{}
	}
	seen := map[string]bool{}
	work := 0
	unsure := false
	a.eachFormula(ctx, func(s *sheet, c *cell) {
		f := a.forms[c.form]
		unsure = unsure || f.unsure
		for i := range f.refs {
			r := &f.refs[i]
			b, ok := f.block(r, int(c.row), int(c.col))
			from, to := r.sheet, r.last
			if r.sheet == ownSheet {
				from, to = s.index, s.index
			}
			for k := from; ok && k <= to; k++ {
				b.C2 = min(b.C2, b.C1+1000)
				key := fmt.Sprint(k, b)
				if len(seen) < maxHits && seen[key] || work > maxValueWork {
					continue
				}
				seen[key] = len(seen) < maxHits
				work += (b.C2 - b.C1 + 1) * (1 + (b.R2-b.R1)/64)
				used[k].AddRange(b)
			}
		}
	})
	if unsure || work > maxValueWork {
		a.unseen = append(a.unseen, "unused inputs: some formulas may read any cell, or there are too many")
		return ctx.Err()
	}
	for _, s := range a.sheets {
		low := strings.ToLower(s.info.Name)
		like := false
		for _, w := range inputWords {
			like = like || strings.Contains(low, w)
		}
		if !like || used[s.index].Empty() {
			continue
		}
		for k := range s.cells {
			if c := &s.cells[k]; c.constant() && !headerLike(c.num) && !used[s.index].Has(int(c.row), int(c.col)) {
				a.hits.add(hit{kind: kindUnused, sheet: s.index, area: one(c), key: "", severity: formats.SeverityLow,
					fact: fmt.Sprintf("the input %s is read by no formula", a.show(c))})
			}
		}
	}
	return ctx.Err()
}
