package xlsx

import (
	"context"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/internal/lenient"
)

// rowsArgs are the members of operations on rows.
type rowsArgs struct {
	sheetArgs
	Row *lenient.Int `json:"row" usage:"row" jsonschema:"insert_, delete_ and hide_rows: 1-based first row"`
	countArgs
	Range string `json:"range" usage:"or range"`
}

// rowsWhereArgs are the members of operations on rows that may meet conditions.
type rowsWhereArgs struct {
	rowsArgs
	whereArgs
}

// columnsArgs are the members of operations on columns.
type columnsArgs struct {
	sheetArgs
	Column any `json:"column" usage:"column" jsonschema:"insert_, delete_ and hide_columns: letter such as C, or 1-based number"`
	countArgs
	Range string `json:"range" usage:"or range"`
}

// countArgs is how many rows or columns an operation is about.
type countArgs struct {
	Count *lenient.Int `json:"count" jsonschema:"insert_, delete_ and hide_rows, _columns: how many, default 1"`
}

// runs are the rows that the members name, in order, neighbours as one run.
func (op *rowsArgs) runs() ([]lineRun, error) {
	switch {
	case op.Row == nil && strings.TrimSpace(op.Range) == "":
		return nil, formats.Errorf(formats.CodeInvalid, "row is required: a 1-based row number; or range, such as 3:5,9:9")
	case op.Row != nil && op.Range != "":
		return nil, formats.Errorf(formats.CodeInvalid, "give row and count, or range, not both")
	case op.Row != nil:
		return runFrom(false, int(*op.Row), op.Count)
	case op.Count != nil:
		return nil, formats.Errorf(formats.CodeInvalid, "count needs row; a range, such as 3:5,9:9, says how many there are")
	}
	return runsIn(false, op.Range)
}

// runs are the rows that the members name, or those of them that meet conditions.
func (op *rowsWhereArgs) runs(ctx context.Context, p *plan, s *planSheet) ([]lineRun, error) {
	switch {
	case len(op.Where) == 0:
		return op.rowsArgs.runs()
	case op.Row != nil || strings.TrimSpace(op.Range) == "":
		return nil, formats.Errorf(formats.CodeInvalid, "where needs range: the cells with their header row, such as A1:D50")
	}
	_, runs, err := p.rowsWhere(ctx, s, op.Range, op.Where)
	return runs, err
}

// runs are the columns that the members name, in order, neighbours as one run.
func (op *columnsArgs) runs() ([]lineRun, error) {
	switch {
	case op.Column == nil && strings.TrimSpace(op.Range) == "":
		return nil, formats.Errorf(formats.CodeInvalid, "column is required: a letter such as C, or a 1-based number; or range, such as C:E,H:H")
	case op.Column != nil && op.Range != "":
		return nil, formats.Errorf(formats.CodeInvalid, "give column and count, or range, not both")
	case op.Column == nil && op.Count != nil:
		return nil, formats.Errorf(formats.CodeInvalid, "count needs column; a range, such as C:E,H:H, says how many there are")
	case op.Column == nil:
		return runsIn(true, op.Range)
	}
	first, err := columnNumber(op.Column)
	if err != nil {
		return nil, err
	}
	return runFrom(true, first, op.Count)
}

// runsIn reads runs of rows, such as 3:5,9, or of columns, such as C:E,H.
func runsIn(cols bool, text string) ([]lineRun, error) {
	var runs []lineRun
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == ';' }) {
		both := part
		if !strings.Contains(part, ":") {
			both += ":" + part
		}
		r, err := cellref.ParseRange(strings.ReplaceAll(both, "$", ""))
		from, to := r.R1, r.R2
		if cols {
			from, to = r.C1, r.C2
		}
		if limit := (cellref.Shift{Cols: cols}).Limit(); err != nil || from == 1 && to == limit {
			return nil, formats.Errorf(formats.CodeInvalid, "range: expected %s, got %s", map[bool]string{false: "rows such as 3:5 or 3:5,9:9", true: "columns such as C:E or C:E,H:H"}[cols], cellref.QuoteArg(part))
		}
		runs = append(runs, lineRun{from, to})
	}
	slices.SortFunc(runs, func(a, b lineRun) int { return a.from - b.from })
	return joined(runs), nil
}

func runFrom(cols bool, first int, count *lenient.Int) ([]lineRun, error) {
	limit, n := cellref.Shift{Cols: cols}.Limit(), countOf(count)
	if first < 1 || first > limit {
		return nil, formats.Errorf(formats.CodeInvalid, "invalid row %d: expected 1 to %d", first, limit)
	}
	if n < 1 || n > limit-first+1 {
		return nil, formats.Errorf(formats.CodeInvalid, "invalid count %d: %s would reach beyond the sheet or be none", n, runName(cols, first, first+max(n, 1)-1))
	}
	return []lineRun{{first, first + n - 1}}, nil
}

func countOf(n *lenient.Int) int {
	if n == nil {
		return 1
	}
	return int(*n)
}
