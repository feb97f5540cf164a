package pptx

import (
	"context"
	"io"
	"maps"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/tags"
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
	books := map[string]string{}
	err = d.translated(ctx, func(string) bool { return opt.Masters }, func(p unitPart) error {
		if p.t.Root.Is(nsC, "chartSpace") {
			if books[p.t.part], err = d.bookOf(ctx, p.t); err != nil {
				return err
			}
		}
		for _, u := range p.units {
			if text := p.t.tagged(u); u.repeats == "" && tags.Translatable(tags.Plain(text)) {
				segs = append(segs, formats.Segment{ID: u.id, Text: text, Place: u.place, Part: u.kind, Notes: u.notes(books[p.t.part] != "")})
			}
		}
		return nil
	})
	return segs, err
}

// notes returns the constraints of a unit, in words; book says that the chart
// brings its data sheet.
func (u *unit) notes(book bool) []string {
	switch {
	case u.sheet && book:
		return []string{"label of a chart; the cell of its data sheet follows"}
	case u.sheet:
		return []string{"label shown from the chart's data sheet, which keeps the source text"}
	}
	return nil
}

// tagged returns the text of a unit with inline tags.
func (t *tree) tagged(u *unit) string {
	switch {
	case u.para != nil:
		return u.para.Tagged()
	case u.attr != nil:
		return tags.Escape(u.attr.Value())
	}
	return tags.Escape(t.Text(u.n))
}

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

// translatePart writes the targets of one part: values and attributes first, then
// paragraphs, which may hold some of those, then what the language needs.
func (r *translation) translatePart(ctx context.Context, p unitPart) error {
	values, paras, ids := []xmlscan.Splice{}, map[int]string{}, map[int]string{}
	labels := map[string]string{}
	for _, u := range p.units {
		target, ok := r.targets[u.id]
		if !ok && u.repeats != "" {
			target, ok = r.targets[u.repeats]
		}
		if !ok {
			continue
		}
		delete(r.left, u.id)
		if u.para != nil {
			paras[u.index], ids[u.index] = target, u.id
			continue
		}
		s, err := p.t.replaceValue(u, target)
		if err != nil {
			return err
		}
		if values = append(values, s...); len(s) > 0 && u.sheet {
			labels[p.t.tagged(u)] = target
		}
	}
	doc, changed, err := paragraph.RetagAll(xmlscan.Apply(p.t.Doc, values), paragraph.Drawing, paras, func(i int) string { return ids[i] })
	if err != nil {
		return formats.Errorf(formats.CodeInvalid, "%w", err)
	}
	if len(values)+len(changed) == 0 {
		return nil
	}
	if r.opt.Language != "" {
		if doc, err = r.setLanguage(ctx, p, doc, changed); err != nil {
			return err
		}
	}
	r.ed.Set(p.t.part, doc)
	if len(labels) > 0 {
		return r.dataSheet(ctx, p.t, labels)
	}
	return nil
}

// replaceValue puts target into a unit that is not a paragraph; nothing when it
// says that already.
func (t *tree) replaceValue(u *unit, target string) ([]xmlscan.Splice, error) {
	source := t.tagged(u)
	if err := tags.Check(source, target); err != nil {
		return nil, formats.Errorf(formats.CodeInvalid, "segment %q: %w", u.id, err)
	}
	text := tags.Plain(target)
	if text == tags.Plain(source) {
		return nil, nil
	}
	if u.attr != nil {
		return []xmlscan.Splice{{Start: u.attr.ValStart, End: u.attr.ValEnd, New: []byte(xmlscan.EscapeAttr(text))}}, nil
	}
	var splices []xmlscan.Splice
	for _, n := range append([]*node{u.n}, u.sameCell...) {
		if t.Text(n) != text {
			splices = append(splices, t.SetText(n, []byte(xmlscan.Escape(text))))
		}
	}
	return splices, nil
}
