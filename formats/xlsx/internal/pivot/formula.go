package pivot

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"unicode"

	"atelier/formats"
)

// Calculated reports whether a field is calculated from the sums of others (18.10.1.3,
// attribute formula).
func (f *Field) Calculated() bool { return f.Column < 0 && f.Formula != "" }

// The limits of the formula of a calculated field.
const (
	maxFormula      = 8192 // bytes
	maxFormulaDepth = 64
	maxFormulaTerms = 500 // with those of the calculated fields that it uses
)

// expr is a formula of a calculated field, or a part of it.
type expr struct {
	op   string // "num", "field", a function, or an operator
	num  float64
	slot int // of op "field": in the sums that the cube keeps
	args []*expr
}

// formulaFunctions are those that calculated fields may use, with how many arguments
// they take; -1 is any number.
var formulaFunctions = map[string][2]int{"IF": {2, 3}, "IFERROR": {2, 2}, "ABS": {1, 1}, "INT": {1, 1}, "ROUND": {2, 2}, "SQRT": {1, 1}, "MIN": {1, -1}, "MAX": {1, -1}, "SUM": {1, -1}, "AND": {1, -1}, "OR": {1, -1}, "NOT": {1, 1}}

// formulaParser reads the formula of a calculated field.
type formulaParser struct {
	t     *Table
	text  []rune
	at    int
	depth int
	open  []int       // fields whose formulas are being read, against circles
	slots map[int]int // of fields of the source, the place of their sums
	terms *int
}

// compile reads the formulas of the calculated fields among the values. Errors follow
// the words "the pivot table X".
func (t *Table) compile() error {
	t.slots, t.exprs = nil, make([]*expr, len(t.Values))
	slots := map[int]int{}
	for k, m := range t.Values {
		if !t.Fields[m.Field].Calculated() {
			continue
		}
		p := &formulaParser{t: t, slots: slots, terms: new(int)}
		e, err := p.field(m.Field)
		if err != nil {
			return err
		}
		t.exprs[k] = e
	}
	t.slots = make([]int, len(slots))
	for field, n := range slots {
		t.slots[n] = field
	}
	return nil
}

// CheckFormula reads the formula of a calculated field.
func (t *Table) CheckFormula(field int) error {
	_, err := (&formulaParser{t: t, slots: map[int]int{}, terms: new(int)}).field(field)
	return err
}

// field is the value of a field in a formula: its sum, or its formula.
func (p *formulaParser) field(i int) (*expr, error) {
	f := p.t.Fields[i]
	if f.Column >= 0 {
		n, known := p.slots[i]
		if !known {
			n = len(p.slots)
			p.slots[i] = n
		}
		return &expr{op: "field", slot: n}, nil
	}
	if !f.Calculated() {
		return nil, unsupported("has a calculated field that uses the field %q, which only groups another", f.Name)
	}
	for _, o := range p.open {
		if o == i {
			return nil, unsupported("has the calculated field %q, which uses itself", f.Name)
		}
	}
	if len(f.Formula) > maxFormula || len(p.open) > 20 {
		return nil, unsupported("has the calculated field %q, whose formula is too long", f.Name)
	}
	inner := &formulaParser{t: p.t, text: []rune(strings.TrimPrefix(strings.TrimSpace(f.Formula), "=")), open: append(p.open, i), slots: p.slots, terms: p.terms}
	e, err := inner.compare()
	if err == nil && inner.peek() != 0 {
		err = inner.wrong()
	}
	if err != nil {
		return nil, formats.Errorf(formats.CodeOf(err), "%w (calculated field %q = %.80s)", err, f.Name, f.Formula)
	}
	return e, nil
}

func (p *formulaParser) wrong() error {
	return unsupported("has a formula that is not understood at %.30q", string(p.text[min(p.at, len(p.text)):]))
}

