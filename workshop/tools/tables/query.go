package tables

import (
	"atelier/workshop/tools"
	"context"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"atelier/formats/tablequery"
	"atelier/internal/lenient"
	"atelier/workshop"
)

type queryArgs struct {
	tableArgs
	Query        string            `json:"query" jsonschema:"One SELECT in SQLite's SQL; the table is called data, and by the name of its sheet or file. Texts in single quotes, names in double quotes"`
	Tables       map[string]string `json:"tables,omitempty" jsonschema:"Further files to join: name in the query to path, or path#sheet"`
	WindowRows   *lenient.Int      `json:"window_rows,omitempty" jsonschema:"Rows to return, default 100"`
	WindowOffset *lenient.Int      `json:"window_offset,omitempty" jsonschema:"Rows to skip, default 0"`
}

// Query returns the tool that runs SQL over tables.
func Query() *tools.Tool {
	return tools.New("table_query", "Ask a question about a table (csv, tsv, xlsx) in SQL: filter, group, sum, join. Only reads; dates are ISO texts, empty cells NULL.", tools.Read,
		func(ctx context.Context, env *tools.Env, a queryArgs) (any, error) {
			refs, done, err := openTables(ctx, env, a.tableArgs, a.Tables)
			if err != nil {
				return nil, err
			}
			defer done()
			q := tablequery.Query{Tables: refs, SQL: a.Query, Limit: tablequery.DefaultRows}
			if q.Limit, q.Offset, err = windowArgs(a.WindowRows, a.WindowOffset, "window_rows", "window_offset", 0); err != nil {
				return nil, err
			}
			r, err := tablequery.Shared().Query(ctx, q)
			if err != nil {
				return nil, err
			}
			from, err := originOf(ctx, refs)
			if err != nil {
				return nil, err
			}
			from.Calc = calcOf(ctx, env, append(slices.Collect(maps.Values(a.Tables)), a.Path)...)
			return windowOf(env, r, from, func(offset int) string { return fmt.Sprintf("window_offset=%d", offset) })
		}).Gives(reflect.TypeFor[tableRows]())
}

// windowArgs returns the number of rows and the offset, where the first row
// has the number first.
func windowArgs(rows, from *lenient.Int, rowsName, fromName string, first int) (limit, offset int, err error) {
	limit = tablequery.DefaultRows
	if rows != nil {
		if limit = int(*rows); limit < 1 || limit > tablequery.MaxRows {
			return 0, 0, workshop.Faultf(workshop.Invalid, "%s must be from 1 to %d", rowsName, tablequery.MaxRows).OnField(rowsName)
		}
	}
	if from != nil {
		if offset = int(*from) - first; offset < 0 {
			return 0, 0, workshop.Faultf(workshop.Invalid, "%s must be %d or more", fromName, first).OnField(fromName)
		}
	}
	return limit, offset, nil
}

type readRowsArgs struct {
	tableArgs
	RowStart *lenient.Int `json:"row_start,omitempty" jsonschema:"First row, 1-based below the header, default 1"`
	RowCount *lenient.Int `json:"row_count,omitempty" jsonschema:"Number of rows, default 100"`
	Columns  []string     `json:"columns,omitempty" jsonschema:"Names of columns, default all"`
}

// ReadRows returns the tool that reads rows by number.
func ReadRows() *tools.Tool {
	return tools.New("table_read_rows", "Read rows of a table (csv, tsv, xlsx) with typed values.", tools.Read,
		func(ctx context.Context, env *tools.Env, a readRowsArgs) (any, error) {
			ref, src, err := openTable(ctx, env, a.tableArgs)
			if err != nil {
				return nil, err
			}
			defer src.Close()
			limit, offset, err := windowArgs(a.RowCount, a.RowStart, "row_count", "row_start", 1)
			if err != nil {
				return nil, err
			}
			r, err := tablequery.Shared().Rows(ctx, ref, a.Columns, offset, limit)
			if err != nil {
				return nil, err
			}
			from, err := originOf(ctx, []tablequery.Ref{ref})
			if err != nil {
				return nil, err
			}
			from.Calc = calcOf(ctx, env, a.Path)
			return windowOf(env, r, from, func(offset int) string { return fmt.Sprintf("row_start=%d", offset+1) })
		}).Gives(reflect.TypeFor[tableRows]())
}

// finiteRow replaces numbers that JSON cannot represent.
func finiteRow(row []any) []any {
	for i, v := range row {
		if f, ok := v.(float64); ok && (math.IsInf(f, 0) || math.IsNaN(f)) {
			out := append([]any(nil), row...)
			out[i] = strings.TrimPrefix(fmt.Sprint(f), "+")
			return finiteRow(out)
		}
	}
	return row
}
