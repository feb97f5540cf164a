package tables

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"reflect"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/tablequery"
	"atelier/formats/xlsx"
	"atelier/internal/lenient"
	"atelier/workshop"
	"atelier/workshop/tools"
)

// exportSteps limits a query whose result is written to a file.
const exportSteps = 12 * tablequery.DefaultSteps

// maxSheetCells is the maximum number of cells that one call writes to a
// workbook.
const maxSheetCells = 1_000_000

type exportArgs struct {
	Path        string `json:"path" jsonschema:"csv, tsv or xlsx file to read"`
	SourceSheet string `json:"source_sheet,omitempty" jsonschema:"Sheet to read (xlsx only), default the first"`
	SourceRange string `json:"source_range,omitempty" jsonschema:"Range or table to read (xlsx only)"`

	Query      string            `json:"query,omitempty" jsonschema:"SELECT as in table_query, default the whole table"`
	Tables     map[string]string `json:"tables,omitempty" jsonschema:"Further files to join, as in table_query"`
	TargetPath string            `json:"target_path" jsonschema:"File to write"`
}

// openQuery opens the tables of the query.
func (a exportArgs) openQuery(ctx context.Context, env *tools.Env) (q tablequery.Query, done func(), err error) {
	refs, done, err := openTables(ctx, env, tableArgs{a.Path, a.SourceSheet, a.SourceRange}, a.Tables)
	if a.Query == "" {
		a.Query = "SELECT * FROM data"
	}
	return tablequery.Query{Tables: refs, SQL: a.Query, Steps: exportSteps}, done, err
}

// Export returns the tool that writes a query's result to a new file.
func Export() *tools.Tool {
	return tools.New("table_export", "Write a table, or a query of it, to a new csv or xlsx file. Values keep their types; texts that begin with = stay texts.", tools.Write,
		func(ctx context.Context, env *tools.Env, a struct {
			exportArgs
			Format string `json:"format,omitempty" jsonschema:"csv or xlsx, default by the extension of target_path"`
			Sheet  string `json:"sheet,omitempty" jsonschema:"Name of the new sheet, default Data (xlsx only)"`
			Guard  bool   `json:"guard_formulas,omitempty" jsonschema:"Put ' before texts that spreadsheet programs would run as formulas: those that begin with = + - @ or a tab or line break (csv only)"`
		}) (any, error) {
			p, err := tools.ParsePath(a.TargetPath)
			if err != nil {
				return nil, err
			}
			format := strings.ToLower(strings.TrimPrefix(path.Ext(a.TargetPath), "."))
			if a.Format != "" && !strings.EqualFold(a.Format, format) {
				return nil, workshop.Faultf(workshop.Invalid, "target_path ends in .%s but format is %s; make them the same", format, a.Format).OnField("format")
			}
			if format != "csv" && format != "xlsx" {
				return nil, workshop.Faultf(workshop.Invalid, "target_path must end in .csv or .xlsx").OnField("target_path")
			}
			q, done, err := a.openQuery(ctx, env)
			defer done()
			if err != nil {
				return nil, err
			}
			for _, t := range q.Tables {
				if opc.Locked(t.Source) {
					return nil, workshop.Faultf(workshop.Invalid, "%s is encrypted with a password, and the new file would have its content without one; nothing was written", t.Source.Name())
				}
			}
			if format == "csv" {
				return exportCSV(ctx, env, p, q, a.Guard)
			}
			_, err = env.View.Stat(ctx, p)
			if err == nil {
				return nil, workshop.Faultf(workshop.Conflict, "%s exists already; use table_update_from_export to write into it", a.TargetPath).OnField("target_path")
			}
			if !workshop.IsFault(err, workshop.NotFound) {
				return nil, err
			}
			b, err := newWorkbook(ctx, env, p, q, cmp.Or(a.Sheet, "Data"))
			if err != nil {
				return nil, err
			}
			return exported{Path: a.TargetPath, Sheet: cmp.Or(a.Sheet, "Data"), Rows: b.count, Columns: len(b.columns), Range: b.rangeAt(1, 1), Effects: b.effects, Warnings: b.warnings}.withOrigin(ctx, q)
		}).Gives(reflect.TypeFor[exported]())
}

