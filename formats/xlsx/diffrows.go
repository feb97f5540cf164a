package xlsx

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"

	"atelier/formats"
	"atelier/formats/align"
)

// seenCell is a cell as a comparison sees it.
type seenCell struct {
	col     int
	shown   string
	formula string
	look    uint64
}

// maxRowsHeld bounds the rows whose cells are held for comparison, of each side.
const maxRowsHeld = 200_000

// eachSeenRow calls f with every row that has content. cells is valid until f
// returns.
func (wb *workbook) eachSeenRow(ctx context.Context, sh sheetInfo, looks []uint64, f func(row int, cells []seenCell)) error {
	if !sh.worksheet() {
		return nil
	}
	d, err := wb.display(ctx)
	if err != nil {
		return err
	}
	s, rc, err := wb.openSheet(ctx, sh.part)
	if err != nil {
		return err
	}
	defer rc.Close()
	if _, err := s.head(); errors.Is(err, errNoData) {
		return nil
	} else if err != nil {
		return err
	}
	var cells []seenCell
	row := 0
	flush := func() {
		if len(cells) > 0 {
			f(row, cells)
		}
		cells = cells[:0]
	}
	for n := 0; ; n++ {
		ev, err := s.next()
		if err != nil {
			return err
		}
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		switch ev {
		case evCell:
			if s.cell.row != row {
				flush()
				row = s.cell.row
			}
			c := seenCell{col: s.cell.col}
			if s.cell.hasF {
				d.note(s)
				c.formula = d.formula(s)
			}
			c.shown = d.show(s)
			if st := s.cell.style; st >= 0 && st < len(looks) {
				c.look = looks[st]
			}
			if c.shown != "" || c.formula != "" {
				cells = append(cells, c)
			}
		case evEnd:
			flush()
			return nil
		}
	}
}

// rowKeys are what rows are aligned by.
type rowKeys struct {
	numbers []int
	keys    []uint64 // what the row says, but for the row numbers in formulas
	exact   []uint64 // all of it, formats too
}

func (wb *workbook) rowKeys(ctx context.Context, sh sheetInfo, looks []uint64) (*rowKeys, error) {
	k := &rowKeys{}
	return k, wb.eachSeenRow(ctx, sh, looks, func(row int, cells []seenCell) {
		h, x := fnv.New64a(), fnv.New64a()
		for _, c := range cells {
			if c.formula != "" {
				fmt.Fprintf(h, "%d=%s\x00", c.col, withoutDigits(c.formula))
				fmt.Fprintf(x, "%d=%s\x00%d\x00", c.col, c.formula, c.look)
			} else {
				fmt.Fprintf(h, "%d:%s\x00", c.col, c.shown)
				fmt.Fprintf(x, "%d:%s\x00%d\x00", c.col, c.shown, c.look)
			}
		}
		k.numbers = append(k.numbers, row)
		k.keys = append(k.keys, h.Sum64())
		k.exact = append(k.exact, x.Sum64())
	})
}

// withoutDigits is a formula whose references say no rows, so that one that
// only moved down is the same.
func withoutDigits(f string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, f)
}

// compareSheet lists what changed in a sheet, or is in one that came or went.
func (x *bookDiff) compareSheet(ctx context.Context, p sheetPair) ([]formats.DiffItem, error) {
	a, b := &rowKeys{}, &rowKeys{}
	var err error
	if p.a >= 0 {
		if a, err = x.a.rowKeys(ctx, x.a.sheets[p.a], x.stylesA); err != nil {
			return nil, err
		}
	}
	if p.b >= 0 {
		if b, err = x.b.rowKeys(ctx, x.b.sheets[p.b], x.stylesB); err != nil {
			return nil, err
		}
	}
	steps := align.Lists(len(a.keys), len(b.keys), align.Options{
		KeyA: func(i int) uint64 { return a.keys[i] }, KeyB: func(j int) uint64 { return b.keys[j] },
		// Rows between equal ones that stand at the same number are the same row.
		Similar: func(i, j int) float64 {
			if a.numbers[i] == b.numbers[j] {
				return 1
			}
			return 0.5
		},
	})
	needA, needB := map[int]bool{}, map[int]bool{}
	for _, s := range steps {
		if s.A >= 0 && s.B >= 0 && (s.Moved || a.exact[s.A] == b.exact[s.B]) {
			continue
		}
		if s.A >= 0 && len(needA) < maxRowsHeld {
			needA[a.numbers[s.A]] = true
		}
		if s.B >= 0 && len(needB) < maxRowsHeld {
			needB[b.numbers[s.B]] = true
		}
	}
	was, err := hold(ctx, x.a, p.a, x.stylesA, needA)
	if err != nil {
		return nil, err
	}
	now, err := hold(ctx, x.b, p.b, x.stylesB, needB)
	if err != nil {
		return nil, err
	}
	var out []formats.DiffItem
	for _, s := range steps {
		switch {
		case s.A < 0:
			x.rows++
			out = append(out, formats.DiffItem{Change: formats.Added, At: fmt.Sprintf("row %d", b.numbers[s.B]), New: rowText(now[b.numbers[s.B]])})
		case s.B < 0:
			x.rows++
			out = append(out, formats.DiffItem{Change: formats.Removed, At: fmt.Sprintf("row %d", a.numbers[s.A]), Old: rowText(was[a.numbers[s.A]])})
		case s.Moved:
			x.moved++
			out = append(out, formats.DiffItem{Change: formats.Moved, At: fmt.Sprintf("row %d", b.numbers[s.B]), From: fmt.Sprintf("row %d", a.numbers[s.A])})
		case a.exact[s.A] != b.exact[s.B]:
			out = append(out, x.compareRow(was[a.numbers[s.A]], now[b.numbers[s.B]], a.numbers[s.A], b.numbers[s.B])...)
		}
	}
	return out, nil
}

