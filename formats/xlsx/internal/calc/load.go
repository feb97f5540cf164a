package calc

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/numfmt"
	"atelier/formats/xlsx/internal/sheetml"
)

// What a Book may hold, so that a workbook needs a few hundred megabytes at most.
const (
	maxLoadedCells = 8 << 20
	maxLoadedText  = 256 << 20 // bytes
	maxFilled      = 4 << 20   // cells of array formulas
	maxBlocks      = 2000      // array formulas that fill cells of one row
	maxMerges      = 100_000   // merged cells of a sheet that stand in the way of arrays
)

// Load reads a workbook for calculation: its cells with the values that the file
// has, and its formulas. Formulas without a value are due. A workbook that is too
// large is an error of CodeTooLarge.
func Load(ctx context.Context, wb *book.Workbook) (*Book, error) {
	l, err := newLoader(ctx, wb)
	if err != nil {
		return nil, err
	}
	return l.Book, l.each(ctx, func(i int, s book.SheetInfo) error { return l.sheet(ctx, i, s) })
}

// newLoader returns a loader with the sheets, names, tables and texts of a workbook.
func newLoader(ctx context.Context, wb *book.Workbook) (*loader, error) {
	b := NewBook()
	b.Date1904 = wb.Date1904
	if wb.Iterates {
		b.Iterates = &Iteration{Count: wb.IterateCount, Delta: wb.IterateDelta}
	}
	strs, err := wb.Strings(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range wb.Sheets {
		b.addSheet(s.Name, s.Worksheet())
	}
	for _, n := range wb.Names {
		b.DefineName(n.Name, n.Local, n.Text)
	}
	l := &loader{Book: b, wb: wb, strings: strs, shared: map[int]int32{}}
	return l, l.each(ctx, func(i int, s book.SheetInfo) error {
		tables, err := wb.TablesOf(ctx, s.Part)
		for _, t := range tables {
			b.AddTable(i, t)
			b.sheets[i].filtered = b.sheets[i].filtered || bytes.Contains(t.Doc, []byte("filterColumn"))
		}
		return err
	})
}

// loader reads the cells of a workbook.
type loader struct {
	*Book
	wb      *book.Workbook
	strings *book.SharedStrings
	shared  map[int]int32 // index in texts of shared strings
	index   int           // of the sheet
	groups  map[int]int32 // shared formulas of the sheet
	blocks  []int32       // array formulas whose blocks may have further cells
	cells   int
	text    int
	filled  int
	tables  int     // data tables
	needed  *needed // the cells to load; nil: all
}

func (l *loader) sheet(ctx context.Context, index int, info book.SheetInfo) error {
	l.index, l.groups, l.blocks = index, map[int]int32{}, nil
	first := len(l.formulas)
	hidden := false
	for s, err := range l.wb.Rows(ctx, info.Part, book.Window{}) {
		if err != nil {
			return book.IgnoreNoCells(err)
		}
		switch s.Event {
		case sheetml.RowStart:
			if hidden = isHidden(s.Raw()[s.Start:]); l.skipsRow(s.Row) {
				s.RestOfRow()
			}
		case sheetml.WholeCell:
			if err := l.cell(s, hidden); err != nil {
				return err
			}
		case sheetml.DataEnd:
			err := s.EachTailTag(func(tag []byte, depth int) {
				if depth != 3 {
					return
				}
				l.sheets[index].filtered = l.sheets[index].filtered || bytes.HasPrefix(tag[1:], []byte(s.Prefix+"filterColumn"))
				if bytes.HasPrefix(tag[1:], []byte(s.Prefix+"mergeCell ")) && len(l.sheets[index].merges) < maxMerges {
					l.sheets[index].merges = append(l.sheets[index].merges, cellref.ParseAttr(sheetml.AttrOf(tag, "ref")))
				}
			})
			if err != nil {
				return err
			}
		}
	}
	return l.fillBlocks(first)
}

// isHidden reports whether the start tag of a row hides it.
func isHidden(tag []byte) bool {
	for i := sheetml.NameLen(tag); ; {
		name, a, b, next := sheetml.NextAttr(tag, i)
		if next < 0 {
			return false
		}
		if string(name) == "hidden" {
			return sheetml.IsTrue(string(tag[a:b]))
		}
		i = next
	}
}

// cell adds the cell of the scanner unless it is empty.
func (l *loader) cell(s *sheetml.RowScanner, hidden bool) error {
	c := &s.Cell
	if c.Blank() || c.Row > cellref.MaxRow || c.Col > cellref.MaxCol {
		return nil
	}
	if skip, err := l.skips(s); skip || err != nil {
		return err
	}
	if l.cells++; l.cells > maxLoadedCells || l.text > maxLoadedText {
		return formats.Errorf(formats.CodeTooLarge, "the workbook has more than %d cells or %d MB of text, too much to calculate here; a spreadsheet program calculates it when it opens the file", maxLoadedCells, maxLoadedText>>20)
	}
	g := &l.sheets[l.index].grid
	at := g.put(c.Row, c.Col)
	*at = cell{col: uint16(c.Col)}
	if hidden {
		g.rows[g.row(c.Row)].hidden = true
	}
	l.value(s, at)
	if !c.HasFormula {
		at.formula = l.member(c.Row, c.Col)
		return nil
	}
	if err := l.formulaOf(s, at); err != nil {
		return err
	}
	l.refuseAnything(at)
	return nil
}

// value reads the value that the file has for a cell.
func (l *loader) value(s *sheetml.RowScanner, at *cell) {
	c := &s.Cell
	switch c.Type {
	case sheetml.TypeShared:
		k := sheetml.Atoi(sheetml.TrimSpace(s.Text(c.Value)))
		at.kind, at.text = Text, l.sharedText(k)
		return
	case sheetml.TypeInline, sheetml.TypeString:
		text := ""
		if c.Inline.OK() {
			text = sheetml.PlainText(s.Text(c.Inline))
		} else {
			text = sheetml.Unescape(sheetml.CharData(s.Text(c.Value)))
		}
		l.text += len(text)
		l.store(at, Str(text), stored)
		return
	}
	if c.Type == sheetml.TypeNumber {
		if len(s.Text(c.Value)) == 0 {
			return // as most formulas that are due
		}
		if x, ok := plainDecimal(s.Text(c.Value)); ok {
			l.store(at, Num(x), stored)
			return
		}
	}
	raw := strings.TrimSpace(sheetml.CharData(s.Text(c.Value)))
	switch c.Type {
	case sheetml.TypeBool:
		l.store(at, Boolean(sheetml.IsTrue(raw)), stored)
	case sheetml.TypeError:
		code := errorOf(raw)
		if code == 0 {
			code = ErrUnknownType
		}
		l.store(at, Fail(code), stored)
	case sheetml.TypeDate:
		if x, ok := numfmt.ISOSerial(raw, l.Date1904); ok {
			l.store(at, Num(x), stored)
		} else {
			l.store(at, Str(raw), stored)
		}
	default:
		if x, err := strconv.ParseFloat(raw, 64); err == nil {
			l.store(at, Num(x), stored)
		} else if raw != "" {
			l.store(at, unknown(&Reason{Code: ReasonSyntax, Text: "the value of a cell is no number", From: At(l.index, c.Row, c.Col)}), stored)
		}
	}
}

func (l *loader) sharedText(k int) int32 {
	if i, ok := l.shared[k]; ok {
		return i
	}
	text := l.strings.Text(k)
	l.text += len(text)
	l.texts = append(l.texts, text)
	l.shared[k] = int32(len(l.texts) - 1)
	return l.shared[k]
}

// formulaOf reads the formula of a cell.
func (l *loader) formulaOf(s *sheetml.RowScanner, at *cell) error {
	c := &s.Cell
	fa := sheetml.ReadFormulaAttrs(s.Text(c.FormulaTag))
	text := ""
	if c.Formula.OK() {
		text = sheetml.CharData(s.Text(c.Formula))
	}
	if c.NoValue() {
		at.state = due
	}
	switch {
	case fa.Kind == "array" && !fa.Ref.Empty():
		return l.array(s, at, fa.Ref, text)
	case fa.Kind == "dataTable":
		at.formula = l.dataTable(s, fa)
		return nil
	case fa.Kind == "shared" && text == "":
		if at.formula = l.groups[fa.SharedIndex]; at.formula == 0 {
			at.formula = l.unreadable(ReasonSyntax, "its shared formula is not in the file")
		}
		return nil
	case text == "":
		at.formula = l.unreadable(ReasonSyntax, "the formula is empty")
		return nil
	}
	at.formula = l.formula(text, c.Row, c.Col)
	if fa.Kind == "shared" {
		l.groups[fa.SharedIndex] = at.formula
	}
	return nil
}

// array reads an array formula with the block that its result fills.
func (l *loader) array(s *sheetml.RowScanner, at *cell, block cellref.Range, text string) error {
	if block.R1 != s.Cell.Row || block.C1 != s.Cell.Col {
		block = cellref.Block(s.Cell.Row, s.Cell.Col, s.Cell.Row, s.Cell.Col) // a damaged one
	}
	size := (block.R2 - block.R1 + 1) * (block.C2 - block.C1 + 1)
	if l.filled += size; l.filled > maxFilled || len(l.blocks) > maxBlocks {
		at.formula = l.unreadable(ReasonLimit, "the array formulas fill too many cells")
		return nil
	}
	at.formula = l.arrayForm(l.index, block, text, s.HasCellMetadata())
	if size > 1 {
		l.blocks = append(l.blocks, at.formula)
	}
	return nil
}

// unreadable adds a formula that cannot be calculated.
func (l *loader) unreadable(code ReasonCode, text string) int32 {
	l.formulas = append(l.formulas, &form{reason: &Reason{Code: code, Text: text}})
	return int32(len(l.formulas))
}

// member returns the array formula whose block has a cell, 0 for none. Cells come
// in reading order.
func (l *loader) member(row, col int) int32 {
	kept := l.blocks[:0]
	found := int32(0)
	for _, k := range l.blocks {
		r := l.formulas[k-1].block
		if r.R2 < row {
			continue
		}
		kept = append(kept, k)
		if r.Has(row, col) {
			found = k
		}
	}
	l.blocks = kept
	return found
}

// fillBlocks adds the cells of the sheet's array formulas that the file does not
// have, and makes due those of formulas that are.
func (l *loader) fillBlocks(first int) error {
	g := &l.sheets[l.index].grid
	var missing []placed
	for i := first; i < len(l.formulas); i++ {
		f := l.formulas[i]
		if f.table != nil {
			missing = append(missing, g.blanksOf(f.block, int32(i+1))...)
			continue
		}
		if !f.array || f.reason != nil && f.reason.Code == ReasonLimit {
			continue
		}
		now := g.find(f.block.R1, f.block.C1).state
		for row := f.block.R1; row <= f.block.R2; row++ {
			for col := f.block.C1; col <= f.block.C2; col++ {
				c := g.find(row, col)
				if c == nil {
					missing = append(missing, placed{row, cell{col: uint16(col), formula: int32(i + 1), state: now}})
				} else if c.formula == int32(i+1) && now == due {
					c.state = due
				}
			}
		}
	}
	slices.SortStableFunc(missing, func(a, b placed) int {
		return cmp.Or(a.row-b.row, int(a.cell.col)-int(b.cell.col))
	})
	g.merge(missing)
	return nil
}

// blanksOf makes due the cells of a data table that have no value, and returns those that
// are not there.
func (g *grid) blanksOf(block cellref.Range, formula int32) (missing []placed) {
	for row := block.R1; row <= block.R2; row++ {
		for col := block.C1; col <= block.C2; col++ {
			if c := g.find(row, col); c == nil {
				missing = append(missing, placed{row, cell{col: uint16(col), formula: formula, state: due}})
			} else if c.formula == formula && c.kind == Empty {
				c.state = due
			}
		}
	}
	return missing
}
