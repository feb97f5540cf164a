package pptx

import (
	"context"

	"atelier/formats/xlsx"
)

const relPackage = nsR + "/package"

// bookOf returns the embedded workbook that holds a chart's data, "" when the
// chart brings none that can be written.
func (d *deck) bookOf(ctx context.Context, t *tree) (string, error) {
	id := t.Root.Child(nsC, "externalData").RelValue("id")
	if id == "" {
		return "", nil
	}
	rels, err := d.Rels(ctx, t.part)
	if err != nil {
		return "", err
	}
	for _, r := range rels {
		if r.ID == id && r.Type == relPackage && !r.External && d.Has(r.Target) {
			return r.Target, nil
		}
	}
	return "", nil
}

// dataSheet lets the data sheet of a chart say what its labels say, so that
// they stay translated once a person edits the data. labels are the new texts
// by the old ones. A workbook that cannot be read stays as it is: the chart
// shows its own copy.
func (r *translation) dataSheet(ctx context.Context, t *tree, labels map[string]string) error {
	book, err := r.bookOf(ctx, t)
	if err != nil || book == "" {
		return err
	}
	file, err := r.ed.Read(ctx, book)
	if err != nil {
		return ctx.Err()
	}
	if file, err = xlsx.Relabel(ctx, file, labels); err != nil || file == nil {
		return ctx.Err()
	}
	r.ed.Set(book, file)
	return nil
}
