package xlsx

import (
	"slices"
	"strconv"
	"strings"

	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/formats/xlsx/internal/stylesheet"
)

// styleArea is a block of cells that is to look as spec says.
type styleArea struct {
	cellref.Range
	spec *stylesheet.Spec
}

func (a styleArea) wholeRows() bool { return a.C1 == 1 && a.C2 == cellref.MaxCol }
func (a styleArea) wholeCols() bool { return a.R1 == 1 && a.R2 == cellref.MaxRow }

// maxStyledCells bounds the cells that one operation formats one by one; whole
// columns and rows are formats of their own and cost nothing.
const maxStyledCells = 1 << 20

// maxSheetStyled bounds those of all operations of a call on one sheet.
const maxSheetStyled = 4 << 20

// columnRun is a run of columns of one row under the same areas.
type columnRun struct {
	c1, c2 int
	combo  int  // index in sheetStyles.combos
	fill   bool // under a block: cells that are missing must be made
	rows   bool // under whole rows
	cols   bool // under whole columns
}

// sheetStyles is what a sheet's areas come to: for each row the columns they
// cover, and for each style found there the one it becomes.
type sheetStyles struct {
	areas  []styleArea
	tall   []int         // areas of many rows
	across []int         // areas of all columns
	byRow  map[int][]int // the others
	combos []*stylesheet.Spec
	known  map[string]int         // combos by the areas they come from
	cache  map[string][]columnRun // rows under the same areas
	segs   []columnRun

	from, to int            // the rows segs are of
	become   map[[2]int]int // style and combo → new style; found first, filled later
	exists   *cellref.Set   // cells of filled segments that the file has
	cols     map[int]int    // column styles

	rowStyles map[int]int // of the rows that have one
	dates     map[cellref.Cell]*dateCell
	found     map[cellref.Cell]int // styles of the file's cells that may become dates
}

func newSheetStyles(areas []styleArea, cols map[int]int) *sheetStyles {
	if len(areas) == 0 {
		return nil
	}
	y := &sheetStyles{areas: areas, byRow: map[int][]int{}, known: map[string]int{}, cache: map[string][]columnRun{}, become: map[[2]int]int{}, exists: &cellref.Set{}, cols: cols, rowStyles: map[int]int{}}
	for i, a := range areas {
		if a.wholeRows() {
			y.across = append(y.across, i)
		}
		if a.R2-a.R1 > 64 {
			y.tall = append(y.tall, i)
			continue
		}
		for r := a.R1; r <= a.R2; r++ {
			y.byRow[r] = append(y.byRow[r], i)
		}
	}
	return y
}

// at gives the segments of a row.
func (y *sheetStyles) at(row int) []columnRun {
	if y == nil {
		return nil
	}
	if y.from <= row && row <= y.to {
		return y.segs
	}
	low := y.byRow[row]
	hits := slices.Clone(low)
	y.from, y.to = 1, cellref.MaxRow
	for _, i := range y.tall {
		switch a := y.areas[i]; {
		case row < a.R1:
			y.to = min(y.to, a.R1-1)
		case row > a.R2:
			y.from = max(y.from, a.R2+1)
		default:
			hits = append(hits, i)
			y.from, y.to = max(y.from, a.R1), min(y.to, a.R2)
		}
	}
	if len(y.byRow) > 0 {
		y.from, y.to = row, row
	}
	slices.Sort(hits)
	y.segs = y.columnRuns(hits, len(low) == 0)
	return y.segs
}

