package calc

import (
	"context"

	"atelier/formats/xlsx/internal/cellref"
)

// EachDue calls f for the cells of a sheet whose formulas are due, in reading order.
func (b *Book) EachDue(sheet int, f func(at Place)) {
	b.sheets[sheet].grid.each(cellref.WholeSheet, func(row int, c *cell) bool {
		if c.state == due {
			f(At(sheet, row, int(c.col)))
		}
		return true
	})
}

// Stored returns the value that a cell has, without calculating it.
func (b *Book) Stored(at Place) Value {
	if c := b.find(at); c != nil {
		return b.load(c)
	}
	return Value{}
}

// CalculateDue calculates all formulas that are due. It returns their cells in
// reading order, sheet by sheet; Stored has their values, Unknown ones too.
func CalculateDue(ctx context.Context, b *Book, opts Options) ([]Place, error) {
	var out []Place
	for i := range b.sheets {
		b.EachDue(i, func(at Place) { out = append(out, at) })
	}
	e := NewEvaluator(ctx, b, opts)
	for k, at := range out {
		if k&255 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if b.find(at).state != due {
			continue // a formula before it reads it
		}
		if _, err := e.Value(at); err != nil {
			return nil, err
		}
	}
	return out, nil
}