// peek returns the next character that is no space, 0 at the end.
func (p *formulaParser) peek() rune {
	for p.at < len(p.text) && unicode.IsSpace(p.text[p.at]) {
		p.at++
	}
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

func (p *formulaParser) take(s string) bool {
	p.peek()
	if strings.HasPrefix(string(p.text[p.at:min(len(p.text), p.at+len(s))]), s) {
		p.at += len(s)
		return true
	}
	return false
}

// binary reads operands with operators of one rank between them.
func (p *formulaParser) binary(next func() (*expr, error), ops ...string) (*expr, error) {
	e, err := next()
	for err == nil {
		op := ""
		for _, o := range ops {
			if p.take(o) {
				op = o
				break
			}
		}
		if op == "" {
			return e, nil
		}
		var right *expr
		if right, err = next(); err == nil {
			e = &expr{op: op, args: []*expr{e, right}}
		}
	}
	return nil, err
}

func (p *formulaParser) compare() (*expr, error) {
	if p.depth++; p.depth > maxFormulaDepth {
		return nil, unsupported("has a formula with more than %d levels", maxFormulaDepth)
	}
	defer func() { p.depth-- }()
	return p.binary(p.add, "<=", ">=", "<>", "=", "<", ">")
}

func (p *formulaParser) add() (*expr, error)   { return p.binary(p.times, "+", "-") }
func (p *formulaParser) times() (*expr, error) { return p.binary(p.power, "*", "/") }
func (p *formulaParser) power() (*expr, error) { return p.binary(p.unary, "^") }

func (p *formulaParser) unary() (*expr, error) {
	minus := false
	for {
		if p.take("-") {
			minus = !minus
		} else if !p.take("+") {
			break
		}
	}
	e, err := p.operand()
	for err == nil && p.take("%") {
		if err = p.count(); err != nil {
			return nil, err
		}
		e = &expr{op: "/", args: []*expr{e, {op: "num", num: 100}}}
	}
	if minus && err == nil {
		e = &expr{op: "-", args: []*expr{{op: "num"}, e}}
	}
	return e, err
}

// count bounds the terms of a formula, which is calculated for each cell.
func (p *formulaParser) count() error {
	if *p.terms++; *p.terms > maxFormulaTerms {
		return unsupported("has a calculated field with more than %d terms", maxFormulaTerms)
	}
	return nil
}

func (p *formulaParser) operand() (*expr, error) {
	if err := p.count(); err != nil {
		return nil, err
	}
	switch r := p.peek(); {
	case r == '(':
		p.at++
		e, err := p.compare()
		if err == nil && !p.take(")") {
			err = p.wrong()
		}
		return e, err
	case r >= '0' && r <= '9' || r == '.':
		from := p.at
		for p.at < len(p.text) && (strings.ContainsRune("0123456789.eE", p.text[p.at]) || strings.ContainsRune("+-", p.text[p.at]) && strings.ContainsRune("eE", p.text[p.at-1])) {
			p.at++
		}
		n, err := strconv.ParseFloat(string(p.text[from:p.at]), 64)
		if err != nil {
			p.at = from
			return nil, p.wrong()
		}
		return &expr{op: "num", num: n}, nil
	case r == '\'':
		return p.quoted()
	}
	from := p.at
	for p.at < len(p.text) && (unicode.IsLetter(p.text[p.at]) || unicode.IsDigit(p.text[p.at]) || strings.ContainsRune("_.\\?", p.text[p.at])) {
		p.at++
	}
	word := string(p.text[from:p.at])
	if word == "" {
		return nil, p.wrong()
	}
	if p.peek() == '(' {
		return p.function(strings.ToUpper(word))
	}
	return p.named(word)
}

// quoted reads the name of a field in quotes, in which two stand for one.
func (p *formulaParser) quoted() (*expr, error) {
	var name strings.Builder
	for p.at++; p.at < len(p.text); p.at++ {
		if p.text[p.at] == '\'' {
			if p.at++; p.at == len(p.text) || p.text[p.at] != '\'' {
				return p.named(name.String())
			}
		}
		name.WriteRune(p.text[p.at])
	}
	return nil, p.wrong()
}

func (p *formulaParser) named(name string) (*expr, error) {
	switch strings.ToUpper(name) {
	case "TRUE":
		return &expr{op: "num", num: 1}, nil
	case "FALSE":
		return &expr{op: "num"}, nil
	}
	for i, f := range p.t.Fields {
		if strings.EqualFold(f.Name, name) {
			return p.field(i)
		}
	}
	return nil, unsupported("has a formula that uses %.60q, which is no field", name)
}

func (p *formulaParser) function(name string) (*expr, error) {
	takes, known := formulaFunctions[name]
	if !known {
		return nil, unsupported("has a formula with the function %.40s, which is not calculated here", name)
	}
	p.take("(")
	e := &expr{op: name}
	for p.peek() != ')' {
		if len(e.args) > 0 && !p.take(",") {
			return nil, p.wrong()
		}
		a, err := p.compare()
		if err != nil {
			return nil, err
		}
		e.args = append(e.args, a)
	}
	p.at++
	if n := len(e.args); n < takes[0] || takes[1] >= 0 && n > takes[1] {
		return nil, unsupported("has a formula that gives %s %s", name, formats.Count(n, "argument"))
	}
	return e, nil
}

// eval calculates a formula from the sums of fields.
func (e *expr) eval(sums []total) Value {
	num := func(v float64) Value {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return Value{Kind: Error, Text: "#NUM!"}
		}
		return Value{Kind: Number, Num: v}
	}
	switch e.op {
	case "num":
		return num(e.num)
	case "field":
		v := sums[e.slot].value("sum")
		if v.Kind == Blank {
			v = Value{Kind: Number}
		}
		return v
	case "IF":
		c := e.args[0].eval(sums)
		switch {
		case c.Kind == Error:
			return c
		case c.Num != 0:
			return e.args[1].eval(sums)
		case len(e.args) == 3:
			return e.args[2].eval(sums)
		}
		return Value{Kind: Number}
	case "IFERROR":
		if v := e.args[0].eval(sums); v.Kind != Error {
			return v
		}
		return e.args[1].eval(sums)
	}
	x := make([]float64, len(e.args))
	for i, a := range e.args {
		v := a.eval(sums)
		if v.Kind == Error {
			return v
		}
		x[i] = v.Num
	}
	return num2(e.op, x, num)
}

