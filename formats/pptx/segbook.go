package pptx

import (
	"bytes"
	"context"

	"atelier/formats"
	"atelier/formats/xlsx"
)

const relPackage = nsR + "/package"

// bookOf is the embedded workbook that holds a chart's data, "" when the chart
// brings none that can be written.
func (d *deck) bookOf(ctx context.Context, t *tree) (string, error) {
	id := t.root.child(nsC, "externalData").relAttr("id")
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
// they stay translated once somebody edits the data. labels are the new texts
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
	src, seg := formats.FromBytes(book, file), xlsx.Format().Segmenter
	segs, err := seg.Segments(ctx, src, formats.SegmentOptions{})
	if err != nil {
		return ctx.Err()
	}
	targets := map[string]string{}
	for _, s := range segs {
		if target, ok := labels[s.Text]; ok && s.Part == "cell" {
			targets[s.ID] = target
		}
	}
	var out bytes.Buffer
	if len(targets) == 0 {
		return nil
	}
	if err := seg.Replace(ctx, src, &out, targets, formats.ReplaceOptions{}); err != nil {
		return ctx.Err()
	}
	r.ed.Set(book, out.Bytes())
	return nil
}
