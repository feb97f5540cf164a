package pptx

import (
	"context"
	"fmt"

	"atelier/formats"
)

// Overflowing estimates which texts of the slides from to to (0-based, both included)
// are higher than their shapes. Shapes in groups are not looked at.
func Overflowing(ctx context.Context, src formats.Source, from, to int) ([]formats.Finding, error) {
	d, err := openEdit(ctx, src)
	if err != nil {
		return nil, err
	}
	var out []formats.Finding
	for i := max(from, 0); i <= min(to, len(d.slides)-1) && len(out) < formats.MaxFindings; i++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		part := d.slides[i].part
		over, err := d.overflows(ctx, part)
		if err != nil {
			return nil, err
		}
		t, err := d.tree(ctx, part)
		if err != nil {
			return nil, err
		}
		for s := range flat(shapes(t.spTree(), shown)) {
			id := s.cnv.Value("id")
			o, ok := over[id]
			if !ok {
				continue
			}
			f := formats.Finding{Kind: "overflow", Severity: formats.SeverityMedium, At: fmt.Sprintf("slide_index %d, shape_id %s", i, id)}
			if f.Fact = fmt.Sprintf("the text of %s may not fit: by estimate it needs %v inches of height, the shape has %v", quote(s.name()), inches(o.need), inches(o.room)); o.slide {
				f.Fact = fmt.Sprintf("the text of %s ends below the slide: by estimate it needs %v inches of height", quote(s.name()), inches(o.need))
			}
			out = append(out, f)
		}
	}
	return out, nil
}
