package xlsx

import (
	"context"

	"atelier/formats"
)

// lookUp fills in the texts of the shared strings that are keys of need, in
// one pass over the string table that holds one item at a time. Texts longer
// than maxChars characters are cut; 0 cuts none. Keys whose texts are more than
// maxLookUp bytes together are removed.
func (wb *workbook) lookUp(ctx context.Context, need map[int]string, maxChars int) error {
	part := wb.relPart(relStrings)
	if part == "" || len(need) == 0 {
		return nil
	}
	s, rc, err := openRows(ctx, wb.pkg, part)
	if err != nil {
		return err
	}
	defer rc.Close()
	left, total := len(need), 0
	if _, ok := need[-1]; ok {
		left-- // of a cell whose index is no number
	}
	for n := 0; left > 0; n++ {
		item, ok, err := s.nextItem()
		if err != nil || !ok {
			return err
		}
		if _, want := need[n]; want {
			left--
			text := richText(item)
			if maxChars > 0 {
				text = clip(text, maxChars)
			}
			if total += len(text); total > maxLookUp {
				delete(need, n)
				continue
			}
			need[n] = text
		}
	}
	return nil
}

var errTableCut = formats.Errorf(formats.CodeCorrupt, "the table of shared strings is damaged: it ends inside an item")

// nextItem reads the content of the next si element of a string table.
func (s *rowScanner) nextItem() (item []byte, ok bool, err error) {
	s.w.consume(s.used)
	s.used = 0
	i := 0
	for {
		if i = s.w.index(i, '<'); i < 0 {
			s.w.consume(len(s.w.rest()))
			return nil, false, s.w.err
		}
		if !s.w.need(i + 2) {
			return nil, false, cutOr(s.w.err)
		}
		if c := s.w.rest()[i+1]; c == '!' || c == '?' {
			if i = s.w.skipMarkup(i); i < 0 {
				return nil, false, cutOr(s.w.err)
			}
			continue
		}
		e := s.w.tagEnd(i)
		if e < 0 {
			return nil, false, cutOr(s.w.err)
		}
		tag := s.w.rest()[i:e]
		if string(localName(tag[1:])) != "si" {
			s.w.consume(e) // nothing before it is needed any more
			i = 0
			continue
		}
		if tag[len(tag)-2] == '/' {
			s.used = e
			return nil, true, nil
		}
		end, behind, err := s.closing(e, "si")
		if err != nil {
			return nil, false, cutOr(s.w.err)
		}
		s.used = behind
		return s.w.rest()[e:end], true, nil
	}
}

// cutOr is what the stream failed with, or that it ended too early.
func cutOr(err error) error {
	if err != nil {
		return err
	}
	return errTableCut
}
