package calc

import (
	"errors"
	"fmt"
	"strings"

	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
)

// maxNesting bounds brackets and calls inside one another; Excel allows 64.
const maxNesting = 200

// maxArguments is how many arguments a call may have.
const maxArguments = 255

// parser reads the text of a formula (18.17), without its "=".
type parser struct {
	text   string
	tokens []formula.Token
	pos    int
	row    int // cell for which relative references are written
	col    int
	book   *Book
	wraps  bool
	nested int

	language bool // see form
	joins    bool
	skipped  bool
}

// errSyntax is what parse fails with, wrapped in the place.
var errSyntax = errors.New("cannot be read as a formula")

// parseName reads the formula of a defined name, which is written for A1.
func (b *Book) parseName(text string) (node, error) {
	p := &parser{text: text, row: 1, col: 1, book: b, wraps: true}
	return p.whole()
}

func (p *parser) whole() (node, error) {
	if len(p.text) > formula.MaxBytes {
		return nil, fmt.Errorf("%w: it has more than %d characters", errSyntax, formula.MaxLength)
	}
	p.tokens = formula.Lex(p.text)
	n, err := p.comparison()
	if err != nil {
		return nil, err
	}
	p.blanks()
	if p.pos < len(p.tokens) {
		return nil, p.fail()
	}
	return n, nil
}

func (p *parser) fail() error {
	rest := "its end"
	if p.pos < len(p.tokens) {
		rest = cellref.QuoteArg(p.text[p.tokens[p.pos].Start:])
	}
	return fmt.Errorf("%w at %s", errSyntax, rest)
}

// peek returns the text of the current token, "" at the end.
func (p *parser) peek() string {
	if p.pos >= len(p.tokens) {
		return ""
	}
	t := p.tokens[p.pos]
	return p.text[t.Start:t.End]
}

// sign returns the current token when it is an operator or bracket.
func (p *parser) sign() string {
	if p.pos >= len(p.tokens) || p.tokens[p.pos].Kind != formula.Other {
		return ""
	}
	return p.peek()
}

// blanks skips blanks and reports whether there were any.
func (p *parser) blanks() bool {
	from := p.pos
	for p.pos < len(p.tokens) && strings.Contains(" \t\r\n", p.text[p.tokens[p.pos].Start:p.tokens[p.pos].End]) {
		p.pos++
	}
	return p.pos > from
}

// take moves past an operator or bracket and reports whether it was there.
func (p *parser) take(s string) bool {
	p.blanks()
	if p.sign() != s {
		return false
	}
	p.pos++
	return true
}

// chain reads operands joined by the operators of one level.
func (p *parser) chain(operand func() (node, error), op func() (operator, bool)) (node, error) {
	first, err := operand()
	if err != nil {
		return nil, err
	}
	var rest []link
	for {
		p.blanks()
		o, ok := op()
		if !ok {
			break
		}
		x, err := operand()
		if err != nil {
			return nil, err
		}
		rest = append(rest, link{o, x})
	}
	if rest == nil {
		return first, nil
	}
	return &chainNode{first, rest}, nil
}

// comparison is the lowest level.
func (p *parser) comparison() (node, error) {
	if p.nested++; p.nested > maxNesting {
		return nil, fmt.Errorf("%w: more than %d levels of brackets", errSyntax, maxNesting)
	}
	defer func() { p.nested-- }()
	return p.chain(p.joined, func() (operator, bool) {
		switch p.sign() {
		case "=":
			p.pos++
			return opEq, true
		case "<":
			p.pos++
			switch p.sign() {
			case "=":
				p.pos++
				return opLe, true
			case ">":
				p.pos++
				return opNe, true
			}
			return opLt, true
		case ">":
			if p.pos++; p.sign() == "=" {
				p.pos++
				return opGe, true
			}
			return opGt, true
		}
		return 0, false
	})
}

func (p *parser) joined() (node, error) {
	n, err := p.chain(p.sum, p.oneOf("&", opJoin))
	if c, ok := n.(*chainNode); ok && len(c.rest) > 0 && c.rest[0].op == opJoin {
		p.joins = true
	}
	return n, err
}
func (p *parser) sum() (node, error)     { return p.chain(p.product, p.oneOf("+-", opAdd, opSub)) }
func (p *parser) product() (node, error) { return p.chain(p.power, p.oneOf("*/", opMul, opDiv)) }
func (p *parser) power() (node, error)   { return p.chain(p.percent, p.oneOf("^", opPow)) }

// oneOf takes one of the operators of one character each.
func (p *parser) oneOf(signs string, ops ...operator) func() (operator, bool) {
	return func() (operator, bool) {
		s := p.sign()
		if s == "" {
			return 0, false
		}
		i := strings.Index(signs, s)
		if i < 0 {
			return 0, false
		}
		p.pos++
		return ops[i], true
	}
}

// percent reads an operand with the signs behind it; these bind less than those
// before it.
func (p *parser) percent() (node, error) {
	n, err := p.unary()
	if err != nil {
		return nil, err
	}
	for p.take("%") {
		n = &percentNode{n}
	}
	return n, nil
}

// unary reads the signs before an operand, which bind more than ^.
func (p *parser) unary() (node, error) {
	var before []byte
	for {
		p.blanks()
		s := p.sign()
		if s != "-" && s != "+" && s != "@" {
			break
		}
		before = append(before, s[0])
		p.pos++
	}
	n, err := p.reference()
	if err != nil {
		return nil, err
	}
	minus := 0
	for i := len(before) - 1; i >= 0; i-- {
		switch before[i] {
		case '-':
			minus++
			if minus > 2 {
				minus -= 2 // the third minus is the first again
				continue
			}
			n = &unaryNode{n}
		case '+':
			n = &plusNode{n}
		default:
			n = &oneNode{n}
		}
		if len(before) > maxNesting {
			return nil, fmt.Errorf("%w: too many signs", errSyntax)
		}
	}
	return n, nil
}

// reference reads operands joined by the range operator and, where a blank can
// be one, the intersection.
func (p *parser) reference() (node, error) {
	n, err := p.ranged()
	if err != nil {
		return nil, err
	}
	for {
		from := p.pos
		if !p.blanks() || !p.startsReference() {
			p.pos = from
			return n, nil
		}
		x, err := p.ranged()
		if err != nil {
			return nil, err
		}
		n = &meetNode{n, x}
	}
}

// startsReference reports whether the current token can begin a reference.
func (p *parser) startsReference() bool {
	if p.pos >= len(p.tokens) {
		return false
	}
	switch t := p.tokens[p.pos]; t.Kind {
	case formula.Ref, formula.Function, formula.Structured, formula.External:
		return true
	case formula.Name:
		c := p.text[t.Start]
		return c != '.' && (c < '0' || c > '9')
	}
	return p.sign() == "("
}

func (p *parser) ranged() (node, error) {
	n, err := p.postfix()
	for err == nil && p.sign() == ":" {
		p.pos++
		var x node
		if x, err = p.postfix(); err == nil {
			n = &rangeNode{n, x}
		}
	}
	return n, err
}

// postfix reads an operand with the calls and the # behind it.
func (p *parser) postfix() (node, error) {
	n, err := p.operand()
	for err == nil {
		switch {
		case p.sign() == "(":
			var args []node
			if args, err = p.arguments(); err == nil {
				n = &applyNode{n, args}
			}
		case p.pos < len(p.tokens) && p.tokens[p.pos].Kind == formula.Error && p.peek() == "#":
			p.pos++
			n = &spillNode{n}
		default:
			return n, nil
		}
	}
	return nil, err
}
