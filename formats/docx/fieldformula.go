package docx

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lazyregexp"
)

// formulaResult calculates a formula field (17.16.3): arithmetic, and functions over
// the cells of the table that it stands in. What it does not know is left to the
// application.
func (e *editing) formulaResult(ctx context.Context, in instruction, pl place) (fieldResult, error) {
	symbol, err := e.decimalSymbol(ctx)
	if err != nil {
		return fieldResult{}, err
	}
	f := &formula{text: strings.Join(in.args, " "), place: pl, symbol: symbol}
	v := f.sum()
	f.blanks()
	if f.err != nil || f.i < len(f.text) || math.IsNaN(v) || math.IsInf(v, 0) {
		return fieldResult{text: "?", dirty: true, note: "the formula is not calculated here"}, nil
	}
	picture, _ := in.get(`\#`)
	text, ok := numberPicture(v, picture, symbol)
	return fieldResult{text: text, dirty: !ok}, nil
}

// decimalSymbol returns the character before decimals (17.15.1.22).
func (e *editing) decimalSymbol(ctx context.Context) (string, error) {
	name, doc, err := e.related(ctx, "settings")
	if err != nil || name == "" {
		return ".", err
	}
	sc := xmlscan.New(doc)
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start && t.Is(nsW, "decimalSymbol") && t.AttrLocal("val") == "," {
			return ",", nil
		}
	}
	return ".", nil
}

// formula is an expression while it is read.
type formula struct {
	text   string
	i      int
	place  place
	symbol string
	depth  int
	err    error
}

func (f *formula) fail(format string, args ...any) float64 {
	if f.err == nil {
		f.err = fmt.Errorf(format, args...)
	}
	return 0
}

func (f *formula) blanks() {
	for f.i < len(f.text) && f.text[f.i] == ' ' {
		f.i++
	}
}

// take takes a character if it is the next.
func (f *formula) take(chars string) byte {
	f.blanks()
	if f.err == nil && f.i < len(f.text) && strings.IndexByte(chars, f.text[f.i]) >= 0 {
		f.i++
		return f.text[f.i-1]
	}
	return 0
}

func (f *formula) sum() float64 {
	v := f.product()
	for {
		switch f.take("+-") {
		case '+':
			v += f.product()
		case '-':
			v -= f.product()
		default:
			return v
		}
	}
}

func (f *formula) product() float64 {
	v := f.power()
	for {
		switch f.take("*/") {
		case '*':
			v *= f.power()
		case '/':
			v /= f.power()
		default:
			return v
		}
	}
}

func (f *formula) power() float64 {
	v := f.value()
	for f.take("^") != 0 {
		v = math.Pow(v, f.value())
	}
	if f.take("%") != 0 {
		v /= 100
	}
	return v
}

var (
	formulaNumber = lazyregexp.New(`^\d+(?:\.\d+)?`)
	formulaName   = lazyregexp.New(`^[A-Za-z]+`)
	formulaCell   = lazyregexp.New(`^([A-Za-z])(\d{1,3})`)
)

func (f *formula) value() float64 {
	if f.depth++; f.depth > 100 {
		return f.fail("too deep")
	}
	defer func() { f.depth-- }()
	f.blanks()
	rest := f.text[f.i:]
	switch {
	case f.err != nil:
		return 0
	case f.take("-") != 0:
		return -f.value()
	case f.take("(") != 0:
		v := f.sum()
		if f.take(")") == 0 {
			return f.fail("a ) is missing")
		}
		return v
	case formulaNumber.MatchString(rest):
		s := formulaNumber.FindString(rest)
		f.i += len(s)
		v, _ := strconv.ParseFloat(s, 64)
		return v
	case formulaCell.MatchString(rest):
		list := f.cells()
		if len(list) != 1 {
			return f.fail("one cell is wanted")
		}
		return list[0]
	case formulaName.MatchString(rest):
		return f.function()
	}
	return f.fail("not known")
}

// function calculates a function of a list of cells and expressions.
func (f *formula) function() float64 {
	name := strings.ToUpper(formulaName.FindString(f.text[f.i:]))
	f.i += len(name)
	if f.take("(") == 0 {
		return f.fail("%s is not known", name)
	}
	var list []float64
	for {
		f.blanks()
		list = append(list, f.argument()...)
		if f.err != nil || f.take(",;") == 0 {
			break
		}
	}
	if f.take(")") == 0 {
		return f.fail("a ) is missing")
	}
	total, least, most := 0.0, math.Inf(1), math.Inf(-1)
	product := 1.0
	for _, v := range list {
		total, product, least, most = total+v, product*v, min(least, v), max(most, v)
	}
	n := len(list)
	switch {
	case name == "SUM":
		return total
	case name == "COUNT":
		return float64(n)
	case n == 0:
	case name == "AVERAGE":
		return total / float64(n)
	case name == "PRODUCT":
		return product
	case name == "MIN":
		return least
	case name == "MAX":
		return most
	case name == "ABS" && n == 1:
		return math.Abs(list[0])
	case name == "INT" && n == 1:
		return math.Floor(list[0])
	case name == "ROUND" && n == 2 && math.Abs(list[1]) <= 12:
		scale := math.Pow(10, list[1])
		return math.Round(list[0]*scale) / scale
	}
	return f.fail("%s is not known", name)
}

// argument reads a direction, cells or an expression.
func (f *formula) argument() []float64 {
	rest := f.text[f.i:]
	word := strings.ToUpper(formulaName.FindString(rest))
	switch word {
	case "ABOVE", "BELOW", "LEFT", "RIGHT":
		f.i += len(word)
		return f.beside(word)
	}
	if m := formulaCell.FindString(rest); m != "" && !strings.HasPrefix(strings.TrimLeft(rest[len(m):], " "), "(") {
		at := f.i
		if list := f.cells(); f.err == nil {
			f.blanks()
			if f.i == len(f.text) || strings.IndexByte(",;)", f.text[f.i]) >= 0 {
				return list
			}
		}
		f.i = at
	}
	return []float64{f.sum()}
}

