package pptx

import (
	"context"
	"strconv"
	"strings"

	"atelier/formats"
)

// Parts implements formats.Parter: each slide with its notes and comments.
func (reader) Parts(ctx context.Context, src formats.Source, emit func(formats.Part) error) error {
	d, _, err := openDeck(ctx, src)
	if err != nil {
		return err
	}
	for i := range d.slides {
		r, err := d.slideBlocks(ctx, i, formats.Selector{Include: []string{formats.IncludeComments}})
		if err != nil {
			return err
		}
		var at []string
		for n, b := range r.blocks {
			for range strings.Count(b, "\n") + 1 {
				at = append(at, r.at[n])
			}
		}
		p := formats.Part{Kind: "slide", Name: strconv.Itoa(i + 1), Text: strings.TrimRight(strings.Join(r.blocks, "\n"), "\n"), At: at}
		if err := emit(p); err != nil {
			return err
		}
	}
	return nil
}

var _ formats.Parter = reader{}
