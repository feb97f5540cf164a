package text

import (
	"context"
	"strconv"
	"strings"

	"atelier/formats/delimited"
)

// Records are the rows of a delimiter-separated text (RFC 4180) whose lines all end in
// the same way.
type Records struct {
	Rows      [][]string // fields as they are written, with their quotes
	Delimiter byte
	LineEnd   string // "\n" or "\r\n"
	Final     bool   // the last row ends with LineEnd
}

// SplitRecords splits a text; ext is the ending of its file's name, ".csv" or ".tsv".
// It reports false for a text that String would not give back, such as one with blank
// lines.
func SplitRecords(ctx context.Context, s, ext string) (Records, bool, error) {
	r := Records{Delimiter: delimiterOf(headOf(s), ext), LineEnd: "\n"}
	fields, err := splitFields(ctx, s, r.Delimiter)
	if err != nil || len(fields) == 0 {
		return r, false, err
	}
	for _, f := range fields {
		if f.col == 1 {
			r.Rows = append(r.Rows, nil)
		}
		row := &r.Rows[len(r.Rows)-1]
		*row = append(*row, s[f.start:f.end])
	}
	for i, f := range fields { // the end of the first row
		if i+1 == len(fields) || fields[i+1].col == 1 {
			if strings.HasPrefix(s[f.end:], "\r\n") {
				r.LineEnd = "\r\n"
			}
			break
		}
	}
	r.Final = strings.HasSuffix(s[fields[len(fields)-1].end:], r.LineEnd)
	return r, r.String() == s, nil
}

// String returns the text of the rows.
func (r Records) String() string {
	var b strings.Builder
	for i, row := range r.Rows {
		if i > 0 {
			b.WriteString(r.LineEnd)
		}
		b.WriteString(strings.Join(row, string(r.Delimiter)))
	}
	if r.Final {
		b.WriteString(r.LineEnd)
	}
	return b.String()
}

// Alike reports whether the rows of both are written in the same way.
func (r Records) Alike(o Records) bool {
	return r.Delimiter == o.Delimiter && r.LineEnd == o.LineEnd && r.Final == o.Final
}

// FieldValue returns the value of a field without its quotes.
func FieldValue(f string) string {
	return field{end: len(f), quoted: strings.HasPrefix(f, `"`)}.value(f)
}

// CellName names a field by its column and row, from 0, such as B7.
func CellName(col, row int) string { return delimited.Letters(col) + strconv.Itoa(row+1) }