// grid returns the table around the formula with its place in it.
func (f *formula) grid() (rows []*node, row, cell int) {
	for n := f.place.node; n != nil; n = n.parent {
		if n.kind != cellNode || n.parent == nil || n.parent.parent == nil {
			continue
		}
		rows = n.parent.parent.kidsOf(rowNode)
		for i, r := range rows {
			for j, c := range r.kidsOf(cellNode) {
				if c == n {
					return rows, i, j
				}
			}
		}
	}
	f.fail("it stands in no table")
	return nil, 0, 0
}

// number returns the number in a cell; ok is false when it has none.
func (f *formula) number(rows []*node, row, cell int) (v float64, ok, empty bool) {
	if row < 0 || row >= len(rows) {
		return 0, false, true
	}
	cells := rows[row].kidsOf(cellNode)
	if cell < 0 || cell >= len(cells) {
		return 0, false, true
	}
	text := strings.TrimSpace(f.place.text(cells[cell]))
	v, ok = parseNumber(text, f.symbol)
	return v, ok, text == ""
}

// beside returns the numbers of the cells in a direction, up to an empty one.
func (f *formula) beside(word string) (out []float64) {
	rows, row, cell := f.grid()
	down, right := map[string]int{"ABOVE": -1, "BELOW": 1}[word], map[string]int{"LEFT": -1, "RIGHT": 1}[word]
	for f.err == nil {
		row, cell = row+down, cell+right
		v, ok, empty := f.number(rows, row, cell)
		if empty {
			return out
		}
		if ok {
			out = append(out, v)
		}
	}
	return out
}

// cells reads A1 or A1:B3 and returns the numbers there.
func (f *formula) cells() (out []float64) {
	read := func() (col, row int) {
		m := formulaCell.FindStringSubmatch(f.text[f.i:])
		if m == nil {
			f.fail("a cell is missing")
			return 0, 0
		}
		f.i += len(m[0])
		return int(strings.ToUpper(m[1])[0] - 'A'), atoi(m[2]) - 1
	}
	c1, r1 := read()
	c2, r2 := c1, r1
	if f.i < len(f.text) && f.text[f.i] == ':' {
		f.i++
		c2, r2 = read()
	}
	rows, _, _ := f.grid()
	for r := r1; r <= min(r2, len(rows)-1) && f.err == nil; r++ {
		for c := c1; c <= c2; c++ {
			if v, ok, _ := f.number(rows, r, c); ok {
				out = append(out, v)
			} else if r1 == r2 && c1 == c2 {
				out = append(out, 0)
			}
		}
	}
	return out
}

var numberIn = lazyregexp.New(`^\(?[^\d(\-−]{0,4}([-−]?)\s*[^\d\-−]{0,4}?(\d[\d.,'’ \x{a0}]*)\s*(%?)[^\d]{0,8}$`)

// parseNumber reads the number of a text such as "€ 1,234.50"; symbol is the
// character before decimals.
func parseNumber(text, symbol string) (float64, bool) {
	m := numberIn.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return 0, false
	}
	digits := strings.TrimRight(m[2], ".,'’ \u00a0")
	group := ","
	if symbol == "," {
		group = "."
	}
	digits = strings.NewReplacer(group, "", "'", "", "’", "", " ", "", "\u00a0", "").Replace(digits)
	v, err := strconv.ParseFloat(strings.Replace(digits, symbol, ".", 1), 64)
	if err != nil {
		return 0, false
	}
	if m[1] != "" || strings.HasPrefix(text, "(") && strings.Contains(text, ")") {
		v = -v
	}
	return v, true
}

var pictureForm = lazyregexp.New(`^([^#0,.;]*)([#0,]*)(?:(\.)([#0]*))?([^#0,.;]*)$`)

// numberPicture writes a number by the picture of \# (17.16.4.1); ok is false when
// the picture is not known here.
func numberPicture(v float64, picture, symbol string) (text string, ok bool) {
	group := ","
	if symbol == "," {
		group = "."
	}
	if picture == "" {
		s := strconv.FormatFloat(math.Round(v*1e8)/1e8, 'f', -1, 64)
		return strings.Replace(s, ".", symbol, 1), true
	}
	if symbol == "," { // the picture is written with the symbols of the document too
		picture = strings.NewReplacer(",", ".", ".", ",").Replace(picture)
	}
	m := pictureForm.FindStringSubmatch(picture)
	if m == nil || m[2] == "" && m[4] == "" {
		s, _ := numberPicture(v, "", symbol)
		return s, false
	}
	least := strings.Count(m[4], "0")
	s := strconv.FormatFloat(math.Abs(v), 'f', len(m[4]), 64)
	whole, decimals, _ := strings.Cut(s, ".")
	for len(decimals) > least && strings.HasSuffix(decimals, "0") {
		decimals = decimals[:len(decimals)-1]
	}
	for len(whole) < strings.Count(m[2], "0") {
		whole = "0" + whole
	}
	if strings.Contains(m[2], ",") {
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + group + whole[i:]
		}
	}
	sign := ""
	if v < 0 && strings.Trim(whole+decimals, "0.,") != "" {
		sign = "-"
	}
	if decimals != "" {
		whole += symbol + decimals
	}
	quoted := strings.NewReplacer("'", "")
	return quoted.Replace(m[1]) + sign + whole + quoted.Replace(m[5]), true
}
