package tablequery

import (
	"context"
	"fmt"
	"io"
	"strings"

	"atelier/formats/delimited"
	"atelier/formats/tablequery/internal/image"
	"atelier/internal/textclip"
)

// Info describes a table.
type Info struct {
	Encoding       string   `json:"encoding,omitempty"`  // csv
	Delimiter      string   `json:"delimiter,omitempty"` // csv
	Sheet          string   `json:"sheet,omitempty"`     // xlsx
	Table          string   `json:"table,omitempty"`     // xlsx: when it is one
	HasHeader      bool     `json:"has_header"`          // else columns are named A, B …
	HeaderRow      int      `json:"header_row,omitempty"`
	Range          string   `json:"range,omitempty"`    // xlsx: what was read, where no range was asked for
	LeftOut        []string `json:"left_out,omitempty"` // xlsx: what else the sheet holds: totals, titles, notes
	NoValue        string   `json:"-"`                  // a warning about formulas without a value, among Warnings too
	Totals         string   `json:"-"`                  // a warning about rows that look like totals, among Warnings too
	RowCount       int      `json:"row_count"`          // below the header
	ColumnCount    int      `json:"column_count"`
	Columns        []Column `json:"columns"`
	ColumnsOmitted int      `json:"columns_omitted,omitempty"`
	Warnings       []string `json:"warnings,omitempty"`
}

// Column describes one column.
type Column struct {
	Name    string         `json:"name"` // unique in any case
	Type    delimited.Type `json:"type"`
	Nulls   int            `json:"nulls,omitempty"`
	Samples []string       `json:"samples,omitempty"` // the first values that differ
}

// column is what loading needs to know besides.
type column struct {
	Column
	at    int  // field of the record
	comma bool // numbers have a decimal comma
	kinds delimited.Kinds
	have  int // values that are not null
}

// tableShape is the result of the first pass.
type tableShape struct {
	info Info
	cols []column
	read Ref // what was read; its source may be closed
}

// refFrom returns what is to be read of the same table from an open source.
func (s *tableShape) refFrom(ref Ref) Ref {
	ref.Sheet, ref.Range, ref.header = s.read.Sheet, s.read.Range, s.read.header
	return ref
}

const (
	maxSamples = 3
	sampleLen  = 40
)

// describeTable reads the whole table once.
func describeTable(ctx context.Context, ref Ref) (*tableShape, error) {
	ref, pick, err := pickTable(ctx, ref)
	if err != nil {
		return nil, err
	}
	r, o, err := openRows(ctx, ref)
	if err != nil {
		return nil, err
	}
	defer r.close()
	var scan columnScan
	scan.grow(len(o.header))
	count := 0
	for {
		cells, err := r.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if count&1023 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		count++
		scan.addRow(cells)
	}
	s := &tableShape{read: ref, info: Info{Encoding: o.Encoding, Delimiter: o.Delimiter, Sheet: o.Sheet, Table: o.Table,
		HasHeader: o.HeaderRow > 0, HeaderRow: o.HeaderRow, RowCount: count, Columns: []Column{}}}
	if pick != nil {
		s.info.Range, s.info.LeftOut = pick.Range, pick.LeftOut
	}
	s.nameColumns(scan.cols, o)
	if w := scan.sums.warning(); w != "" {
		s.info.Warnings, s.info.Totals = append(s.info.Warnings, w), w
	}
	s.warn(scan.dropped, scan.failures, scan.uncalculated)
	return s, nil
}

// columnScan collects what the rows of a table say about its columns.
type columnScan struct {
	sums                            totals
	cols                            []column
	failures, uncalculated, dropped int
}

// grow makes room for n columns.
func (s *columnScan) grow(n int) {
	for len(s.cols) < min(n, image.MaxColumns) {
		s.cols = append(s.cols, column{at: len(s.cols), kinds: delimited.AsAny})
	}
	s.dropped = max(s.dropped, n-image.MaxColumns)
}

func (s *columnScan) addRow(cells []cell) {
	s.sums.checkRow(cells)
	if len(cells) > len(s.cols) {
		s.grow(len(cells))
	}
	for i := range cells[:min(len(cells), len(s.cols))] {
		s.addCell(&s.cols[i], &cells[i])
	}
}

func (s *columnScan) addCell(col *column, c *cell) {
	if col.kinds == 0 && c.kind == raw {
		// Already text: only whether there is a value matters.
		if len(delimited.Trim(c.b)) > 0 {
			col.addValue(c)
		}
		return
	}
	k, null := c.kinds()
	if !null {
		col.kinds &= k
		col.addValue(c)
		return
	}
	switch c.kind {
	case failed:
		s.failures++
	case formless:
		s.uncalculated++
	}
}

// addValue counts a value that is not null.
func (c *column) addValue(v *cell) {
	c.have++
	if len(c.Samples) < maxSamples {
		c.addSample(v)
	}
}

// addSample keeps a value to show when it differs from those kept.
func (c *column) addSample(v *cell) {
	b := shownText(*v)
	b = b[:min(len(b), 8*sampleLen)] // far more than is shown: the text may be long, and in every row
	t := textclip.Fit(strings.ToValidUTF8(string(b), "\uFFFD"), sampleLen)
	for _, s := range c.Samples {
		if s == t {
			return
		}
	}
	c.Samples = append(c.Samples, t)
}

// nameColumns gives the columns their names and types. Columns of a sheet that have
// neither a name nor a value are left out.
func (s *tableShape) nameColumns(cols []column, o *origin) {
	header := make([]string, len(cols))
	copy(header, o.header)
	kept := cols[:0]
	var names []string
	for i, c := range cols {
		name := strings.TrimSpace(header[i])
		if name == "" && o.Sheet != "" {
			if c.have == 0 {
				continue
			}
			name = delimited.Letters(o.firstCol + i)
		}
		names, kept = append(names, name), append(kept, c)
	}
	names = delimited.Names(names, len(names))
	for i := range kept {
		c := &kept[i]
		c.Name, c.Type, c.comma = names[i], c.kinds.Type(), c.kinds.Comma()
		if c.have == 0 {
			c.Type = delimited.Text
		}
		c.Nulls = s.info.RowCount - c.have
		s.info.Columns = append(s.info.Columns, c.Column)
	}
	s.cols = kept
	s.info.ColumnCount = len(kept)
}

func (s *tableShape) warn(dropped, failures, uncalculated int) {
	if dropped > 0 {
		s.info.Warnings = append(s.info.Warnings, fmt.Sprintf("%d columns beyond the first %d are left out", dropped, image.MaxColumns))
	}
	if failures > 0 {
		s.info.Warnings = append(s.info.Warnings, fmt.Sprintf("%d cells show an error; they count as empty", failures))
	}
	if uncalculated > 0 {
		s.info.NoValue = fmt.Sprintf("%d formulas have no value until a spreadsheet calculates them; they count as empty", uncalculated)
		s.info.Warnings = append(s.info.Warnings, s.info.NoValue)
	}
}
