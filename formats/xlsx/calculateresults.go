package xlsx

import (
	"cmp"
	"iter"
	"slices"

	"atelier/formats/xlsx/internal/calc"
	"atelier/formats/xlsx/internal/cellref"
)

// sheetResults are the results of one sheet in reading order.
type sheetResults []calc.Result

// of returns the result of a cell, nil where there is none.
func (s sheetResults) of(at cellref.Cell) *calc.Result {
	i, ok := slices.BinarySearchFunc(s, at, func(r calc.Result, at cellref.Cell) int {
		return cmp.Or(r.At.Row-at.Row, r.At.Col-at.Col)
	})
	if !ok {
		return nil
	}
	return &s[i]
}

// rows are the rows of the cells into which something is written.
func (s sheetResults) rows() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range s {
			if isWritten(&s[i]) && !yield(s[i].At.Row) {
				return
			}
		}
	}
}

// at returns what is written into a cell, nil for nothing.
func (s sheetResults) at(at cellref.Cell) *blockCell {
	if r := s.of(at); r != nil {
		return writtenOf(r)
	}
	return nil
}

// inOrder is at for many cells: those that are asked for in reading order are found
// without a search.
func (s sheetResults) inOrder() func(cellref.Cell) *blockCell {
	next := 0 // the first result that is not before the last cell
	before := func(r *calc.Result, at cellref.Cell) bool {
		return r.At.Row < at.Row || r.At.Row == at.Row && r.At.Col < at.Col
	}
	return func(at cellref.Cell) *blockCell {
		// A search is worth while where many results lie between.
		for steps := 0; steps < 16 && next < len(s) && before(&s[next], at); steps++ {
			next++
		}
		switch {
		case next < len(s) && s[next].At.Cell == at:
			return writtenOf(&s[next])
		case (next == len(s) || !before(&s[next], at)) && (next == 0 || before(&s[next-1], at)):
			return nil
		}
		next, _ = slices.BinarySearchFunc(s, at, func(r calc.Result, at cellref.Cell) int {
			return cmp.Or(r.At.Row-at.Row, r.At.Col-at.Col)
		})
		if next < len(s) && s[next].At.Cell == at {
			return writtenOf(&s[next])
		}
		return nil
	}
}
