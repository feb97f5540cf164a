package text

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode"

	"atelier/formats"
	"atelier/formats/delimited"
	"atelier/internal/textclip"
)

const (
	maxColumns    = 200 // listed in a map
	maxColumnName = 100 // characters of a name
)

// Table is the part of a map that describes a csv or tsv file.
type Table struct {
	Delimiter   string        `json:"delimiter"`
	Quote       string        `json:"quote"`
	HasHeader   bool          `json:"has_header"` // whether the first row looks like names of columns
	Columns     []TableColumn `json:"columns"`    // the first 200, fewer when their names are long
	ColumnCount int           `json:"column_count"`
	RowCount    int           `json:"row_count"`        // records below the header row; blank lines are none
	Damage      string        `json:"damage,omitempty"` // why the rows were not counted to the end
}

// TableColumn is one column of a Table.
type TableColumn struct {
	Name string         `json:"name"` // in the header row, or a letter
	Type delimited.Type `json:"type"` // what all its values are
}

// mapTable counts the records of a text and finds the types of its columns. It
// reads r to its end.
func mapTable(ctx context.Context, r io.Reader, ext string) (*Table, error) {
	br := bufio.NewReaderSize(r, delimited.HeadBytes)
	head, err := br.Peek(delimited.HeadBytes)
	if err != nil && err != io.EOF {
		return nil, err
	}
	d := delimited.Detect(head, ext)
	t := &Table{Delimiter: string(d.Delimiter), Quote: `"`, HasHeader: d.HasHeader, Columns: []TableColumn{}, ColumnCount: len(d.First)}
	kinds := make([]delimited.Kinds, min(len(d.First), maxColumns))
	for i := range kinds {
		kinds[i] = delimited.AsAny
	}
	rows := delimited.NewReader(br, d.Delimiter)
	first := d.HasHeader
	for {
		fields, err := rows.Read()
		var fe *formats.Error
		if err == io.EOF {
			break
		} else if errors.As(err, &fe) {
			t.Damage = fe.Message
			if _, err := io.Copy(io.Discard, br); err != nil {
				return nil, err
			}
			break
		} else if err != nil {
			return nil, err
		}
		if first {
			first = false
			continue
		}
		t.RowCount++
		for i, f := range fields[:min(len(fields), len(kinds))] {
			if kinds[i] == 0 {
				continue
			}
			if f = delimited.Trim(f); len(f) > 0 {
				kinds[i] &= delimited.KindsOf(f)
			}
		}
	}
	for i, k := range kinds {
		name := delimited.Letters(i)
		if d.HasHeader {
			name = textclip.Fit(strings.ToValidUTF8(strings.TrimSpace(d.First[i]), "\uFFFD"), maxColumnName)
		}
		t.Columns = append(t.Columns, TableColumn{name, k.Type()})
	}
	return t, ctx.Err()
}

// fit shortens the lists of a map until it is within formats.MaxMap.
func (in *Info) fit() {
	size := func() int {
		b, err := json.Marshal(in)
		if err != nil {
			return 0
		}
		return len(b)
	}
	for len(in.Chunks) > 10 && size() > formats.MaxMap {
		in.Chunks = in.Chunks[:len(in.Chunks)/2]
	}
	for in.Table != nil && len(in.Columns) > 1 && size() > formats.MaxMap {
		in.Columns = in.Columns[:len(in.Columns)*3/4]
	}
}

// delimiterOf guesses the delimiter of a text by its beginning.
func delimiterOf(head []byte, ext string) byte { return delimited.Delimiter(head, ext) }

func hasLetter(s string) bool { return strings.IndexFunc(s, unicode.IsLetter) >= 0 }

// columnLetters returns the spreadsheet name of the 0-based column i.
func columnLetters(i int) string { return delimited.Letters(i) }
