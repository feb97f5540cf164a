package calc

import (
	"strings"

	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
)

// NeedsArray reports whether a formula, without its "=", has another result when it
// is calculated as an array formula: it returns several values, or takes several
// where an ordinary formula takes the one in line with it. Programs with dynamic
// arrays store such a formula as one ([MS-XLSX] 2.2.3), and all others as ordinary
// formulas. A formula that cannot be read needs none.
//
// Sheets that b does not have count as sheets.
func (b *Book) NeedsArray(text string) bool {
	b.anySheet = true
	p := &parser{text: text, row: 1, col: 1, book: b}
	root, err := p.whole()
	if err != nil {
		return false
	}
	s := &valueCounter{book: b, names: map[string]valueCount{}}
	return s.of(root) != oneValue || s.lost
}

// valueCount says how many values a part of a formula has.
type valueCount uint8

const (
	oneValue     valueCount = iota
	constants               // an array constant, of which ordinary formulas take all values too
	severalCells            // cells, or values calculated from several
)

// valueCounter finds the valueCounter of the parts of a formula.
type valueCounter struct {
	book  *Book
	vars  []map[string]valueCount // of LET and LAMBDA
	names map[string]valueCount   // of defined names
	taken bool                    // all values are taken, as in an argument of SUMPRODUCT
	lost  bool                    // an ordinary formula would take one value of several
}

// single is the count of a part where one value is expected: several ones make the
// function or operator around it give as many.
func (s *valueCounter) single(n node) valueCount {
	k := s.of(n)
	s.lost = s.lost || k == severalCells && !s.taken
	return k
}

func (s *valueCounter) of(n node) valueCount {
	switch n := n.(type) {
	case *constNode:
		if n.v.kind == ArrayKind {
			return constants
		}
	case *refNode:
		if n.sheet == n.last && (n.from != n.to || n.from.Kind != cellref.CellEnd) {
			return severalCells
		}
	case *nameNode:
		return s.name(n)
	case *tableNode:
		if n.parts == partData || n.first != n.last || n.first == "" || n.parts&(n.parts-1) != 0 {
			return severalCells
		}
	case *sumNode:
		return s.of(n.chainNode)
	case *chainNode:
		k := s.single(n.first)
		for _, l := range n.rest {
			k = max(k, s.single(l.x))
		}
		return k
	case *unaryNode:
		return s.single(n.x)
	case *percentNode:
		return s.single(n.x)
	case *plusNode:
		return s.of(n.x)
	case *rangeNode, *spillNode:
		return severalCells
	case *callNode:
		return s.call(n)
	case *applyNode:
		k := s.of(n.fn)
		for _, a := range n.args {
			k = max(k, s.of(a))
		}
		return k
	}
	return oneValue
}

// name is the count of a variable or of what a defined name stands for.
func (s *valueCounter) name(n *nameNode) valueCount {
	for i := len(s.vars) - 1; i >= 0; i-- {
		if k, ok := s.vars[i][n.low]; ok {
			return k
		}
	}
	if k, ok := s.names[n.low]; ok {
		return k
	}
	s.names[n.low] = oneValue // while it is looked into
	for _, d := range s.book.names[n.low] {
		if s.book.parseDefinition(d); d.root != nil {
			inner := &valueCounter{book: s.book, names: s.names, taken: true}
			s.names[n.low] = max(s.names[n.low], inner.of(d.root))
		}
	}
	return s.names[n.low]
}

// call is the count of a call.
func (s *valueCounter) call(n *callNode) valueCount {
	switch n.name {
	case "LET", "LAMBDA":
		return s.scoped(n)
	case "IF", "IFS", "SWITCH", "CHOOSE", "IFERROR", "IFNA":
		return s.choice(n)
	}
	if n.fn == nil {
		return s.unknown(n)
	}
	switch n.name {
	case "INDIRECT":
		k, _ := s.arguments(n)
		return max(k, s.addressed(n))
	case "INDEX":
		k, _ := s.arguments(n)
		return max(k, s.indexed(n))
	case "OFFSET":
		k, each := s.arguments(n)
		return max(k, s.offset(n, each[0]))
	case "ROW", "COLUMN":
		return s.position(n)
	case "XLOOKUP":
		k, _ := s.arguments(n)
		if twoWays(n.args[2]) {
			return severalCells
		}
		return k
	case "REDUCE":
		_, each := s.arguments(n)
		return each[len(each)-1]
	}
	k, _ := s.arguments(n)
	if formula.GivesSeveral(n.name) {
		return severalCells
	}
	return k
}