// num2 applies an operator or function to numbers.
func num2(op string, x []float64, num func(float64) Value) Value {
	truth := func(b bool) Value { return Value{Kind: Number, Num: float64(boolInt(b))} }
	fold := func(f func(a, b float64) float64) Value {
		out := x[0]
		for _, v := range x[1:] {
			out = f(out, v)
		}
		return num(out)
	}
	switch op {
	case "+", "SUM":
		return fold(func(a, b float64) float64 { return a + b })
	case "-":
		return num(x[0] - x[1])
	case "*":
		return num(x[0] * x[1])
	case "/":
		return ratio(Value{Kind: Number, Num: x[0]}, Value{Kind: Number, Num: x[1]})
	case "^":
		return num(math.Pow(x[0], x[1]))
	case "MIN":
		return fold(math.Min)
	case "MAX":
		return fold(math.Max)
	case "AND":
		return fold(func(a, b float64) float64 { return float64(boolInt(a != 0 && b != 0)) })
	case "OR":
		return fold(func(a, b float64) float64 { return float64(boolInt(a != 0 || b != 0)) })
	case "NOT":
		return truth(x[0] == 0)
	case "ABS":
		return num(math.Abs(x[0]))
	case "INT":
		return num(math.Floor(x[0]))
	case "SQRT":
		return num(math.Sqrt(x[0]))
	case "ROUND":
		p := math.Pow(10, math.Trunc(x[1]))
		return num(math.Round(x[0]*p) / p)
	}
	c := cmp.Compare(x[0], x[1])
	return truth(map[string]bool{"=": c == 0, "<>": c != 0, "<": c < 0, ">": c > 0, "<=": c <= 0, ">=": c >= 0}[op])
}
