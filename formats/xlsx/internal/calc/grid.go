package calc

import (
	"slices"
	"sort"

	"atelier/formats/xlsx/internal/cellref"
)

// grid holds the cells of a sheet that are not empty, in reading order.
type grid struct {
	rows []gridRow
	used cellref.Range
}

type gridRow struct {
	row    int
	hidden bool
	cells  []cell
}

// cell has no pointers: a large workbook has millions, which the garbage
// collector need not look through.
type cell struct {
	num     float64
	text    int32 // of a Text: index in Book.texts; of an Unknown or array: in Book.objects
	formula int32 // 1 + index in Book.formulas, 0 for none
	col     uint16
	kind    Kind
	state   state
}

// state says where the value of a cell comes from.
type state uint8

const (
	stored   state = iota // the file has it
	due                   // its formula is to be calculated
	active                // its formula is being calculated
	waiting               // its formula is calculated again once another one is done
	done                  // it was calculated
	iterated              // it reads itself and has a value of an iteration
)

// row returns the index of the first row that is not before row.
func (g *grid) row(row int) int {
	if len(g.rows) == 0 {
		return 0
	}
	// Most sheets have no gaps.
	if i := row - g.rows[0].row; i >= 0 && i < len(g.rows) && g.rows[i].row == row {
		return i
	}
	return sort.Search(len(g.rows), func(i int) bool { return g.rows[i].row >= row })
}

// col returns the index of the first cell that is not before col.
func (r *gridRow) col(col int) int {
	if len(r.cells) == 0 {
		return 0
	}
	if i := col - int(r.cells[0].col); i >= 0 && i < len(r.cells) && int(r.cells[i].col) == col {
		return i
	}
	return sort.Search(len(r.cells), func(i int) bool { return int(r.cells[i].col) >= col })
}

// find returns a cell, nil for an empty one.
func (g *grid) find(row, col int) *cell {
	i := g.row(row)
	if i == len(g.rows) || g.rows[i].row != row {
		return nil
	}
	r := &g.rows[i]
	if k := r.col(col); k < len(r.cells) && int(r.cells[k].col) == col {
		return &r.cells[k]
	}
	return nil
}

// put returns a cell, which it makes where there is none.
func (g *grid) put(row, col int) *cell {
	g.used.Add(row, col)
	i := g.row(row)
	if i == len(g.rows) || g.rows[i].row != row {
		g.rows = slices.Insert(g.rows, i, gridRow{row: row})
		if i > 0 && i == len(g.rows)-1 {
			// Rows of a sheet are mostly as long as the one before. In all, no more
			// cells are reserved than there are.
			g.rows[i].cells = make([]cell, 0, len(g.rows[i-1].cells))
		}
	}
	r := &g.rows[i]
	k := r.col(col)
	if k == len(r.cells) || int(r.cells[k].col) != col {
		r.cells = slices.Insert(r.cells, k, cell{col: uint16(col)})
	}
	return &r.cells[k]
}

// each calls f for the cells of a range until it returns false.
func (g *grid) each(a cellref.Range, f func(row int, c *cell) bool) {
	for i := g.row(a.R1); i < len(g.rows) && g.rows[i].row <= a.R2; i++ {
		r := &g.rows[i]
		for k := r.col(a.C1); k < len(r.cells) && int(r.cells[k].col) <= a.C2; k++ {
			if !f(r.row, &r.cells[k]) {
				return
			}
		}
	}
}

// placed is a cell with its row.
type placed struct {
	row  int
	cell cell
}

// merge adds cells, sorted in reading order, where there are none.
func (g *grid) merge(cells []placed) {
	rows := make([]gridRow, 0, len(g.rows)+len(cells))
	old := g.rows
	for len(cells) > 0 {
		row := cells[0].row
		n := 1
		for n < len(cells) && cells[n].row == row {
			n++
		}
		for len(old) > 0 && old[0].row < row {
			rows, old = append(rows, old[0]), old[1:]
		}
		r := gridRow{row: row}
		if len(old) > 0 && old[0].row == row {
			r, old = old[0], old[1:]
		}
		for _, p := range cells[:n] {
			g.used.Add(row, int(p.cell.col))
			r.cells = append(r.cells, p.cell)
		}
		slices.SortStableFunc(r.cells, func(a, b cell) int { return int(a.col) - int(b.col) })
		r.cells = slices.CompactFunc(r.cells, func(a, b cell) bool { return a.col == b.col })
		rows, cells = append(rows, r), cells[n:]
	}
	g.rows = append(rows, old...)
}
