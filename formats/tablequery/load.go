package tablequery

import (
	"context"
	"errors"
	"io"
	"runtime"

	"atelier/formats"
	"atelier/formats/delimited"
	columns "atelier/formats/tablequery/internal/column"
	"atelier/formats/tablequery/internal/image"
	"atelier/formats/tablequery/internal/lite"
)

// The types that columns have in the database. Their names give SQLite the
// affinity, and come back with the results.
var declaredTypes = map[delimited.Type]string{
	delimited.Integer: "INTEGER", delimited.Number: "REAL", delimited.Boolean: "BOOLEAN_INT", delimited.Date: "DATE_TEXT", delimited.Text: "TEXT",
}

// kindOf is what a column of a type holds.
var kindOf = map[delimited.Type]image.Kind{
	delimited.Integer: image.Int, delimited.Number: image.Float, delimited.Boolean: image.Int, delimited.Date: image.Text, delimited.Text: image.Text,
}

// MaxTable is the most memory one table takes in the database, in bytes.
const MaxTable = 1 << 30

// database is a loaded table.
type database struct {
	lite    *lite.Database
	longest int
	columns *columns.Table // the same table by columns, nil when it is too large
	only    []bool         // the columns that have their values; nil: all
	bare    bool           // lite has no rows: only columns has them
}

// loadTable reads the table a second time, into a database image. With only, the other
// columns are empty.
func loadTable(ctx context.Context, ref Ref, s *tableShape, only []bool) (*database, error) {
	if len(s.cols) == 0 {
		return nil, formats.Errorf(formats.CodeInvalid, "%s has no columns to query", ref.Source.Name())
	}
	cols := s.imageColumns()
	hint := s.imageSize(ref.Source.Size())
	if ref.Sheet != "" || ref.Range != "" || ext(ref.Source) == ".xlsx" {
		hint = 1 << 20
	}
	// Built where SQLite reads it, a table is not in memory twice.
	mem, err := lite.NewMemory(hint)
	if err != nil {
		return nil, tooLarge(ref, image.ErrTooLarge)
	}
	defer runtime.KeepAlive(mem)
	w := image.NewIn(mem.Bytes(), cols, MaxTable)
	longest := 0 // of all columns, so that the limits of a question do not depend on only
	err = s.eachRow(ctx, ref, func(cells []cell) error {
		w.Begin()
		for i := range s.cols {
			if only != nil && !only[i] {
				w.Null()
				continue
			}
			putValue(w, cells, &s.cols[i])
		}
		if only != nil {
			size := 0
			for i := range cells {
				size += len(cells[i].b)
			}
			longest = max(longest, size)
		}
		return w.End()
	})
	if err != nil {
		return nil, tooLarge(ref, err)
	}
	img, err := w.Finish()
	if err != nil {
		return nil, tooLarge(ref, err)
	}
	db, err := lite.NewDatabase(img, mem)
	if err != nil {
		return nil, tooLarge(ref, image.ErrTooLarge)
	}
	return &database{db, max(longest, w.Longest()), columns.New(db.Bytes, int(w.Rows()), w.Longest(), s.kinds()), only, false}, nil
}

// eachRow calls f for the rows of the table behind its header; an error of f ends it.
func (s *tableShape) eachRow(ctx context.Context, ref Ref, f func(cells []cell) error) error {
	r, _, err := openRows(ctx, s.refFrom(ref))
	if err != nil {
		return err
	}
	defer r.close()
	for n := 0; ; n++ {
		cells, err := r.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if n&1023 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := f(cells); err != nil {
			return err
		}
	}
}

// kinds are what the columns of the table hold.
func (s *tableShape) kinds() []image.Kind {
	kinds := make([]image.Kind, len(s.cols))
	for i, c := range s.cols {
		kinds[i] = kindOf[c.Type]
	}
	return kinds
}

// imageColumns are the columns of the table's image.
func (s *tableShape) imageColumns() (cols []image.Column) {
	for _, c := range s.cols {
		cols = append(cols, image.Column{Name: c.Name, Type: declaredTypes[c.Type]})
	}
	return cols
}

// imageSize returns about how many bytes the image of a text file has, rather more
// than less: memory that nothing is written to costs nothing, and too little makes
// the image move while it grows.
func (s *tableShape) imageSize(file int64) int {
	row := int64(16) // its number, lengths and place in a page
	for _, c := range s.cols {
		if c.Type == delimited.Number {
			row += 5 // 8 bytes for what may have 3 as text
		}
	}
	n := file + row*int64(s.info.RowCount)
	return int(min(n+n/32+(64<<10), MaxTable))
}

func tooLarge(ref Ref, err error) error {
	if errors.Is(err, image.ErrTooLarge) {
		return formats.Errorf(formats.CodeTooLarge, "%s is too large to query: it would take more than %d MiB; split it, or give a smaller range", ref.Source.Name(), MaxTable>>20)
	}
	return err
}

// values takes the values of a row.
type values interface {
	Null()
	Int(v int64)
	Float(v float64)
	Text(t []byte)
}

// putValue adds the column's value of a record.
func putValue(w values, cells []cell, col *column) {
	if col.at >= len(cells) {
		w.Null()
		return
	}
	c := &cells[col.at]
	switch c.kind {
	case raw:
		if b := delimited.Trim(c.b); len(b) == 0 {
			w.Null()
			return
		}
	case empty, failed, formless:
		w.Null()
		return
	}
	switch col.Type {
	case delimited.Integer:
		w.Int(c.integer())
	case delimited.Number:
		w.Float(c.float(col.comma))
	case delimited.Boolean:
		v := int64(0)
		if c.truth() {
			v = 1
		}
		w.Int(v)
	case delimited.Date:
		w.Text(delimited.Trim(c.b))
	default:
		w.Text(shownText(*c))
	}
}
