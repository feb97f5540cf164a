package docx

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/tags"
)

// units is what can be translated in one part.
type units struct {
	part   segPart
	doc    []byte
	lay    *layout
	values []textValue
}

func (d *document) units(ctx context.Context, part segPart) (*units, error) {
	u := &units{part: part}
	var err error
	if u.doc, err = d.ed.ReadXML(ctx, part.name); err != nil {
		return nil, err
	}
	if u.lay, err = layOut(u.doc, part.dialect, part.what); err != nil {
		return nil, corrupt(part.name, err)
	}
	u.values, err = textValues(u.doc)
	return u, corrupt(part.name, err)
}

// A paragraph's id is the part and its number in it, such as
// "word/document.xml#p17"; that of a text outside paragraphs ends in "#s3", and
// in parts that all office formats have in "#v3" or "#a3". IDs stay when text is
// replaced.
func segmentID(part string, i int) string { return fmt.Sprintf("%s#p%d", part, i) }
func valueID(part string, i int) string   { return fmt.Sprintf("%s#s%d", part, i) }

// parseID returns the part, the letter and the number of an ID.
func parseID(id string) (part string, series byte, i int, ok bool) {
	k := strings.LastIndexByte(id, '#')
	if k < 0 || k+2 > len(id) {
		return "", 0, 0, false
	}
	n, err := strconv.Atoi(id[k+2:])
	return id[:k], id[k+1], n, err == nil && n >= 0
}

// segments lists the part's segments.
func (u *units) segments() []formats.Segment {
	var out []formats.Segment
	for i, p := range u.lay.paras {
		if u.lay.repeats[i] >= 0 {
			continue // it is replaced together with the text it repeats
		}
		text := p.Tagged()
		if !tags.Translatable(tags.Plain(text)) {
			continue
		}
		kind := u.part.kind
		if u.lay.kind[i] != "" {
			kind = u.lay.kind[i]
		}
		out = append(out, formats.Segment{ID: segmentID(u.part.name, i), Text: text, Place: u.lay.place[i], Part: kind})
	}
	for i, s := range u.values {
		if s.repeats >= 0 || !tags.Translatable(s.text) {
			continue
		}
		place := s.kind
		if u.part.what != "" && u.part.what != s.kind {
			place = u.part.what + ", " + s.kind
		}
		seg := formats.Segment{ID: valueID(u.part.name, i), Text: tags.Escape(s.text), Place: place, Part: s.kind, Notes: s.notes}
		if s.kind == "form field" {
			seg.MaxLength = 255 // 17.16.10 and following, as Word has it
		}
		out = append(out, seg)
	}
	return out
}
