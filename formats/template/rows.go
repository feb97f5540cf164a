package template

import (
	"strconv"
	"strings"

	"atelier/internal/lazyregexp"
)

// block is rows of a sheet that are repeated or left out.
type block struct {
	name        string
	first, last int // rows that repeat
	open, end   int // rows of the tags; first and last where these are in them
	scopes      []*scope
	condition   bool
}

func inBlocks(list []block, row int) bool {
	for _, b := range list {
		if row >= b.open && row <= b.end {
			return true
		}
	}
	return false
}

// sheetRow is the text of a row with its tags.
type sheetRow struct {
	row  int
	list []token
	only bool // it has one control tag and nothing else
}

// blocks finds the blocks of a sheet from top to bottom.
func (w *bookFiller) blocks(s *sheet) (out []block) {
	rows := w.rowsOf(s)
	for i := 0; i < len(rows); i++ {
		r := rows[i]
		if len(r.list) == 0 {
			continue
		}
		b, otherwise, next, ok := w.blockAt(rows, i, s)
		if ok {
			out = append(out, b)
		}
		if otherwise != nil {
			out = append(out, *otherwise)
		}
		i = next
	}
	return out
}

// rowsOf lists the rows of a sheet that have something in them.
func (w *bookFiller) rowsOf(s *sheet) (rows []sheetRow) {
	for i := 0; i < len(s.cells); {
		r := sheetRow{row: s.cells[i].row}
		texts, formulas := []string{}, 0
		for ; i < len(s.cells) && s.cells[i].row == r.row; i++ {
			if s.cells[i].formula != "" {
				formulas++
			}
			if t := strings.TrimSpace(s.cells[i].text); t != "" {
				texts = append(texts, t)
			}
		}
		text := strings.Join(texts, "\n")
		r.list = w.tokens(text)
		r.only = formulas == 0 && len(r.list) == 1 && r.list[0].kind != valueToken && r.list[0].raw == text
		rows = append(rows, r)
	}
	return rows
}

// blockAt returns the block that begins in rows[i], the rows of its else, which are
// a block too, and the index of its last row.
func (w *bookFiller) blockAt(rows []sheetRow, i int, s *sheet) (b block, otherwise *block, last int, ok bool) {
	r := rows[i]
	place := func() string { return s.name + "!" + strconv.Itoa(r.row) }
	if r.only && r.list[0].opens() {
		return w.tagged(rows, i, s, place)
	}
	one := block{first: r.row, last: r.row, open: r.row, end: r.row}
	if first := r.list[0]; first.opens() {
		if otherwise, end := partner(r.list, 0); end == len(r.list)-1 && otherwise < 0 && end > 0 {
			one.name, one.condition = first.name, first.kind != eachToken
			one.scopes, ok = w.choose(first, w.around, place)
			for _, sc := range one.scopes {
				sc.strip = true
			}
			return one, nil, i, ok
		}
	}
	for _, t := range r.list {
		if t.kind != valueToken {
			continue
		}
		if l, isList := w.around.listOf(t.name); isList {
			one.name = l
			one.scopes, ok = w.around.each(l)
			w.tally.use(l)
			return one, nil, i, ok
		}
		if _, same := w.around.find(t.name); !same && len(w.records) > 1 && w.known[normal(t.name)] {
			one.name = "rows of the data"
			group := groupOf(w.records)
			for _, rec := range w.records {
				one.scopes = append(one.scopes, &scope{parent: w.around, item: rec, group: group})
			}
			return one, nil, i, true
		}
	}
	return one, nil, i, false
}

// tagged returns the block whose opening tag has rows[i] for itself.
func (w *bookFiller) tagged(rows []sheetRow, i int, s *sheet, place func() string) (b block, no *block, last int, ok bool) {
	first := rows[i].list[0]
	var tags []token
	for k := i; k < len(rows); k++ {
		if rows[k].only {
			t := rows[k].list[0]
			t.start = k
			tags = append(tags, t)
		}
	}
	condition := first.kind != eachToken
	otherwise, end := partner(tags, 0)
	if end < 0 || rows[tags[end].start].row == rows[i].row+1 || otherwise >= 0 && !condition {
		w.tally.loose(first.raw, place())
		return b, nil, i, false
	}
	last = tags[end].start
	scopes, ok := w.choose(first, w.around, place)
	if !ok {
		return b, nil, last, false
	}
	b = block{first.name, rows[i].row + 1, rows[last].row - 1, rows[i].row, rows[last].row, scopes, condition}
	if otherwise >= 0 {
		middle := rows[tags[otherwise].start].row
		no = &block{first.name, middle + 1, b.last, middle, b.end, nil, true}
		if b.last, b.end = middle-1, middle-1; len(scopes) == 0 {
			no.scopes = []*scope{w.around}
		}
	}
	return b, no, last, true
}

var (
	reference = lazyregexp.New(`(^|[^A-Za-z0-9_.!'$])(\$?[A-Z]{1,3}\$?)(\d+)(?::(\$?[A-Z]{1,3}\$?)(\d+))?`)
	oneCell   = lazyregexp.New(`\b(SUM|AVERAGE|MIN|MAX|COUNT|COUNTA|PRODUCT)\((\$?[A-Z]{1,3}\$?)(\d+)\)`)
)

// grownFormula returns a formula as it is after added rows came behind a block,
// with ranges that end with the block's last row longer by them.
func grownFormula(f string, b block, added int) (string, bool) {
	if strings.ContainsAny(f, `!"[`) {
		return f, false
	}
	f = oneCell.ReplaceAllStringFunc(f, func(m string) string {
		g := oneCell.FindStringSubmatch(m)
		if row, _ := strconv.Atoi(g[3]); row >= b.first && row <= b.last && b.first == b.last {
			return g[1] + "(" + g[2] + g[3] + ":" + g[2] + g[3] + ")"
		}
		return m
	})
	grown := false
	moved := func(row int) string {
		if row > b.last {
			row += added
		}
		return strconv.Itoa(row)
	}
	out := reference.ReplaceAllStringFunc(f, func(m string) string {
		g := reference.FindStringSubmatch(m)
		from, _ := strconv.Atoi(g[3])
		if g[5] == "" {
			return g[1] + g[2] + moved(from)
		}
		to, _ := strconv.Atoi(g[5])
		if to == b.last && from <= to {
			grown = true
			return g[1] + g[2] + g[3] + ":" + g[4] + strconv.Itoa(to+added)
		}
		return g[1] + g[2] + moved(from) + ":" + g[4] + moved(to)
	})
	return out, grown
}
