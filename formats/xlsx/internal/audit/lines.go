package audit

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
)

// block is a run of adjacent cells of a row or column, without a blank cell.
type block struct {
	*sheet
	cells []int32 // indexes in sheet.cells
	down  bool    // it is a part of a column
}

// cell returns a cell of the block.
func (b *block) cell(i int) *cell { return &b.sheet.cells[b.cells[i]] }

// area returns the range from one cell of the block to another.
func (b *block) area(from, to int) cellref.Range {
	x, y := b.cell(from), b.cell(to)
	return cellref.Block(int(x.row), int(x.col), int(y.row), int(y.col))
}

// beside returns the cell beside a cell of the block, across its direction.
func (b *block) beside(c *cell, step int) *cell {
	if b.down {
		return b.at(int(c.row), int(c.col)+step)
	}
	return b.at(int(c.row)+step, int(c.col))
}

// cellsPerCheck is how many cells a pass takes in between two looks at its
// context.
const cellsPerCheck = 4096

// blocks yields the blocks of all columns of a sheet, then of all rows. It ends
// when ctx is done.
func (s *sheet) blocks(ctx context.Context) iter.Seq[*block] {
	return func(yield func(*block) bool) {
		for _, col := range slices.Sorted(maps.Keys(s.cols)) {
			if ctx.Err() != nil || !s.split(s.cols[col], true, yield) {
				return
			}
		}
		var row []int32
		for i := range s.cells {
			row = append(row, int32(i))
			if i+1 < len(s.cells) && s.cells[i+1].row == s.cells[i].row {
				continue
			}
			if len(row) > 0 && (ctx.Err() != nil || !s.split(row, false, yield)) {
				return
			}
			row = row[:0]
		}
	}
}

// split yields the blocks of a row or column.
func (s *sheet) split(line []int32, down bool, yield func(*block) bool) bool {
	along := func(i int32) int {
		if down {
			return int(s.cells[i].row)
		}
		return int(s.cells[i].col)
	}
	from := 0
	for i := range line {
		if i+1 < len(line) && along(line[i+1]) == along(line[i])+1 {
			continue
		}
		if i > from && !yield(&block{s, line[from : i+1], down}) {
			return false
		}
		from = i + 1
	}
	return true
}

// hit is a finding before alike ones beside each other become one.
type hit struct {
	kind     string
	sheet    int
	area     cellref.Range
	key      string // hits with the same key are alike
	severity formats.Severity
	fact     string
	expected string
}

// hits collects findings; a cell has at most one of a kind.
type hits struct {
	list []hit
	seen map[hitPlace]bool
	full bool // there were more than maxHits
}

type hitPlace struct {
	kind string
	sheet,
	row, col int
}

// maxHits bounds the hits that are held.
const maxHits = 50_000

func (h *hits) add(x hit) {
	p := hitPlace{x.kind, x.sheet, x.area.R1, x.area.C1}
	if h.seen == nil {
		h.seen = map[hitPlace]bool{}
	}
	switch {
	case h.seen[p]:
	case len(h.list) >= maxHits:
		h.full = true
	default:
		h.seen[p] = true
		h.list = append(h.list, x)
	}
}

// joined returns the hits with alike ones beside each other as one.
func (h *hits) joined() []hit {
	down := func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), a.sheet-b.sheet, cmp.Compare(a.key, b.key), a.area.C1-b.area.C1, a.area.C2-b.area.C2, a.area.R1-b.area.R1)
	}
	across := func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), a.sheet-b.sheet, cmp.Compare(a.key, b.key), a.area.R1-b.area.R1, a.area.R2-b.area.R2, a.area.C1-b.area.C1)
	}
	list := join(h.list, down, func(a, b cellref.Range) bool { return a.C1 == b.C1 && a.C2 == b.C2 && a.R2+1 == b.R1 })
	list = join(list, across, func(a, b cellref.Range) bool { return a.R1 == b.R1 && a.R2 == b.R2 && a.C2+1 == b.C1 })
	slices.SortStableFunc(list, func(a, b hit) int {
		return cmp.Or(a.sheet-b.sheet, a.area.R1-b.area.R1, a.area.C1-b.area.C1, cmp.Compare(a.key, b.key))
	})
	return list
}

func join(list []hit, order func(a, b hit) int, beside func(a, b cellref.Range) bool) []hit {
	slices.SortStableFunc(list, order)
	var out []hit
	for _, x := range list {
		if n := len(out); n > 0 && out[n-1].kind == x.kind && out[n-1].sheet == x.sheet && out[n-1].key == x.key && beside(out[n-1].area, x.area) {
			out[n-1].area.R2, out[n-1].area.C2 = x.area.R2, x.area.C2
			continue
		}
		out = append(out, x)
	}
	return out
}