// newWorkbook writes what a query finds to a sheet of a new workbook.
func newWorkbook(ctx context.Context, env *tools.Env, p workshop.Path, q tablequery.Query, sheet string) (*block, error) {
	b, err := blockOf(ctx, q, true, false)
	if err != nil {
		return nil, err
	}
	return b, b.writeTo(ctx, env, p, nil, workshop.PutOptions{CreateOnly: true}, sheet, 1, 1, nil)
}

// Workbook writes a csv or tsv file to a sheet of a new workbook, with the types
// that table_query finds. It returns the number of rows without the header, and
// warnings.
func Workbook(ctx context.Context, env *tools.Env, from formats.Source, to workshop.Path) (rows int, warnings []string, err error) {
	q := tablequery.Query{Tables: []tablequery.Ref{{Source: from}}, SQL: "SELECT * FROM data", Steps: exportSteps}
	b, err := newWorkbook(ctx, env, to, q, "Data")
	if err != nil {
		return 0, nil, err
	}
	return b.count, b.warnings, nil
}

// exported is the result of an export.
type exported struct {
	Path     string   `json:"path"`
	Sheet    string   `json:"sheet,omitempty"`
	Range    string   `json:"range,omitempty"`
	Rows     int      `json:"rows"` // without the header
	Columns  int      `json:"columns"`
	Cleared  int      `json:"cleared_cells,omitempty"`
	Guarded  int      `json:"guarded_cells,omitempty"` // texts prefixed with '
	Read     string   `json:"read_range,omitempty"`    // of the source workbook, if no range was requested
	LeftOut  []string `json:"left_out,omitempty"`      // what else the sheet contains
	Effects  []string `json:"effects,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// withOrigin adds which parts of workbooks were read.
func (e exported) withOrigin(ctx context.Context, q tablequery.Query) (exported, error) {
	o, err := originOf(ctx, q.Tables)
	e.Read, e.LeftOut = o.Range, o.LeftOut
	return e, err
}

func exportCSV(ctx context.Context, env *tools.Env, p workshop.Path, q tablequery.Query, guard bool) (any, error) {
	out := exported{Path: string(p)}
	_, err := env.View.Put(ctx, p, workshop.PutOptions{}, func(w io.Writer) error {
		var cw *tablequery.CSVWriter
		err := tablequery.Shared().Each(ctx, q, func(cols []tablequery.ResultColumn) error {
			out.Columns = len(cols)
			cw = tablequery.NewCSVWriter(w, cols, true)
			if guard {
				cw = tablequery.NewGuardedCSVWriter(w, cols, true)
			}
			return nil
		}, func(value func(int) any) error {
			out.Rows++
			cw.Row(value)
			return nil
		})
		if err != nil {
			return err
		}
		out.Guarded = cw.Guarded()
		return cw.Close()
	})
	if err != nil {
		return nil, err
	}
	return out.withOrigin(ctx, q)
}

// block is the result of a query that will be written to a sheet.
type block struct {
	columns  []tablequery.ResultColumn
	values   [][]any
	count    int // rows without the header
	dates    map[int]string
	date1904 bool
	effects  []string
	warnings []string
}

// blockOf runs a query and returns its rows as cell values.
func blockOf(ctx context.Context, q tablequery.Query, header, date1904 bool) (*block, error) {
	b := &block{dates: map[int]string{}, date1904: date1904}
	cells, kept := 0, map[int]bool{}
	err := tablequery.Shared().Each(ctx, q, func(cols []tablequery.ResultColumn) error {
		b.columns = cols
		if header {
			row := make([]any, len(cols))
			for i, c := range cols {
				row[i] = c.Name
			}
			b.values = append(b.values, row)
		}
		return nil
	}, func(value func(int) any) error {
		row := make([]any, len(b.columns))
		for i := range row {
			row[i] = b.cellValue(i, value(i), kept)
		}
		b.values = append(b.values, finiteRow(row))
		b.count++
		if cells += len(row); cells > maxSheetCells || len(b.values) > 1<<20 {
			return workshop.Faultf(workshop.Invalid, "the result has more than the %d cells, or the 1048576 rows, that can be written to a sheet at once; narrow the query, or export to csv", maxSheetCells).OnField("query")
		}
		return nil
	})
	for i := range b.columns {
		if kept[i] {
			b.warnings = append(b.warnings, fmt.Sprintf("column %s holds dates that a sheet cannot; they are written as text", b.columns[i].Name))
		}
	}
	return b, err
}

// cellValue converts ISO dates of date columns to cell values.
func (b *block) cellValue(i int, v any, kept map[int]bool) any {
	s, ok := v.(string)
	if !ok || b.columns[i].Type != "date" {
		return v
	}
	n, ok := xlsx.Serial(s, b.date1904)
	if !ok {
		kept[i] = true
		return v
	}
	format := "yyyy-mm-dd"
	switch {
	case !strings.Contains(s, "-"):
		format = "hh:mm:ss"
	case strings.Contains(s, ":"):
		format = "yyyy-mm-dd hh:mm:ss"
	}
	if len(format) > len(b.dates[i]) {
		b.dates[i] = format
	}
	return n
}

// rangeAt returns the block's range if it begins at row, col (1-based).
func (b *block) rangeAt(row, col int) string {
	if len(b.values) == 0 || len(b.columns) == 0 {
		return ""
	}
	return fmt.Sprintf("%s%d:%s%d", xlsx.ColumnName(col), row, xlsx.ColumnName(col+len(b.columns)-1), row+len(b.values)-1)
}

// sheetOp is an operation on a sheet in the form that the editor takes.
type sheetOp struct {
	Op      string         `json:"op"`
	Sheet   string         `json:"sheet"`
	Start   string         `json:"start,omitempty"`
	Values  [][]any        `json:"values,omitempty"`
	Literal lenient.Bool   `json:"literal,omitempty"`
	Range   string         `json:"range,omitempty"`
	Style   map[string]any `json:"style,omitempty"`
	Cells   []clearedCell  `json:"cells,omitempty"`
}

// clearedCell is a cell of set_cells that is emptied.
type clearedCell struct {
	Cell  string `json:"cell"`
	Value any    `json:"value"`
}

// writeTo writes the block to a sheet of the workbook src (nil: a new one) at
// row, col, and empties the cells of clear that the block does not cover.
func (b *block) writeTo(ctx context.Context, env *tools.Env, p workshop.Path, src formats.Source, opt workshop.PutOptions, sheet string, row, col int, clear []clearedCell) error {
	ops := []sheetOp{{Op: "ensure_sheet", Sheet: sheet}}
	if len(clear) > 0 {
		ops = append(ops, sheetOp{Op: "set_cells", Sheet: sheet, Cells: clear})
	}
	if len(b.values) > 0 {
		ops = append(ops, sheetOp{Op: "set_range", Sheet: sheet, Start: fmt.Sprintf("%s%d", xlsx.ColumnName(col), row), Values: b.values, Literal: true})
	}
	for i := range b.columns {
		if f := b.dates[i]; f != "" {
			c := xlsx.ColumnName(col + i)
			first := row + len(b.values) - b.count
			ops = append(ops, sheetOp{Op: "set_style", Sheet: sheet, Range: fmt.Sprintf("%s%d:%s%d", c, first, c, row+len(b.values)-1), Style: map[string]any{"number_format": f}})
		}
	}
	raw := make([]json.RawMessage, len(ops))
	for i, op := range ops {
		var err error
		if raw[i], err = tools.Compact(op); err != nil {
			return err
		}
	}
	calculated := false
	opt.Calculated = &calculated
	_, err := env.View.Put(ctx, p, opt, func(w io.Writer) error {
		report, err := xlsx.Format().Editor.Apply(ctx, src, w, raw, formats.ApplyOptions{Calculate: true, Language: env.Formats.Language})
		calculated = report.Calculated > 0
		b.effects = append(b.effects, report.Effects...)
		b.warnings = append(b.warnings, report.Warnings...)
		return withoutOp(err)
	})
	return err
}

// withoutOp removes the number of an operation, because the caller gave no
// operations.
func withoutOp(err error) error {
	var fe *formats.Error
	if errors.As(err, &fe) {
		c := *fe
		c.Op = 0
		return &c
	}
	return err
}
