package xlsx

import (
	"bytes"
	"context"

	"atelier/formats"
)

// Relabel is the workbook file with each cell that says a key of labels (with
// inline tags, as in Segments) saying its value: for the data sheet of a chart
// whose labels were translated. It is nil when no cell does.
func Relabel(ctx context.Context, file []byte, labels map[string]string) ([]byte, error) {
	src, seg := formats.FromBytes("book.xlsx", file), Format().Segmenter
	segs, err := seg.Segments(ctx, src, formats.SegmentOptions{})
	if err != nil {
		return nil, err
	}
	targets := map[string]string{}
	for _, s := range segs {
		if target, ok := labels[s.Text]; ok && (s.Part == "cell" || s.Part == "table header") {
			targets[s.ID] = target
		}
	}
	if len(targets) == 0 {
		return nil, nil
	}
	var out bytes.Buffer
	err = seg.Replace(ctx, src, &out, targets, formats.ReplaceOptions{Calculate: true})
	return out.Bytes(), err
}
