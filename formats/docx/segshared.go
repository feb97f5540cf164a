package docx

import (
	"context"
	"fmt"

	"atelier/formats"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/segment"
	"atelier/formats/tags"
	"atelier/formats/xlsx"
)

// shared reports whether package segment scans the part: charts, diagrams and
// properties, which all office formats have.
func (p segPart) shared() bool { return p.dialect == paragraph.Drawing }

// scanShared lists the texts of a part that all office formats have. A
// paragraph's ID is as in the other parts, counted from 0.
func (d *document) scanShared(ctx context.Context, part segPart, diagrams segment.Diagrams) (*segment.Part, error) {
	doc, err := d.ed.ReadXML(ctx, part.name)
	if err != nil {
		return nil, err
	}
	id := func(s segment.Series, n int, _ string) string {
		if s == segment.Paragraph {
			return segmentID(part.name, n-1)
		}
		return fmt.Sprintf("%s#%c%d", part.name, s, n)
	}
	p, err := segment.Scan(doc, segment.Options{Where: segment.Where{Place: part.what, Kind: part.kind}, ID: id})
	if err != nil {
		return nil, corrupt(part.name, err)
	}
	diagrams.Pair(p)
	return p, nil
}

// sharedSegments lists the segments of a part that all office formats have.
func (d *document) sharedSegments(ctx context.Context, part segPart, diagrams segment.Diagrams) ([]formats.Segment, error) {
	p, err := d.scanShared(ctx, part, diagrams)
	if err != nil {
		return nil, err
	}
	book, err := p.Workbook(ctx, d.ed, part.name)
	if err != nil {
		return nil, err
	}
	var out []formats.Segment
	for i := range p.Texts {
		t := &p.Texts[i]
		text := t.Tagged()
		if t.Repeats != "" || !tags.Translatable(tags.Plain(text)) {
			continue
		}
		place := t.Place
		switch {
		case t.Series == segment.Attribute:
			place += ", " + t.Kind
		case t.Para != nil && place == part.what:
			place = fmt.Sprintf("%s, paragraph %d", place, t.Index+1)
		}
		out = append(out, formats.Segment{ID: t.ID, Text: text, Place: place, Part: t.Kind, Notes: t.Notes(book != "")})
	}
	return out, nil
}

// replaceShared writes the targets of a part that all office formats have, and
// what the language needs.
func (r *replacement) replaceShared(ctx context.Context, part segPart) error {
	p, err := r.scanShared(ctx, part, r.diagrams)
	if err != nil {
		return err
	}
	for i := range p.Texts {
		delete(r.left, p.Texts[i].ID)
	}
	now, err := p.Replace(r.targets)
	if err != nil || !now.Edited {
		return err
	}
	if r.lang != nil {
		if now.Doc, err = paragraph.SetLanguage(now.Doc, func(i int) bool { return now.Paras[i] }, paragraph.Setting{Language: r.lang.tag}); err != nil {
			return corrupt(part.name, err)
		}
	}
	r.ed.Set(part.name, now.Doc)
	return segment.Relabel(xlsx.Relabel).Update(ctx, r.ed, p, part.name, now.Labels)
}
