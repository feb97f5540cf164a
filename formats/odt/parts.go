package odt

import (
	"context"

	"atelier/formats"
)

// Parts implements formats.Parter: each section.
func (odt) Parts(ctx context.Context, src formats.Source, emit func(formats.Part) error) error {
	c, err := load(ctx, src)
	if err != nil {
		return err
	}
	for _, s := range sections(c.lines) {
		if err := emit(formats.Part{Kind: "section", Name: s.heading, Text: s.text()}); err != nil {
			return err
		}
	}
	return nil
}

var _ formats.Parter = odt{}
