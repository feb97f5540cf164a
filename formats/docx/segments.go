package docx

import (
	"bytes"
	"context"
	"io"
	"maps"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/segment"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/tags"
)

type segmenter struct{}

// Segments implements formats.Segmenter: paragraphs of the body, headers,
// footers, notes, comments, text boxes, charts, diagrams and placeholders, and
// what is visible outside paragraphs: names in charts, alternative texts,
// watermarks, choices of controls and form fields, texts of list numbers,
// properties.
func (segmenter) Segments(ctx context.Context, src formats.Source, _ formats.SegmentOptions) ([]formats.Segment, error) {
	d, err := openDocument(ctx, src)
	if err != nil {
		return nil, err
	}
	parts, err := d.segParts(ctx)
	if err != nil {
		return nil, err
	}
	out := []formats.Segment{}
	diagrams := segment.Diagrams{}
	for _, part := range parts {
		if part.shared() {
			more, err := d.sharedSegments(ctx, part, diagrams)
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
			continue
		}
		u, err := d.units(ctx, part)
		if err != nil {
			return nil, err
		}
		out = append(out, u.segments()...)
	}
	return out, nil
}

// wanted are the targets of one part, by number.
type wanted struct{ paras, values map[int]string }

// wantTarget adds a target to those of its part. An ID that names no number of
// a part is in none.
func wantTarget(byPart map[string]*wanted, id, text string) {
	name, series, n, ok := parseID(id)
	if !ok {
		return
	}
	if byPart[name] == nil {
		byPart[name] = &wanted{map[int]string{}, map[int]string{}}
	}
	switch series {
	case 'p':
		byPart[name].paras[n] = text
	case 's':
		byPart[name].values[n] = text
	}
}

// Replace implements formats.Segmenter.
func (segmenter) Replace(ctx context.Context, src formats.Source, dst io.Writer, targets map[string]string, opt formats.ReplaceOptions) error {
	d, err := openDocument(ctx, src)
	if err != nil {
		return err
	}
	r := &replacement{document: d, targets: targets, left: map[string]bool{}, diagrams: segment.Diagrams{}, bound: map[binding][2]string{}}
	if opt.Language != "" && len(targets) > 0 {
		if r.lang, err = d.localizer(ctx, opt.Language); err != nil {
			return err
		}
	}
	parts, err := d.segParts(ctx)
	if err != nil {
		return err
	}
	byPart := map[string]*wanted{}
	for id, text := range targets {
		r.left[id] = true
		wantTarget(byPart, id, text)
	}
	for _, part := range parts {
		want := byPart[part.name]
		switch {
		case part.kind == "smartart", want != nil && part.shared(): // a diagram's drawing follows its data
			err = r.replaceShared(ctx, part)
		case want != nil:
			err = r.replacePart(ctx, part, want)
		}
		if err != nil {
			return err
		}
	}
	for id := range r.left {
		return formats.Errorf(formats.CodeInvalid, "no segment has the id %q", id)
	}
	if _, err := r.writeBound(ctx); err != nil {
		return err
	}
	if err := r.localizeRest(ctx); err != nil {
		return err
	}
	return d.ed.Write(ctx, dst)
}

// replacement is one call of Replace.
type replacement struct {
	*document
	targets  map[string]string
	left     map[string]bool // ids not met yet
	diagrams segment.Diagrams
	bound    map[binding][2]string // texts of bound controls, before and after
	lang     *localizer            // nil: attributes stay
}

