package calc

import (
	"fmt"
	"slices"
	"strings"

	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
)

// operand reads a literal, reference, name, call or bracket.
func (p *parser) operand() (node, error) {
	p.blanks()
	if p.pos >= len(p.tokens) {
		return nil, p.fail()
	}
	t := p.tokens[p.pos]
	text := p.text[t.Start:t.End]
	switch t.Kind {
	case formula.String:
		p.pos++
		return &constNode{Str(formula.Unquote(text))}, nil
	case formula.Error:
		return p.errorLiteral(text)
	case formula.Ref:
		p.pos++
		return p.refNode(t), nil
	case formula.Structured:
		p.pos++
		return structuredNode(text)
	case formula.Function:
		return p.call(text)
	case formula.Name:
		return p.name(t, text)
	case formula.External:
		return p.external(text)
	}
	switch text {
	case "(":
		return p.bracket()
	case "{":
		return p.arrayLiteral()
	}
	return nil, p.fail()
}

func (p *parser) errorLiteral(text string) (node, error) {
	if i := strings.LastIndexByte(text, '!'); i > 0 && i < len(text)-1 {
		text = text[i+1:] // Sheet!#REF!
	}
	if i := strings.IndexByte(text, '#'); i > 0 {
		text = text[i:]
	}
	code := errorOf(strings.ToUpper(text))
	if code == 0 {
		return nil, p.fail()
	}
	p.pos++
	return &constNode{Fail(code)}, nil
}

// refNode makes the distances of a reference from the cell of the formula.
func (p *parser) refNode(t formula.Token) node {
	n := &refNode{sheet: own, from: p.relative(t.From), to: p.relative(t.To), wraps: p.wraps}
	if t.To.Kind == cellref.NoEnd {
		n.to = n.from
	}
	var ok bool
	if n.sheet, ok = p.sheet(t.Sheet); !ok {
		return &constNode{Fail(ErrRef)}
	}
	n.last = n.sheet
	if t.LastSheet != "" {
		if n.last, ok = p.sheet(t.LastSheet); !ok {
			return &constNode{Fail(ErrRef)}
		}
		n.sheet, n.last = min(n.sheet, n.last), max(n.sheet, n.last)
	}
	return n
}

// sheet returns the index of a sheet, own for "".
func (p *parser) sheet(name string) (int, bool) {
	if name == "" {
		return own, true
	}
	i, ok := p.book.sheetIndex[strings.ToLower(name)]
	return i, ok || p.book.anySheet
}

func (p *parser) relative(a cellref.End) cellref.End {
	if a.Kind == cellref.NoEnd {
		return a
	}
	if !a.AbsRow && a.Kind != cellref.ColumnEnd {
		a.Row -= p.row
	}
	if !a.AbsCol && a.Kind != cellref.RowEnd {
		a.Col -= p.col
	}
	return a
}

// name reads a name, TRUE, FALSE or a number.
func (p *parser) name(t formula.Token, text string) (node, error) {
	if c := text[0]; t.Sheet == "" && (c == '.' || c >= '0' && c <= '9') {
		return p.number(text)
	}
	p.pos++
	if t.Sheet == "" {
		switch strings.ToUpper(text) {
		case "TRUE":
			return &constNode{Boolean(true)}, nil
		case "FALSE":
			return &constNode{Boolean(false)}, nil
		}
	}
	if hasPrefix(text, givenPrefix) {
		return givenFunction(strings.ToUpper(formula.BareFunction(text[len(givenPrefix):]))), nil
	}
	n := &nameNode{sheet: own, optional: hasPrefix(text, optionalPrefix), name: bareParameter(p.text[t.Body:t.End])}
	n.low = strings.ToLower(n.name)
	if t.Sheet != "" {
		i, ok := p.sheet(t.Sheet)
		if !ok {
			return &constNode{Fail(ErrRef)}, nil
		}
		n.sheet = i
	}
	return n, nil
}

// number reads a number, whose exponent's sign is a token of its own.
func (p *parser) number(text string) (node, error) {
	p.pos++
	if strings.HasSuffix(strings.ToLower(text), "e") && (p.sign() == "+" || p.sign() == "-") {
		text += p.peek()
		p.pos++
		text += p.peek()
		p.pos++
	}
	x, ok := plainNumber(text)
	if !ok {
		p.pos--
		return nil, p.fail()
	}
	return &constNode{Num(x)}, nil
}

// external reads a reference to another workbook; [0]!Name is of this one.
func (p *parser) external(text string) (node, error) {
	p.pos++
	if name, ok := strings.CutPrefix(text, "[0]!"); ok && name != "" {
		return &nameNode{sheet: none, low: strings.ToLower(name), name: name}, nil
	}
	return &unknownNode{ReasonExternal, "it reads another workbook: " + cellref.QuoteArg(text)}, nil
}

// bracket reads (x) or the union (x,y).
func (p *parser) bracket() (node, error) {
	p.pos++
	n, err := p.comparison()
	if err != nil {
		return nil, err
	}
	all := []node{n}
	for p.take(",") {
		if n, err = p.comparison(); err != nil {
			return nil, err
		}
		if all = append(all, n); len(all) > maxArguments {
			return nil, p.fail()
		}
	}
	if !p.take(")") {
		return nil, p.fail()
	}
	if len(all) > 1 {
		return &unionNode{all}, nil
	}
	if _, ok := n.(*chainNode); ok {
		return &plusNode{n}, nil // its sum is not the last step of a formula
	}
	return n, nil
}

