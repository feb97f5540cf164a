package xlsx

import (
	"context"

	"atelier/formats/xlsx/internal/book"
	"atelier/internal/lenient"
)

type deleteChartArgs struct {
	whichChartArgs
	All lenient.Bool `json:"all" usage:"or all" jsonschema:"{ops}: every chart of the sheet, or of the workbook without one"`
}

// deleteChart takes a chart away, with what only it uses. Its cells stay.
func deleteChart(ctx context.Context, e *structure, op deleteChartArgs) error {
	if !op.All {
		c, err := e.chartNamed(ctx, op.whichChartArgs)
		if err != nil {
			return err
		}
		e.rep.Hits = 1
		return e.dropCharts(ctx, []*placedChart{c})
	}
	if op.Sheet != "" && e.wb.Find(op.Sheet) < 0 {
		return book.UnknownSheet(op.Sheet)
	}
	for i := range e.wb.Sheets {
		if op.Sheet != "" && e.wb.Find(op.Sheet) != i || !e.wb.Sheets[i].Worksheet() {
			continue
		}
		list, err := e.chartsOf(ctx, i)
		if err != nil {
			return err
		}
		if len(list) > 0 {
			if err := e.dropCharts(ctx, list); err != nil {
				return err
			}
		}
		e.rep.Hits += len(list)
	}
	return nil
}
