package audit

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
)

// maxValueWork bounds the cells that are read to check values of formulas.
const maxValueWork = 4_000_000

// evaluator calculates simple formulas from the values in the file: arithmetic
// with numbers and references, and the functions of calc.
type evaluator struct {
	*model
	work int // cells read so far
}

// value is a number, and the sum of the sizes of what it was made of, against
// which differences are measured.
type value struct{ num, size float64 }

// evaluation is a formula that is being calculated.
type evaluation struct {
	*evaluator
	sheet  *sheet
	form   *form
	cell   *cell
	tokens []formula.Token
	pos    int
	failed bool
}

// calculate returns the value of a simple formula; ok is false when it is not
// simple.
func (e *evaluator) calculate(s *sheet, c *cell) (v value, ok bool) {
	f := e.forms[c.form]
	if f.unsure || f.lost || f.array || len(f.external) > 0 || len(f.text) > 300 {
		return v, false
	}
	x := evaluation{evaluator: e, sheet: s, form: f, cell: c}
	for t := range formula.Tokens(f.text) {
		if b := f.text[t.Start]; b != ' ' && b != '\n' {
			x.tokens = append(x.tokens, t)
		}
	}
	v = x.sum()
	return v, !x.failed && x.pos == len(x.tokens) && !math.IsNaN(v.num) && !math.IsInf(v.num, 0)
}

// peek returns the text of the next token, "" at the end.
func (x *evaluation) peek() string {
	if x.pos >= len(x.tokens) {
		return ""
	}
	t := x.tokens[x.pos]
	return x.form.text[t.Start:t.End]
}

func (x *evaluation) fail() value {
	x.failed, x.pos = true, len(x.tokens)
	return value{}
}

func (x *evaluation) sum() value {
	v := x.product()
	for {
		switch x.peek() {
		case "+":
			x.pos++
			w := x.product()
			v = value{v.num + w.num, v.size + w.size}
		case "-":
			x.pos++
			w := x.product()
			v = value{v.num - w.num, v.size + w.size}
		default:
			return v
		}
	}
}

func (x *evaluation) product() value {
	v := x.power()
	for {
		switch x.peek() {
		case "*":
			x.pos++
			w := x.power()
			v = value{v.num * w.num, v.size * w.size}
		case "/":
			x.pos++
			w := x.power()
			if w.num == 0 {
				return x.fail()
			}
			v = value{v.num / w.num, v.size * math.Max(1, w.size/math.Abs(w.num)) / math.Abs(w.num)}
		default:
			return v
		}
	}
}

func (x *evaluation) power() value {
	v := x.signed()
	for x.peek() == "^" {
		x.pos++
		w := x.signed()
		n := math.Pow(v.num, w.num)
		v = value{n, math.Abs(n)}
	}
	return v
}

func (x *evaluation) signed() value {
	sign := 1.0
	for x.peek() == "-" || x.peek() == "+" {
		if x.peek() == "-" {
			sign = -sign
		}
		x.pos++
	}
	v := x.operand()
	for x.peek() == "%" {
		x.pos++
		v = value{v.num / 100, v.size / 100}
	}
	return value{sign * v.num, v.size}
}

func (x *evaluation) operand() value {
	text := x.peek()
	if text == "" {
		return x.fail()
	}
	t := x.tokens[x.pos]
	x.pos++
	switch {
	case text == "(":
		v := x.sum()
		if x.peek() != ")" {
			return x.fail()
		}
		x.pos++
		return v
	case t.Kind == formula.Ref && t.To.Kind == cellref.NoEnd && t.LastSheet == "":
		return x.single(t)
	case t.Kind == formula.Function:
		return x.call(strings.ToUpper(text))
	case t.Kind == formula.Name && t.Sheet == "":
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return x.fail()
		}
		return value{n, math.Abs(n)}
	}
	return x.fail()
}

