package diff

import (
	"context"

	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/sheetml"
)

// eachCell calls f with every cell that holds something.
func (w *bookSide) eachCell(ctx context.Context, sh book.SheetInfo, f func(s *sheetml.RowScanner, d *book.Display)) error {
	return w.eachRow(ctx, sh, func(int) int { return 1 }, func(s *sheetml.RowScanner, d *book.Display) error {
		if !s.Cell.Blank() {
			f(s, d)
		}
		return nil
	})
}

// eachRow calls f with every cell of the rows that want says 1 of; it ends at the
// first row for which want says -1. Formulas that others share are noted in all.
func (w *bookSide) eachRow(ctx context.Context, sh book.SheetInfo, want func(row int) int, f func(s *sheetml.RowScanner, d *book.Display) error) error {
	if sh.Part == "" {
		return nil
	}
	d := &book.Display{Styles: w.d.Styles, Strings: w.d.Strings, Room: w.d.Room}
	row, now := 0, 0
	for s, err := range w.Rows(ctx, sh.Part, book.Window{Display: d}) {
		if err != nil {
			return book.IgnoreNoCells(err)
		}
		if s.Event != sheetml.WholeCell {
			continue
		}
		if s.Cell.Row != row {
			row = s.Cell.Row
			now = want(row)
		}
		switch {
		case now < 0:
			return nil
		case now == 0:
			continue
		}
		if err := f(s, d); err != nil {
			return err
		}
	}
	return nil
}

// heldRow is a row with its cells.
type heldRow struct {
	row   int
	cells []seenCell
}

// rowFeed reads the rows that are wanted ahead of those who compare them.
type rowFeed struct {
	ch   chan []heldRow
	err  error // once ch is closed
	cur  []heldRow
	stop context.CancelFunc
}

const feedBatch = 64

// feed reads rows, given in order, of a sheet.
func (w *bookSide) feed(ctx context.Context, sheet int, rows []int) *rowFeed {
	ctx, stop := context.WithCancel(ctx)
	f := &rowFeed{ch: make(chan []heldRow, 4), stop: stop}
	go func() {
		defer close(f.ch)
		if sheet < 0 || len(rows) == 0 {
			return
		}
		b := &rowBatch{ctx: ctx, to: f.ch}
		err := w.eachRow(ctx, w.Sheets[sheet], onlyRows(rows), func(s *sheetml.RowScanner, d *book.Display) error {
			return b.add(s.Cell.Row, w.seen(s, d))
		})
		if err == nil && len(b.rows) > 0 {
			err = b.send()
		}
		f.err = err
	}()
	return f
}

// onlyRows is what eachRow asks for rows given in order.
func onlyRows(rows []int) func(row int) int {
	k := 0
	return func(row int) int {
		for k < len(rows) && rows[k] < row {
			k++
		}
		switch {
		case k == len(rows):
			return -1
		case rows[k] == row:
			return 1
		}
		return 0
	}
}

// rowBatch gathers rows to be sent together.
type rowBatch struct {
	ctx  context.Context
	to   chan<- []heldRow
	rows []heldRow
}

// add adds a cell to its row; cells come row by row.
func (b *rowBatch) add(row int, c seenCell) error {
	if n := len(b.rows); n == 0 || b.rows[n-1].row != row {
		if n == feedBatch {
			if err := b.send(); err != nil {
				return err
			}
		}
		b.rows = append(b.rows, heldRow{row: row})
	}
	r := &b.rows[len(b.rows)-1]
	r.cells = append(r.cells, c)
	return nil
}

func (b *rowBatch) send() error {
	select {
	case b.to <- b.rows:
		b.rows = nil
		return nil
	case <-b.ctx.Done():
		return b.ctx.Err()
	}
}

// get gives the cells of a row; rows are asked for in order.
func (f *rowFeed) get(row int) ([]seenCell, error) {
	if row == 0 { // the other side has none
		return nil, nil
	}
	for {
		for len(f.cur) > 0 && f.cur[0].row < row {
			f.cur = f.cur[1:]
		}
		if len(f.cur) > 0 {
			if f.cur[0].row == row {
				return f.cur[0].cells, nil
			}
			return nil, nil
		}
		var ok bool
		if f.cur, ok = <-f.ch; !ok {
			return nil, f.err
		}
	}
}
