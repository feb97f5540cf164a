package xlsx

import (
	"context"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/internal/lenient"
)

type copyRangeArgs struct {
	rangeArgs
	Target      string       `json:"target" usage:"target" jsonschema:"{ops}: top left cell of the copy"`
	TargetSheet string       `json:"target_sheet" jsonschema:"{ops}: default the same sheet"`
	ValuesOnly  lenient.Bool `json:"values_only" jsonschema:"{ops}: results instead of formulas"`
}

type fillArgs struct {
	rangeArgs
	Direction string `json:"direction" usage:"direction" jsonschema:"{ops}: down or right; the first row or column of range is copied into the rest"`
}

type clearRangeArgs struct {
	rangeArgs
	What string `json:"what" jsonschema:"{ops}: values (default), formats or all"`
}

// rangeOf reads the sheet and range of an operation.
func (e *structure) rangeOf(op rangeArgs) (int, cellref.Range, error) {
	i, err := e.worksheet(op.Sheet)
	if err != nil {
		return 0, cellref.Range{}, err
	}
	if strings.TrimSpace(op.Range) == "" {
		return 0, cellref.Range{}, formats.Errorf(formats.CodeInvalid, "range is required, such as A1:C9")
	}
	if rects, err := ranges(op.Range); err == nil && len(rects) > 1 {
		return 0, cellref.Range{}, formats.Errorf(formats.CodeInvalid, "range is one block here, and %s are several; use an operation for each of them", cellref.QuoteArg(op.Range))
	}
	r, err := cellref.ParseRange(op.Range)
	return i, r, err
}

// copyRange copies cells with their formats; relative references move along.
func copyRange(ctx context.Context, e *structure, op copyRangeArgs) error {
	i, r, err := e.rangeOf(op.rangeArgs)
	if err != nil {
		return err
	}
	to := i
	if op.TargetSheet != "" {
		if to, err = e.worksheet(op.TargetSheet); err != nil {
			return err
		}
	}
	if strings.TrimSpace(op.Target) == "" {
		return formats.Errorf(formats.CodeInvalid, "target is required: the top left cell, such as E1")
	}
	dest, err := cellref.ParseRange(op.Target)
	if err != nil {
		return err
	}
	dr, dc := dest.R1-r.R1, dest.C1-r.C1
	values := bool(op.ValuesOnly)
	rule := arraysInside
	if values {
		rule = anyArrays
	}
	b, err := e.readBlock(ctx, i, r, rule)
	if err != nil {
		return err
	}
	used := b.rect
	if used.R2+dr > cellref.MaxRow || used.C2+dc > cellref.MaxCol {
		return formats.Errorf(formats.CodeInvalid, "the copy would reach beyond the sheet; choose a target further up or left")
	}
	w, err := e.writer(ctx, b, to)
	if err != nil {
		return err
	}
	area, err := e.targetCells(ctx, to, cellref.Block(r.R1+dr, r.C1+dc, min(r.R2+dr, cellref.MaxRow), min(r.C2+dc, cellref.MaxCol)))
	if err != nil {
		return err
	}
	lost := w.copyBlock(b, area, dr, dc, values)
	switch n := len(w.plan.sheets[to].cells); {
	case len(b.cells) > 0:
	case n == 0:
		e.warn("%s is empty and so is its target; nothing was changed", op.Range)
		return nil
	default:
		e.warn("%s is empty, so that its target was emptied", op.Range)
	}
	if lost > 0 {
		e.warn("%d formulas have no calculated value in the file; their copies are empty", lost)
	}
	if err := w.finish(ctx); err != nil {
		return err
	}
	if slices.ContainsFunc(b.facts.skel.Merges(), func(m cellref.Range) bool { return m.Inside(r) }) {
		e.warn("merged cells were not merged in the copy; use merge_cells")
	}
	if !values {
		if err := e.saidNotCopied(ctx, b, r); err != nil {
			return err
		}
	}
	last := cellref.Block(r.R1+dr, r.C1+dc, min(r.R2, max(used.R2, r.R1))+dr, min(r.C2, max(used.C2, r.C1))+dc)
	e.rep.Made = e.wb.Sheets[to].Name + "!" + last.String()
	return nil
}

// saidNotCopied tells of what is on cells of a block, beside their content and
// formats, and does not come with them.
func (e *structure) saidNotCopied(ctx context.Context, b *block, r cellref.Range) error {
	var kinds []string
	notes, err := e.commentsIn(ctx, b.sheet, r)
	if err != nil {
		return err
	}
	if notes > 0 {
		kinds = append(kinds, "comments")
	}
	for _, k := range []struct{ element, attr, name string }{{"hyperlink", "ref", "links"}, {"conditionalFormatting", "sqref", "conditional formats"}, {"dataValidation", "sqref", "data validations"}} {
		if slices.ContainsFunc(b.facts.skel.Elements(k.element), func(t xmlscan.Token) bool {
			return slices.ContainsFunc(cellref.ParseList(t.AttrLocal(k.attr)), r.Meets)
		}) {
			kinds = append(kinds, k.name)
		}
	}
	if len(kinds) > 0 {
		e.warn("not copied with the cells: %s", strings.Join(kinds, ", "))
	}
	return nil
}

