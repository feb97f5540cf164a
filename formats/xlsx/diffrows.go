package xlsx

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"atelier/formats"
	"atelier/formats/align"
)

// seenCell is a cell as a comparison sees it.
type seenCell struct {
	col     int
	shown   string
	formula string
	text    bool // it holds text, not a number
	look    uint64
}

// maxRowsHeld bounds the rows whose cells are held for comparison, of each side.
const maxRowsHeld = 50_000

// bookSide is a workbook of a comparison, with what its cells need to be read.
type bookSide struct {
	*workbook
	looks   []uint64 // of each cell format
	d       *display
	strings []uint64 // hash of each shared string, 0 until it is wanted
}

func newSide(ctx context.Context, wb *workbook) (*bookSide, error) {
	s := &bookSide{workbook: wb}
	var err error
	if s.looks, err = wb.formatHashes(ctx); err != nil {
		return nil, err
	}
	if s.d, err = wb.display(ctx); err != nil {
		return nil, err
	}
	s.strings = make([]uint64, len(s.d.strings.items))
	return s, nil
}

// eachCell calls f with every cell that holds something, up to row last.
func (w *bookSide) eachCell(ctx context.Context, sh sheetInfo, last int, f func(s *rowScanner, d *display)) error {
	if !sh.worksheet() {
		return nil
	}
	d := &display{styles: w.d.styles, strings: w.d.strings} // shared formulas are each sheet's own
	s, rc, err := w.openSheet(ctx, sh.part)
	if err != nil {
		return err
	}
	defer rc.Close()
	if _, err := s.head(); errors.Is(err, errNoData) {
		return nil
	} else if err != nil {
		return err
	}
	for n := 0; ; n++ {
		ev, err := s.next()
		if err != nil {
			return err
		}
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		switch {
		case ev == evEnd, ev == evCell && s.cell.row > last:
			return nil
		case ev == evCell && !s.cell.blank():
			if s.cell.hasF {
				d.note(s)
			}
			f(s, d)
		}
	}
}

// seen is the scanner's cell as it is shown; false for one that holds nothing.
func (w *bookSide) seen(s *rowScanner, d *display) (seenCell, bool) {
	c := seenCell{col: s.cell.col, look: w.look(s)}
	if s.cell.hasF {
		c.formula = d.formula(s)
	}
	switch s.cell.typ {
	case typeShared, typeInline, typeString:
		c.text = true
	}
	if c.shown = d.show(s); c.shown == "" && c.formula == "" && s.cell.v.ok() && s.cell.typ != typeShared {
		c.shown = charData(s.text(s.cell.v)) // its number format shows nothing
	}
	return c, c.shown != "" || c.formula != ""
}

func (w *bookSide) look(s *rowScanner) uint64 {
	if st := s.cell.style; st >= 0 && st < len(w.looks) {
		return w.looks[st]
	}
	return 0
}

// rowKeys are what rows are aligned by.
type rowKeys struct {
	numbers []int
	keys    []uint64 // what the row says, but for the row numbers in formulas
	exact   []uint64 // all of it, formats too
}

var rowSeed = maphash.MakeSeed()

// rowKeys reads a sheet once. It hashes values as they are stored: how they are
// shown is worked out only for rows that differ.
func (w *bookSide) rowKeys(ctx context.Context, sh sheetInfo) (*rowKeys, error) {
	k := &rowKeys{}
	var key, exact []byte
	row := 0
	flush := func() {
		if len(exact) > 0 {
			k.numbers = append(k.numbers, row)
			k.keys = append(k.keys, maphash.Bytes(rowSeed, key))
			k.exact = append(k.exact, maphash.Bytes(rowSeed, exact))
		}
		key, exact = key[:0], exact[:0]
	}
	err := w.eachCell(ctx, sh, math.MaxInt, func(s *rowScanner, d *display) {
		if s.cell.row != row {
			flush()
			row = s.cell.row
		}
		from := len(exact)
		exact = binary.AppendUvarint(exact, uint64(s.cell.col))
		held := len(exact)
		if f := ""; s.cell.hasF {
			if f = d.formula(s); f != "" {
				exact = append(append(append(exact, '='), f...), 0)
				key = binary.AppendUvarint(key, uint64(s.cell.col))
				key = append(append(append(key, '='), withoutDigits(f)...), 0)
				exact = binary.LittleEndian.AppendUint64(exact, w.look(s))
				return
			}
		}
		if exact = w.stored(exact, s); len(exact) == held {
			exact = exact[:from]
			return
		}
		key = append(key, exact[from:]...)
		exact = binary.LittleEndian.AppendUint64(exact, w.look(s))
	})
	flush()
	return k, err
}

