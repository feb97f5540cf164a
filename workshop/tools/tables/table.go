package tables

import (
	"atelier/internal/textclip"
	"atelier/workshop/tools"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/tablequery"
	"atelier/workshop"
)

// tableArgs select a table: a csv or tsv file, or a part of a workbook.
type tableArgs struct {
	Path  string `json:"path" jsonschema:"csv, tsv or xlsx file"`
	Sheet string `json:"sheet,omitempty" jsonschema:"Sheet name (xlsx only), default the first"`
	Range string `json:"range,omitempty" jsonschema:"Range like A1:E50, or the name of a table (xlsx only), default the table of the sheet, without titles and totals"`
}

// openTable opens the file of a table; the caller closes the source.
func openTable(ctx context.Context, env *tools.Env, a tableArgs) (tablequery.Ref, workshop.Source, error) {
	p, err := tools.ParsePath(a.Path)
	if err != nil {
		return tablequery.Ref{}, nil, err
	}
	src, err := env.View.Open(ctx, p)
	if err != nil {
		return tablequery.Ref{}, nil, err
	}
	return tablequery.Ref{Source: src, Sheet: a.Sheet, Range: a.Range}, src, nil
}

// openTables opens the first table and the other tables that a query names,
// as path or path#sheet.
func openTables(ctx context.Context, env *tools.Env, a tableArgs, more map[string]string) (refs []tablequery.Ref, closeAll func(), err error) {
	var open []workshop.Source
	closeAll = func() {
		for _, src := range open {
			src.Close()
		}
	}
	ref, src, err := openTable(ctx, env, a)
	if err != nil {
		return nil, closeAll, err
	}
	open, refs = append(open, src), append(refs, ref)
	if len(more) >= tablequery.MaxTables {
		closeAll()
		return nil, func() {}, workshop.Faultf(workshop.Invalid, "tables names %d files; a query reads at most %d", len(more), tablequery.MaxTables).OnField("tables")
	}
	for _, name := range slices.Sorted(maps.Keys(more)) {
		ref, src, err := openTable(ctx, env, tableArgs{Path: more[name]})
		if path, sheet, ok := strings.Cut(more[name], "#"); ok && workshop.IsFault(err, workshop.NotFound) {
			ref, src, err = openTable(ctx, env, tableArgs{Path: path, Sheet: sheet})
		}
		if err != nil {
			closeAll()
			return nil, func() {}, err
		}
		ref.Name = name
		open, refs = append(open, src), append(refs, ref)
	}
	return refs, closeAll, nil
}

// tableRows is a window of rows in the form for a model.
type tableRows struct {
	Columns []string `json:"columns"`
	Types   []string `json:"types,omitempty"`
	Offset  int      `json:"offset"`
	Total   int      `json:"total_rows"`
	AtLeast bool     `json:"total_at_least,omitempty"`
	HasMore bool     `json:"has_more"`
	Next    string   `json:"next,omitempty"`
	origin
	Rows json.RawMessage `json:"rows"`
}

// origin says which part of workbooks was read, if no range was requested.
type origin struct {
	Calc    string   `json:"calc,omitempty"`     // formats.CalcAtelier: values of formulas were calculated by Atelier
	NoValue string   `json:"no_value,omitempty"` // formulas that have no value and count as empty
	Range   string   `json:"range,omitempty"`
	LeftOut []string `json:"left_out,omitempty"`
	Totals  string   `json:"warning,omitempty"` // rows that look like totals but count as rows
}

// calcOf returns formats.CalcAtelier where one of the files, as path or path#sheet, has
// values that Atelier calculated.
func calcOf(ctx context.Context, env *tools.Env, files ...string) string {
	for _, file := range files {
		path, _, _ := strings.Cut(file, "#")
		for _, name := range []string{file, path} {
			p, err := tools.ParsePath(name)
			if err != nil {
				continue
			}
			if e, err := env.View.Stat(ctx, p); err == nil && e.Calculated {
				return formats.CalcAtelier
			}
		}
	}
	return ""
}

// originOf returns the origin of tables.
func originOf(ctx context.Context, refs []tablequery.Ref) (o origin, err error) {
	for i, ref := range refs {
		info, err := tablequery.Shared().Describe(ctx, ref)
		if err != nil {
			return o, err
		}
		prefix := ""
		if i > 0 {
			prefix = ref.Name + ": "
		}
		if info.NoValue != "" && o.NoValue == "" {
			o.NoValue = prefix + info.NoValue
		}
		if info.Totals != "" && o.Totals == "" {
			o.Totals = prefix + info.Totals
		}
		for _, l := range info.LeftOut {
			o.LeftOut = append(o.LeftOut, prefix+l)
		}
		switch {
		case info.Range != "" && o.Range != "":
			o.Range += ", " + prefix + info.Range
		case info.Range != "":
			o.Range = prefix + info.Range
		}
	}
	return o, nil
}

// windowOf returns as many rows as fit into a result; next says how to
// request the rows from an offset on.
func windowOf(env *tools.Env, r *tablequery.Result, from origin, next func(offset int) string) (any, error) {
	out := tableRows{Columns: []string{}, Offset: r.Offset, Total: r.Total, AtLeast: r.MoreTotal, HasMore: r.HasMore, Rows: json.RawMessage("[]"), origin: from}
	typed := false
	for _, c := range r.Columns {
		out.Columns, out.Types = append(out.Columns, c.Name), append(out.Types, string(c.Type))
		typed = typed || c.Type != ""
	}
	if !typed {
		out.Types = nil
	}
	out.Next = next(r.Offset + len(r.Rows))
	head, err := tools.Compact(out)
	if err != nil {
		return nil, err
	}
	room := env.Max() - len(head) - 64
	buf := []byte{'['}
	n := 0
	for _, row := range r.Rows {
		b, err := rowJSON(row, room)
		if err != nil {
			return nil, err
		}
		// At least one row is returned, with its long texts shortened.
		if n > 0 && len(buf)+len(b)+2 > room {
			break
		}
		if n > 0 {
			buf = append(buf, ',')
		}
		buf = append(buf, b...)
		n++
	}
	out.Rows = append(buf, ']')
	if n < len(r.Rows) {
		out.HasMore = true
	}
	if out.Next = ""; out.HasMore {
		out.Next = next(r.Offset + n)
	}
	return out, nil
}

// rowJSON encodes a row in at most about room bytes by shortening its texts.
func rowJSON(row []any, room int) ([]byte, error) {
	b, err := tools.Compact(finiteRow(row))
	if err != nil || len(b) <= room {
		return b, err
	}
	cut := make([]any, len(row))
	for i, v := range finiteRow(row) {
		if s, ok := v.(string); ok && len(s) > 20 {
			v = textclip.Bytes(s, max(20, min(len(s), room/len(row)/2))) + "…"
		}
		cut[i] = v
	}
	return tools.Compact(cut)
}
