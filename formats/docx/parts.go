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
		if err := emit(formats.Part{Kind: "section", Name: s.heading, Text: v.joinLines(s.lines), At: addresses(nil, s.lines)}); err != nil {
			return err
		}
	}
	stories, err := d.extraStories(ctx, v, formats.Selector{Include: []string{formats.IncludeHeaders, formats.IncludeNotes, formats.IncludeComments}}, nil)
	if err != nil || len(stories) == 0 {
		return err
	}
	var texts, at []string
	for i, s := range stories {
		if i > 0 {
			at = append(at, "") // the empty line between stories
		}
		title := line{text: s.title}
		if s.comment { // a title of a comment says who wrote it
			title.address = s.step
		}
		texts, at = append(texts, s.text(v)), addresses(at, append([]line{title}, s.lines...))
	}
	return emit(formats.Part{Kind: "notes", Text: strings.Join(texts, "\n\n"), At: at})
}

// addresses adds the address of each line of text, as joinLines joins them, to at.
func addresses(at []string, lines []line) []string {
	for _, l := range lines {
		for range strings.Count(l.text, "\n") + 1 {
			at = append(at, l.address)
		}
	}
	return at
}

var _ formats.Parter = reader{}
