package segment

import (
	"bytes"
	"fmt"

	"atelier/formats"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/tags"
)

// Series is a kind of text that is numbered by itself in each part.
type Series byte

// The series of texts.
const (
	Paragraph Series = 'p' // a paragraph
	Value     Series = 'v' // the content of an element
	Attribute Series = 'a' // the value of an attribute
)

// Text is a text of a part.
type Text struct {
	Series   Series
	ID       string               // of Options.ID
	Place    string               // for people
	Kind     string               // formats.Segment.Part
	Para     *paragraph.Paragraph // of a paragraph
	Index    int                  // of Para in paragraph.Parse
	Plain    string               // of a value or attribute
	Cells    string               // reference to the cells whose text a chart repeats in this value; "": none
	Repeats  string               // ID of an earlier text that says the same and that this one follows
	Fallback bool                 // it is in the fallback of alternate content (ECMA-376-3, 7.5)

	empty bool       // it is in an empty element, of which at is all
	at    []location // more than one where a chart shows one cell several times
}

// location is where a plain text is in the part.
type location struct{ start, end int }

// Tagged returns the text with inline tags.
func (t *Text) Tagged() string {
	if t.Para != nil {
		return t.Para.Tagged()
	}
	return tags.Escape(t.Plain)
}

// Set returns the edits that make a value or attribute say text.
func (p *Part) Set(t *Text, text string) []xmlscan.Splice {
	var out []xmlscan.Splice
	for _, at := range t.at {
		value := xmlscan.Escape(text)
		if t.Series == Attribute {
			value = xmlscan.EscapeAttr(text)
		} else if t.empty {
			tag := bytes.TrimSuffix(p.Doc[at.start:at.end], []byte("/>"))
			value = fmt.Sprintf("%s>%s</%s>", tag, value, bytes.Fields(tag[1:])[0])
		}
		out = append(out, xmlscan.Splice{Start: at.start, End: at.end, New: []byte(value)})
	}
	return out
}

// Notes returns the constraints of a text, in words. workbook says that the
// chart brings the workbook with its data.
func (t *Text) Notes(workbook bool) []string {
	switch {
	case t.Cells != "" && workbook:
		return []string{"label of a chart; the cell of its data sheet follows"}
	case t.Cells != "":
		return []string{"label shown from the chart's data sheet, which keeps the source text"}
	}
	return nil
}

// Replaced is a part with its translations.
type Replaced struct {
	Doc    []byte
	Edited bool              // Doc is not what it was
	Wanted map[int]string    // the targets of paragraphs, by their index in paragraph.Parse
	Paras  map[int]bool      // the paragraphs that changed
	Labels map[string]string // new by old texts, with tags, that a chart repeats from cells
}

// Replace returns the part with the targets, by ID, in place of its texts.
// Values and attributes go first, since paragraphs may hold some.
func (p *Part) Replace(targets map[string]string) (*Replaced, error) {
	var values []xmlscan.Splice
	ids := map[int]string{}
	r := &Replaced{Wanted: map[int]string{}, Labels: map[string]string{}}
	for i := range p.Texts {
		t := &p.Texts[i]
		target, ok := targets[t.ID]
		if !ok && t.Repeats != "" {
			target, ok = targets[t.Repeats]
		}
		switch {
		case !ok:
			continue
		case t.Para != nil:
			r.Wanted[t.Index], ids[t.Index] = target, t.ID
			continue
		}
		if err := tags.Check(t.Tagged(), target); err != nil {
			return nil, formats.Errorf(formats.CodeInvalid, "segment %q: %w", t.ID, err)
		}
		if text := tags.Plain(target); text != t.Plain {
			values = append(values, p.Set(t, text)...)
			if t.Cells != "" {
				r.Labels[t.Tagged()] = target
			}
		}
	}
	var err error
	if r.Doc, r.Paras, err = paragraph.RetagAll(xmlscan.Apply(p.Doc, values), p.dialect, r.Wanted, func(i int) string { return ids[i] }); err != nil {
		return nil, formats.Errorf(formats.CodeInvalid, "%w", err)
	}
	r.Edited = len(values)+len(r.Paras) > 0
	return r, nil
}
