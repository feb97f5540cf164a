package xlsx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats/xlsx/internal/cellref"
)

// A modelSheet is a sheet in memory in which rows and columns have identities
// instead of numbers. An insertion adds identities and a deletion removes them,
// so that nothing in the model calculates how a reference moves.
type modelSheet struct {
	next       int
	rows, cols []int
	cells      map[[2]int]string      // by identities of row and column: text
	refs       map[[2]int][2]int      // cells with a formula → the cell it refers to
	sums       map[[2]int]*modelBlock // cells with a formula → the block it adds up
	merges     []*modelBlock
	lists      []*modelBlock // data validations
	name       *modelBlock   // the block of the defined name Block
}

// modelBlock is a block of cells by the identities of its rows and columns.
type modelBlock struct{ rows, cols map[int]bool }

func newModelSheet(rows, cols int) *modelSheet {
	m := &modelSheet{cells: map[[2]int]string{}, refs: map[[2]int][2]int{}, sums: map[[2]int]*modelBlock{}}
	m.insert(true, 0, rows)
	m.insert(false, 0, cols)
	return m
}

func (m *modelSheet) blocks() []*modelBlock {
	all := slices.Concat(m.merges, m.lists)
	if m.name != nil {
		all = append(all, m.name)
	}
	for _, b := range m.sums {
		all = append(all, b)
	}
	return all
}

// insert adds n rows (or columns) before index at. A block that continues on
// both sides of them contains them too.
func (m *modelSheet) insert(rows bool, at, n int) {
	list := &m.rows
	if !rows {
		list = &m.cols
	}
	var fresh []int
	for range n {
		m.next++
		fresh = append(fresh, m.next)
	}
	for _, b := range m.blocks() {
		ids := b.side(rows)
		if at > 0 && at < len(*list) && ids[(*list)[at-1]] && ids[(*list)[at]] {
			for _, id := range fresh {
				ids[id] = true
			}
		}
	}
	*list = slices.Insert(*list, at, fresh...)
}

func (m *modelSheet) remove(rows bool, at, n int) {
	list := &m.rows
	if !rows {
		list = &m.cols
	}
	gone := (*list)[at : at+n]
	for _, b := range m.blocks() {
		for _, id := range gone {
			delete(b.side(rows), id)
		}
	}
	*list = slices.Delete(slices.Clone(*list), at, at+n)
}

func (b *modelBlock) side(rows bool) map[int]bool {
	if rows {
		return b.rows
	}
	return b.cols
}

func (m *modelSheet) block(r cellref.Range) *modelBlock {
	b := &modelBlock{map[int]bool{}, map[int]bool{}}
	for row := r.R1; row <= r.R2; row++ {
		b.rows[m.rows[row-1]] = true
	}
	for col := r.C1; col <= r.C2; col++ {
		b.cols[m.cols[col-1]] = true
	}
	return b
}

// rangeOf is where a block is now; ok is false when no cell of it is left.
func (m *modelSheet) rangeOf(b *modelBlock) (r cellref.Range, ok bool) {
	for i, id := range m.rows {
		for j, col := range m.cols {
			if b.rows[id] && b.cols[col] {
				r.Add(i+1, j+1)
			}
		}
	}
	return r, !r.Empty()
}

func (m *modelSheet) nameOf(at [2]int) (string, bool) {
	i, j := slices.Index(m.rows, at[0]), slices.Index(m.cols, at[1])
	return cellref.Name(i+1, j+1), i >= 0 && j >= 0
}

// formulas gives the formulas that the sheet must have, by cell.
func (m *modelSheet) formulas() map[string]string {
	out := map[string]string{}
	for at, to := range m.refs {
		if cell, ok := m.nameOf(at); ok {
			if out[cell], ok = m.nameOf(to); !ok {
				out[cell] = "#REF!"
			}
		}
	}
	for at, b := range m.sums {
		cell, ok := m.nameOf(at)
		if !ok {
			continue
		}
		r, ok := m.rangeOf(b)
		text := "#REF!"
		if ok {
			text = cellref.Name(r.R1, r.C1) + ":" + cellref.Name(r.R2, r.C2)
		}
		out[cell] = "SUM(" + text + ")"
	}
	return out
}

