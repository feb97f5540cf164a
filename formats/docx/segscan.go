package docx

import (
	"cmp"
	"context"
	"fmt"

	"atelier/formats"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/segment"
	"atelier/formats/tags"
)

// scan lists the texts of a part. A paragraph's ID is the part and its number
// in it, counted from 0, such as "word/document.xml#p17"; that of an attribute
// in a part of Word ends in "#s3", of the other texts in other parts in "#v3" or
// "#a3". IDs stay when text is replaced.
func (d *document) scan(ctx context.Context, part segPart, diagrams segment.Diagrams) (*segment.Part, error) {
	doc, err := d.ed.ReadXML(ctx, part.name)
	if err != nil {
		return nil, err
	}
	opt := segment.Options{Where: segment.Where{Place: part.what, Kind: part.kind}}
	word := part.dialect == paragraph.Word
	if word {
		opt = wordOptions(part.kind)
	}
	opt.ID = func(s segment.Series, n int, _ string) string {
		switch {
		case s == segment.Paragraph:
			return fmt.Sprintf("%s#p%d", part.name, n-1)
		case word:
			return fmt.Sprintf("%s#s%d", part.name, n-1)
		}
		return fmt.Sprintf("%s#%c%d", part.name, s, n)
	}
	p, err := segment.Scan(ctx, doc, opt)
	if err != nil {
		return nil, cmp.Or(ctx.Err(), corrupt(part.name, err))
	}
	diagrams.Pair(p)
	if word {
		pairAttributes(p)
	}
	return p, nil
}

// pairAttributes lets attributes that say the same follow the first: a picture
// and its fallback, the choices of equal controls.
func pairAttributes(p *segment.Part) {
	first := map[[2]string]string{}
	for i := range p.Texts {
		t := &p.Texts[i]
		if t.Series != segment.Attribute {
			continue
		}
		key := [2]string{t.Kind, t.Plain}
		if t.Repeats = first[key]; t.Repeats == "" {
			first[key] = t.ID
		}
	}
}

// segments lists the segments of a part.
func (d *document) segments(ctx context.Context, part segPart, diagrams segment.Diagrams) ([]formats.Segment, error) {
	p, err := d.scan(ctx, part, diagrams)
	if err != nil {
		return nil, err
	}
	book, err := p.Workbook(ctx, d.ed, part.name)
	if err != nil {
		return nil, err
	}
	var out []formats.Segment
	paras := 0 // outside tables and text boxes
	for i := range p.Texts {
		t := &p.Texts[i]
		kind := t.Kind
		if t.Para != nil && t.Para.Anchored {
			kind = "textbox"
		} else if t.Para != nil && kind != "table" {
			paras++
		}
		text := t.Tagged()
		if t.Repeats != "" || !tags.Translatable(tags.Plain(text)) {
			continue // what repeats is replaced together with the text it repeats
		}
		s := formats.Segment{ID: t.ID, Text: text, Place: part.place(t, paras), Part: kind, Notes: t.Notes(book != "")}
		switch {
		case t.Kind == "form field":
			s.MaxLength = 255 // 17.16.10 and following, as Word has it
		case t.Kind == "numbering" && t.Para == nil:
			s.Notes = []string{"%1 … %9 stand for numbers and must stay"}
		}
		out = append(out, s)
	}
	return out, nil
}

// place returns the place of a text of the part; n is the number of a paragraph.
func (p segPart) place(t *segment.Text, n int) string {
	where := t.Place
	switch {
	case t.Series == segment.Attribute:
		if where = t.Kind; where == p.what {
			return where
		}
	case t.Para == nil, where != "" && p.dialect == paragraph.Drawing && where != p.what:
		return where
	case t.Para.Anchored:
		where = "text box"
	case where == "", where == p.what:
		where = fmt.Sprintf("paragraph %d", n)
	}
	if p.what == "" {
		return where
	}
	return p.what + ", " + where
}