// commentsIn counts the comments on cells of a block.
func (e *structure) commentsIn(ctx context.Context, sheet int, r cellref.Range) (n int, err error) {
	notes, err := e.wb.Comments(ctx, e.wb.Sheets[sheet].Part)
	for _, c := range notes {
		if r.Has(c.At.Row, c.At.Col) {
			n++
		}
	}
	return n, err
}

// copyBlock copies a block dr rows down and dc columns to the right, over the
// cells that are there; it returns how many formulas had no value to copy.
func (w *blockWriter) copyBlock(b *block, over map[cellref.Cell]*blockCell, dr, dc int, values bool) (lost int) {
	for at := range over {
		if b.cells[cellref.At(at.Row-dr, at.Col-dc)] == nil {
			w.put(at, nil, false) // an empty cell is copied too
		}
	}
	for at, c := range b.cells {
		now := c.moved(dr, dc)
		switch {
		case values && c.hasF && c.v == "":
			lost++
		case !values && !c.hasF && b.filled.Has(at.Row, at.Col):
			now = &blockCell{style: c.style, hasStyle: c.hasStyle} // the copy of the formula fills it
		}
		w.put(cellref.At(at.Row+dr, at.Col+dc), now, values)
	}
	return lost
}

// targetCells are the cells in r that hold something.
func (e *structure) targetCells(ctx context.Context, sheet int, r cellref.Range, only ...cellref.Range) (map[cellref.Cell]*blockCell, error) {
	b, err := e.readBlock(ctx, sheet, r, anyArrays, only...)
	if err != nil {
		return nil, err
	}
	return b.cells, nil
}

// fillRange copies the first row of a range down, or its first column to the
// right, as dragging the handle with Ctrl does.
func fillRange(ctx context.Context, e *structure, op fillArgs) error {
	i, r, err := e.rangeOf(op.rangeArgs)
	if err != nil {
		return err
	}
	first := r
	switch strings.ToLower(op.Direction) {
	case "down":
		first.R2 = r.R1
	case "right":
		first.C2 = r.C1
	default:
		return formats.Errorf(formats.CodeInvalid, "direction is required: down or right")
	}
	if (r.R2-r.R1+1)*(r.C2-r.C1+1) > maxBlock {
		return formats.Errorf(formats.CodeTooLarge, "the range %s has more than %d cells; take a smaller one", r, maxBlock)
	}
	if first == r {
		return formats.Errorf(formats.CodeInvalid, "the range %s is only what would be filled from; name the cells to fill too", r)
	}
	b, err := e.readBlock(ctx, i, first, arraysOfOneCell)
	if err != nil {
		return err
	}
	w, err := e.writer(ctx, b, i)
	if err != nil {
		return err
	}
	if len(b.cells) == 0 {
		e.warn("%s, which is filled from, is empty, so that the rest was emptied", first)
	}
	for row := r.R1; row <= r.R2; row++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		for col := r.C1; col <= r.C2; col++ {
			if !first.Has(row, col) {
				w.fill(b, cellref.At(min(row, first.R2), min(col, first.C2)), cellref.At(row, col))
			}
		}
	}
	return w.finish(ctx)
}

// fill copies one cell of a block.
func (w *blockWriter) fill(b *block, from, to cellref.Cell) {
	c := b.cells[from]
	if c == nil {
		w.put(to, nil, false)
		return
	}
	w.put(to, c.moved(to.Row-from.Row, to.Col-from.Col), false)
}

// clearRange empties cells: their values, their formats, or both.
func clearRange(ctx context.Context, e *structure, op clearRangeArgs) error {
	i, err := e.worksheet(op.Sheet)
	if err != nil {
		return err
	}
	rects, err := ranges(op.Range)
	if err != nil {
		return err
	}
	what := strings.ToLower(op.What)
	switch what {
	case "":
		what = "values"
	case "values", "formats", "all":
	default:
		return formats.Errorf(formats.CodeInvalid, "what is %s; expected values, formats or all", cellref.QuoteArg(op.What))
	}
	if what == "formats" {
		return e.clearFormats(ctx, i, rects)
	}
	cells, err := e.targetCells(ctx, i, around(rects), rects...)
	if err != nil {
		return err
	}
	w, err := e.writer(ctx, nil, i)
	if err != nil {
		return err
	}
	n := 0
	for at, c := range cells {
		if what == "values" && c.blank() {
			continue
		}
		n++
		empty := &blockCell{style: c.style, hasStyle: c.hasStyle}
		if what == "all" {
			empty = nil
		}
		w.put(at, empty, false)
	}
	if n == 0 {
		e.warn("there was nothing in %s", op.Range)
		return nil
	}
	return w.finish(ctx)
}
