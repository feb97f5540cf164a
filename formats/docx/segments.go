package docx

import (
	"bytes"
	"context"
	"io"
	"maps"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/paragraph"
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
	shown := map[string]string{}
	for _, part := range parts {
		u, err := d.units(ctx, part)
		if err != nil {
			return nil, err
		}
		out = append(out, u.segments(shown)...)
	}
	return out, nil
}

// wanted are the targets of one part, by number.
type wanted struct{ paras, values map[int]string }

// Replace implements formats.Segmenter.
func (segmenter) Replace(ctx context.Context, src formats.Source, dst io.Writer, targets map[string]string, opt formats.ReplaceOptions) error {
	d, err := openDocument(ctx, src)
	if err != nil {
		return err
	}
	r := &replacement{document: d, left: map[string]bool{}, diagrams: map[string]string{}, bound: map[binding][2]string{}}
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
		name, isSpot, n, ok := parseID(id)
		if !ok {
			continue
		}
		if byPart[name] == nil {
			byPart[name] = &wanted{map[int]string{}, map[int]string{}}
		}
		if isSpot {
			byPart[name].values[n] = text
		} else {
			byPart[name].paras[n] = text
		}
	}
	for _, part := range parts {
		want := byPart[part.name]
		if want == nil && part.kind != "smartart" {
			continue
		}
		if want == nil {
			want = &wanted{map[int]string{}, map[int]string{}}
		}
		if err := r.replacePart(ctx, part, want); err != nil {
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
	left     map[string]bool       // ids not met yet
	diagrams map[string]string     // targets of diagrams by source text
	bound    map[binding][2]string // texts of bound controls, before and after
	lang     *localizer            // nil: attributes stay
}

// replacePart writes the targets of one part and takes their ids out of left.
func (r *replacement) replacePart(ctx context.Context, part segPart, want *wanted) error {
	u, err := r.units(ctx, part)
	if err != nil {
		return err
	}
	for i, p := range u.lay.paras {
		if t, ok := want.paras[u.lay.repeats[i]]; ok && u.lay.repeats[i] >= 0 {
			want.paras[i] = t
		}
		if part.kind == "smartart" {
			source := p.Tagged()
			if t, ok := want.paras[i]; ok {
				r.diagrams[source] = t
			} else if t, ok := r.diagrams[source]; ok {
				want.paras[i] = t
			}
		}
		delete(r.left, segmentID(part.name, i))
	}
	next, err := u.replaceValues(want.values, r.left)
	if err != nil {
		return err
	}
	targets, spots := maps.Clone(want.paras), want.values // rewrite uses them up
	if next, err = rewriteParagraphs(next, part.textPart, want.paras); err != nil {
		return err
	}
	if next, err = r.localizePart(next, part, targets); err != nil {
		return err
	}
	if bytes.Equal(next, u.doc) {
		return nil
	}
	r.ed.Set(part.name, next)
	r.noteBound(u.doc, next)
	return r.dataSheet(ctx, u, spots)
}

// localizePart returns what carries a target in a part the language.
func (r *replacement) localizePart(doc []byte, part segPart, targets map[int]string) ([]byte, error) {
	if r.lang == nil || len(targets) == 0 {
		return doc, nil
	}
	has := func(i int) bool { _, ok := targets[i]; return ok }
	var err error
	if part.dialect == paragraph.Word {
		doc, err = r.lang.localize(doc, has)
	} else {
		doc, err = paragraph.SetLanguage(doc, has, paragraph.Setting{Language: r.lang.tag})
	}
	return doc, corrupt(part.name, err)
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
			splices = append(splices, s.set(u.doc, text))
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