// unknown is the count of a call of a function that is not calculated here.
func (s *valueCounter) unknown(n *callNode) valueCount {
	s.arguments(n)
	if formula.GivesSeveral(n.name) {
		return severalCells
	}
	return oneValue
}

// arguments returns the count of a function's result as far as its arguments make it,
// and those of the arguments.
func (s *valueCounter) arguments(n *callNode) (k valueCount, each []valueCount) {
	each = make([]valueCount, len(n.args))
	for i, a := range n.args {
		class := byte('a')
		if n.fn != nil {
			class = n.fn.take(i).class
		}
		switch class {
		case 'a', 'r':
			each[i] = s.of(a)
			if c, ok := a.(*callNode); ok && n.fn != nil && n.fn.Each && c.fn != nil && c.fn.Gives {
				given, _ := s.arguments(c) // a result for each of several references
				k = max(k, given)
			}
		case 'A':
			taken := s.taken
			s.taken = true
			each[i] = s.of(a)
			s.taken = taken
		default:
			each[i] = s.single(a)
			k = max(k, each[i])
		}
	}
	return k, each
}

// scoped is the count of LET, or of what a LAMBDA returns for single values.
func (s *valueCounter) scoped(n *callNode) valueCount {
	if len(n.args) == 0 {
		return oneValue
	}
	vars := map[string]valueCount{}
	s.vars = append(s.vars, vars)
	defer func() { s.vars = s.vars[:len(s.vars)-1] }()
	last := len(n.args) - 1
	for i, a := range n.args[:last] {
		v, ok := a.(*nameNode)
		switch {
		case !ok:
		case n.name == "LAMBDA":
			vars[v.low] = oneValue
		case i%2 == 0:
			vars[v.low] = s.of(n.args[i+1])
		}
	}
	return s.of(n.args[last])
}

// choice is the count of a function that returns one of its arguments. These take
// one value as their condition also inside SUMPRODUCT.
func (s *valueCounter) choice(n *callNode) (k valueCount) {
	for i, a := range n.args {
		condition := i == 0
		switch n.name {
		case "IFS":
			condition = i%2 == 0
		case "SWITCH":
			condition = i == 0 || i%2 == 1 && i < len(n.args)-1
		case "IFERROR", "IFNA":
			condition = true
		}
		x := s.of(a)
		s.lost = s.lost || condition && x == severalCells
		k = max(k, x)
	}
	return k
}

// addressed is the count of the cells that an INDIRECT names.
func (s *valueCounter) addressed(n *callNode) valueCount {
	if c, ok := n.args[0].(*constNode); ok && c.v.kind == Text && !strings.Contains(c.v.str, ":") {
		return oneValue
	}
	return severalCells
}

// indexed is the count of what an INDEX returns: a whole row or column for 0 or for
// an argument that is left out.
func (s *valueCounter) indexed(n *callNode) valueCount {
	for _, a := range n.args[1:] {
		if isZero(a) {
			return severalCells
		}
	}
	return oneValue
}

// isZero reports whether an argument is 0 or left out between commas.
func isZero(n node) bool {
	c, ok := n.(*constNode)
	_, missing := n.(*missingNode)
	return missing || ok && c.v.kind == Number && c.v.num == 0
}

// offset is the count of the cells of an OFFSET, which has the size of its base
// unless it gives another one.
func (s *valueCounter) offset(n *callNode, base valueCount) valueCount {
	if len(n.args) < 4 {
		return base
	}
	for _, a := range n.args[3:] {
		if c, ok := a.(*constNode); !ok || c.v.kind != Number || c.v.num != 1 {
			return severalCells
		}
	}
	return oneValue
}

// position is the count of ROW and COLUMN: a number for each row or column.
func (s *valueCounter) position(n *callNode) valueCount {
	if len(n.args) == 0 {
		return oneValue
	}
	r, ok := n.args[0].(*refNode)
	switch {
	case !ok:
		return s.of(n.args[0])
	case n.name == "ROW" && r.severalRows(), n.name == "COLUMN" && r.severalColumns():
		return severalCells
	}
	return oneValue
}

// twoWays reports whether a part is a reference with several rows and columns.
func twoWays(n node) bool {
	r, ok := n.(*refNode)
	return ok && r.severalRows() && r.severalColumns()
}

func (n *refNode) severalRows() bool {
	return n.from.Kind == cellref.ColumnEnd || n.from.Row != n.to.Row || n.from.AbsRow != n.to.AbsRow
}

func (n *refNode) severalColumns() bool {
	return n.from.Kind == cellref.RowEnd || n.from.Col != n.to.Col || n.from.AbsCol != n.to.AbsCol
}
