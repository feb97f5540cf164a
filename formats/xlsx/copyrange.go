package xlsx

import (
	"context"
	"strings"

	"atelier/formats"
)

func init() {
	structurals["copy_range"] = copyRange
	structurals["fill"] = fillRange
	structurals["clear_range"] = clearRange
}

// rangeOf reads the sheet and range of an operation.
func (e *structure) rangeOf(op Operation) (int, rect, error) {
	i, err := e.worksheet(op.Sheet)
	if err != nil {
		return 0, rect{}, err
	}
	if strings.TrimSpace(op.Range) == "" {
		return 0, rect{}, formats.Errorf(formats.CodeInvalid, "range is required, such as A1:C9")
	}
	r, err := parseRange(op.Range)
	return i, r, err
}

// copyRange copies cells with their formats; relative references move along.
func copyRange(ctx context.Context, e *structure, op Operation) error {
	i, r, err := e.rangeOf(op)
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
	dest, err := parseRange(op.Target)
	if err != nil {
		return err
	}
	dr, dc := dest.r1-r.r1, dest.c1-r.c1
	values := bool(op.ValuesOnly)
	b, err := e.readBlock(ctx, i, r, values)
	if err != nil {
		return err
	}
	used := b.rect
	if used.r2+dr > maxRow || used.c2+dc > maxCol {
		return formats.Errorf(formats.CodeInvalid, "the copy would reach beyond the sheet; choose a target further up or left")
	}
	w, err := e.writer(ctx, b, to)
	if err != nil {
		return err
	}
	area, err := e.targetCells(ctx, to, rect{r.r1 + dr, r.c1 + dc, min(r.r2+dr, maxRow), min(r.c2+dc, maxCol)})
	if err != nil {
		return err
	}
	for at := range area {
		if b.cells[ref{at.row - dr, at.col - dc}] == nil {
			w.put(at, nil, false) // an empty cell is copied too
		}
	}
	lost := 0
	for at, c := range b.cells {
		now := *c
		if c.hasF && !values {
			now.f = shiftFormula(c.f, dr, dc)
		} else if c.hasF && c.v == "" {
			lost++
		}
		w.put(ref{at.row + dr, at.col + dc}, &now, values)
	}
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
	for _, m := range b.facts.skel.merges() {
		if r.has(m.r1, m.c1) && r.has(m.r2, m.c2) {
			e.warn("merged cells were not merged in the copy; use merge_cells")
			break
		}
	}
	last := rect{r.r1 + dr, r.c1 + dc, min(r.r2, max(used.r2, r.r1)) + dr, min(r.c2, max(used.c2, r.c1)) + dc}
	e.rep.Made = e.wb.sheets[to].name + "!" + last.String()
	return nil
}

// targetCells are the cells in r that hold something.
func (e *structure) targetCells(ctx context.Context, sheet int, r rect) (map[ref]*blockCell, error) {
	b, err := e.readBlock(ctx, sheet, r, true)
	if err != nil {
		return nil, err
	}
	return b.cells, nil
}

// fillRange copies the first row of a range down, or its first column to the
// right, as dragging the handle with Ctrl does.
func fillRange(ctx context.Context, e *structure, op Operation) error {
	i, r, err := e.rangeOf(op)
	if err != nil {
		return err
	}
	first := r
	switch strings.ToLower(op.Direction) {
	case "down":
		first.r2 = r.r1
	case "right":
		first.c2 = r.c1
	default:
		return formats.Errorf(formats.CodeInvalid, "direction is required: down or right")
	}
	if (r.r2-r.r1+1)*(r.c2-r.c1+1) > maxBlock {
		return formats.Errorf(formats.CodeTooLarge, "the range %s has more than %d cells; take a smaller one", r, maxBlock)
	}
	if first == r {
		return formats.Errorf(formats.CodeInvalid, "the range %s is only what would be filled from; name the cells to fill too", r)
	}
	b, err := e.readBlock(ctx, i, first, false)
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
	for row := r.r1; row <= r.r2; row++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		for col := r.c1; col <= r.c2; col++ {
			if first.has(row, col) {
				continue
			}
			from := ref{min(row, first.r2), min(col, first.c2)}
			c := b.cells[from]
			if c == nil {
				w.put(ref{row, col}, nil, false)
				continue
			}
			now := *c
			now.f = shiftFormula(c.f, row-from.row, col-from.col)
			w.put(ref{row, col}, &now, false)
		}
	}
	return w.finish(ctx)
}

// clearRange empties cells: their values, their formats, or both.
func clearRange(ctx context.Context, e *structure, op Operation) error {
	i, r, err := e.rangeOf(op)
	if err != nil {
		return err
	}
	what := strings.ToLower(op.What)
	switch what {
	case "":
		what = "values"
	case "values", "formats", "all":
	default:
		return formats.Errorf(formats.CodeInvalid, "what is %s; expected values, formats or all", quoteArg(op.What))
	}
	if what == "formats" {
		return e.clearFormats(ctx, i, r)
	}
	cells, err := e.targetCells(ctx, i, r)
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
