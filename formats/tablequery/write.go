package tablequery

import (
	"bufio"
	"io"
	"strconv"
	"strings"

	"atelier/formats/delimited"
)

// CSVWriter writes values as csv with commas, in UTF-8. Values are written as
// they are: a text that begins with = stays that text.
type CSVWriter struct {
	w    *bufio.Writer
	cols []ResultColumn
	buf  []byte

	guards  bool
	guarded int
}

// NewGuardedCSVWriter is NewCSVWriter with a ' before each text that a spreadsheet
// program could take for a formula (OWASP, CSV injection): one that begins with =,
// +, -, @, a tab or a line break. Numbers stay as they are.
func NewGuardedCSVWriter(w io.Writer, cols []ResultColumn, header bool) *CSVWriter {
	c := &CSVWriter{w: bufio.NewWriterSize(w, 64<<10), cols: cols, guards: true}
	if header {
		c.header()
	}
	return c
}

// Guarded returns how many texts got a ' before them.
func (c *CSVWriter) Guarded() int { return c.guarded }

func (c *CSVWriter) header() { c.Row(func(i int) any { return c.cols[i].Name }) }

// NewCSVWriter writes the names of columns, and then rows.
func NewCSVWriter(w io.Writer, cols []ResultColumn, header bool) *CSVWriter {
	c := &CSVWriter{w: bufio.NewWriterSize(w, 64<<10), cols: cols}
	if header {
		c.header()
	}
	return c
}

// Row writes one row; value gives column i.
func (c *CSVWriter) Row(value func(i int) any) {
	c.buf = c.buf[:0]
	for i := range c.cols {
		if i > 0 {
			c.buf = append(c.buf, ',')
		}
		switch v := value(i).(type) {
		case nil:
			if len(c.cols) == 1 {
				c.buf = append(c.buf, `""`...) // a blank line would be no row
			}
		case bool:
			c.buf = strconv.AppendBool(c.buf, v)
		case int64:
			c.buf = strconv.AppendInt(c.buf, v, 10)
		case float64:
			c.buf = append(c.buf, floatText(v, c.cols[i].Type == delimited.Number)...)
		case string:
			if c.guards && v != "" && strings.IndexByte("=+-@\t\r\n", v[0]) >= 0 {
				v = "'" + v
				c.guarded++
			}
			c.buf = appendField(c.buf, v)
		}
	}
	c.buf = append(c.buf, '\n')
	// A bufio.Writer keeps its first error for Flush.
	_, _ = c.w.Write(c.buf)
}

// Close writes out what is buffered.
func (c *CSVWriter) Close() error { return c.w.Flush() }

// floatText writes a number so that it reads back as itself, and a column of
// numbers that happen to be whole still as numbers.
func floatText(v float64, keep bool) string {
	s := strconv.FormatFloat(v, 'f', -1, 64)
	if len(s) > 18 {
		s = strconv.FormatFloat(v, 'e', -1, 64)
	} else if keep && !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// appendField writes a text, in quotes where a reader could misunderstand it.
func appendField(b []byte, s string) []byte {
	if s != "" && !strings.ContainsAny(s, "\"\r\n,;\t|") && s[0] != ' ' && s[len(s)-1] != ' ' {
		return append(b, s...)
	}
	b = append(b, '"')
	b = append(b, strings.ReplaceAll(s, `"`, `""`)...)
	return append(b, '"')
}

// WriteCSV writes the rows of a result with a header.
func WriteCSV(w io.Writer, r *Result) error {
	c := NewCSVWriter(w, r.Columns, true)
	for _, row := range r.Rows {
		c.Row(func(i int) any { return row[i] })
	}
	return c.Close()
}