// hold reads the cells of some rows of a sheet.
func hold(ctx context.Context, wb *workbook, sheet int, looks []uint64, need map[int]bool) (map[int][]seenCell, error) {
	out := map[int][]seenCell{}
	if sheet < 0 || len(need) == 0 {
		return out, nil
	}
	return out, wb.eachSeenRow(ctx, wb.sheets[sheet], looks, func(row int, cells []seenCell) {
		if need[row] {
			out[row] = append([]seenCell(nil), cells...)
		}
	})
}

func rowText(cells []seenCell) string {
	var out []string
	for _, c := range cells {
		s := c.shown
		if s == "" {
			s = "=" + c.formula
		}
		out = append(out, oneLine(s))
	}
	return clip(strings.Join(out, ", "), 300)
}

// compareRow lists the cells of two rows that belong together and differ.
func (x *bookDiff) compareRow(was, now []seenCell, rowA, rowB int) []formats.DiffItem {
	var out []formats.DiffItem
	i, j := 0, 0
	for i < len(was) || j < len(now) {
		switch {
		case j >= len(now) || i < len(was) && was[i].col < now[j].col:
			x.cells++
			out = append(out, formats.DiffItem{Change: formats.Removed, At: cellName(rowB, was[i].col), Old: was[i].value()})
			i++
		case i >= len(was) || now[j].col < was[i].col:
			x.cells++
			out = append(out, formats.DiffItem{Change: formats.Added, At: cellName(rowB, now[j].col), New: now[j].value()})
			j++
		default:
			if it, ok := x.compareCell(was[i], now[j], rowB-rowA); ok {
				it.At = cellName(rowB, now[j].col)
				out = append(out, it)
			}
			i, j = i+1, j+1
		}
	}
	return out
}

// value is what a comparison shows of a cell.
func (c seenCell) value() string {
	if c.formula != "" {
		return "=" + c.formula
	}
	return c.shown
}

// compareCell compares two cells that belong together. A formula whose result
// changed because others did is no change of its own.
func (x *bookDiff) compareCell(a, b seenCell, down int) (formats.DiffItem, bool) {
	same := a.formula == b.formula && (a.formula != "" || a.shown == b.shown)
	if !same && a.formula != "" && b.formula != "" && withoutDigits(a.formula) == withoutDigits(b.formula) {
		// It moved with its row, or what it refers to did.
		same = down != 0 && shiftFormula(a.formula, down, 0) == b.formula || shownSame(a, b)
	}
	switch {
	case !same:
		x.cells++
		it := formats.DiffItem{Change: formats.Modified, Old: a.value(), New: b.value()}
		if a.formula != "" || b.formula != "" {
			if a.shown != b.shown && !strings.HasPrefix(a.shown, "=") && !strings.HasPrefix(b.shown, "=") {
				it.Notes = append(it.Notes, "value "+a.shown+" → "+b.shown)
			}
		}
		return it, true
	case a.look != b.look:
		x.formats++
		it := formats.DiffItem{Change: formats.Formatted, New: b.value()}
		if a.shown != b.shown && a.formula == "" {
			it.Notes = []string{"shown " + a.shown + " → " + b.shown}
		}
		return it, true
	}
	return formats.DiffItem{}, false
}

// shownSame reports whether two formulas have the same known result.
func shownSame(a, b seenCell) bool {
	return a.shown == b.shown && !strings.HasPrefix(a.shown, "=")
}