// block returns the sheet and range of a reference token.
func (x *evaluation) block(t formula.Token) (*sheet, cellref.Range, bool) {
	s := x.sheet
	if t.Sheet != "" {
		i := x.byName[strings.ToLower(t.Sheet)] - 1
		if i < 0 {
			return nil, cellref.Range{}, false
		}
		s = x.sheets[i]
	}
	r := ref{from: t.From, to: t.To}
	if r.to.Kind == cellref.NoEnd {
		r.to = r.from
	}
	b, ok := x.form.block(&r, int(x.cell.row), int(x.cell.col))
	return s, b, ok && s.cut == 0
}

// single returns the value of one cell.
func (x *evaluation) single(t formula.Token) value {
	s, b, ok := x.block(t)
	if !ok {
		return x.fail()
	}
	x.work++
	c := s.at(b.R1, b.C1)
	switch {
	case c == nil:
		return value{}
	case c.kind != number:
		return x.fail()
	}
	return value{c.num, math.Abs(c.num)}
}

// call calculates SUM, AVERAGE, MIN, MAX or ROUND; others fail.
func (x *evaluation) call(name string) value {
	if x.peek() != "(" {
		return x.fail()
	}
	x.pos++
	var list []value
	for {
		if !x.argument(&list) {
			return x.fail()
		}
		sep := x.peek()
		x.pos++
		if sep == ")" {
			break
		}
		if sep != "," {
			return x.fail()
		}
	}
	return x.calc(name, list)
}

// argument adds the numbers of an argument.
func (x *evaluation) argument(list *[]value) bool {
	if x.pos < len(x.tokens) {
		if t := x.tokens[x.pos]; t.Kind == formula.Ref && t.To.Kind != cellref.NoEnd && t.LastSheet == "" {
			x.pos++
			return x.numbers(t, list)
		}
	}
	*list = append(*list, x.sum())
	return !x.failed
}

// numbers adds the numbers of a range.
func (x *evaluation) numbers(t formula.Token, list *[]value) bool {
	s, b, ok := x.block(t)
	s2 := s
	if !ok {
		return false
	}
	s2.each(b, func(c *cell) bool {
		if x.work++; x.work > maxValueWork {
			ok = false
		}
		switch c.kind {
		case number:
			*list = append(*list, value{c.num, math.Abs(c.num)})
		case failed, noValue:
			ok = false
		}
		return ok
	})
	return ok
}

func (x *evaluation) calc(name string, list []value) value {
	var v value
	switch {
	case name == "ROUND" && len(list) == 2:
		p := math.Pow(10, math.Trunc(list[1].num))
		n := math.Round(math.Abs(list[0].num)*p) / p
		return value{math.Copysign(n, list[0].num), list[0].size + 1/p*1e7} // halves may be rounded otherwise
	case name == "SUM" || name == "AVERAGE" && len(list) > 0:
		for _, w := range list {
			v = value{v.num + w.num, v.size + w.size}
		}
		if name == "AVERAGE" {
			v.num /= float64(len(list))
		}
		return v
	case (name == "MIN" || name == "MAX") && len(list) > 0:
		v = list[0]
		for _, w := range list {
			if (w.num < v.num) == (name == "MIN") {
				v = w
			}
		}
		return v
	}
	return x.fail()
}

// staleValue reports a value in the file that is not what its formula gives.
func (a *auditing) staleValue(s *sheet, c *cell) {
	if c.kind != number || a.eval.work > maxValueWork {
		return
	}
	v, ok := a.eval.calculate(s, c)
	if !ok || math.Abs(v.num-c.num) <= 1e-7*v.size+1e-9 {
		return
	}
	sev := formats.SeverityMedium
	if a.book.calculates {
		sev = formats.SeverityLow
	}
	a.hits.add(hit{kind: kindStale, sheet: s.index, area: cellref.Block(int(c.row), int(c.col), int(c.row), int(c.col)), key: fmt.Sprint(c.form), severity: sev,
		fact:     fmt.Sprintf("the stored value %s is not what %s gives", a.show(c), shorten(a.forms[c.form].at(int(c.row), int(c.col)))),
		expected: a.show(&cell{kind: number, num: v.num, style: c.style, form: -1, text: -1})})
}
