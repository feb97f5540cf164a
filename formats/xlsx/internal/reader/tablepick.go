package reader

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
)

// TablePick is the one table of a sheet, where no range was asked for.
type TablePick struct {
	Sheet     string
	Range     string   // with its header, without totals; "" when the sheet has no table and is read as it is
	HasHeader bool     // the first row of Range is known to be names of columns
	LeftOut   []string // what else the sheet holds: "row 18 (Total)", "A1:A2 (Sales of May)"
}

// tableBlock is a block of a sheet that may be the table: one of the workbook's
// own, or cells below a row of names.
type tableBlock struct {
	cellref.Range
	name    string // of a table of the workbook
	cells   int
	header  int // its row, 0 for none
	headers []string
	label   string
}

// dominant is how many times as many cells as any other block the table of a
// sheet has; otherwise it is not clear which one is meant.
const dominant = 4

// PickTable finds the table of a sheet: its only table or block with a header,
// or the one beside which the others are small. Titles above it, totals and
// notes below it are no part of it. A sheet with several is refused with what
// there is.
func PickTable(ctx context.Context, src formats.Source, sheet string) (*TablePick, error) {
	wb, err := openReading(ctx, src)
	if err != nil {
		return nil, err
	}
	p, err := wb.pickTableOf(ctx, sheet)
	return p, book.Typed(err, src.Name())
}

func (wb reading) pickTableOf(ctx context.Context, sheet string) (*TablePick, error) {
	picks, err := wb.selected(ctx, formats.Selector{Sheet: sheet})
	if err != nil {
		return nil, err
	}
	at := picks[max(0, slices.IndexFunc(picks, func(c chosen) bool { return c.sheet.Worksheet() }))].sheet
	pick := &TablePick{Sheet: at.Name}
	if !at.Worksheet() {
		return pick, nil // reading it says why it has no cells
	}
	blocks, err := wb.tableBlocks(ctx, at)
	if err != nil {
		return nil, err
	}
	table, err := chooseTable(at.Name, blocks)
	if table == nil || err != nil {
		return pick, err
	}
	s := &tableSurvey{wb: wb, part: at.Part, table: *table, pick: pick}
	if table.header > table.R1 {
		s.leaveOut(cellref.Block(table.R1, table.C1, table.header-1, table.C2), table.label)
		s.table.R1 = table.header
	}
	if err := s.below(ctx, blocks); err != nil {
		return nil, err
	}
	pick.Range, pick.HasHeader = s.table.String(), s.table.header > 0
	return pick, nil
}

// tableBlocks are the tables of a sheet and the blocks of cells apart from them.
func (wb reading) tableBlocks(ctx context.Context, sh book.SheetInfo) ([]tableBlock, error) {
	tables, err := wb.TablesOf(ctx, sh.Part)
	if err != nil {
		return nil, err
	}
	st, err := wb.Styles(ctx)
	if err != nil {
		return nil, err
	}
	m := &sheetMapper{wb: wb, display: &book.Display{Styles: st}, islands: make([][]*island, 1)}
	found := &Map{Sheets: make([]SheetMap, 1)}
	if err := m.measure(ctx, sh.Part, &found.Sheets[0]); err != nil {
		return nil, err
	}
	if err := m.resolve(ctx, found); err != nil {
		return nil, err
	}
	var out []tableBlock
	for _, t := range tables {
		out = append(out, blockOfTable(t))
	}
	for i, a := range m.islands[0] {
		r := found.Sheets[0].Regions[i]
		if slices.ContainsFunc(out, func(b tableBlock) bool { return b.name != "" && b.Meets(a.Range) }) {
			continue
		}
		b := tableBlock{Range: a.Range, cells: a.Cells, header: r.HeaderRow, headers: r.Headers, label: r.Label}
		if b.label == "" && len(a.heads) > 0 && len(a.heads[0].cells) > 0 {
			b.label = a.heads[0].cells[0].Text
		}
		out = append(out, b)
	}
	return out, nil
}

func blockOfTable(t *book.Table) tableBlock {
	b := tableBlock{Range: t.Ref, name: t.Name, cells: (t.Ref.R2 - t.Ref.R1 + 1) * len(t.Columns), header: t.Ref.R1}
	if t.Headers == 0 {
		b.header = 0
	}
	for _, c := range t.Columns {
		b.headers = append(b.headers, c.Name)
	}
	return b
}

// chooseTable finds the block that is the table, nil when none has a header.
func chooseTable(sheet string, blocks []tableBlock) (*tableBlock, error) {
	var list []*tableBlock
	largest := 0
	for i := range blocks {
		b := &blocks[i]
		largest = max(largest, b.cells)
		if b.name != "" || b.header > 0 {
			list = append(list, b)
		}
	}
	slices.SortStableFunc(list, func(a, b *tableBlock) int { return cmp.Compare(b.cells, a.cells) })
	switch {
	case len(list) == 0, list[0].cells*dominant <= largest: // most of the sheet has no header
		return nil, nil
	case len(list) == 1, list[0].cells >= dominant*list[1].cells:
		return list[0], nil
	}
	var each []string
	for _, b := range list[:min(len(list), 6)] {
		each = append(each, b.describe())
	}
	if n := len(list) - len(each); n > 0 {
		each = append(each, fmt.Sprintf("%d more", n))
	}
	return nil, formats.Errorf(formats.CodeInvalid, "the sheet %q has %d tables: %s; give the range of one", sheet, len(list), strings.Join(each, ", "))
}