// replacePart writes the targets of one part and takes their ids out of left.
func (r *replacement) replacePart(ctx context.Context, part segPart, want *wanted) error {
	u, err := r.units(ctx, part)
	if err != nil {
		return err
	}
	for i := range u.lay.paras {
		if t, ok := want.paras[u.lay.repeats[i]]; ok && u.lay.repeats[i] >= 0 {
			want.paras[i] = t
		}
		delete(r.left, segmentID(part.name, i))
	}
	next, err := u.replaceValues(want.values, r.left)
	if err != nil {
		return err
	}
	targets := maps.Clone(want.paras) // rewrite uses them up
	if next, err = rewriteParagraphs(next, part.textPart, want.paras); err != nil {
		return err
	}
	if r.lang != nil && len(targets) > 0 {
		if next, err = r.lang.localize(next, func(i int) bool { _, ok := targets[i]; return ok }); err != nil {
			return corrupt(part.name, err)
		}
	}
	if bytes.Equal(next, u.doc) {
		return nil
	}
	r.ed.Set(part.name, next)
	r.noteBound(u.doc, next)
	return nil
}

// localizeRest gives settings and styles what the language needs.
func (r *replacement) localizeRest(ctx context.Context) error {
	if r.lang == nil {
		return nil
	}
	rels, err := r.ed.Rels(ctx, r.main)
	if err != nil {
		return err
	}
	for _, rel := range rels {
		change := map[string]func([]byte) []byte{"settings": r.lang.settings, "styles": r.lang.styles}[rel.Type[strings.LastIndexByte(rel.Type, '/')+1:]]
		if change == nil || rel.External || !r.ed.Has(rel.Target) {
			continue
		}
		doc, err := r.ed.ReadXML(ctx, rel.Target)
		if err != nil {
			return err
		}
		if next := change(doc); !bytes.Equal(next, doc) {
			r.ed.Set(rel.Target, next)
		}
	}
	return nil
}

// replaceValues returns the part with the texts outside paragraphs replaced.
func (u *units) replaceValues(want map[int]string, left map[string]bool) ([]byte, error) {
	var splices []xmlscan.Splice
	for i, s := range u.values {
		id := i
		if s.repeats >= 0 {
			id = s.repeats
		}
		delete(left, valueID(u.part.name, i))
		target, ok := want[id]
		if !ok {
			continue
		}
		if err := tags.Check(tags.Escape(s.text), target); err != nil {
			return nil, formats.Errorf(formats.CodeInvalid, "the segment %s: %w", valueID(u.part.name, i), err)
		}
		if text := tags.Plain(target); text != s.text {
			splices = append(splices, s.set(text))
		}
	}
	return xmlscan.Apply(u.doc, splices), nil
}

// rewriteParagraphs makes the paragraphs of a part say want. A paragraph that
// is rewritten as a whole may hold others (a text box in it): those go first,
// in a round of their own.
func rewriteParagraphs(doc []byte, part textPart, want map[int]string) ([]byte, error) {
	for len(want) > 0 {
		paras, err := paragraph.Parse(doc, part.dialect)
		if err != nil {
			return nil, corrupt(part.name, err)
		}
		var splices []xmlscan.Splice
		taken := make([]span, 0, len(want))
		// From the last: what is inside begins after what holds it.
		for i := len(paras) - 1; i >= 0; i-- {
			text, ok := want[i]
			if !ok {
				continue
			}
			s, err := paras[i].Retag(text)
			if err != nil {
				return nil, formats.Errorf(formats.CodeInvalid, "the segment %s: %w", segmentID(part.name, i), err)
			}
			if overlaps(s, taken) {
				continue
			}
			if len(s) > 0 {
				taken = append(taken, span{paras[i].Start, paras[i].End})
			}
			splices = append(splices, s...)
			delete(want, i)
		}
		doc = xmlscan.Apply(doc, splices)
	}
	return doc, nil
}

type span struct{ start, end int }

// overlaps reports whether a splice covers a paragraph already taken. taken is
// in descending order of start.
func overlaps(s []xmlscan.Splice, taken []span) bool {
	for _, sp := range s {
		for k := len(taken) - 1; k >= 0 && taken[k].start < sp.End; k-- {
			if sp.Start < taken[k].end {
				return true
			}
		}
	}
	return false
}
