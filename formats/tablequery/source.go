package tablequery

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path"
	"strings"
	"sync/atomic"

	"atelier/formats"
	"atelier/formats/delimited"
	"atelier/formats/ooxml/opc"
	"atelier/formats/text"
	"atelier/formats/xlsx"
)

// Ref names a table: a csv or tsv file, or a part of a workbook.
type Ref struct {
	Source formats.Source
	Sheet  string // xlsx: its name; "" is the first worksheet
	Range  string // xlsx: A1:E50, or the name of a table or range; "" is the whole sheet
	// Name is what SQL can call the table besides data, and besides the names
	// of its sheet and file; "" is none.
	Name string
	// header: the first row of Range is known to be names of columns.
	header bool
}

// lockedTables counts the tables of encrypted files.
var lockedTables atomic.Int64

// key returns the same for the same table of the same content. Each table of an
// encrypted file has one of its own: whoever asks for it must open the file.
func (r Ref) key() string {
	if opc.Locked(r.Source) {
		return fmt.Sprintf("locked %d", lockedTables.Add(1))
	}
	return strings.Join([]string{r.Source.Hash(), ext(r.Source), strings.ToLower(r.Sheet), strings.ToLower(strings.TrimSpace(r.Range))}, "\x00")
}

func ext(src formats.Source) string { return strings.ToLower(path.Ext(src.Name())) }

// pickTable returns the table that a reference without a range stands for, with
// what else its sheet holds.
func pickTable(ctx context.Context, ref Ref) (Ref, *xlsx.TablePick, error) {
	if strings.TrimSpace(ref.Range) != "" || formats.KindOfName(ref.Source.Name()) != formats.KindXlsx {
		return ref, nil, nil
	}
	p, err := xlsx.PickTable(ctx, ref.Source, ref.Sheet)
	if err != nil {
		return ref, nil, err
	}
	if p.Range != "" {
		ref.Sheet, ref.Range, ref.header = p.Sheet, p.Range, p.HasHeader
	}
	return ref, p, nil
}

// cell is one value as the source has it. Bytes are valid until the next row.
type cell struct {
	kind cellKind
	b    []byte
	num  float64
}

type cellKind uint8

const (
	empty    cellKind = iota
	raw               // text whose type is to be found
	typed             // text that is nothing but text
	number            // num
	boolean           // num
	date              // ISO 8601 in b
	failed            // an error, as shown, in b
	formless          // a formula without a value
)

// rows reads a table's records below its header, io.EOF at the end.
type rows interface {
	next() ([]cell, error)
	close()
}

// origin is what is known of a table before its rows are read.
type origin struct {
	Encoding  string
	Delimiter string
	Sheet     string
	Table     string
	HeaderRow int // 1-based; 0: none
	header    []string
	firstCol  int // 0-based column of the sheet that the first value is in
}

// openRows begins to read the table.
func openRows(ctx context.Context, ref Ref) (rows, *origin, error) {
	switch ext(ref.Source) {
	case ".csv", ".tsv", ".txt", ".tab":
		return openText(ctx, ref.Source)
	}
	if formats.KindOfName(ref.Source.Name()) == formats.KindXlsx {
		return openSheet(ctx, ref)
	}
	return nil, nil, formats.Errorf(formats.CodeUnsupported, "%s is not a table; csv, tsv and xlsx files are", ref.Source.Name())
}

// textRows reads csv.
type textRows struct {
	r     *delimited.Reader
	cells []cell
}

func openText(ctx context.Context, src formats.Source) (rows, *origin, error) {
	body, encoding, err := text.Decode(ctx, src)
	if err != nil {
		return nil, nil, err
	}
	first, err := io.ReadAll(io.LimitReader(body, delimited.HeadBytes))
	if err != nil {
		return nil, nil, err
	}
	d := delimited.Detect(first, ext(src))
	t := &textRows{r: delimited.NewReader(io.MultiReader(bytes.NewReader(first), body), d.Delimiter)}
	o := &origin{Encoding: encoding, Delimiter: string(d.Delimiter)}
	if d.HasHeader {
		o.HeaderRow, o.header = 1, d.First
		if _, err := t.r.Read(); err != nil && err != io.EOF {
			return nil, nil, err
		}
	}
	return t, o, nil
}

