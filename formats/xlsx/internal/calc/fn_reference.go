package calc

import (
	"math"
	"strconv"
	"strings"

	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
)

func init() {
	register(
		Func{Name: "ROW", Max: 1, Args: "r", Call: position(false)},
		Func{Name: "COLUMN", Max: 1, Args: "r", Call: position(true)},
		Func{Name: "ROWS", Min: 1, Max: 1, Args: "A", Call: extent(func(b block) int { return b.rows })},
		Func{Name: "COLUMNS", Min: 1, Max: 1, Args: "A", Call: extent(func(b block) int { return b.cols })},
		Func{Name: "AREAS", Min: 1, Max: 1, Args: "r", Call: func(_ *Call, a []Value) Value { return Num(float64(len(a[0].Ref()))) }},
		Func{Name: "ADDRESS", Min: 2, Max: 5, Args: "n n n? b? s", Call: addressFunc},
		Func{Name: "INDIRECT", Min: 1, Max: 2, Args: "s b?", Gives: true, Call: indirect},
		Func{Name: "OFFSET", Min: 3, Max: 5, Args: "r n n n? n?", Gives: true, Call: offset},
		Func{Name: "HYPERLINK", Min: 1, Max: 2, Args: "s v", Call: func(_ *Call, a []Value) Value { return a[len(a)-1] }},
	)
}

// position is ROW or COLUMN: of a range in an array formula each of its rows or
// columns, else the first.
func position(cols bool) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value {
		area := cellArea(c.at)
		if len(a) == 1 {
			if len(a[0].Ref()) != 1 {
				return Fail(ErrRef)
			}
			area = a[0].Ref()[0]
		}
		from, n := area.R1, area.rows()
		if cols {
			from, n = area.C1, area.cols()
		}
		if !c.array || n == 1 {
			return Num(float64(from))
		}
		out := c.NewArray(n, 1)
		if cols {
			out.rows, out.cols = 1, n
		}
		for i := range n {
			out.data[i] = Num(float64(from + i))
		}
		return arrayValue(out)
	}
}

func extent(f func(block) int) func(*Call, []Value) Value {
	return func(c *Call, a []Value) Value {
		b, bad := c.blockOf(a[0])
		return orBad(bad, Num(float64(f(b))))
	}
}

func addressFunc(c *Call, a []Value) Value {
	row, col := a[0].Int(), a[1].Int()
	if row < 1 || col < 1 || row > cellref.MaxRow || col > cellref.MaxCol {
		return Fail(ErrValue)
	}
	kind := optional(a, 2, 1)
	if kind < 1 || kind > 4 {
		return Fail(ErrValue)
	}
	absRow, absCol := kind <= 2, kind%2 == 1
	text := cellref.End{Kind: cellref.CellEnd, Row: row, Col: col, AbsRow: absRow, AbsCol: absCol}.String()
	if len(a) > 3 && !a[3].Missing() && !a[3].Bool() {
		text = "R" + relativeNumber(row, absRow) + "C" + relativeNumber(col, absCol)
	}
	if len(a) == 5 {
		text = addressPrefix(a[4].str) + text
	}
	return Str(text)
}

// addressPrefix is the sheet of an address; ADDRESS takes any text.
func addressPrefix(sheet string) string {
	if sheet == "" {
		return "!"
	}
	_, name, book := strings.Cut(sheet, "]")
	if formula.PlainName(sheet) || book && sheet[0] == '[' && formula.PlainName(name) {
		return sheet + "!"
	}
	return formula.QuoteSheet(sheet) + "!"
}

func relativeNumber(i int, absolute bool) string {
	if absolute {
		return strconv.Itoa(i)
	}
	return "[" + strconv.Itoa(i) + "]"
}

func indirect(c *Call, a []Value) Value {
	if len(a) == 2 && !a[1].Missing() && !a[1].Bool() {
		return c.rowColumnText(a[0].str)
	}
	return c.addressText(a[0].str)
}