// stored appends the value of a cell in a form that is the same in both books;
// nothing for an empty one.
func (w *bookSide) stored(b []byte, s *rowScanner) []byte {
	c := &s.cell
	raw := trimSpace(s.text(c.v))
	switch c.typ {
	case typeShared:
		i := atoi(raw)
		if i < 0 || i >= len(w.strings) {
			return b
		}
		if w.strings[i] == 0 {
			w.strings[i] = textHash(w.d.strings.text(i))
		}
		if w.strings[i] == emptyText {
			return b
		}
		return binary.LittleEndian.AppendUint64(append(b, 's'), w.strings[i])
	case typeInline, typeString:
		text := unescapeX(charData(s.text(c.v)))
		if c.typ == typeInline && c.is.ok() {
			text = richText(s.text(c.is))
		}
		if text == "" {
			return b
		}
		return binary.LittleEndian.AppendUint64(append(b, 's'), textHash(text))
	case typeNumber:
		if v, err := strconv.ParseFloat(string(raw), 64); err == nil {
			return binary.LittleEndian.AppendUint64(append(b, 'n'), math.Float64bits(v))
		}
	}
	if len(raw) == 0 {
		return b
	}
	return append(append(append(b, byte('0'+c.typ)), raw...), 0)
}

// textHash is never 0.
func textHash(s string) uint64 { return maphash.String(rowSeed, s) | 1 }

var emptyText = textHash("")

// sameSheet reports whether a sheet is stored as the same bytes in both books
// and these mean the same there, so that it need not be read.
func (x *bookDiff) sameSheet(p sheetPair) bool {
	return p.a >= 0 && p.b >= 0 && x.sameRest() && x.a.pkg.SamePart(x.a.sheets[p.a].part, x.b.pkg, x.b.sheets[p.b].part)
}

// sameRest reports whether style and string numbers mean the same in both books;
// more strings behind the old ones do no harm.
func (x *bookDiff) sameRest() bool {
	if x.same == nil {
		a, b := x.a.d.strings, x.b.d.strings
		ok := x.a.date1904 == x.b.date1904 && slices.Equal(x.a.looks, x.b.looks) && len(a.items) <= len(b.items)
		if ok && !x.a.pkg.SamePart(a.part, x.b.pkg, b.part) {
			for i := range a.items {
				if !bytes.Equal(a.raw(i), b.raw(i)) {
					ok = false
					break
				}
			}
		}
		x.same = &ok
	}
	return *x.same
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
	if x.sameSheet(p) {
		return nil, nil
	}
	a, b := &rowKeys{}, &rowKeys{}
	g, gctx := errgroup.WithContext(ctx)
	if p.a >= 0 {
		g.Go(func() (err error) { a, err = x.a.rowKeys(gctx, x.a.sheets[p.a]); return err })
	}
	if p.b >= 0 {
		g.Go(func() (err error) { b, err = x.b.rowKeys(gctx, x.b.sheets[p.b]); return err })
	}
	if err := g.Wait(); err != nil {
		return nil, err
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
		if len(needA) >= maxRowsHeld || len(needB) >= maxRowsHeld {
			break
		}
		if s.A >= 0 {
			needA[a.numbers[s.A]] = true
		}
		if s.B >= 0 {
			needB[b.numbers[s.B]] = true
		}
	}
	var was, now map[int][]seenCell
	g, gctx = errgroup.WithContext(ctx)
	g.Go(func() (err error) { was, err = x.a.hold(gctx, p.a, needA); return err })
	g.Go(func() (err error) { now, err = x.b.hold(gctx, p.b, needB); return err })
	if err := g.Wait(); err != nil {
		return nil, err
	}
	x.sheet = ""
	if p.b >= 0 {
		x.sheet = x.b.sheets[p.b].name
	}
	var out []formats.DiffItem
	for _, s := range steps {
		switch {
		case s.A < 0:
			x.rows++
			n := b.numbers[s.B]
			x.reaching(n, now[n])
			x.keep(&out, formats.DiffItem{Change: formats.Added, At: fmt.Sprintf("row %d", n), New: rowText(now[n])})
		case s.B < 0:
			x.rows++
			x.keep(&out, formats.DiffItem{Change: formats.Removed, At: fmt.Sprintf("row %d", a.numbers[s.A]), Old: rowText(was[a.numbers[s.A]])})
		case s.Moved:
			x.moved++
			x.keep(&out, formats.DiffItem{Change: formats.Moved, At: fmt.Sprintf("row %d", b.numbers[s.B]), From: fmt.Sprintf("row %d", a.numbers[s.A])})
		case a.exact[s.A] == b.exact[s.B]:
		case !needA[a.numbers[s.A]] || !needB[b.numbers[s.B]]:
			x.unseen++
			x.keep(&out, formats.DiffItem{Change: formats.Modified, At: fmt.Sprintf("row %d", b.numbers[s.B]), Notes: []string{"changed; not compared cell by cell, since so many rows changed"}})
		default:
			x.compareRow(&out, was[a.numbers[s.A]], now[b.numbers[s.B]], a.numbers[s.A], b.numbers[s.B])
		}
	}
	return out, nil
}

