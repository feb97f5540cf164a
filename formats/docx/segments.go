package docx

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"atelier/formats"
	"atelier/formats/inline"
	"atelier/formats/paragraph"
	"atelier/formats/xmlscan"
)

type segmenter struct{}

// Segments implements formats.Segmenter. An id is the part and the number of
// the paragraph in it, such as "word/document.xml#p17", which Replace keeps.
func (segmenter) Segments(ctx context.Context, src formats.Source, _ formats.SegmentOptions) ([]formats.Segment, error) {
	d, err := openDocument(ctx, src)
	if err != nil {
		return nil, err
	}
	parts, err := d.textParts(ctx)
	if err != nil {
		return nil, err
	}
	out := []formats.Segment{}
	for _, part := range parts {
		l, _, err := d.layout(ctx, part)
		if err != nil {
			return nil, err
		}
		for i, p := range l.paras {
			if l.twin[i] >= 0 {
				continue // it is written with its twin
			}
			if text := p.Tagged(); hasLetter(text) {
				out = append(out, formats.Segment{ID: segmentID(part.name, i), Text: text, Place: l.place[i]})
			}
		}
	}
	return out, nil
}

func segmentID(part string, i int) string { return fmt.Sprintf("%s#p%d", part, i) }

func hasLetter(tagged string) bool {
	return strings.ContainsFunc(inline.Plain(tagged), unicode.IsLetter)
}

func (d *document) layout(ctx context.Context, part textPart) (*layout, []byte, error) {
	doc, err := d.ed.ReadXML(ctx, part.name)
	if err != nil {
		return nil, nil, err
	}
	l, err := lay(doc, part.dialect, part.what)
	return l, doc, corrupt(part.name, err)
}

// Replace implements formats.Segmenter.
func (segmenter) Replace(ctx context.Context, src formats.Source, dst io.Writer, targets map[string]string, _ formats.ReplaceOptions) error {
	d, err := openDocument(ctx, src)
	if err != nil {
		return err
	}
	parts, err := d.textParts(ctx)
	if err != nil {
		return err
	}
	left := map[string]bool{}
	byPart := map[string]map[int]string{}
	for id, text := range targets {
		left[id] = true
		name, num, ok := strings.Cut(id, "#p")
		if n, err := strconv.Atoi(num); ok && err == nil {
			if byPart[name] == nil {
				byPart[name] = map[int]string{}
			}
			byPart[name][n] = text
		}
	}
	ed := d.ed
	for _, part := range parts {
		want := byPart[part.name]
		if len(want) == 0 {
			continue
		}
		l, doc, err := d.layout(ctx, part)
		if err != nil {
			return err
		}
		for i := range l.paras {
			if t, ok := want[l.twin[i]]; ok && l.twin[i] >= 0 {
				want[i] = t
			}
			delete(left, segmentID(part.name, i))
		}
		next, err := rewrite(doc, part, want)
		if err != nil {
			return err
		}
		if string(next) != string(doc) {
			ed.Set(part.name, next)
		}
	}
	for id := range left {
		return formats.Errorf(formats.CodeInvalid, "no segment has the id %q", id)
	}
	return ed.Write(ctx, dst)
}

// rewrite makes the paragraphs of a part say want. A paragraph that is written
// anew as a whole may hold others (a text box in it): those go first, in a
// round of their own.
func rewrite(doc []byte, part textPart, want map[int]string) ([]byte, error) {
	for len(want) > 0 {
		paras, err := paragraph.Parse(doc, part.dialect)
		if err != nil {
			return nil, corrupt(part.name, err)
		}
		var splices []xmlscan.Splice
		taken := make([]span, 0, len(want))
		// From the last: what is inside begins behind what holds it.
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
