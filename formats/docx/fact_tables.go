package docx

import (
	"bytes"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/inventory"
)

// addTables adds the tables of a part, those on both sides with what differs in
// their set-up.
func (s *comparedSide) addTables(p *part) {
	for _, n := range p.roots() {
		s.tablesIn(p, n)
	}
}

// roots returns the stories and text boxes of a part.
func (p *part) roots() []*node {
	return append(append([]*node{}, p.stories...), p.boxes...)
}

func (s *comparedSide) tablesIn(p *part, n *node) {
	for _, k := range n.kids {
		if k.kind == tableNode {
			s.addTable(p, k)
		}
		s.tablesIn(p, k)
	}
}

func (s *comparedSide) addTable(p *part, n *node) {
	at, key, was := s.blockPlace(n)
	mine := s.tableProps(p, n)
	t := inventory.Item{Kind: formats.FactTable, Key: key, At: at, Was: was, Sum: mine.sum()}
	if s.counterpart[n] == nil {
		rows, cols := n.kidsOf(rowNode), 0
		for _, r := range rows {
			cols = max(cols, len(r.kidsOf(cellNode)))
		}
		t.Text = strings.TrimSuffix(fmt.Sprintf("table of %s and %s, %s", formats.Count(len(rows), "row"), formats.Count(cols, "column"), mine.String()), ", ")
		t.Revertible = !s.before && n.parent.kind == storyNode
		t.WarnRemoved = "lost: a table of " + formats.Count(len(rows), "row")
	} else if theirs := s.other.tableProps(s.other.partOf(s.counterpart[n], p), s.counterpart[n]); theirs != nil {
		t.Text = mine.only(theirs).String()
	}
	s.in.Add(t)
}

// partOf returns the part of a block of this side that belongs to one in p.
func (s *comparedSide) partOf(n *node, p *part) *part {
	for n.parent != nil {
		n = n.parent
	}
	for _, st := range s.stories {
		if st.node == n {
			return st.part
		}
	}
	return p
}

func (s *comparedSide) tableProps(p *part, n *node) propSet {
	w := s.describer(p)
	out := propSet{}
	if n.props.end > 0 {
		out = w.props(p.elementAt(n.props.start, n.props.end), tableWords, nil)
	}
	if n.grid().end > 0 {
		w.addProp(out, p.elementAt(n.grid().start, n.grid().end), tableWords, nil)
	}
	return out
}

// rowsAndCells reports what differs in the set-up of rows and cells that are on
// both sides, alike ones together.
func (c *comparison) rowsAndCells(p *part) {
	var walk func(n *node)
	walk = func(n *node) {
		for _, k := range n.kids {
			if k.kind == tableNode {
				c.rowsOf(p, k)
			}
			walk(k)
		}
	}
	for _, n := range p.roots() {
		walk(n)
	}
}

func (c *comparison) rowsOf(p *part, t *node) {
	other := c.b.counterpart[t]
	if other == nil {
		return
	}
	pa := c.a.partOf(other, p)
	var entries []*entry
	compare := func(n *node, spans func(*node) []span) {
		o := c.b.counterpart[n]
		if o == nil {
			return
		}
		var was, now []byte
		for _, s := range spans(o) {
			was = append(was, pa.doc[s.start:s.end]...)
		}
		for _, s := range spans(n) {
			now = append(now, p.doc[s.start:s.end]...)
		}
		if bytes.Equal(was, now) {
			return
		}
		e := &entry{at: c.b.at[n]}
		for _, ch := range c.a.spanProps(pa, spans(o)).changesTo(c.b.spanProps(p, spans(n))) {
			e.notes = append(e.notes, note{propChange: ch})
		}
		entries = append(entries, e)
	}
	for _, r := range t.kidsOf(rowNode) {
		compare(r, func(n *node) []span { return []span{n.before(), n.props} })
	}
	for _, r := range t.kidsOf(rowNode) {
		for _, k := range r.kidsOf(cellNode) {
			compare(k, func(n *node) []span { return []span{n.props} })
		}
	}
	c.tableFacts(entries)
}

func (s *comparedSide) spanProps(p *part, spans []span) propSet {
	out := propSet{}
	for _, sp := range spans {
		if sp.end > 0 {
			put(out, "", s.describer(p).props(p.elementAt(sp.start, sp.end), tableWords, nil))
		}
	}
	return out
}

// stateChange returns what happened to a state that old and now say in words.
func stateChange(old, now string) formats.Change {
	switch {
	case old == "":
		return formats.Added
	case now == "":
		return formats.Removed
	}
	return formats.Changed
}

// tableFacts makes one fact of the rows or cells that changed alike.
func (c *comparison) tableFacts(entries []*entry) {
	type group struct {
		change propChange
		at     []string
	}
	groups := map[string]*group{}
	var order []*group
	for _, e := range entries {
		for _, n := range e.notes {
			k := n.name + "\x00" + n.note
			g := groups[k]
			if g == nil {
				g = &group{change: n.propChange}
				groups[k] = g
				order = append(order, g)
			}
			g.at = append(g.at, e.at)
		}
	}
	for _, g := range order {
		kind, change, warning := formats.FactTable, formats.Changed, ""
		switch g.change.name {
		case "gridSpan", "vMerge", "hMerge":
			kind, change = formats.FactMerge, stateChange(g.change.old, g.change.now)
		case "hidden":
			kind, change = formats.FactHiddenRows, stateChange(g.change.old, g.change.now)
			if g.change.now != "" && !strings.HasPrefix(g.change.now, "no ") {
				warning = "rows of a table are hidden"
			}
		}
		c.addFact(kind, change, ranges(g.at), g.change.old, g.change.now, warning)
	}
}
