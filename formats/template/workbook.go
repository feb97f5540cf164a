package template

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	stdpath "path"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/xlsx"
)

const (
	maxCells = 200_000 // that one call writes
	lastRow  = 1 << 20
)

// workbook fills an xlsx by operations of the xlsx editor, so that formulas, names
// and charts follow rows that come and go.
func (f *filler) workbook(ctx context.Context, src formats.Source, dst io.Writer, records []Record) error {
	pkg, err := opc.Open(ctx, src)
	if err != nil {
		return err
	}
	b, err := readBook(ctx, pkg.Edit(), f.known)
	if err != nil {
		return err
	}
	w := &bookFiller{filler: f, records: records, around: scopeOf(records[0])}
	if len(records) > 1 {
		w.around = scopeOf(common(records))
	}
	for _, s := range b.sheets {
		if err := w.sheet(ctx, s); err != nil {
			return err
		}
	}
	if len(w.ops) == 0 { // nothing in the cells: they are not calculated either
		return w.drawings(ctx, pkg, b, dst)
	}
	var made bytes.Buffer
	rep, err := xlsx.Format().Editor.Apply(ctx, src, &made, w.ops, formats.ApplyOptions{Calculate: true, Open: f.opener})
	if err != nil {
		return err
	}
	for _, op := range rep.Ops {
		for _, s := range op.Warnings {
			f.tally.Note(s)
		}
	}
	for _, s := range append(rep.Warnings, rep.Effects...) {
		f.tally.Note(s)
	}
	if pkg, err = opc.Open(ctx, formats.FromBytes("book.xlsx", made.Bytes())); err != nil {
		return err
	}
	return w.drawings(ctx, pkg, b, dst)
}

// drawings fills headers, footers, text boxes and charts of a workbook and writes it.
func (w *bookFiller) drawings(ctx context.Context, pkg *opc.Package, b *bookModel, dst io.Writer) error {
	ed, f, around := pkg.Edit(), w.filler, w.around
	charts, err := w.chartRanges(ctx, ed, pkg)
	if err != nil {
		return err
	}
	for _, s := range b.parts {
		if pkg.Has(s.part) {
			if err := f.headersOf(ctx, ed, s.part, s.name, around); err != nil {
				return err
			}
		}
	}
	if err := f.drawnParts(ctx, ed, pkg, around, nil); err != nil {
		return err
	}
	if err := f.leftover(ctx, ed, pkg); err != nil {
		return err
	}
	for _, name := range pkg.Names() {
		if strings.HasPrefix(name, "xl/drawings/drawing") {
			if err := f.part(ctx, ed, name, nsDrawing, around, nil); err != nil {
				return err
			}
		}
	}
	if len(charts) == 0 {
		return ed.Write(ctx, dst)
	}
	var made bytes.Buffer
	if err := ed.Write(ctx, &made); err != nil {
		return err
	}
	return xlsx.StoreChartValues(ctx, formats.FromBytes("book.xlsx", made.Bytes()), dst, charts)
}

// bookFiller collects the operations that fill a workbook.
type bookFiller struct {
	*filler
	records []Record
	around  *scope
	ops     []json.RawMessage
	cells   int
	grown   []grownRows
}

func (w *bookFiller) op(members map[string]any) {
	b, _ := json.Marshal(members) // strings and numbers only
	w.ops = append(w.ops, b)
}

// sheet fills one sheet: blocks from the last to the first, so that the rows above
// keep their numbers, then the control rows go.
func (w *bookFiller) sheet(ctx context.Context, s *sheet) error {
	blocks := w.blocks(s)
	if err := w.write(ctx, s, func(row int) bool { return !inBlocks(blocks, row) }, 0, w.around); err != nil {
		return err
	}
	var gone []int
	for i := len(blocks) - 1; i >= 0; i-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		added, err := w.block(ctx, s, blocks[i])
		if err != nil {
			return err
		}
		for k := range gone {
			gone[k] += added
		}
		bl := blocks[i]
		if bl.end > bl.last {
			gone = append(gone, bl.end+added)
		}
		if len(bl.scopes) == 0 && bl.condition {
			for r := bl.last; r >= bl.first; r-- {
				gone = append(gone, r)
			}
		}
		if bl.open < bl.first {
			gone = append(gone, bl.open)
		}
	}
	w.went(s, gone)
	for _, r := range gone {
		w.op(map[string]any{"op": "delete_rows", "sheet": s.name, "row": r, "count": 1})
	}
	return nil
}

