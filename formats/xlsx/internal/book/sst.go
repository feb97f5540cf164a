package book

import (
	"context"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/sheetml"
)

// SharedStrings is the string table (18.4.9), kept as XML and decoded on use.
type SharedStrings struct {
	Part  string
	Doc   []byte
	Items []sheetml.Span // content of each si, between its tags; the zero span for <si/>

	kept map[int]string // texts of held

	// Of a table too large to hold: the texts that were looked up by index.
	Wanted  map[int]string
	Missing bool // a text was asked for that is not in some
}

// Strings reads the workbook's string table; one without is empty.
func (wb *Workbook) Strings(ctx context.Context) (*SharedStrings, error) {
	t := &SharedStrings{Part: wb.RelPart(RelStrings)}
	if t.Part == "" {
		return t, nil
	}
	var err error
	if t.Doc, err = wb.Package.ReadXML(ctx, t.Part); err != nil {
		return nil, err
	}
	sc := xmlscan.New(t.Doc)
	for n := 0; sc.Next(); n++ {
		tok := sc.Token()
		if n&1023 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if tok.Kind != xmlscan.Start || tok.Local != "si" || tok.Depth != 2 {
			continue
		}
		end := sc.Skip()
		if tok.Empty {
			t.Items = append(t.Items, sheetml.Span{})
		} else {
			t.Items = append(t.Items, sheetml.Piece(tok.End, sheetml.EndTagStart(t.Doc, end)))
		}
	}
	if err := sc.Err(); err != nil {
		return nil, formats.Errorf(formats.CodeCorrupt, "%s: %w", t.Part, err)
	}
	return t, nil
}

// Raw is the XML content of item i.
func (t *SharedStrings) Raw(i int) []byte {
	if i < 0 || i >= len(t.Items) {
		return nil
	}
	return t.Doc[t.Items[i].Start:t.Items[i].End]
}

// Text is the plain text of item i, "" when there is none.
func (t *SharedStrings) Text(i int) string {
	if t.Wanted == nil {
		return sheetml.PlainText(t.Raw(i))
	}
	text, ok := t.Wanted[i]
	t.Missing = t.Missing || !ok
	return text
}

// Held is text for those who ask for many cells: the cells that show one long
// text share it.
func (t *SharedStrings) Held(i int) string {
	if t.Wanted != nil || len(t.Raw(i)) <= shortText {
		return t.Text(i)
	}
	text, ok := t.kept[i]
	if !ok {
		if t.kept == nil {
			t.kept = map[int]string{}
		}
		text = t.Text(i)
		t.kept[i] = text
	}
	return text
}

// BigStrings is the inflated size from which a string table is not held as a
// whole for a read: only the texts of the cells shown are looked up.
const BigStrings = 4 << 20

// Clone returns the same table for another goroutine.
func (t *SharedStrings) Clone() *SharedStrings {
	return &SharedStrings{Part: t.Part, Doc: t.Doc, Items: t.Items}
}
