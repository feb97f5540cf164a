package convert

import (
	"context"
	"io"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/tablequery"
	"atelier/formats/xlsx"
	"atelier/workshop"
)

// sheetToCSV writes the values of a sheet from its first to its last cell that
// holds something.
func (c *conversion) sheetToCSV(ctx context.Context, src formats.Source) error {
	rows, err := xlsx.Rows(ctx, src, c.sheet, "")
	if err != nil {
		return err
	}
	name := rows.Sheet
	rows.Close()
	area := usedArea{}
	if err := xlsx.Filled(ctx, src, name, area.add); err != nil {
		return err
	}
	uncalculated := 0
	_, err = c.env.View.Put(ctx, c.to, workshop.PutOptions{CreateOnly: true}, func(w io.Writer) error {
		uncalculated, err = area.write(ctx, &bounded{w: w, left: maxCSV}, src, name)
		return err
	})
	if err != nil {
		return err
	}
	c.note("the values of sheet %s; formulas, formats, charts and comments are not in a csv", strconv.Quote(name))
	if uncalculated > 0 {
		c.note("formulas without a value, which are empty in it: %d", uncalculated)
	}
	var others []string
	for _, s := range c.sheets {
		if s != name {
			others = append(others, s)
		}
	}
	if len(others) > 0 {
		c.note("sheets that are not in it: %s", strings.Join(others, ", "))
	}
	return nil
}

// maxCSV limits a csv file in bytes; a test lowers it. Few cells of a sheet may be far
// apart, and many may have the same long text.
var maxCSV int64 = 256 << 20

// bounded is a writer that ends with an error after so many bytes.
type bounded struct {
	w    io.Writer
	left int64
	err  error // the first; a CSVWriter keeps it for its end
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.left -= int64(len(p)); b.left < 0 && b.err == nil {
		b.err = workshop.Faultf(workshop.Invalid, "the csv would have more than %d MiB; table_export writes a part of the sheet", maxCSV>>20)
	}
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.w.Write(p)
	b.err = err
	return n, err
}

// maxRow is the last row of a sheet.
const maxRow = 1 << 20

// usedArea is the block of a sheet that holds something.
type usedArea struct{ top, left, bottom, right int }

func (a *usedArea) add(row, col int) error {
	if a.top == 0 {
		a.top, a.left = row, col
	}
	a.left, a.bottom, a.right = min(a.left, col), row, max(a.right, col)
	return nil
}

// write writes the block as csv and returns how many formulas have no value.
func (a usedArea) write(ctx context.Context, w *bounded, src formats.Source, sheet string) (uncalculated int, err error) {
	if a.top == 0 {
		return 0, nil
	}
	// With the row below it is never the range of a table, which would be read without
	// its totals.
	block := xlsx.ColumnName(a.left) + strconv.Itoa(a.top) + ":" + xlsx.ColumnName(a.right) + strconv.Itoa(min(a.bottom+1, maxRow))
	rows, err := xlsx.Rows(ctx, src, sheet, block)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	out := tablequery.NewCSVWriter(w, make([]tablequery.ResultColumn, a.right-a.left+1), false)
	empty := func(int) any { return nil }
	next := a.top
	for {
		cells, err := rows.Next()
		if err == io.EOF {
			return uncalculated, out.Close()
		}
		if err != nil {
			return uncalculated, err
		}
		for ; next < rows.Row() && w.err == nil; next++ {
			out.Row(empty)
		}
		if w.err != nil {
			return uncalculated, w.err
		}
		next++
		out.Row(func(i int) any {
			if i >= len(cells) {
				return nil
			}
			if cells[i].Kind == xlsx.Uncalculated {
				uncalculated++
			}
			return csvValue(cells[i])
		})
	}
}

// csvValue returns a cell as the CSVWriter takes it.
func csvValue(v xlsx.Value) any {
	switch v.Kind {
	case xlsx.NumberValue:
		return v.Number
	case xlsx.BoolValue:
		return v.Number != 0
	case xlsx.TextValue, xlsx.DateValue, xlsx.ErrorValue:
		return v.Text
	}
	return nil
}

// tableToCSV writes a table of text with commas, in UTF-8.
func (c *conversion) tableToCSV(ctx context.Context, src formats.Source) error {
	q := tablequery.Query{Tables: []tablequery.Ref{{Source: src}}, SQL: "SELECT * FROM data"}
	_, err := c.env.View.Put(ctx, c.to, workshop.PutOptions{CreateOnly: true}, func(to io.Writer) error {
		w := &bounded{w: to, left: maxCSV}
		var out *tablequery.CSVWriter
		err := tablequery.Shared().Each(ctx, q, func(cols []tablequery.ResultColumn) error {
			out = tablequery.NewCSVWriter(w, cols, true)
			return nil
		}, func(value func(int) any) error {
			out.Row(value)
			return w.err
		})
		if err != nil {
			return err
		}
		return out.Close()
	})
	return err
}