// block repeats the rows of a block and fills them; it returns how many rows were
// added.
func (w *bookFiller) block(ctx context.Context, s *sheet, b block) (added int, err error) {
	k, n := b.last-b.first+1, len(b.scopes)
	switch {
	case n == 0 && b.condition:
		return 0, nil
	case n == 0: // one row stays, so that sums over it do
		w.tally.Note(fmt.Sprintf("%s!%d:%d is empty: the list %s has no items", s.name, b.first, b.last, b.name))
		return 0, w.blank(s, b)
	}
	if added = (n - 1) * k; s.last+added > lastRow || n*k*max(s.width(b), 1)+w.cells > maxCells {
		return 0, formats.Errorf(formats.CodeTooLarge, "the rows of %s would be more than %d cells; give fewer", b.name, maxCells)
	}
	if added > 0 {
		if s.endsTable(b) { // rows that come before its last rows make the table longer, those behind it do not
			w.op(map[string]any{"op": "insert_rows", "sheet": s.name, "row": b.first, "count": added})
			w.op(map[string]any{"op": "move_rows", "sheet": s.name, "row": b.first + added, "count": k, "to": b.first})
		} else {
			w.op(map[string]any{"op": "insert_rows", "sheet": s.name, "row": b.last + 1, "count": added})
		}
		for have := 1; have < n; {
			more := min(have, n-have)
			w.op(map[string]any{"op": "copy_range", "sheet": s.name,
				"range":  fmt.Sprintf("A%d:%s%d", b.first, xlsx.ColumnName(max(s.right, 1)), b.first+more*k-1),
				"target": "A" + strconv.Itoa(b.first+have*k)})
			have += more
		}
		if h, ok := s.heights[b.first]; ok && k == 1 {
			var rows []any
			for r := b.first + 1; r < b.first+n; r++ {
				rows = append(rows, map[string]any{"row": r, "height": h})
			}
			w.op(map[string]any{"op": "set_row_heights", "sheet": s.name, "rows": rows})
		}
		w.grow(s, b, added)
		w.grew(s, b, added)
	}
	in := func(row int) bool { return row >= b.first && row <= b.last }
	for i, sc := range b.scopes {
		if err := w.write(ctx, s, in, i*k, sc); err != nil {
			return 0, err
		}
	}
	return added, nil
}

// grow makes formulas outside of the block that end with its last row include the
// rows that were added, and moves what the model of the sheet has below.
func (w *bookFiller) grow(s *sheet, b block, added int) {
	var cells []any
	for i := range s.cells {
		c := &s.cells[i]
		inside := c.row >= b.first && c.row <= b.last
		if c.row > b.last {
			c.row += added
		}
		if c.formula == "" || inside {
			continue
		}
		text, grown := grownFormula(c.formula, b, added)
		if c.formula = text; grown {
			cells = append(cells, map[string]any{"cell": c.ref(0), "value": "=" + text})
		}
	}
	s.last += added
	for i, t := range s.tables {
		if t.last >= b.last {
			s.tables[i].last += added
		}
		if t.first > b.last {
			s.tables[i].first += added
		}
	}
	if len(cells) > 0 {
		w.op(map[string]any{"op": "set_cells", "sheet": s.name, "cells": cells})
	}
}

// blank empties the placeholders of a block without items.
func (w *bookFiller) blank(s *sheet, b block) error {
	var cells []any
	for _, c := range s.cells {
		if c.row >= b.first && c.row <= b.last && len(w.tokens(c.text)) > 0 {
			cells = append(cells, map[string]any{"cell": c.ref(0), "value": nil})
		}
	}
	if len(cells) > 0 {
		w.op(map[string]any{"op": "set_cells", "sheet": s.name, "cells": cells})
	}
	return nil
}

