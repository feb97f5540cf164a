package pptx

import (
	"bytes"
	"context"
	"encoding/json"

	"atelier/formats"
	"atelier/formats/xlsx"
)

const bookType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

// chartBook returns the workbook behind a chart: labels in the first column, a
// series in each of the others, its name on top.
func chartBook(ctx context.Context, categories []Cell, series []Series) ([]byte, error) {
	head := []any{nil}
	for i, s := range series {
		head = append(head, seriesName(s, i))
	}
	rows := [][]any{head}
	for k, label := range categories {
		row := []any{string(label)}
		for _, s := range series {
			if s.Values[k] == nil {
				row = append(row, nil)
			} else {
				row = append(row, float64(*s.Values[k]))
			}
		}
		rows = append(rows, row)
	}
	op, err := json.Marshal(map[string]any{"op": "set_range", "sheet": chartSheet, "start": "A1", "values": rows, "literal": true})
	if err != nil {
		return nil, formats.Errorf(formats.CodeInvalid, "the values of the chart cannot be written: %w", err)
	}
	var out bytes.Buffer
	_, err = xlsx.Format().Editor.Apply(ctx, nil, &out, []json.RawMessage{op}, formats.ApplyOptions{})
	return out.Bytes(), err
}
