package docx

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/internal/seqdiff"
)

// entry is one line of a story with what is to be said about it: an item where
// its text changed, and notes on its looks.
type entry struct {
	item  formats.DiffItem // Change is "" where the text is the same
	at    string
	text  string
	notes []note
	cell  bool
}

// longParagraph bounds what is taken apart to say how it looks.
const longParagraph = 1 << 20

// oneSided reports a line that is on one side only.
func (c *comparison) oneSided(s *storyText, i int, change formats.Change, empty *emptyLines) *entry {
	l := s.lines[i]
	if l.node.kind == paraNode && l.text == "" {
		if holdsNothing(s.part.rawNode(l.node)) {
			empty.add(l.address, change)
		}
		return nil
	}
	c.countWhole(l)
	e := &entry{at: l.address, item: formats.DiffItem{Change: change, At: l.address}}
	if change == formats.Removed {
		e.item.Old = l.text
		return e
	}
	e.item.New = l.text
	switch {
	case l.node.kind == paraNode:
		e.item.Notes = c.looks(s, i)
	case strings.TrimSpace(l.text) == "":
		e.item.Notes = []string{"an empty row"}
	}
	return e
}

// holdsNothing reports whether a paragraph holds nothing that the inventory
// reports.
func holdsNothing(raw []byte) bool {
	for _, s := range []string{"drawing", "pict", "object", "AlternateContent", ":br", "oMath", "sectPr", "fldChar", "fldSimple", "Reference", ":sym", "altChunk"} {
		if bytes.Contains(raw, []byte(s)) {
			return false
		}
	}
	return true
}

// looks returns how a new paragraph looks, as far as it is not as the one
// before.
func (c *comparison) looks(s *storyText, i int) []string {
	l := s.lines[i]
	if l.node.end-l.node.start > longParagraph {
		return nil
	}
	was := &profile{props: propSet{}}
	if i > 0 && s.lines[i-1].node.kind == paraNode && s.lines[i-1].node.end-s.lines[i-1].node.start < longParagraph {
		n := s.lines[i-1].node
		was = c.b.profileOf(s.part, s.part.elementAt(n.start, n.end))
	}
	p := c.b.profileOf(s.part, s.part.elementAt(l.node.start, l.node.end))
	var out []string
	say := func(list []propChange) {
		for _, ch := range list {
			if ch.now != "" && !strings.HasPrefix(ch.name, "mark ") {
				out = append(out, ch.now)
			}
		}
	}
	say(was.props.changesTo(p.props))
	say(was.usual().changesTo(p.usual()))
	return out
}

// line compares two lines that belong together.
func (c *comparison) line(old, now *storyText, a, b line, moved bool, shifts map[*node]shift) []*entry {
	if b.node.kind == rowNode {
		return c.row(old, now, a, b, moved, shifts)
	}
	e := &entry{at: b.address, text: b.text, notes: c.paragraph(old.part, a.node, now.part, b.node)}
	switch {
	case moved:
		c.moved++
		e.item = formats.DiffItem{Change: formats.Moved, At: b.address, From: a.address, New: b.text}
	case a.text != b.text:
		c.paragraphs++
		e.item = formats.DiffItem{Change: formats.Modified, At: b.address, Old: a.text, New: b.text}
	}
	return []*entry{e}
}

// paragraph pairs two paragraphs and says how the looks of one differ from those
// of the other.
func (c *comparison) paragraph(pa *part, a *node, pb *part, b *node) []note {
	c.a.counterpart[a], c.b.counterpart[b] = b, a
	rawA, rawB := pa.rawNode(a), pb.rawNode(b)
	if bytes.Equal(rawA, rawB) {
		if !pa.leads(rawA) && !pb.leads(rawB) && sameCell(pa, a.parent, pb, b.parent) {
			c.a.same[a], c.b.same[b] = true, true
		}
		return nil
	}
	if len(rawA) > longParagraph || len(rawB) > longParagraph {
		return []note{{propChange: propChange{name: "long", note: "formatting or details of a very long paragraph changed"}, partial: true}}
	}
	return c.a.profileOf(pa, pa.elementAt(a.start, a.end)).notesTo(c.b.profileOf(pb, pb.elementAt(b.start, b.end)))
}

// sameCell reports whether two paragraphs are in like cells of like tables, so
// that what can be seen of one can be seen of the other.
func sameCell(pa *part, a *node, pb *part, b *node) bool {
	for ; a != nil && b != nil; a, b = a.parent, b.parent {
		if (a.kind == cellNode || a.kind == tableNode) && pa.raw(a.props) != pb.raw(b.props) {
			return false
		}
	}
	return a == nil && b == nil
}