// TestRandomEditsAgainstAModel edits a sheet at random, in one call of several
// operations or in several calls, and compares what an independent reader finds
// with the model: texts, formulas, merged cells, data validations, a defined name.
func TestRandomEditsAgainstAModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := newModelSheet(12, 8)
		var batch []string
		var book []byte
		run := func() {
			if len(batch) > 0 {
				js := "[" + strings.Join(batch, ",") + "]"
				out, _, err := tryApply(t, book, js)
				require.NoError(rt, err, js)
				book, batch = out, nil
			}
		}
		do := func(format string, args ...any) {
			batch = append(batch, fmt.Sprintf(format, args...))
			if rapid.Bool().Draw(rt, "apply now") {
				run()
			}
		}
		cell := func() (at [2]int, name string) {
			i, j := rapid.IntRange(0, len(m.rows)-1).Draw(rt, "row"), rapid.IntRange(0, len(m.cols)-1).Draw(rt, "column")
			return [2]int{m.rows[i], m.cols[j]}, cellref.Name(i+1, j+1)
		}
		block := func() cellref.Range {
			r1, c1 := rapid.IntRange(1, len(m.rows)).Draw(rt, "r1"), rapid.IntRange(1, len(m.cols)).Draw(rt, "c1")
			return cellref.Block(r1, c1, rapid.IntRange(r1, min(r1+4, len(m.rows))).Draw(rt, "r2"), rapid.IntRange(c1, min(c1+3, len(m.cols))).Draw(rt, "c2"))
		}
		write := func(at [2]int, name, v string) {
			delete(m.refs, at)
			delete(m.sums, at)
			delete(m.cells, at)
			do(`{"op":"set_cells","sheet":"S","cells":[{"cell":%q,"value":%q}]}`, name, v)
		}
		do(`{"op":"ensure_sheet","sheet":"S"}`)
		for step := range rapid.IntRange(5, 25).Draw(rt, "steps") {
			switch kind := rapid.IntRange(0, 8).Draw(rt, "kind"); kind {
			case 0, 1:
				at, name := cell()
				write(at, name, "text "+strconv.Itoa(step))
				m.cells[at] = "text " + strconv.Itoa(step)
			case 2:
				at, name := cell()
				to, target := cell()
				if at != to {
					write(at, name, "="+target)
					m.refs[at] = to
				}
			case 3:
				at, name := cell()
				r := block()
				write(at, name, "=SUM("+cellref.Name(r.R1, r.C1)+":"+cellref.Name(r.R2, r.C2)+")")
				m.sums[at] = m.block(r)
			case 4, 5:
				rows := rapid.Bool().Draw(rt, "rows")
				list := m.rows
				if !rows {
					list = m.cols
				}
				at, n := rapid.IntRange(0, len(list)-1).Draw(rt, "at"), rapid.IntRange(1, 3).Draw(rt, "n")
				verb := "insert"
				if kind == 5 {
					if at+n > len(list) || len(list)-n < 3 {
						continue
					}
					verb = "delete"
					m.remove(rows, at, n)
				} else {
					m.insert(rows, at, n)
				}
				if rows {
					do(`{"op":"%s_rows","sheet":"S","row":%d,"count":%d}`, verb, at+1, n)
				} else {
					do(`{"op":"%s_columns","sheet":"S","column":%q,"count":%d}`, verb, cellref.ColumnName(at+1), n)
				}
			case 6:
				r := block()
				if slices.ContainsFunc(m.merges, func(b *modelBlock) bool { o, ok := m.rangeOf(b); return ok && o.Meets(r) }) || r.R1 == r.R2 && r.C1 == r.C2 {
					continue
				}
				m.merges = append(m.merges, m.block(r))
				do(`{"op":"merge_cells","sheet":"S","range":%q}`, r.String())
			case 7:
				r := block()
				if slices.ContainsFunc(m.lists, func(b *modelBlock) bool { o, ok := m.rangeOf(b); return ok && o.Meets(r) }) {
					continue
				}
				m.lists = append(m.lists, m.block(r))
				do(`{"op":"data_validation","sheet":"S","range":%q,"type":"list","list":["a","b"]}`, r.String())
			case 8:
				r := block()
				m.name = m.block(r)
				do(`{"op":"define_name","name":"Block","refers_to":"S!%s"}`, "$"+cellref.ColumnName(r.C1)+"$"+strconv.Itoa(r.R1)+":$"+cellref.ColumnName(r.C2)+"$"+strconv.Itoa(r.R2))
			}
		}
		run()
		m.check(t, rt, book)
	})
}

// check compares a workbook with the model.
func (m *modelSheet) check(t *testing.T, rt *rapid.T, book []byte) {
	f := excel(t, book)
	defer f.Close()
	formulas := m.formulas()
	for i, row := range m.rows {
		for j, col := range m.cols {
			at := cellref.Name(i+1, j+1)
			if m.covered(i+1, j+1) {
				continue
			}
			got, err := f.GetCellFormula("S", at)
			require.NoError(rt, err)
			require.Equal(rt, formulas[at], got, "formula in %s", at)
			if formulas[at] == "" {
				v, err := f.GetCellValue("S", at)
				require.NoError(rt, err)
				require.Equal(rt, m.cells[[2]int{row, col}], v, "value of %s", at)
			}
		}
	}
	var want, got []string
	for _, b := range m.merges {
		if r, ok := m.rangeOf(b); ok && (r.R1 < r.R2 || r.C1 < r.C2) {
			want = append(want, r.String())
		}
	}
	merged, err := f.GetMergeCells("S")
	require.NoError(rt, err)
	for _, c := range merged {
		got = append(got, c.GetStartAxis()+":"+c.GetEndAxis())
	}
	require.ElementsMatch(rt, want, got, "merged cells")

	want, got = nil, nil
	for _, b := range m.lists {
		if r, ok := m.rangeOf(b); ok {
			want = append(want, r.String())
		}
	}
	rules, err := f.GetDataValidations("S")
	require.NoError(rt, err)
	for _, v := range rules {
		got = append(got, strings.Fields(v.Sqref)...)
	}
	require.ElementsMatch(rt, want, got, "data validations")

	if m.name == nil {
		require.Empty(rt, f.GetDefinedName())
		return
	}
	text := "S!#REF!"
	if r, ok := m.rangeOf(m.name); ok {
		text = "S!$" + cellref.ColumnName(r.C1) + "$" + strconv.Itoa(r.R1) + ":$" + cellref.ColumnName(r.C2) + "$" + strconv.Itoa(r.R2)
	}
	names := f.GetDefinedName()
	require.Len(rt, names, 1)
	require.Equal(rt, text, names[0].RefersTo)
}

// covered reports whether a cell lies in a merged block, whose cells an
// independent reader shows with the value of the first.
func (m *modelSheet) covered(row, col int) bool {
	return slices.ContainsFunc(m.merges, func(b *modelBlock) bool {
		r, ok := m.rangeOf(b)
		return ok && r.Has(row, col)
	})
}
