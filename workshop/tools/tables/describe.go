package tables

import (
	"atelier/workshop/tools"
	"context"
	"reflect"

	"atelier/formats/tablequery"
)

type describedTable struct {
	Path string `json:"path"`
	tablequery.Info
}

// Describe returns the tool that shows the columns, types and samples of a table.
func Describe() *tools.Tool {
	return tools.New("table_describe", "Describe a table (csv, tsv, or a sheet, table or range of xlsx): its columns with types, empty values and samples, and its number of rows. Use it before table_query.", tools.Read,
		func(ctx context.Context, env *tools.Env, a tableArgs) (any, error) {
			ref, src, err := openTable(ctx, env, a)
			if err != nil {
				return nil, err
			}
			defer src.Close()
			info, err := tablequery.Shared().Describe(ctx, ref)
			if err != nil {
				return nil, err
			}
			return describedTable{a.Path, info.Fit(env.Max() - len(a.Path)*2 - 64)}, nil
		}).Gives(reflect.TypeFor[describedTable]())
}

type statsArgs struct {
	tableArgs
	Columns []string `json:"columns,omitempty" jsonschema:"Names of columns, default all"`
}

type tableStats struct {
	Path string `json:"path"`
	origin
	Omitted int                 `json:"columns_omitted,omitempty"`
	Columns []*tablequery.Stats `json:"columns"`
}

// Stats returns the tool that computes counts, sums and other statistics of
// columns.
func Stats() *tools.Tool {
	return tools.New("table_stats", "Figures of the columns of a table: values, empty ones, distinct ones, smallest, largest, sum, mean, and the most frequent values.", tools.Read,
		func(ctx context.Context, env *tools.Env, a statsArgs) (any, error) {
			ref, src, err := openTable(ctx, env, a.tableArgs)
			if err != nil {
				return nil, err
			}
			defer src.Close()
			stats, err := tablequery.Shared().Stats(ctx, ref, a.Columns)
			if err != nil {
				return nil, err
			}
			from, err := originOf(ctx, []tablequery.Ref{ref})
			if err != nil {
				return nil, err
			}
			out := tableStats{Path: a.Path, origin: from, Columns: stats}
			for {
				b, err := tools.Compact(out)
				if err != nil || len(b) <= env.Max() || len(out.Columns) <= 1 {
					return out, err
				}
				cut := max(1, len(out.Columns)/8)
				out.Omitted += cut
				out.Columns = out.Columns[:len(out.Columns)-cut]
			}
		}).Gives(reflect.TypeFor[tableStats]())
}
