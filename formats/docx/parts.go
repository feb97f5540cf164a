package docx

import (
	"context"
	"strings"

	"atelier/formats"
)

// Parts implements formats.Parter: each section, then headers, footers, notes
// and comments together.
func (reader) Parts(ctx context.Context, src formats.Source, emit func(formats.Part) error) error {
	d, err := openDocument(ctx, src)
	if err != nil {
		return err
	}
	p, err := d.body(ctx)
	if err != nil {
		return err
	}
	v := &view{styles: d.styles}
	lines, err := v.lines(ctx, p, p.stories[0], "")
	if err != nil {
		return err
	}
	for _, s := range sections(lines) {
		if err := emit(formats.Part{Kind: "section", Name: s.heading, Text: v.joinLines(s.lines)}); err != nil {
			return err
		}
	}
	beside, err := d.extras(ctx, v, formats.Selector{Include: []string{formats.IncludeHeaders, formats.IncludeNotes, formats.IncludeComments}}, nil)
	if err != nil || beside == "" {
		return err
	}
	return emit(formats.Part{Kind: "notes", Text: strings.TrimLeft(beside, "\n")})
}

var _ formats.Parter = reader{}