// call reads a function with its arguments.
func (p *parser) call(text string) (node, error) {
	p.pos++
	name := strings.ToUpper(formula.BareFunction(text))
	args, err := p.arguments()
	if err != nil {
		return nil, err
	}
	switch {
	case name == "SINGLE" && len(args) == 1:
		return &oneNode{args[0]}, nil
	case name == "ANCHORARRAY" && len(args) == 1:
		return &spillNode{args[0]}, nil
	}
	switch name {
	case "TEXT", "VALUE", "DATEVALUE", "TIMEVALUE", "NUMBERVALUE", "DOLLAR", "FIXED":
		p.language = true
	case "CONCATENATE", "CONCAT", "TEXTJOIN":
		p.joins = true
	case "SUBTOTAL", "AGGREGATE":
		p.skipped = true
	}
	fn := functions[name]
	if fn == nil {
		return &callNode{name: bareParameter(name), args: args}, nil
	}
	if len(args) < fn.Min || fn.Max >= 0 && len(args) > fn.Max {
		return nil, fmt.Errorf("%w: %s has %d arguments", errSyntax, name, len(args))
	}
	return &callNode{fn, name, args}, nil
}

// arguments reads (a, b, …); the bracket is the current token.
func (p *parser) arguments() ([]node, error) {
	if p.sign() != "(" {
		return nil, p.fail()
	}
	p.pos++
	if p.take(")") {
		return nil, nil
	}
	var args []node
	for {
		p.blanks()
		var n node = &missingNode{}
		if s := p.sign(); s != "," && s != ")" {
			var err error
			if n, err = p.comparison(); err != nil {
				return nil, err
			}
		}
		if args = append(args, n); len(args) > maxArguments {
			return nil, p.fail()
		}
		if p.take(",") {
			continue
		}
		if !p.take(")") {
			return nil, p.fail()
		}
		return args, nil
	}
}

// arrayLiteral reads {1,2;3,4}.
func (p *parser) arrayLiteral() (node, error) {
	p.pos++
	a := &Array{}
	cols := 0
	for {
		v, err := p.literal()
		if err != nil {
			return nil, err
		}
		a.data = append(a.data, v)
		cols++
		switch {
		case p.take(","):
			continue
		case p.take(";"):
		case p.take("}"):
			a.rows++
			if a.cols != 0 && a.cols != cols {
				return nil, p.fail()
			}
			a.cols = cols
			return &constNode{arrayValue(a)}, nil
		default:
			return nil, p.fail()
		}
		if a.rows++; a.cols != 0 && a.cols != cols {
			return nil, p.fail()
		}
		a.cols, cols = cols, 0
	}
}

// literal reads a constant of an array.
func (p *parser) literal() (Value, error) {
	sign := 1.0
	if p.take("-") {
		sign = -1
	} else {
		p.take("+")
	}
	n, err := p.operand()
	if err != nil {
		return Value{}, err
	}
	c, ok := n.(*constNode)
	if !ok || c.v.kind == ArrayKind {
		return Value{}, p.fail()
	}
	if c.v.kind == Number {
		return Num(sign * c.v.num), nil
	}
	return c.v, nil
}

// structuredNode reads Table[…] (18.17.2 of [ISO29500] and its escapes).
func structuredNode(text string) (node, error) {
	i := strings.IndexByte(text, '[')
	n := &tableNode{table: strings.ToLower(text[:i])}
	body := strings.TrimSuffix(text[i+1:], "]")
	items := []string{body}
	if strings.HasPrefix(strings.TrimSpace(body), "[") {
		items = nil
		for body != "" {
			j := strings.IndexByte(body, '[')
			if j < 0 {
				break
			}
			e := formula.BracketEnd(body, j)
			items = append(items, strings.TrimSuffix(body[j+1:e], "]"))
			body = body[e:]
		}
	}
	for _, item := range items {
		n.add(item)
	}
	if n.parts == 0 {
		n.parts = partData
	}
	return n, nil
}

// add takes an item of a structured reference.
func (n *tableNode) add(item string) {
	switch strings.ToLower(strings.TrimSpace(item)) {
	case "":
	case "#all":
		n.parts |= partData | partHeaders | partTotals
	case "#data":
		n.parts |= partData
	case "#headers":
		n.parts |= partHeaders
	case "#totals":
		n.parts |= partTotals
	case "#this row":
		n.parts |= partThisRow
	default:
		if rest, ok := strings.CutPrefix(item, "@"); ok {
			n.parts |= partThisRow
			item = strings.TrimSuffix(strings.TrimPrefix(rest, "["), "]")
		}
		item = strings.ToLower(formula.UnescapeColumn(item))
		if n.first == "" {
			n.first = item
		}
		n.last = item
	}
}

// names returns the names that LET or LAMBDA give to their values: those of the
// arguments at the places that take reports.
func parameterNames(args []node, take func(i int) bool) ([]string, bool) {
	var out []string
	for i, a := range args {
		if !take(i) {
			continue
		}
		n, ok := a.(*nameNode)
		if !ok || n.sheet != own || slices.Contains(out, n.low) {
			return nil, false
		}
		out = append(out, n.low)
	}
	return out, true
}
