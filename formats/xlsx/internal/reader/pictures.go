package reader

import (
	"context"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/picture"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
)

// Pictures implements formats.Illustrated: those that touch the selected cells; without
// a selection, all of the file.
func (Reader) Pictures(ctx context.Context, src formats.Source, sel formats.Selector, emit func(formats.Picture) error) error {
	wb, err := openReading(ctx, src)
	if err != nil {
		return err
	}
	return book.Typed(wb.pictures(ctx, sel, emit), src.Name())
}

func (wb reading) pictures(ctx context.Context, sel formats.Selector, emit func(formats.Picture) error) error {
	picks, err := wb.selected(ctx, sel)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	emit = picture.Seen(seen, emit)
	given := map[string]bool{} // places that an earlier pick gave
	for _, k := range picks {
		if k.sheet.Part == "" {
			continue
		}
		err := EachObject(ctx, wb.Workbook, k.sheet.Part, func(o Object) error {
			if o.Rel.Target == "" || !o.meets(k.block) {
				return nil
			}
			p := picture.Of(ctx, wb.Package, o.Rel)
			p.At, p.Name, p.Alt = formula.SheetPrefix(k.sheet.Name)+AnchorRange(o.From, o.To), o.Name, o.Alt
			if o.From.Row == 0 {
				p.At = strings.TrimSuffix(p.At, "!")
			}
			if id := p.At + "\n" + p.Part + "\n" + p.Name; given[id] {
				return nil
			} else {
				given[id] = true
			}
			return emit(p)
		})
		if err != nil {
			return err
		}
	}
	if strings.TrimSpace(sel.Sheet+sel.Range) != "" {
		return nil
	}
	return picture.Others(ctx, wb.Package, seen, emit)
}

// meets reports whether an object covers a cell of a block; one without a place covers
// all.
func (o Object) meets(block cellref.Range) bool {
	if o.From.Row == 0 {
		return true
	}
	to := o.To
	if to.Row == 0 {
		to = o.From
	}
	return block.Meets(cellref.Block(o.From.Row, o.From.Col, max(o.From.Row, to.Row), max(o.From.Col, to.Col)))
}
