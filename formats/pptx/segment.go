package pptx

import (
	"context"
	"io"
	"maps"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/segment"
	"atelier/formats/tags"
	"atelier/formats/xlsx"
)

type segmenter struct{}

// Segments implements formats.Segmenter. Numbers, links and whatever else has
// no words are left out; slide by slide the slide's shapes come first, then
// its charts, diagrams, notes and comments; then names of sections, masters and
// layouts (an option), properties.
func (segmenter) Segments(ctx context.Context, src formats.Source, opt formats.SegmentOptions) ([]formats.Segment, error) {
	d, _, err := openDeck(ctx, src)
	if err != nil {
		return nil, err
	}
	segs := []formats.Segment{}
	err = d.translated(ctx, func(string) bool { return opt.Masters }, func(p unitPart) error {
		book, err := p.Workbook(ctx, d, p.name)
		if err != nil {
			return err
		}
		for i := range p.Texts {
			u := &p.Texts[i]
			if text := u.Tagged(); u.Repeats == "" && tags.Translatable(tags.Plain(text)) {
				segs = append(segs, formats.Segment{ID: u.ID, Text: text, Place: u.Place + attributePlaces[u.Kind], Part: u.Kind, Notes: u.Notes(book != "")})
			}
		}
		return nil
	})
	return segs, err
}

// attributePlaces end the places of texts in attributes, by kind.
var attributePlaces = map[string]string{"alt text": ", alternative text", "tooltip": ", tooltip", "section": ", section name"}

// Replace implements formats.Segmenter. A target for an ID that the deck does
// not have is refused like one with the wrong tags.
func (segmenter) Replace(ctx context.Context, src formats.Source, dst io.Writer, targets map[string]string, opt formats.ReplaceOptions) error {
	d, pkg, err := openDeck(ctx, src)
	if err != nil {
		return err
	}
	r := &translation{deck: d, ed: pkg.Edit(), targets: targets, left: maps.Clone(targets), opt: opt}
	parts := map[string]bool{}
	for id := range targets {
		part, _, _ := strings.Cut(id, "#")
		parts[part] = true
	}
	err = d.translated(ctx, func(part string) bool { return parts[part] }, func(p unitPart) error { return r.translatePart(ctx, p) })
	if err != nil {
		return err
	}
	if len(r.left) > 0 {
		return formats.Errorf(formats.CodeInvalid, "there is no segment %q", slices.Min(slices.Collect(maps.Keys(r.left))))
	}
	return r.ed.Write(ctx, dst)
}

// translation is a Replace on its way through the parts.
type translation struct {
	*deck
	ed      *opc.Edit
	targets map[string]string
	left    map[string]string // those not met yet
	opt     formats.ReplaceOptions
}

// translatePart writes the targets of one part, then what the language needs.
func (r *translation) translatePart(ctx context.Context, p unitPart) error {
	for i := range p.Texts {
		delete(r.left, p.Texts[i].ID)
	}
	now, err := p.Replace(r.targets)
	if err != nil || !now.Edited {
		return err
	}
	if r.opt.Language != "" {
		if now.Doc, err = r.setLanguage(ctx, p, now.Doc, now.Paras); err != nil {
			return err
		}
	}
	r.ed.Set(p.name, now.Doc)
	return segment.Relabel(xlsx.Relabel).Update(ctx, r.ed, p.Part, p.name, now.Labels)
}
