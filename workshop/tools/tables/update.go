package tables

import (
	"atelier/internal/textclip"
	"atelier/workshop/tools"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx"
	"atelier/internal/lenient"
	"atelier/workshop"
)

type updateArgs struct {
	exportArgs
	Sheet          string        `json:"sheet" jsonschema:"Sheet to write to"`
	Mode           string        `json:"mode,omitempty" jsonschema:"write_range (at start_cell, the default), append_rows (below what is there) or replace_sheet (the sheet holds nothing else afterwards; formats stay)"`
	StartCell      string        `json:"start_cell,omitempty" jsonschema:"Top left cell, default A1 (append_rows: its column)"`
	IncludeHeader  *lenient.Bool `json:"include_header,omitempty" jsonschema:"Write the names of columns first, default true (append_rows: only to an empty sheet)"`
	CreateWorkbook *lenient.Bool `json:"create_workbook_if_missing,omitempty" jsonschema:"Default true"`
	CreateSheet    *lenient.Bool `json:"create_sheet_if_missing,omitempty" jsonschema:"Default true"`
	ClearTarget    lenient.Bool  `json:"clear_target_range,omitempty" jsonschema:"write_range: also empty what stands below the block in its columns"`
}

// Update returns the tool that writes a query's result into a sheet.
func Update() *tools.Tool {
	return tools.New("table_update_from_export", "Write a table, or a query of it, into a sheet of a workbook. Values keep their types; texts that begin with = stay texts; the rest of the workbook stays as it is.", tools.Write, updateSheet).Gives(reflect.TypeFor[exported]())
}

func orTrue(b *lenient.Bool) bool { return b == nil || bool(*b) }

func updateSheet(ctx context.Context, env *tools.Env, a updateArgs) (any, error) {
	p, err := tools.ParsePath(a.TargetPath)
	if err != nil {
		return nil, err
	}
	if formats.KindOfName(a.TargetPath) != formats.KindXlsx {
		return nil, workshop.Faultf(workshop.Invalid, "target_path must be an xlsx file; table_export writes csv").OnField("target_path")
	}
	row, col := 1, 1
	if a.StartCell != "" {
		if row, col, err = xlsx.ParseCell(a.StartCell); err != nil {
			return nil, err
		}
	}
	switch a.Mode {
	case "", "write_range", "replace_sheet", "append_rows":
	default:
		return nil, workshop.Faultf(workshop.Invalid, "mode is one of replace_sheet, append_rows and write_range, not %q", a.Mode).OnField("mode")
	}
	q, done, err := a.openQuery(ctx, env)
	defer done()
	if err != nil {
		return nil, err
	}
	target, opt, err := openTarget(ctx, env, p, a)
	if err != nil {
		return nil, err
	}
	var src formats.Source
	t := &targetSheet{}
	if target != nil {
		defer target.Close()
		src = target
		if err := t.readSheet(ctx, src, a); err != nil {
			return nil, err
		}
	}
	header := orTrue(a.IncludeHeader)
	if a.Mode == "append_rows" && t.last > 0 {
		row, header = t.last+1, false
	}
	b, err := blockOf(ctx, q, header, t.date1904)
	if err != nil {
		return nil, err
	}
	if a.Mode == "append_rows" && t.last > 0 {
		if err := t.compareColumns(ctx, src, a, b, col); err != nil {
			return nil, err
		}
	}
	clear, err := t.cellsToClear(ctx, src, a, b, row, col)
	if err != nil {
		return nil, err
	}
	if err := b.writeTo(ctx, env, p, src, opt, a.Sheet, row, col, clear); err != nil {
		return nil, err
	}
	return exported{Path: a.TargetPath, Sheet: a.Sheet, Range: b.rangeAt(row, col), Rows: b.count, Columns: len(b.columns), Cleared: len(clear), Effects: b.effects, Warnings: b.warnings}.withOrigin(ctx, q)
}

// openTarget opens the workbook to write to, or returns nil for a new one.
func openTarget(ctx context.Context, env *tools.Env, p workshop.Path, a updateArgs) (workshop.Source, workshop.PutOptions, error) {
	src, err := env.View.Open(ctx, p)
	switch {
	case err == nil:
		return src, workshop.PutOptions{BaseHash: src.Hash()}, nil
	case workshop.IsFault(err, workshop.NotFound) && orTrue(a.CreateWorkbook):
		return nil, workshop.PutOptions{CreateOnly: true}, nil
	}
	return nil, workshop.PutOptions{}, err
}

// targetSheet describes the current content of the sheet.
type targetSheet struct {
	exists   bool
	last     int // the last row that is not empty
	date1904 bool
}

func (t *targetSheet) readSheet(ctx context.Context, src formats.Source, a updateArgs) (err error) {
	if t.date1904, err = xlsx.Date1904(ctx, src); err != nil {
		return err
	}
	err = xlsx.Filled(ctx, src, a.Sheet, func(row, _ int) error {
		t.last = max(t.last, row)
		return nil
	})
	if formats.CodeOf(err) == formats.CodeNotFound && orTrue(a.CreateSheet) {
		return nil
	}
	t.exists = err == nil
	return err
}

// compareColumns warns if rows are appended below columns with other names.
func (t *targetSheet) compareColumns(ctx context.Context, src formats.Source, a updateArgs, b *block, col int) error {
	r, err := xlsx.Rows(ctx, src, a.Sheet, "")
	if err != nil {
		return err
	}
	defer r.Close()
	first, err := r.Next()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	for i, c := range b.columns {
		have := ""
		if at := col - 1 + i; at < len(first) {
			have = first[at].Text
		}
		if !strings.EqualFold(strings.TrimSpace(have), c.Name) {
			b.warnings = append(b.warnings, fmt.Sprintf("column %s was appended below %q: rows are appended by position", c.Name, textclip.Bytes(have, 60)))
			return nil
		}
	}
	return nil
}

// cellsToClear lists the cells to empty: all of the sheet, or those below the block,
// except those that the block covers.
func (t *targetSheet) cellsToClear(ctx context.Context, src formats.Source, a updateArgs, b *block, row, col int) ([]clearedCell, error) {
	whole := a.Mode == "replace_sheet"
	if !t.exists || !whole && (!bool(a.ClearTarget) || a.Mode == "append_rows") {
		return nil, nil
	}
	var out []clearedCell
	err := xlsx.Filled(ctx, src, a.Sheet, func(r, c int) error {
		across := c >= col && c < col+len(b.columns)
		covered := across && r >= row && r < row+len(b.values)
		if covered || !whole && (!across || r < row) {
			return nil
		}
		if len(out) >= maxSheetCells {
			return workshop.Faultf(workshop.Invalid, "the sheet holds more than the %d cells that can be emptied at once", maxSheetCells)
		}
		out = append(out, clearedCell{Cell: fmt.Sprintf("%s%d", xlsx.ColumnName(c), r)})
		return nil
	})
	return out, err
}