// keep adds an item while there are not too many; the others are counted.
func (x *bookDiff) keep(out *[]formats.DiffItem, it formats.DiffItem) {
	if x.kept >= x.limit {
		x.d.Omitted++
		return
	}
	x.kept++
	*out = append(*out, it)
}

// hold reads the cells of some rows of a sheet.
func (w *bookSide) hold(ctx context.Context, sheet int, need map[int]bool) (map[int][]seenCell, error) {
	out := map[int][]seenCell{}
	if sheet < 0 || len(need) == 0 {
		return out, nil
	}
	last := slices.Max(slices.Collect(maps.Keys(need)))
	return out, w.eachCell(ctx, w.sheets[sheet], last, func(s *rowScanner, d *display) {
		if need[s.cell.row] {
			if c, ok := w.seen(s, d); ok {
				out[s.cell.row] = append(out[s.cell.row], c)
			}
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
func (x *bookDiff) compareRow(out *[]formats.DiffItem, was, now []seenCell, rowA, rowB int) {
	i, j := 0, 0
	for i < len(was) || j < len(now) {
		switch {
		case j >= len(now) || i < len(was) && was[i].col < now[j].col:
			x.cells++
			x.keep(out, formats.DiffItem{Change: formats.Removed, At: cellName(rowB, was[i].col), Old: was[i].value()})
			i++
		case i >= len(was) || now[j].col < was[i].col:
			x.cells++
			x.reaching(rowB, now[j:j+1])
			x.keep(out, formats.DiffItem{Change: formats.Added, At: cellName(rowB, now[j].col), New: now[j].value()})
			j++
		default:
			if it, ok := x.compareCell(was[i], now[j], rowB-rowA); ok {
				if was[i].formula != now[j].formula || was[i].shown != now[j].shown {
					x.reaching(rowB, now[j:j+1])
				}
				it.At = cellName(rowB, now[j].col)
				x.keep(out, it)
			}
			i, j = i+1, j+1
		}
	}
}

// value is what a comparison shows of a cell.
func (c seenCell) value() string {
	if c.formula != "" {
		return "=" + shownFormula(c.formula)
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
	case same && a.formula == "" && a.text != b.text:
		x.cells++
		it := formats.DiffItem{Change: formats.Modified, Old: a.value(), New: b.value(), Notes: []string{"text → number"}}
		if b.text {
			it.Notes[0] = "number → text"
		}
		return it, true
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