// leads reports whether a paragraph may hold the id of a relationship.
func (p *part) leads(raw []byte) bool {
	if p.relPrefix == "" {
		p.relPrefix = "r:"
		head := p.doc[:min(len(p.doc), 16<<10)]
		if i := bytes.Index(head, []byte(`="`+nsR+`"`)); i >= 0 {
			if j := bytes.LastIndex(head[:i], []byte("xmlns:")); j >= 0 {
				p.relPrefix = string(head[j+len("xmlns:"):i]) + ":"
			}
		}
	}
	return bytes.Contains(raw, []byte(p.relPrefix)) || bytes.Contains(raw, []byte("relationships")) || bytes.Contains(raw, []byte("sectPr"))
}

// shift is the columns that a table got or lost: n cells of each row at index.
type shift struct{ index, n int }

// columnShifts finds the tables whose rows all got, or lost, the same number of
// cells at one place.
func (c *comparison) columnShifts(old, now *storyText, steps []seqdiff.Step) map[*node]shift {
	type rows struct{ a, b []*node }
	tables := map[*node]*rows{}
	var order []*node
	for _, s := range steps {
		if s.A < 0 || s.B < 0 || now.lines[s.B].node.kind != rowNode {
			continue
		}
		a, b := old.lines[s.A].node, now.lines[s.B].node
		t := b.parent
		c.pairTables(a.parent, t)
		if tables[t] == nil {
			tables[t] = &rows{}
			order = append(order, t)
		}
		tables[t].a, tables[t].b = append(tables[t].a, a), append(tables[t].b, b)
	}
	out := map[*node]shift{}
	for _, t := range order {
		r := tables[t]
		n := len(r.b[0].kidsOf(cellNode)) - len(r.a[0].kidsOf(cellNode))
		fits := n != 0 && n > -20 && n < 20
		for i := range r.a {
			fits = fits && len(r.b[i].kidsOf(cellNode))-len(r.a[i].kidsOf(cellNode)) == n
		}
		if !fits {
			continue
		}
		if index, ok := c.shiftAt(old, now, r.a, r.b, n); ok {
			out[t] = shift{index, n}
			c.columnFact(old, now, t, r.a, r.b, out[t])
		}
	}
	return out
}

func (c *comparison) pairTables(a, b *node) {
	if c.a.counterpart[a] == nil && c.b.counterpart[b] == nil {
		c.a.counterpart[a], c.b.counterpart[b] = b, a
	}
}

// shiftAt returns where the cells that were added or removed stand, judged by
// the others, which must be the same in most rows.
func (c *comparison) shiftAt(old, now *storyText, a, b []*node, n int) (int, bool) {
	best, at := 0, 0
	const most = 200 // rows are enough to judge by
	width := min(len(a[0].kidsOf(cellNode)), len(b[0].kidsOf(cellNode)))
	if width > 100 {
		return 0, false
	}
	var textsA, textsB [][]string
	for i := range min(len(a), most) {
		textsA = append(textsA, c.cellTexts(c.a, old.part, a[i]))
		textsB = append(textsB, c.cellTexts(c.b, now.part, b[i]))
	}
	for index := 0; index <= width; index++ {
		hits := 0
		for i := range textsA {
			long, short := textsB[i], textsA[i]
			if n < 0 {
				long, short = short, long
			}
			k := max(n, -n)
			if index <= len(short) && slices.Equal(long[:index], short[:index]) && slices.Equal(long[index+k:], short[index:]) {
				hits++
			}
		}
		if hits > best {
			best, at = hits, index
		}
	}
	return at, best*2 > len(textsA)
}

// cellTexts returns the texts of a row's cells.
func (c *comparison) cellTexts(s *comparedSide, p *part, row *node) []string {
	v := &view{styles: s.styles}
	var out []string
	for _, k := range row.kidsOf(cellNode) {
		texts, _ := v.cell(context.WithoutCancel(s.ctx), p, k) // callers count on every cell
		out = append(out, strings.Join(texts, " "))
	}
	return out
}

// columnFact reports columns that are new or gone, with their texts.
func (c *comparison) columnFact(old, now *storyText, t *node, a, b []*node, s shift) {
	side, st, rows, change := c.b, now, b, formats.Added
	if s.n < 0 {
		side, st, rows, change = c.a, old, a, formats.Removed
	}
	k := max(s.n, -s.n)
	var texts []string
	for _, r := range rows {
		cells := c.cellTexts(side, st.part, r)
		texts = append(texts, strings.Join(cells[s.index:s.index+k], " | "))
		if len(texts) == 500 {
			texts = append(texts, "…")
			break
		}
	}
	at := fmt.Sprintf("%s, column %d", c.b.place(t), s.index+1)
	if k > 1 {
		at = fmt.Sprintf("%s, columns %d–%d", c.b.place(t), s.index+1, s.index+k)
	}
	text := clip("“"+strings.Join(texts, "”, “")+"”", 4000)
	if change == formats.Added {
		c.addFact(formats.FactColumns, change, at, "", text, "")
	} else {
		c.addFact(formats.FactColumns, change, at, text, "", "")
	}
}