// describe names a block with the first of its columns.
func (b *tableBlock) describe() string {
	at := b.Range
	if b.header > 0 {
		at.R1 = b.header
	}
	heads := b.headers[:min(len(b.headers), 3)]
	text := at.String()
	if b.name != "" {
		text = b.name + " " + text
	}
	if len(heads) == 0 {
		return text
	}
	more := ""
	if len(b.headers) > len(heads) {
		more = ", …"
	}
	return fmt.Sprintf("%s (%s%s)", text, book.Clip(strings.Join(heads, ", "), 80), more)
}

// tableSurvey finds where a table ends.
type tableSurvey struct {
	wb    reading
	part  string
	table tableBlock
	pick  *TablePick
}

// maxLeftOut is how many things a TablePick names.
const maxLeftOut = 8

// leaveOut names a block that is no part of the table.
func (s *tableSurvey) leaveOut(r cellref.Range, what string) {
	at := r.String()
	if r.R1 == r.R2 && r.C1 <= s.table.C2 && r.C2 >= s.table.C1 {
		at = fmt.Sprintf("row %d", r.R1)
		if slices.ContainsFunc(s.pick.LeftOut, func(l string) bool { return l == at || strings.HasPrefix(l, at+" ") }) {
			return // another block of it
		}
	}
	if what = strings.TrimSpace(book.OneLine(what)); what != "" {
		at += " (" + book.Clip(what, 60) + ")"
	}
	if n := len(s.pick.LeftOut); n == maxLeftOut {
		s.pick.LeftOut = append(s.pick.LeftOut, "more")
	} else if n < maxLeftOut {
		s.pick.LeftOut = append(s.pick.LeftOut, at)
	}
}

// continues reports whether a block goes on with the table above it.
func (b tableBlock) continues(t cellref.Range) bool {
	return b.name == "" && b.header == 0 && b.R1 > t.R2 && b.R1 <= t.R2+3 && b.C1 == t.C1 && b.C2 <= t.C2 && b.C2 > b.C1
}

// said names a block beside the table.
func (b tableBlock) said() string {
	if b.header > 0 || b.name != "" {
		return "another table: " + strings.Join(b.headers[:min(3, len(b.headers))], ", ")
	}
	return b.label
}

// below cuts totals and notes off the end of the table, takes in blocks that go
// on with it behind blank rows, and names everything else on the sheet.
func (s *tableSurvey) below(ctx context.Context, blocks []tableBlock) error {
	if s.table.name == "" {
		if err := s.trim(ctx, s.table.Range); err != nil {
			return err
		}
	}
	own := s.table.Range // as it was before anything was taken in
	ended := s.table.name != "" || len(s.pick.LeftOut) > 0 && s.table.R2 < own.R2
	slices.SortStableFunc(blocks, func(a, b tableBlock) int { return cmp.Or(cmp.Compare(a.R1, b.R1), cmp.Compare(a.C1, b.C1)) })
	for _, b := range blocks {
		if b.Meets(own) || b.Meets(s.table.Range) {
			continue
		}
		if ended || !b.continues(s.table.Range) {
			s.leaveOut(b.Range, b.said())
			ended = ended || b.R1 > s.table.R2 && b.C1 <= s.table.C2 && b.C2 >= s.table.C1
			continue
		}
		was := s.table.R2
		s.table.R2 = b.R2
		if err := s.trim(ctx, cellref.Block(b.R1, b.C1, b.R2, b.C2)); err != nil {
			return err
		}
		if s.table.R2 < b.R2 {
			ended = true
		}
		if s.table.R2 < b.R1 {
			s.table.R2 = was
		}
	}
	return nil
}

// trim cuts totals and notes off the end of the table, which ends with block.
func (s *tableSurvey) trim(ctx context.Context, block cellref.Range) error {
	first := max(block.R1, block.R2-tailRows+1)
	rows, err := s.wb.tail(ctx, s.part, cellref.Block(first, s.table.C1, block.R2, s.table.C2))
	if err != nil {
		return err
	}
	data := s.table.R1
	if s.table.header > 0 {
		data++
	}
	cut := len(rows)
	for i, r := range rows { // a sum over the column ends the table, with the taxes and the like below it
		after := rows[i+1:]
		if r.row > data && r.sums(data) && len(after) < maxTotals && !slices.ContainsFunc(after, func(a tailRow) bool { return !a.follows(r) }) {
			cut = i
			break
		}
	}
	for cut > 0 && rows[cut-1].row > data && (rows[cut-1].total(rows[:cut-1]) || rows[cut-1].note(s.table.C2-s.table.C1+1)) {
		cut--
	}
	for i := len(rows) - 1; i >= cut; i-- {
		s.table.R2 = rows[i].row - 1
	}
	for _, r := range rows[cut:] {
		s.leaveOut(cellref.Block(r.row, s.table.C1, r.row, s.table.C2), r.label)
	}
	return nil
}
