package audit

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
)

// Map says what the sheets of a workbook are for and what they read from each
// other.
type Map struct {
	Sheets        []SheetRole `json:"sheets"`
	SheetsOmitted int         `json:"sheets_omitted,omitempty"`
	Flows         []string    `json:"flows,omitempty"` // "Inputs → Costs: 24 formulas"
	FlowsOmitted  int         `json:"flows_omitted,omitempty"`
}

// SheetRole is one sheet of a Map.
type SheetRole struct {
	Name     string `json:"name"`
	Role     string `json:"role"` // inputs, data, calculation, output, text, empty
	Range    string `json:"range,omitempty"`
	Numbers  int    `json:"numbers,omitempty"` // typed
	Formulas int    `json:"formulas,omitempty"`
	Distinct int    `json:"distinct_formulas,omitempty"`
}

const (
	maxMapSheets = 30
	maxMapFlows  = 30
)

// flows makes the map.
func (m *model) flows() *Map {
	type pair struct{ from, to int }
	counts := map[pair]int{}
	feeds := map[int]bool{}
	out := &Map{Sheets: []SheetRole{}}
	var roles []SheetRole
	reads := map[int]bool{}
	for _, s := range m.sheets {
		role := SheetRole{Name: s.info.Name, Range: s.used().String()}
		distinct := map[int32]bool{}
		for i := range s.cells {
			c := &s.cells[i]
			if c.constant() {
				role.Numbers++
			}
			if c.form < 0 {
				continue
			}
			role.Formulas++
			distinct[c.form] = true
			from := map[int]bool{}
			for k := range m.forms[c.form].refs {
				if r := &m.forms[c.form].refs[k]; r.sheet >= 0 && r.sheet != s.index {
					from[r.sheet] = true
				}
			}
			for f := range from {
				counts[pair{f, s.index}]++
				feeds[f], reads[s.index] = true, true
			}
		}
		role.Distinct = len(distinct)
		roles = append(roles, role)
	}
	for i := range roles {
		roles[i].Role = roleOf(&roles[i], len(m.sheets[i].cells), feeds[i], reads[i])
	}
	out.Sheets = roles[:min(len(roles), maxMapSheets)]
	out.SheetsOmitted = len(roles) - len(out.Sheets)
	var pairs []pair
	for p := range counts {
		pairs = append(pairs, p)
	}
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Or(counts[b]-counts[a], a.from-b.from, a.to-b.to) })
	for _, p := range pairs[:min(len(pairs), maxMapFlows)] {
		out.Flows = append(out.Flows, fmt.Sprintf("%s → %s: %d formulas", m.sheets[p.from].info.Name, m.sheets[p.to].info.Name, counts[p]))
	}
	out.FlowsOmitted = len(pairs) - len(out.Flows)
	return out
}

// roleOf guesses what a sheet is for.
func roleOf(r *SheetRole, cells int, feeds, reads bool) string {
	switch {
	case cells == 0:
		return "empty"
	case r.Formulas == 0 && r.Numbers == 0:
		return "text"
	case r.Formulas == 0 && feeds:
		return "inputs"
	case r.Formulas == 0:
		return "data"
	case reads && !feeds:
		return "output"
	}
	return "calculation"
}

// Trace is what a cell reads and what reads it.
type Trace struct {
	Cell     string   `json:"cell"`
	Value    string   `json:"value,omitempty"`
	Formula  string   `json:"formula,omitempty"`
	Unsure   bool     `json:"reads_more,omitempty"` // it reads cells that are not known, as INDIRECT does
	Reads    []Linked `json:"reads,omitempty"`
	ReadBy   []Linked `json:"read_by,omitempty"`
	More     int      `json:"read_by_more,omitempty"` // ranges that ReadBy leaves out
	Possible int      `json:"read_by_possibly,omitempty"`
}

// Linked is a cell or range of a Trace.
type Linked struct {
	At      string `json:"at"`
	Value   string `json:"value,omitempty"`
	Formula string `json:"formula,omitempty"`
	Numbers int    `json:"numbers,omitempty"` // in a range
}

// maxLinked bounds the lists of a Trace.
const maxLinked = 40

// trace finds the precedents and dependents of a cell.
func (m *model) trace(ctx context.Context, s *sheet, at cellref.Cell) (*Trace, error) {
	t := &Trace{Cell: s.address(cellref.Block(at.Row, at.Col, at.Row, at.Col))}
	c := s.at(at.Row, at.Col)
	t.Value = m.show(c)
	if c != nil && c.form > 0 {
		f := m.forms[c.form]
		t.Formula, t.Unsure = shorten(f.at(at.Row, at.Col)), f.unsure
		for i := range f.refs {
			r := &f.refs[i]
			if b, ok := f.block(r, at.Row, at.Col); ok && len(t.Reads) < maxLinked {
				on := s
				if r.sheet >= 0 {
					on = m.sheets[r.sheet]
				}
				t.Reads = append(t.Reads, m.linked(on, b))
			}
		}
	}
	a := auditing{model: m}
	a.eachFormula(ctx, func(on *sheet, x *cell) {
		f := m.forms[x.form]
		if f.reads(on.index, s.index, int(x.row), int(x.col), at) {
			a.hits.add(hit{kind: "read", sheet: on.index, area: one(x), key: fmt.Sprint(x.form), severity: formats.SeverityLow})
		} else if f.unsure {
			t.Possible++
		}
	})
	for _, h := range a.hits.joined() {
		if len(t.ReadBy) == maxLinked {
			t.More++
			continue
		}
		t.ReadBy = append(t.ReadBy, m.linked(m.sheets[h.sheet], h.area))
	}
	return t, ctx.Err()
}

// linked describes a range: the value and formula of its first cell, and how
// many numbers it has.
func (m *model) linked(s *sheet, b cellref.Range) Linked {
	l := Linked{At: s.address(b)}
	if b.R1 == b.R2 && b.C1 == b.C2 {
		l.Value = m.show(s.at(b.R1, b.C1))
	} else {
		s.each(b, func(c *cell) bool {
			if c.kind == number {
				l.Numbers++
			}
			return true
		})
	}
	if c := s.at(b.R1, b.C1); c != nil && c.form > 0 {
		l.Formula = shorten(m.forms[c.form].at(b.R1, b.C1))
	}
	return l
}