// row compares the cells of two rows that belong together.
func (c *comparison) row(old, now *storyText, a, b line, moved bool, shifts map[*node]shift) []*entry {
	c.a.counterpart[a.node], c.b.counterpart[b.node] = b.node, a.node
	was, is := c.cellTexts(c.a, old.part, a.node), c.cellTexts(c.b, now.part, b.node)
	cellsA, cellsB := a.node.kidsOf(cellNode), b.node.kidsOf(cellNode)
	sh, shifted := shifts[b.node.parent]
	var out []*entry
	if moved {
		c.moved++
		out = append(out, &entry{at: b.address, item: formats.DiffItem{Change: formats.Moved, At: b.address, From: a.address, New: b.text}})
	}
	whole := len(cellsA) != len(cellsB) && !shifted
	if whole {
		c.rows++
		out = append(out, &entry{at: b.address, item: formats.DiffItem{Change: formats.Modified, At: b.address, Old: a.text, New: b.text}})
	}
	for _, p := range pairCells(was, is, sh) {
		ca, cb := cellsA[p[0]], cellsB[p[1]]
		c.a.counterpart[ca], c.b.counterpart[cb] = cb, ca
		if bytes.Equal(old.part.rawNode(ca), now.part.rawNode(cb)) && len(cellsA) == len(cellsB) {
			c.blocks(old.part, ca, now.part, cb)
			continue
		}
		e := &entry{at: fmt.Sprintf("%s.c%d", b.address, p[1]), text: is[p[1]], cell: true}
		var split bool
		e.notes, split = c.blocks(old.part, ca, now.part, cb)
		switch {
		case was[p[0]] != is[p[1]] && !whole:
			c.cells++
			e.item = formats.DiffItem{Change: formats.Modified, At: e.at, Old: was[p[0]], New: is[p[1]]}
		case split && was[p[0]] == is[p[1]]:
			n, m := len(ca.kidsOf(paraNode)), len(cb.kidsOf(paraNode))
			e.notes = append(e.notes, note{propChange: propChange{name: "paragraphs", note: fmt.Sprintf("paragraphs in the cell: %d → %d", n, m)}, partial: true})
		}
		out = append(out, e)
	}
	return out
}

// pairCells pairs the cells of two rows by index, past the columns that are new
// or gone; where a row has others, by text.
func pairCells(was, is []string, s shift) [][2]int {
	var out [][2]int
	switch {
	case s.n != 0 || len(was) == len(is):
		for i := range min(len(was), len(is)) {
			a, b := i, i
			if i >= s.index {
				a, b = i+max(0, -s.n), i+max(0, s.n)
			}
			out = append(out, [2]int{a, b})
		}
	default:
		for _, st := range seqdiff.Lists(len(was), len(is), seqdiff.Options{KeyA: func(i int) uint64 { return textKey(was[i]) }, KeyB: func(j int) uint64 { return textKey(is[j]) }}) {
			if st.A >= 0 && st.B >= 0 && !st.Moved {
				out = append(out, [2]int{st.A, st.B})
			}
		}
	}
	return out
}

// blocks compares the paragraphs and tables of two cells; split says that they
// are not the same paragraphs.
func (c *comparison) blocks(pa *part, a *node, pb *part, b *node) (notes []note, split bool) {
	parasA, parasB := a.kidsOf(paraNode), b.kidsOf(paraNode)
	texts := func(p *part, list []*node) []string {
		out := make([]string, len(list))
		for i, n := range list {
			out[i] = p.paras[n.para].Text()
		}
		return out
	}
	ta, tb := texts(pa, parasA), texts(pb, parasB)
	split = !slices.Equal(ta, tb)
	for _, s := range pairCells(ta, tb, shift{}) {
		notes = append(notes, c.paragraph(pa, parasA[s[0]], pb, parasB[s[1]])...)
	}
	tablesA, tablesB := a.kidsOf(tableNode), b.kidsOf(tableNode)
	split = split || len(tablesA) != len(tablesB)
	for i := range min(len(tablesA), len(tablesB)) {
		c.pairTables(tablesA[i], tablesB[i])
		rowsA, rowsB := tablesA[i].kidsOf(rowNode), tablesB[i].kidsOf(rowNode)
		split = split || len(rowsA) != len(rowsB)
		for r := range min(len(rowsA), len(rowsB)) {
			c.a.counterpart[rowsA[r]], c.b.counterpart[rowsB[r]] = rowsB[r], rowsA[r]
			cellsA, cellsB := rowsA[r].kidsOf(cellNode), rowsB[r].kidsOf(cellNode)
			split = split || len(cellsA) != len(cellsB)
			for k := range min(len(cellsA), len(cellsB)) {
				c.a.counterpart[cellsA[k]], c.b.counterpart[cellsB[k]] = cellsB[k], cellsA[k]
				more, other := c.blocks(pa, cellsA[k], pb, cellsB[k])
				notes, split = append(notes, more...), split || other
			}
		}
	}
	return notes, split
}

func (p *part) rawNode(n *node) []byte { return p.doc[n.start:n.end] }
