package xlsx

import (
	"context"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/sheetml"
)

// sharedStrings is the string table (18.4.9), kept as XML and decoded on use.
type sharedStrings struct {
	part  string
	doc   []byte
	items []sheetml.Span // content of each si, between its tags; the zero span for <si/>
	elems []sheetml.Span // each si with its tags

	kept map[int]string // texts of held

	// Of a table too large to hold: the texts that were looked up by index.
	some    map[int]string
	missing bool // a text was asked for that is not in some
}

// strings reads the workbook's string table; one without is empty.
func (wb *baseBook) strings(ctx context.Context) (*sharedStrings, error) {
	t := &sharedStrings{part: wb.relPart(relStrings)}
	if t.part == "" {
		return t, nil
	}
	var err error
	if t.doc, err = wb.pkg.ReadXML(ctx, t.part); err != nil {
		return nil, err
	}
	sc := xmlscan.New(t.doc)
	for n := 0; sc.Next(); n++ {
		tok := sc.Token()
		if n&1023 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if tok.Kind != xmlscan.Start || tok.Local != "si" || tok.Depth != 2 {
			continue
		}
		end := sc.Skip()
		t.elems = append(t.elems, sheetml.Piece(tok.Start, end))
		if tok.Empty {
			t.items = append(t.items, sheetml.Span{})
		} else {
			t.items = append(t.items, sheetml.Piece(tok.End, sheetml.EndTagStart(t.doc, end)))
		}
	}
	if err := sc.Err(); err != nil {
		return nil, formats.Errorf(formats.CodeCorrupt, "%s: %w", t.part, err)
	}
	return t, nil
}

// raw is the XML content of item i.
func (t *sharedStrings) raw(i int) []byte {
	if i < 0 || i >= len(t.items) {
		return nil
	}
	return t.doc[t.items[i].Start:t.items[i].End]
}

// text is the plain text of item i, "" when there is none.
func (t *sharedStrings) text(i int) string {
	if t.some == nil {
		return sheetml.PlainText(t.raw(i))
	}
	text, ok := t.some[i]
	t.missing = t.missing || !ok
	return text
}

// held is text for those who ask for many cells: the cells that show one long
// text share it.
func (t *sharedStrings) held(i int) string {
	if t.some != nil || len(t.raw(i)) <= shortText {
		return t.text(i)
	}
	text, ok := t.kept[i]
	if !ok {
		if t.kept == nil {
			t.kept = map[int]string{}
		}
		text = t.text(i)
		t.kept[i] = text
	}
	return text
}

// bigStrings is the inflated size from which a string table is not held as a
// whole for a read: only the texts of the cells shown are looked up.
const bigStrings = 4 << 20