// segments cuts a row where one of the areas begins or ends; again says that
// other rows are likely to be under the same areas.
func (y *sheetStyles) columnRuns(hits []int, again bool) []columnRun {
	if len(hits) == 0 {
		return nil
	}
	var sb strings.Builder
	for _, i := range hits {
		sb.WriteString(strconv.Itoa(i) + ",")
	}
	if s, ok := y.cache[sb.String()]; ok {
		return s
	}
	var cuts []int
	for _, i := range hits {
		cuts = append(cuts, y.areas[i].C1, y.areas[i].C2+1)
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	byStart := slices.Clone(hits)
	slices.SortStableFunc(byStart, func(a, b int) int { return y.areas[a].C1 - y.areas[b].C1 })
	var out []columnRun
	var open []int
	for n := 0; n+1 < len(cuts); n++ {
		open = slices.DeleteFunc(open, func(i int) bool { return y.areas[i].C2 < cuts[n] })
		for len(byStart) > 0 && y.areas[byStart[0]].C1 == cuts[n] {
			open = append(open, byStart[0])
			byStart = byStart[1:]
		}
		if len(open) > 0 {
			out = append(out, y.columnRun(cuts[n], cuts[n+1]-1, open))
		}
	}
	if again {
		y.cache[sb.String()] = out
	}
	return out
}

func (y *sheetStyles) columnRun(c1, c2 int, open []int) columnRun {
	s := columnRun{c1: c1, c2: c2}
	order := slices.Sorted(slices.Values(open))
	var spec *stylesheet.Spec
	for _, i := range order {
		a := y.areas[i]
		s.cols = s.cols || a.wholeCols()
		s.rows = s.rows || a.wholeRows() && !a.wholeCols()
		s.fill = s.fill || !a.wholeCols() && !a.wholeRows()
		if spec == nil {
			spec = a.spec
		} else {
			spec = a.spec.Over(spec)
		}
	}
	s.combo = y.comboOf(spec)
	return s
}

// comboOf is the index of a spec among combos.
func (y *sheetStyles) comboOf(spec *stylesheet.Spec) int {
	key := spec.Key()
	n, ok := y.known[key]
	if !ok {
		n = len(y.combos)
		y.combos = append(y.combos, spec)
		y.known[key] = n
	}
	return n
}

// comboAt is what the cell of the current row in a column is under, -1 nothing.
func comboAt(segs []columnRun, col int) int {
	i, ok := slices.BinarySearchFunc(segs, col, func(s columnRun, col int) int {
		switch {
		case s.c2 < col:
			return -1
		case s.c1 > col:
			return 1
		}
		return 0
	})
	if !ok {
		return -1
	}
	return segs[i].combo
}

// need notes that a style occurs under a combo.
func (y *sheetStyles) need(style, combo int) { y.become[[2]int{style, combo}] = style }

// noteMissing notes the styles of what the edit makes: cells of the areas that
// the file lacks, cells with new values, and rows.
func (y *sheetStyles) noteMissing(cells map[cellref.Cell]value) {
	rows := y.rows()
	for r := range y.rowStyles {
		rows = append(rows, r)
	}
	slices.Sort(rows)
	for _, r := range slices.Compact(rows) {
		old := y.ownStyle(r)
		if spec := y.rowSpec(r, old >= 0); spec != nil {
			y.need(y.rowBase(old), y.comboOf(spec))
		}
		segs := y.at(r)
		for _, c := range y.made(segs, old) {
			if !y.exists.Has(r, c) {
				y.need(y.implied(r, c), comboAt(segs, c))
			}
		}
	}
	for at := range cells {
		if combo := comboAt(y.at(at.Row), at.Col); combo >= 0 && !y.exists.Has(at.Row, at.Col) {
			y.need(y.implied(at.Row, at.Col), combo)
		}
	}
}

// ownStyle is the style a row sets for its missing cells, -1 when it sets none.
func (y *sheetStyles) ownStyle(row int) int {
	if s, ok := y.rowStyles[row]; ok {
		return s
	}
	return -1
}

// implied is the style that a missing cell has.
func (y *sheetStyles) implied(row, col int) int {
	if s := y.ownStyle(row); s >= 0 {
		return s
	}
	return y.cols[col]
}

// makes reports whether a row may have to be made, or cells in it.
func (y *sheetStyles) makes(row int) bool {
	for _, s := range y.at(row) {
		if s.fill || s.rows {
			return true
		}
	}
	return false
}

// noteRow takes note of a row's start tag.
func (y *sheetStyles) noteRow(row int, tag []byte) {
	if s := rowStyle(tag); s >= 0 && len(y.at(row)) > 0 {
		y.rowStyles[row] = s
	}
}

// noteCell notes the style of a cell of the file.
func (y *sheetStyles) noteCell(row, col, style int) {
	if combo := comboAt(y.at(row), col); combo >= 0 {
		y.need(style, combo)
		y.exists.Add(row, col)
		if at := (cellref.At(row, col)); y.dates[at] != nil {
			y.found[at] = style
		}
	}
}

// rows are the rows in which cells may have to be made, or whose format is
// set, in order.
func (y *sheetStyles) rows() []int {
	seen := map[int]bool{}
	for _, a := range y.areas {
		if a.wholeCols() {
			continue
		}
		for r := a.R1; r <= a.R2; r++ {
			seen[r] = true
		}
	}
	out := make([]int, 0, len(seen))
	for r := range seen {
		out = append(out, r)
	}
	slices.Sort(out)
	return out
}

// maxCrossings bounds the cells made where whole rows and columns with a
// format of their own cross.
const maxCrossings = 512

// made lists the columns of a row where a missing cell must be made, in order.
func (y *sheetStyles) made(segs []columnRun, rowStyle int) []int {
	var out []int
	for _, s := range segs {
		crossing := s.cols && (rowStyle >= 0 || s.rows) && s.c2-s.c1 < maxCrossings
		switch {
		case s.fill || crossing:
			for c := s.c1; c <= s.c2; c++ {
				out = append(out, c)
			}
		case s.rows && rowStyle < 0 && len(y.cols) <= maxCrossings:
			for c := range y.cols {
				if s.c1 <= c && c <= s.c2 {
					out = append(out, c)
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

// style is the style a cell gets.
func (y *sheetStyles) style(row, col, style int, has bool) (int, bool) {
	if y == nil {
		return style, has
	}
	combo := comboAt(y.at(row), col)
	if combo < 0 {
		return style, has
	}
	if !has {
		style = 0
	}
	return y.become[[2]int{style, combo}], true
}

// rowSpec is what whole rows make of a row's own format, nil nothing. Areas of
// the whole sheet change the format only where a row has one.
func (y *sheetStyles) rowSpec(row int, custom bool) *stylesheet.Spec {
	if y == nil {
		return nil
	}
	var spec *stylesheet.Spec
	for _, i := range y.across {
		a := y.areas[i]
		if a.R1 > row || a.R2 < row || a.wholeCols() && !custom {
			continue
		}
		if spec == nil {
			spec = a.spec
		} else {
			spec = a.spec.Over(spec)
		}
	}
	return spec
}

// rowBase is the style that a row's new format starts from.
func (y *sheetStyles) rowBase(rowStyle int) int {
	if rowStyle < 0 && len(y.cols) > maxCrossings {
		return y.cols[cellref.MaxCol]
	}
	return max(rowStyle, 0)
}

// rowStyle is the new format of a row, false when it stays.
func (y *sheetStyles) rowStyle(row, old int) (int, bool) {
	spec := y.rowSpec(row, old >= 0)
	if spec == nil {
		return 0, false
	}
	return y.become[[2]int{y.rowBase(old), y.comboOf(spec)}], true
}

// has reports whether the file has a cell that is under an area.
func (y *sheetStyles) has(at cellref.Cell) bool { return y != nil && y.exists.Has(at.Row, at.Col) }

// appendRestyled appends raw with the style of the cell element that begins at
// start set.
func appendRestyled(b, raw []byte, start, style int) []byte {
	for i := start + sheetml.NameLen(raw[start:]); ; {
		name, from, to, next := sheetml.NextAttr(raw, i)
		if next < 0 {
			break
		}
		if len(name) == 1 && name[0] == 's' {
			b = strconv.AppendInt(append(b, raw[:from]...), int64(style), 10)
			return append(b, raw[to:]...)
		}
		i = next
	}
	at := start + sheetml.NameLen(raw[start:])
	b = append(append(b, raw[:at]...), ` s="`...)
	b = append(strconv.AppendInt(b, int64(style), 10), '"')
	return append(b, raw[at:]...)
}
