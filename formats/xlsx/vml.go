package xlsx

import (
	"bytes"
	"context"
	"fmt"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/lazyregexp"
)

// Notes are drawn by VML (ISO/IEC 29500-4, 19.1), which is often no well-formed
// XML: it is edited by bytes.
var (
	noteShape   = lazyregexp.New(`(?s)<v:shape[\s>].*?</v:shape>`)
	noteShapeID = lazyregexp.New(`_x0000_s(\d+)`)
	noteMap     = lazyregexp.New(`<o:idmap[^>]*\bdata="(\d+)`)
)

const vmlType = `<v:shapetype id="_x0000_t202" coordsize="21600,21600" o:spt="202" path="m,l,21600r21600,l21600,xe"><v:stroke joinstyle="miter"/><v:path gradientshapeok="t" o:connecttype="rect"/></v:shapetype>`

const vmlHead = `<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:x="urn:schemas-microsoft-com:office:excel"><o:shapelayout v:ext="edit"><o:idmap v:ext="edit" data="1"/></o:shapelayout></xml>`

// addNote draws the box of a comment.
func (w *sheetWork) addNote(ctx context.Context, at cellref.Cell, text string) error {
	part, err := w.vmlPart(ctx)
	if err != nil {
		return err
	}
	doc, err := w.f.ed.ReadXML(ctx, part)
	if err != nil {
		return err
	}
	end := bytes.LastIndex(doc, []byte("</xml>"))
	if end < 0 {
		return formats.Errorf(formats.CodeCorrupt, "the drawing of notes %s is damaged", part)
	}
	first := 1024
	if m := noteMap.FindSubmatch(doc); m != nil {
		first = 1024 * max(sheetml.Atoi(m[1]), 1)
	}
	id := first
	for _, m := range noteShapeID.FindAllSubmatch(doc, -1) {
		if n := sheetml.Atoi(m[1]); n >= id && n < first+1024 {
			id = n
		}
	}
	shape := ""
	if !bytes.Contains(doc, []byte(`"_x0000_t202"`)) {
		shape = vmlType
	}
	lines := min(max(4, 2+len(text)/24), 20)
	right, top := min(at.Col+2, cellref.MaxCol-1), max(at.Row-2, 0)
	shape += fmt.Sprintf(`<v:shape xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:x="urn:schemas-microsoft-com:office:excel" id="_x0000_s%d" type="#_x0000_t202" style="position:absolute;margin-left:60pt;margin-top:2pt;width:130pt;height:%dpt;z-index:1;visibility:hidden" fillcolor="#ffffe1" o:insetmode="auto"><v:fill color2="#ffffe1"/><v:shadow on="t" color="black" obscured="t"/><v:path o:connecttype="none"/><v:textbox style="mso-direction-alt:auto"><div style="text-align:left"></div></v:textbox><x:ClientData ObjectType="Note"><x:MoveWithCells/><x:SizeWithCells/><x:Anchor>%d, 15, %d, 10, %d, 31, %d, 4</x:Anchor><x:AutoFill>False</x:AutoFill><x:Row>%d</x:Row><x:Column>%d</x:Column></x:ClientData></v:shape>`,
		id+1, lines*15, min(at.Col, cellref.MaxCol-2), top, right, min(top+lines, cellref.MaxRow-1), at.Row-1, at.Col-1)
	w.f.ed.Set(part, xmlscan.Apply(doc, []xmlscan.Splice{{Start: end, End: end, New: []byte(shape)}}))
	return nil
}

// vmlPart is the part that the sheet's legacyDrawing (18.3.1.51) leads to,
// made when there is none.
func (w *sheetWork) vmlPart(ctx context.Context) (string, error) {
	if part, _, err := w.legacy(ctx); err != nil || part != "" {
		return part, err
	}
	part, id, err := w.f.ed.AddPart(ctx, w.part, "xl/drawings/vmlDrawing%d.vml", relVML, typeVML, []byte(vmlHead))
	if err != nil {
		return "", err
	}
	w.insert("legacyDrawing", "<"+w.prefix+"legacyDrawing"+w.relAttr(id)+"/>")
	return part, nil
}

// legacyElement finds the sheet's legacyDrawing, which in a strict
// sheet stands alone in an mc:AlternateContent for those who read VML, and gives its relationship and the bytes to take out
// with it.
func (w *sheetWork) legacyElement() (id string, cut xmlscan.Splice, ok bool) {
	sc := xmlscan.New(w.skel.Doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start || t.Depth < 2 {
			continue
		}
		if t.Depth == 2 {
			cut.Start = t.Start
		}
		switch {
		case t.Local == "legacyDrawing" && (t.Depth == 2 || t.Depth == 4):
			id, cut.End = t.AttrLocal("id"), sc.Skip()
			for t.Depth == 4 && sc.Next() && sc.Token().Depth >= 2 {
				cut.End = sc.Token().End
			}
			return id, cut, true
		case t.Depth == 2 && t.Local != "AlternateContent":
			sc.Skip()
		}
	}
	return "", xmlscan.Splice{}, false
}

// legacy is the part with the sheet's notes and the relationship to it.
func (w *sheetWork) legacy(ctx context.Context) (part, id string, err error) {
	id, _, ok := w.legacyElement()
	if !ok {
		return "", "", nil
	}
	rels, err := w.f.ed.Rels(ctx, w.part)
	if err != nil {
		return "", "", err
	}
	for _, r := range rels {
		if r.ID == id && !r.External && w.f.ed.Has(r.Target) {
			return r.Target, id, nil
		}
	}
	return "", "", formats.Errorf(formats.CodeCorrupt, "the notes of the sheet %q are missing from the file", w.sheet.name)
}

// dropNote removes the box of a cell's comment, and the drawing with its last
// shape.
func (w *sheetWork) dropNote(ctx context.Context, at cellref.Cell) error {
	part, id, err := w.legacy(ctx)
	if err != nil || part == "" {
		return err
	}
	doc, err := w.f.ed.ReadXML(ctx, part)
	if err != nil {
		return err
	}
	var cuts []xmlscan.Splice
	shapes := noteShape.FindAllIndex(doc, -1)
	for _, s := range shapes {
		if book.NoteAt(doc[s[0]:s[1]]) == at {
			cuts = append(cuts, xmlscan.Splice{Start: s[0], End: s[1]})
		}
	}
	if len(cuts) == 0 {
		return nil
	}
	now := xmlscan.Apply(doc, cuts)
	if len(cuts) < len(shapes) || bytes.Contains(now, []byte("<v:group")) {
		w.f.ed.Set(part, now)
		return nil
	}
	_, cut, _ := w.legacyElement()
	w.edit(cut)
	return w.removePart(ctx, part, id)
}
