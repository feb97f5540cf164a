package xlsx

import (
	"context"
	"fmt"
	"strconv"

	"atelier/formats"
	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
)

const (
	nsXdr       = "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"
	nsDraw      = "http://schemas.openxmlformats.org/drawingml/2006/main"
	nsChart     = "http://schemas.openxmlformats.org/drawingml/2006/chart"
	typeDrawing = "application/vnd.openxmlformats-officedocument.drawing+xml"

	emuPerInch = 914400 // 20.1.2.1
)

// drawing is the part with the sheet's pictures and charts, made when the
// sheet has none.
func (w *sheetWork) drawing(ctx context.Context) (part string, err error) {
	if t, _, ok := w.child("drawing"); ok {
		id := t.AttrLocal("id")
		rels, err := w.f.ed.Rels(ctx, w.part)
		if err != nil {
			return "", err
		}
		for _, r := range rels {
			if r.ID == id && !r.External && w.f.ed.Has(r.Target) {
				return r.Target, nil
			}
		}
		return "", formats.Errorf(formats.CodeCorrupt, "the drawing of the sheet %q is missing from the file", w.sheet.name)
	}
	doc := `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n" + `<xdr:wsDr xmlns:xdr="` + w.f.ns(nsXdr) + `" xmlns:a="` + w.f.ns(nsDraw) + `"></xdr:wsDr>`
	part, id, err := w.f.ed.AddPart(ctx, w.part, "xl/drawings/drawing%d.xml", book.RelDrawing, typeDrawing, []byte(doc))
	if err != nil {
		return "", err
	}
	w.insert("drawing", "<"+w.prefix+"drawing"+w.relAttr(id)+"/>")
	return part, nil
}

// anchor is what is put on a sheet: a picture or a chart.
type anchor struct {
	at     cellref.Cell // top left cell
	cx, cy int64        // EMU
	name   string
	alt    string
}

// place1 puts an object into the drawing (20.5.2.24): body writes it, given
// its id in the drawing and its common properties.
func (w *sheetWork) putAnchor(ctx context.Context, part string, a anchor, body func(props string) string) error {
	doc, err := w.f.ed.ReadXML(ctx, part)
	if err != nil {
		return err
	}
	id, end := 1, -1
	var root xmlscan.Token
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Kind == xmlscan.Start && t.Local == "cNvPr":
			if n, err := strconv.Atoi(t.AttrLocal("id")); err == nil {
				id = max(id, n)
			}
		case t.Kind == xmlscan.Start && t.Depth == 1:
			root = t
			end = t.End
		case t.Kind == xmlscan.End && t.Depth == 1:
			end = t.End
		}
	}
	if err := sc.Err(); err != nil {
		return book.CorruptPart(err, part)
	}
	if end < 0 {
		return formats.Errorf(formats.CodeCorrupt, "the drawing %s is empty", part)
	}
	id++
	alt := ""
	if a.alt != "" {
		alt = ` descr="` + xmlscan.Escape(a.alt) + `"`
	}
	props := fmt.Sprintf(`<xdr:cNvPr id="%d" name="%s %d"%s/>`, id, xmlscan.Escape(a.name), id, alt)
	xml := fmt.Sprintf(`<xdr:oneCellAnchor xmlns:xdr="%s" xmlns:a="%s"><xdr:from><xdr:col>%d</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>%d</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:from><xdr:ext cx="%d" cy="%d"/>%s<xdr:clientData/></xdr:oneCellAnchor>`,
		w.f.ns(nsXdr), w.f.ns(nsDraw), a.at.Col-1, a.at.Row-1, a.cx, a.cy, body(props))
	w.f.ed.Set(part, xmlscan.Apply(doc, element.Append(doc, root, end, xml, 1)))
	w.rep.Hits, w.rep.Made = 1, fmt.Sprintf("%s %d %s!%s", a.name, id, w.sheet.name, cellref.Name(a.at.Row, a.at.Col))
	return nil
}

// size reads width and height of an operation, in EMU; 0 for one not given.
func (op sizeArgs) size() (cx, cy int64, err error) {
	const most = 100 // inches
	for _, d := range []struct {
		name string
		in   *float64
		out  *int64
	}{{"width", (*float64)(op.Width), &cx}, {"height", (*float64)(op.Height), &cy}} {
		if d.in == nil {
			continue
		}
		if !(*d.in > 0 && *d.in <= most) {
			return 0, 0, formats.Errorf(formats.CodeInvalid, "invalid %s %v: expected more than 0 and at most %d inches", d.name, *d.in, most)
		}
		*d.out = max(1, int64(*d.in*emuPerInch))
	}
	return cx, cy, nil
}

// graphicRel is the relationship type of a chart or picture part.
func graphicRel(kind string) string { return opc.RelPrefix + kind }