func (t *textRows) next() ([]cell, error) {
	fields, err := t.r.Read()
	if err != nil {
		return nil, err
	}
	if cap(t.cells) < len(fields) {
		t.cells = make([]cell, len(fields))
	}
	t.cells = t.cells[:len(fields)]
	for i, f := range fields {
		c := &t.cells[i]
		if c.kind, c.b = raw, f; len(f) == 0 {
			c.kind = empty
		}
	}
	return t.cells, nil
}

func (t *textRows) close() {}

// sheetRows reads a sheet, the first rows of which were looked at already.
type sheetRows struct {
	r     *xlsx.TableRows
	ahead [][]cell
	cells []cell
	buf   []byte
}

const lookAhead = 20

func openSheet(ctx context.Context, ref Ref) (rows, *origin, error) {
	r, err := xlsx.Rows(ctx, ref.Source, ref.Sheet, ref.Range)
	if err != nil {
		return nil, nil, err
	}
	r.HasHeader = r.HasHeader || ref.header && !r.NoHeader
	s := &sheetRows{r: r}
	o := &origin{Sheet: r.Sheet, Table: r.Table, firstCol: r.FirstColumn() - 1}
	var at []int
	for len(s.ahead) < lookAhead {
		c, err := s.read()
		if err == io.EOF {
			break
		}
		if err != nil {
			r.Close()
			return nil, nil, err
		}
		for i := range c {
			c[i].b = append([]byte(nil), c[i].b...)
		}
		s.ahead, at = append(s.ahead, append([]cell(nil), c...)), append(at, r.Row())
	}
	if h := headerOf(s.ahead, r); h >= 0 {
		o.HeaderRow = at[h]
		for _, c := range s.ahead[h] {
			o.header = append(o.header, string(shownText(c)))
		}
		s.ahead = s.ahead[h+1:]
	}
	return s, o, nil
}

// headerOf finds the row with the names of columns among the first ones, -1
// when there is none. Titles above it have one cell where it has several.
func headerOf(ahead [][]cell, r *xlsx.TableRows) int {
	if r.NoHeader || len(ahead) == 0 {
		return -1
	}
	if r.HasHeader {
		return 0
	}
	filled := func(row []cell) (n int) {
		for _, c := range row {
			if c.kind != empty {
				n++
			}
		}
		return n
	}
	most := 0
	for _, row := range ahead {
		most = max(most, filled(row))
	}
	at := 0
	for at < len(ahead)-1 && at < 10 && filled(ahead[at])*2 < most && filled(ahead[at]) <= 2 {
		at++
	}
	seen := map[string]bool{}
	for _, c := range ahead[at] {
		switch {
		case c.kind == empty:
		case c.kind != typed || seen[string(c.b)]:
			return -1
		default:
			seen[string(c.b)] = true
		}
	}
	return at
}

func (s *sheetRows) next() ([]cell, error) {
	if len(s.ahead) > 0 {
		c := s.ahead[0]
		s.ahead = s.ahead[1:]
		return c, nil
	}
	return s.read()
}

func (s *sheetRows) read() ([]cell, error) {
	row, err := s.r.Next()
	if err != nil {
		return nil, err
	}
	s.cells, s.buf = s.cells[:0], s.buf[:0]
	for _, v := range row {
		c := cell{num: v.Number}
		switch v.Kind {
		case xlsx.TextValue:
			c.kind = typed
		case xlsx.NumberValue:
			c.kind = number
		case xlsx.BoolValue:
			c.kind = boolean
		case xlsx.DateValue:
			c.kind = date
		case xlsx.ErrorValue:
			c.kind = failed
		case xlsx.Uncalculated:
			c.kind = formless
		}
		if v.Text != "" {
			from := len(s.buf)
			s.buf = append(s.buf, v.Text...)
			c.b = s.buf[from:len(s.buf):len(s.buf)]
		}
		s.cells = append(s.cells, c)
	}
	return s.cells, nil
}

func (s *sheetRows) close() { s.r.Close() }
