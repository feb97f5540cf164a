package calc

import "atelier/formats/xlsx/internal/cellref"

// node is a part of a parsed formula. Relative references in it are distances
// from the cell of the formula, so that cells with alike formulas share it.
type node interface{}

type (
	// constNode is a literal.
	constNode struct{ v Value }
	// refNode is A1, A1:B2, A:C or 3:9. A relative row or column of an end is a
	// distance.
	refNode struct {
		sheet, last int // indexes; own for that of the formula; last ends a 3-D span
		from, to    cellref.End
		wraps       bool // of a name: over the edge of the sheet it begins anew
	}
	nameNode struct {
		sheet    int // index, own, or none for this workbook's
		low      string
		name     string
		optional bool // a parameter that a call may leave out
	}
	// tableNode is Table[…].
	tableNode struct {
		table       string // in lower case; "" for the one around the cell
		first, last string // columns, "" for all
		parts       tablePart
	}
	callNode struct {
		fn   *Func
		name string // in upper case, without prefixes
		args []node
	}
	// applyNode calls a LAMBDA.
	applyNode struct {
		fn   node
		args []node
	}
	unaryNode   struct{ x node } // minus
	plusNode    struct{ x node }
	percentNode struct{ x node }
	// chainNode is operands joined by operators of one precedence, from left to
	// right: long sums do not nest.
	chainNode struct {
		first node
		rest  []link
	}
	rangeNode struct{ a, b node } // A1:INDEX(…)
	meetNode  struct{ a, b node } // intersection
	unionNode struct{ all []node }
	// oneNode is @x, one of the values of x.
	oneNode     struct{ x node }
	spillNode   struct{ x node } // A1#
	missingNode struct{}
	// unknownNode is what cannot be calculated.
	unknownNode struct {
		code ReasonCode
		text string
	}
)

// link is an operator with its right operand.
type link struct {
	op operator
	x  node
}

type operator uint8

const (
	opAdd operator = iota
	opSub
	opMul
	opDiv
	opPow
	opJoin
	opEq
	opNe
	opLt
	opLe
	opGt
	opGe
)

// tablePart is a set of the parts of a table.
type tablePart uint8

const (
	partData tablePart = 1 << iota
	partHeaders
	partTotals
	partThisRow
)

// Sheets that no index stands for.
const (
	own  = -1 // that of the formula
	none = -2 // the workbook
)

// sumNode is a chain that is all of a formula: where its last step is an addition
// or subtraction, rounding errors of it are made zero.
type sumNode struct{ *chainNode }
