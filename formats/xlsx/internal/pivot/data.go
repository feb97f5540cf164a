package pivot

import (
	"math"

	"atelier/formats"
)

// The limits of a source. A cell takes nine bytes; texts are stored once.
const (
	MaxCells     = 6_000_000
	maxTextBytes = 128 << 20
)

// Column is a column of the source.
type Column struct {
	Name   string
	Format string // number format code of its first date, or of its first number

	kinds []Kind
	nums  []float64 // of texts and errors: their index in texts
	texts []string
	index map[string]int
}

// Data is a source, column by column.
type Data struct {
	Columns  []*Column
	Date1904 bool

	textBytes int
}

// Rows is how many records the source has.
func (d *Data) Rows() int {
	if len(d.Columns) == 0 {
		return 0
	}
	return len(d.Columns[0].kinds)
}

// NewData returns a source with columns of those names and room for rows records.
func NewData(names []string, rows int, date1904 bool) (*Data, error) {
	if n := rows * len(names); n > MaxCells {
		return nil, formats.Errorf(formats.CodeTooLarge, "the source has %d cells; a pivot table is calculated here from at most %d. Give a source with fewer columns or rows, or make a smaller table with table_query first", n, MaxCells)
	}
	d := &Data{Date1904: date1904}
	for _, name := range names {
		c := &Column{Name: name, kinds: make([]Kind, rows), nums: make([]float64, rows), index: map[string]int{}}
		for i := range c.kinds {
			c.kinds[i] = Blank
		}
		d.Columns = append(d.Columns, c)
	}
	return d, nil
}

// Set puts a value into a record.
func (d *Data) Set(row, col int, v Value) error {
	c := d.Columns[col]
	if v.Kind == Number || v.Kind == Date {
		if math.IsNaN(v.Num) || math.IsInf(v.Num, 0) {
			v = Value{Kind: Blank}
		}
	}
	c.kinds[row], c.nums[row] = v.Kind, v.Num
	if v.Kind != Text && v.Kind != Error {
		return nil
	}
	i, known := c.index[v.Text]
	if !known {
		if d.textBytes += len(v.Text) + 48; d.textBytes > maxTextBytes {
			return formats.Errorf(formats.CodeTooLarge, "the texts of the source take more than %d MB; give a source with fewer columns or rows", maxTextBytes>>20)
		}
		i = len(c.texts)
		c.texts = append(c.texts, v.Text)
		c.index[v.Text] = i
	}
	c.nums[row] = float64(i)
	return nil
}

// At returns the value of a record.
func (c *Column) At(row int) Value {
	switch k := c.kinds[row]; k {
	case Text, Error:
		return Value{Kind: k, Text: c.texts[int(c.nums[row])]}
	case Blank:
		return Value{Kind: Blank}
	default:
		return Value{Kind: k, Num: c.nums[row]}
	}
}

// Trim drops blank records at the end, as they come with whole columns.
func (d *Data) Trim() {
	n := d.Rows()
	for ; n > 0; n-- {
		blank := true
		for _, c := range d.Columns {
			blank = blank && c.kinds[n-1] == Blank
		}
		if !blank {
			break
		}
	}
	for _, c := range d.Columns {
		c.kinds, c.nums = c.kinds[:n], c.nums[:n]
	}
}

// stats is what a column holds.
type stats struct {
	kinds      [Blank + 1]int
	whole      bool // all numbers are integers
	min, max   float64
	first      float64 // the smallest date
	last       float64
	longText   bool
	otherIndex int // the first record that is no date
	notNumber  int // the first record that is no number
}

func (c *Column) stats() stats {
	s := stats{whole: true, min: math.Inf(1), max: math.Inf(-1), first: math.Inf(1), last: math.Inf(-1), otherIndex: -1, notNumber: -1}
	for i, k := range c.kinds {
		s.kinds[k]++
		switch v := c.nums[i]; k {
		case Number:
			s.min, s.max = math.Min(s.min, v), math.Max(s.max, v)
			s.whole = s.whole && v == math.Trunc(v) && math.Abs(v) < 1<<31
		case Date:
			s.first, s.last = math.Min(s.first, v), math.Max(s.last, v)
		}
		if k != Date && s.otherIndex < 0 {
			s.otherIndex = i
		}
		if k != Number && s.notNumber < 0 {
			s.notNumber = i
		}
	}
	for _, t := range c.texts {
		s.longText = s.longText || len(t) > 255
	}
	return s
}

// Numeric reports whether a column holds numbers and no text, so that it is added
// up rather than counted.
func (c *Column) Numeric() bool {
	s := c.stats()
	return s.kinds[Number] > 0 && s.kinds[Text]+s.kinds[Bool]+s.kinds[Error]+s.kinds[Date] == 0
}