// write fills the cells of some rows, by moving them rows down.
func (w *bookFiller) write(ctx context.Context, s *sheet, in func(row int) bool, down int, sc *scope) error {
	var cells []any
	for _, c := range s.cells {
		if !in(c.row) || c.text == "" {
			continue
		}
		v, changed, err := w.cell(ctx, c, s.name, sc)
		if err != nil {
			return err
		}
		if p, _ := v["picture"].(map[string]any); p != nil {
			p["op"], p["sheet"], p["cell"] = "add_image", s.name, c.ref(down)
			w.op(p)
			v = map[string]any{"value": nil}
		}
		if changed {
			v["cell"] = c.ref(down)
			cells = append(cells, v)
		}
	}
	if w.cells += len(cells); w.cells > maxCells {
		return formats.Errorf(formats.CodeTooLarge, "more than %d cells would be filled; give fewer rows", maxCells)
	}
	if len(cells) > 0 {
		w.op(map[string]any{"op": "set_cells", "sheet": s.name, "cells": cells})
	}
	return nil
}

// cell returns what set_cells takes for a cell. One that is a placeholder only gets
// the value with its type, another one text.
func (w *bookFiller) cell(ctx context.Context, c cell, sheet string, sc *scope) (out map[string]any, changed bool, err error) {
	place := func() string { return xlsx.Address(sheet, c.ref(0)) }
	if list := w.tokens(c.text); len(list) == 1 && list[0].kind == valueToken && list[0].filters == "" && list[0].raw == strings.TrimSpace(c.text) {
		if v, ok := sc.find(list[0].name); ok {
			switch v := v.(type) {
			case nil:
				w.tally.fill(list[0].name, "")
				return map[string]any{"value": nil}, true, nil
			case json.Number, bool:
				w.tally.fill(list[0].name, "x")
				return map[string]any{"value": v}, true, nil
			case string:
				if _, date := parseDate(v); date {
					w.tally.fill(list[0].name, v)
					return map[string]any{"value": v}, true, nil
				}
			}
		}
	}
	if list := w.tokens(c.text); len(list) == 1 && isPicture(list[0].filters) && list[0].raw == strings.TrimSpace(c.text) {
		return w.picture(ctx, list[0], sc, place)
	}
	ranges, err := w.inline(ctx, c.text, sc, place)
	if err != nil || len(ranges) == 0 {
		return nil, false, err
	}
	var sb strings.Builder
	at := 0
	for _, r := range ranges {
		sb.WriteString(c.text[at:r.Start] + r.New)
		at = r.End
	}
	sb.WriteString(c.text[at:])
	if c.rich {
		w.tally.Note("the text of " + place() + " had several formats and has that of the cell now")
	}
	if sb.Len() > 32767 {
		return nil, false, formats.Errorf(formats.CodeInvalid, "the text for %s would be longer than a cell holds (32,767 characters)", place())
	}
	if sb.Len() == 0 {
		return map[string]any{"value": nil}, true, nil
	}
	return map[string]any{"value": sb.String(), "type": "text"}, true, nil
}

// picture returns the members of add_image for a cell that a picture takes the place of;
// its top left corner is that of the cell.
func (w *bookFiller) picture(ctx context.Context, t token, sc *scope, place func() string) (out map[string]any, changed bool, err error) {
	v, ok := sc.find(t.name)
	name, ok := w.pathOf(v, ok || sc.absent(t.name))
	if !ok {
		w.tally.missing(t.raw, place())
		return nil, false, nil
	}
	w.tally.fill(t.name, name)
	if name == "" {
		return map[string]any{"value": nil}, true, nil
	}
	p, err := pictureOf(t.filters)
	if err != nil {
		return nil, false, err
	}
	if _, err := w.open(ctx, name, place); err != nil {
		return nil, false, err
	}
	op := map[string]any{"path": name, "alt": stdpath.Base(name)}
	for side, n := range map[string]int64{"width": p.width, "height": p.height} {
		if n > 0 {
			op[side] = float64(n) / emuPerInch
		}
	}
	return map[string]any{"picture": op}, true, nil
}
