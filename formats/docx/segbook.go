package docx

import (
	"context"
	"strings"

	"atelier/formats/tags"
	"atelier/formats/xlsx"
)

// dataSheet lets the workbook that a chart brings say what the chart's labels
// say now, so that they stay translated once a person edits the data. One that
// cannot be read stays as it is: the chart shows its own copy.
func (r *replacement) dataSheet(ctx context.Context, u *units, want map[int]string) error {
	labels := map[string]string{}
	for i, s := range u.values {
		if target, ok := want[i]; ok && s.cell {
			labels[tags.Escape(s.text)] = target
		}
	}
	if len(labels) == 0 {
		return nil
	}
	rels, err := r.ed.Rels(ctx, u.part.name)
	if err != nil {
		return err
	}
	for _, rel := range rels {
		if rel.External || !strings.HasSuffix(rel.Type, "/package") || !r.ed.Has(rel.Target) {
			continue
		}
		file, err := r.ed.Read(ctx, rel.Target)
		if err == nil {
			file, err = xlsx.Relabel(ctx, file, labels)
		}
		if err == nil && file != nil {
			r.ed.Set(rel.Target, file)
		}
		if err != nil && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}
