package xlsx

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// rowSorter reads the rows of a range and puts them into an order.
type rowSorter struct {
	moved   *movedRows
	facts   *facts
	values  sortKeys // len(columns) for each row, in the order of columns
	columns []int    // that the rows are sorted by
	rect    cellref.Range
	hidden  []int // hidden rows among them, in order
	reading int   // formulas that read other rows
	strings *book.SharedStrings
	col     *collate.Collator
	buf     collate.Buffer
	twice   bool            // the row that is read was there before
	byForm  [][]int         // for each of moved.forms the cells of the columns; -1 for none
	texts   map[int]sortKey // of shared strings
}

// maxSortValues bounds the values that rows are sorted by: of each row one for each
// column.
const maxSortValues = 6 << 20

var errSortValues = formats.Errorf(formats.CodeTooLarge, "the rows times the columns in by are more than %d; take fewer columns or a smaller range", maxSortValues)

// readSorted reads the cells of r of sheet i with what they are sorted by. ok is false
// where there are array formulas among them, or members of a shared formula before it.
func (e *structure) readSorted(ctx context.Context, i int, r cellref.Range, columns []int, strings *book.SharedStrings) (s *rowSorter, ok bool, err error) {
	s = &rowSorter{columns: columns, strings: strings, col: collate.New(language.Und, collate.IgnoreCase), texts: map[int]sortKey{}}
	s.moved = &movedRows{block: r}
	e.wb.temporary = append(e.wb.temporary, s.moved)
	b := &block{facts: &facts{shared: map[int]book.SharedFormula{}}, room: e.wb.Allowance}
	budget := maxHeldFormulas
	o := scanOptions{budget: &budget}
	arrays := false
	o.each = func(sc *sheetml.RowScanner) error {
		if sc.Cell.HasFormula && !arrays {
			fa := sheetml.ReadFormulaAttrs(sc.Text(sc.Cell.FormulaTag))
			arrays = arrays || !fa.Ref.Empty() && fa.Kind != "shared" && meets(fa.Ref, r)
			if fa.Kind == "shared" {
				arrays = b.master(sc, fa.SharedIndex) || arrays
			}
		}
		if arrays || !r.Has(sc.Cell.Row, sc.Cell.Col) {
			return nil
		}
		return s.add(sc, b)
	}
	o.row = func(sc *sheetml.RowScanner) {
		if sc.Row < r.R1 || sc.Row > r.R2 {
			return
		}
		row := s.moved.row(sc.Row)
		s.twice = row.inFile || row.size > 0
		row.inFile = true
		if hiddenRow(sc.Raw()[sc.Start:]) {
			s.hidden = append(s.hidden, sc.Row)
		}
	}
	o.alike = func(sc *sheetml.RowScanner, f *sheetml.RowForm, texts []sheetml.Span) (bool, error) {
		if sc.Row < r.R1 || sc.Row > r.R2 {
			return true, nil
		}
		if arrays || s.twice {
			return false, nil
		}
		return s.addRow(sc, f, texts)
	}
	s.facts, err = scanSheet(ctx, e.wb.Package, e.wb.Sheets[i], o)
	if err == nil && (s.rect.R2-r.R1)*len(columns) > maxSortValues {
		err = errSortValues
	}
	return s, !arrays, err
}

// master notes the master of a shared formula; lacks reports that the scanner's cell is
// a member whose master was not there yet.
func (b *block) master(sc *sheetml.RowScanner, n int) (lacks bool) {
	if c := &sc.Cell; c.Formula.End > c.Formula.Start {
		b.facts.shared[n] = book.SharedFormula{Text: sheetml.CharData(sc.Text(c.Formula)), Row: c.Row, Col: c.Col}
	}
	_, known := b.facts.shared[n]
	return !known
}

// add takes in the scanner's cell.
func (s *rowSorter) add(sc *sheetml.RowScanner, b *block) (err error) {
	s.moved.prefix = sc.Prefix
	c := &sc.Cell
	style := 0
	if c.HasStyle && c.Style > 0 {
		style = c.Style
	}
	var v, is []byte
	if c.Value.OK() {
		v = sc.Text(c.Value)
	}
	if c.Inline.OK() {
		is = sc.Text(c.Inline)
	}
	switch {
	case c.HasFormula:
		taken, err := b.take(sc)
		if err != nil {
			return err
		}
		if readsOtherRows(taken.f, c.Row) {
			s.reading++
		}
		err = s.moved.addFormula(c.Row, c.Col, style, taken.f)
		s.rect.Add(c.Row, c.Col)
		if err != nil {
			return err
		}
	case len(v)+len(is)+style > 0:
		if err := s.moved.addValue(c.Row, c.Col, style, c.Type, v, is); err != nil {
			return err
		}
		s.rect.Add(c.Row, c.Col)
	}
	for k, key := range s.columns {
		if key != c.Col {
			continue
		}
		at := (c.Row - s.moved.block.R1) * len(s.columns)
		if at > maxSortValues {
			return errSortValues
		}
		s.values.grow(at + len(s.columns))
		s.values.set(at+k, s.key(c.Type, v, is))
	}
	return nil
}

