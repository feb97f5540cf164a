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
	"atelier/formats/xlsx"
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
		more, err := d.segments(ctx, part, diagrams)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// Replace implements formats.Segmenter.
func (segmenter) Replace(ctx context.Context, src formats.Source, dst io.Writer, targets map[string]string, opt formats.ReplaceOptions) error {
	d, err := openDocument(ctx, src)
	if err != nil {
		return err
	}
	r := &replacement{document: d, targets: targets, left: maps.Clone(targets), diagrams: segment.Diagrams{}, bound: map[binding][2]string{}}
	if opt.Language != "" && len(targets) > 0 {
		if r.lang, err = d.localizer(ctx, opt.Language); err != nil {
			return err
		}
	}
	parts, err := d.segParts(ctx)
	if err != nil {
		return err
	}
	wanted := map[string]bool{}
	for id := range targets {
		wanted[id[:max(strings.LastIndexByte(id, '#'), 0)]] = true
	}
	for _, part := range parts {
		if wanted[part.name] || part.kind == "smartart" { // a diagram's drawing follows its data
			if err := r.replacePart(ctx, part); err != nil {
				return err
			}
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
	left     map[string]string // those not met yet
	diagrams segment.Diagrams
	bound    map[binding][2]string // texts of bound controls, before and after
	lang     *localizer            // nil: attributes stay
}

// replacePart writes the targets of one part, and gives what carries one the
// language.
func (r *replacement) replacePart(ctx context.Context, part segPart) error {
	p, err := r.scan(ctx, part, r.diagrams)
	if err != nil {
		return err
	}
	for i := range p.Texts {
		delete(r.left, p.Texts[i].ID)
	}
	now, err := p.Replace(r.targets)
	if err != nil {
		return err
	}
	if now.Doc, err = r.setLanguage(now.Doc, part, now.Wanted); err != nil || bytes.Equal(now.Doc, p.Doc) {
		return err
	}
	r.ed.Set(part.name, now.Doc)
	r.noteBound(p.Doc, now.Doc)
	return segment.Relabel(xlsx.Relabel).Update(ctx, r.ed, p, part.name, now.Labels)
}

// setLanguage returns a part in which the paragraphs with a target have the
// language.
func (r *replacement) setLanguage(doc []byte, part segPart, targets map[int]string) ([]byte, error) {
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