// rowColumnText reads an address such as R2C3, R[1]C[-1] or Sheet!R1C1:R2C2.
func (c *Call) rowColumnText(text string) Value {
	sheet := c.at.Sheet
	name, rest, ok := cellref.CutSheet(text)
	if ok {
		i, known := c.book.sheetIndex[strings.ToLower(name)]
		if !known {
			return Fail(ErrRef)
		}
		sheet = i
	}
	from, to, two := strings.Cut(rest, ":")
	r1, c1, ok := c.rowColumn(from)
	if !ok {
		return Fail(ErrRef)
	}
	r := cellref.Block(r1, c1, r1, c1)
	if two {
		r2, c2, ok := c.rowColumn(to)
		if !ok {
			return Fail(ErrRef)
		}
		r.Add(r2, c2)
	}
	return refTo(Area{sheet, r})
}

func (c *Call) rowColumn(s string) (row, col int, ok bool) {
	up := strings.ToUpper(strings.TrimSpace(s))
	i := strings.IndexByte(up, 'C')
	if !strings.HasPrefix(up, "R") || i < 0 {
		return 0, 0, false
	}
	row, ok = relativeTo(up[1:i], c.at.Row, cellref.MaxRow)
	if !ok {
		return 0, 0, false
	}
	col, ok = relativeTo(up[i+1:], c.at.Col, cellref.MaxCol)
	return row, col, ok
}

func relativeTo(s string, from, limit int) (int, bool) {
	if s == "" {
		return from, true
	}
	inner, relative := strings.CutPrefix(s, "[")
	n, err := strconv.Atoi(strings.TrimSuffix(inner, "]"))
	if relative {
		n += from
	}
	return n, err == nil && n >= 1 && n <= limit
}

func offset(c *Call, a []Value) Value {
	if len(a[0].Ref()) != 1 {
		return Fail(ErrValue)
	}
	from := a[0].Ref()[0]
	rows, cols := from.rows(), from.cols()
	if len(a) > 3 && !a[3].Missing() {
		rows = limit(a[3].num)
	}
	if len(a) > 4 && !a[4].Missing() {
		cols = limit(a[4].num)
	}
	if rows == 0 || cols == 0 {
		return Fail(ErrRef)
	}
	r1, c1 := from.R1+limit(a[1].num), from.C1+limit(a[2].num)
	r2, c2 := r1+rows-1, c1+cols-1
	if rows < 0 {
		r1, r2 = r1+rows+1, r1
	}
	if cols < 0 {
		c1, c2 = c1+cols+1, c1
	}
	if r1 < 1 || c1 < 1 || r2 > cellref.MaxRow || c2 > cellref.MaxCol {
		return Fail(ErrRef)
	}
	return refTo(Area{from.Sheet, cellref.Block(r1, c1, r2, c2)})
}

// addressText reads a text such as Sheet!A1:B2 as a reference.
func (c *Call) addressText(text string) Value {
	text = strings.TrimSpace(text)
	root, err := (&parser{text: text, row: 1, col: 1, book: c.book, wraps: true}).whole()
	if err != nil {
		return Fail(ErrRef)
	}
	switch n := root.(type) {
	case *refNode:
		// The address is as written, not relative to the formula.
		at := c.at
		c.at.Row, c.at.Col = 1, 1
		v := c.reference(n)
		c.at = at
		return v
	case *tableNode:
		return c.structured(n)
	case *nameNode:
		if c.book.definition(n, c.at.Sheet) == nil && c.book.tables[n.low] == nil {
			return Fail(ErrRef)
		}
		saved := c.env
		c.env = nil
		v := c.name(n)
		if c.env = saved; v.kind == RefKind {
			return v
		}
	case *unknownNode:
		if n.code == ReasonExternal {
			c.stop(n.code, "%s", n.text)
		}
	}
	return Fail(ErrRef)
}

// limit is a number as a count of rows or columns; far ones are outside every
// sheet.
func limit(x float64) int { return int(math.Trunc(min(max(x, -1<<22), 1<<22))) }