// addRow takes in the scanner's row of a form; false where it has to be taken in cell by
// cell.
func (s *rowSorter) addRow(sc *sheetml.RowScanner, f *sheetml.RowForm, texts []sheetml.Span) (bool, error) {
	if len(f.Cells) == 0 {
		return true, nil
	}
	s.moved.prefix = sc.Prefix
	n := s.moved.formOf(f)
	if n == 0 || s.moved.forms[n-1].columns == 0 {
		return false, nil
	}
	if err := s.moved.addRow(sc, n, texts); err != nil {
		return false, err
	}
	s.rect.Add(sc.Row, f.Cells[0].Col)
	s.rect.Add(sc.Row, f.Cells[len(f.Cells)-1].Col)
	at := (sc.Row - s.moved.block.R1) * len(s.columns)
	for k, i := range s.keysOf(n, f) {
		if i < 0 {
			continue
		}
		if at > maxSortValues {
			return false, errSortValues
		}
		c := &f.Cells[i]
		var v, is []byte
		if c.ValueText >= 0 {
			v = sc.Text(texts[c.ValueText])
		}
		if c.Run >= 0 {
			run := texts[c.Run]
			is = sc.Text(sheetml.Piece(run.Start-len(c.RunTag), run.End+len("</t>")))
		}
		s.values.grow(at + len(s.columns))
		s.values.set(at+k, s.key(c.Type, v, is))
	}
	if s.moved.forms[n-1].formulas {
		for i := range f.Cells {
			if c := &f.Cells[i]; c.Formula && readsOtherRows(sheetml.CharData(sc.Text(texts[c.FormulaText])), sc.Row) {
				s.reading++
			}
		}
	}
	return true, nil
}

// keysOf returns which cells of a form the columns are.
func (s *rowSorter) keysOf(n int, f *sheetml.RowForm) []int {
	for len(s.byForm) < n {
		s.byForm = append(s.byForm, nil)
	}
	if s.byForm[n-1] == nil {
		for _, col := range s.columns {
			s.byForm[n-1] = append(s.byForm[n-1], slices.IndexFunc(f.Cells, func(c sheetml.FormCell) bool { return c.Col == col }))
		}
	}
	return s.byForm[n-1]
}

// key is what a cell with the content of its v or is element is sorted by. Numbers and
// shared strings, which most cells have, take no memory here.
func (s *rowSorter) key(typ sheetml.CellType, v, is []byte) sortKey {
	if len(is) == 0 && len(v) > 0 && len(v) < 32 {
		switch typ {
		case sheetml.TypeNumber:
			if n, err := strconv.ParseFloat(string(v), 64); err == nil {
				return s.values.key(sortValue{rank: 1, number: n})
			}
		case sheetml.TypeShared:
			if key, ok := s.texts[sheetml.Atoi(sheetml.TrimSpace(v))]; ok {
				return key
			}
		}
	}
	return s.value(&blockCell{typ: typ, v: string(v), is: string(is)})
}

// value is what a cell is sorted by; of a text the key of its collation.
func (s *rowSorter) value(c *blockCell) sortKey {
	shared := -1
	if c.typ == sheetml.TypeShared && c.is == "" && c.v != "" {
		shared = sheetml.Atoi(sheetml.TrimSpace([]byte(c.v)))
		if key, ok := s.texts[shared]; ok {
			return key
		}
	}
	v := c.sortValue(s.strings)
	if v.rank == 2 {
		v.text = string(s.col.KeyFromString(&s.buf, v.text))
		s.buf.Reset()
	}
	key := s.values.key(v)
	if shared >= 0 && v.rank == 2 {
		s.texts[shared] = key
	}
	return key
}

// sort finds the order of the rows and returns how many of them move.
func (s *rowSorter) sort(by []SortKey) (moved int) {
	m, n := s.moved, len(s.columns)
	first, last := s.rect.R1-m.block.R1, s.rect.R2-m.block.R1
	m.row(s.rect.R2)
	s.values.grow((last + 1) * n)
	from := make([]int32, last+1)
	for k := range from {
		from[k] = int32(k)
	}
	slices.SortFunc(from[first:], func(x, y int32) int {
		for k := range n {
			if c := s.values.compare(int(x)*n+k, int(y)*n+k, bool(by[k].Descending)); c != 0 {
				return c
			}
		}
		return cmp.Compare(x, y)
	})
	s.values, s.texts = sortKeys{}, nil
	return m.order(from)
}

// known are the facts of the sheet for a plan that moves its rows: the groups of shared
// formulas whose masters move are written out.
func (s *rowSorter) known() *facts {
	for n, m := range s.facts.shared {
		if s.moved.has(m.Row, m.Col) {
			if s.facts.expand == nil {
				s.facts.expand = map[int]book.SharedFormula{}
			}
			s.facts.expand[n] = m
		}
	}
	m := s.moved
	for k := range m.from {
		s.facts.editedF = s.facts.editedF || int(m.from[k]) != k && m.rows.at(k).formulas
	}
	return s.facts
}

// former is the row whose cells come to a row.
func (s *rowSorter) former(row int) int {
	return s.moved.block.R1 + int(s.moved.from[row-s.moved.block.R1])
}

// saidOfReading tells of formulas, whose relative references move with them.
func (e *structure) saidOfReading(n int) {
	if n > 0 {
		e.warn("%s to other rows by relative references, which point as far as before from where the rows are now: such as a running total they read other cells", formats.Count(n, "formula refers", "formulas refer"))
	}
}
