package reader

import (
	"context"

	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/picture"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
)

// Object is an object of a drawing: the cells that it covers, and the picture in it.
type Object struct {
	From, To cellref.Cell // corners; a row of 0 is one that the drawing does not say
	Name     string       // cNvPr name (20.1.2.2.8)
	Alt      string       // cNvPr descr
	// Rel leads to the picture of a blip; its zero value is an object without one.
	Rel opc.Relationship
}

// EachObject gives the objects of the drawings of a sheet in the order of the file. An
// object with several pictures comes several times. Drawings larger than book.MaxObjects
// are left out.
func EachObject(ctx context.Context, wb *book.Workbook, sheet string, emit func(Object) error) error {
	rels, err := wb.Package.Rels(ctx, sheet)
	if err != nil {
		return err
	}
	for _, r := range rels {
		if r.Type != book.RelDrawing || r.External || !wb.Package.Has(r.Target) || wb.Package.Size(r.Target) > book.MaxObjects {
			continue
		}
		if err := eachObjectOf(ctx, wb, r.Target, emit); err != nil {
			return err
		}
	}
	return nil
}

// eachObjectOf walks a drawing part (20.5.2.35).
func eachObjectOf(ctx context.Context, wb *book.Workbook, part string, emit func(Object) error) error {
	rels, err := wb.Package.Rels(ctx, part)
	if err != nil {
		return err
	}
	byID := map[string]opc.Relationship{}
	for _, r := range rels {
		byID[r.ID] = r
	}
	doc, err := wb.Package.ReadXML(ctx, part)
	if err != nil {
		return err
	}
	w := objectWalk{sc: xmlscan.New(doc), doc: doc, rels: byID, emit: emit}
	for w.sc.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.token(w.sc.Token()); err != nil {
			return err
		}
	}
	return book.CorruptPart(w.sc.Err(), part)
}

// objectWalk is a walk through a drawing part.
type objectWalk struct {
	sc      *xmlscan.Scanner
	doc     []byte
	rels    map[string]opc.Relationship
	emit    func(Object) error
	at      anchor
	now     Object // name and description of the shape that was named last
	emitted bool   // the anchor gave an object
}

func (w *objectWalk) token(t xmlscan.Token) error {
	if t.Kind != xmlscan.Start {
		w.at.end(t)
		switch t.Local {
		case "twoCellAnchor", "oneCellAnchor", "absoluteAnchor":
			if t.Kind == xmlscan.End && !w.emitted {
				return w.give(Object{Name: w.now.Name, Alt: w.now.Alt})
			}
		}
		return nil
	}
	switch t.Local {
	case "Fallback": // what older programs show instead
		w.sc.Skip()
	case "cNvPr":
		w.now = Object{Name: t.AttrLocal("name"), Alt: t.AttrLocal("descr")}
	case "blip":
		o := w.now
		for _, name := range []string{"embed", "link"} {
			if r, ok := w.rels[picture.RelID(w.sc, t, name)]; ok {
				o.Rel = r
				break
			}
		}
		return w.give(o)
	case "twoCellAnchor", "oneCellAnchor", "absoluteAnchor":
		w.emitted, w.now = false, Object{}
		w.at.start(w.doc, w.sc, t)
	default:
		w.at.start(w.doc, w.sc, t)
	}
	return nil
}

func (w *objectWalk) give(o Object) error {
	o.From, o.To, w.emitted = w.at.from, w.at.to, true
	return w.emit(o)
}
