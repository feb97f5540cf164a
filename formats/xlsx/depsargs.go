package xlsx

import (
	"strconv"
	"strings"

	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
)

// A function that makes a reference as it is calculated may read anything, but
// some of its arguments say where it stays.

// made adds what INDIRECT or OFFSET, whose arguments begin at the bracket at
// open, may read; false when that is not known.
func (g *depGraph) made(n *node, function, text string, open, sheet, depth int) bool {
	args := formula.Arguments(text, open)
	if len(args) == 0 {
		return false
	}
	if function == "OFFSET" {
		return g.offset(n, args, sheet)
	}
	if len(args) > 2 || len(args) == 2 && args[1] != "1" && !strings.EqualFold(args[1], "TRUE") {
		return false // R1C1 notation
	}
	tokens := formula.Lex(args[0])
	if len(tokens) == 0 || tokens[0].Kind != formula.String {
		return false
	}
	address := formula.Unquote(args[0][tokens[0].Start:tokens[0].End])
	if len(tokens) == 1 {
		return g.address(n, address, sheet, depth)
	}
	// "'Net sales'!B"&ROW() stays in its sheet.
	bang := strings.IndexByte(address, '!')
	if bang < 1 || args[0][tokens[1].Start] != '&' || !joins(args[0]) {
		return false
	}
	return g.address(n, address[:bang]+"!A1", sheet, depth) && g.all(n)
}

// joins reports whether a formula joins texts and does nothing else outside
// of brackets.
func joins(text string) bool {
	depth := 0
	for t := range formula.Tokens(text) {
		switch c := text[t.Start]; {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case depth == 0 && t.Kind == formula.Other && c != '&' && c != ' ':
			return false
		}
	}
	return true
}

// all makes the block added last its whole sheet.
func (g *depGraph) all(n *node) bool {
	last := &n.reads[len(n.reads)-1]
	last.r = cellref.WholeSheet
	return true
}

// address adds the block that a text names, which does not follow cells that
// move.
func (g *depGraph) address(n *node, text string, sheet, depth int) bool {
	tokens := formula.Lex(text)
	if depth > 8 || len(tokens) != 1 || tokens[0].Kind != formula.Ref || tokens[0].LastSheet != "" {
		return false
	}
	at := sheet
	if t := tokens[0]; t.Sheet != "" {
		i, ok := g.sheets[strings.ToLower(t.Sheet)]
		if !ok || g.gone[strings.ToLower(t.Sheet)] {
			return false
		}
		at = i
	}
	if g.moves && at == g.moved {
		return false
	}
	n.reads = append(n.reads, precedent{at, tokens[0].Range()})
	return true
}

// offset adds what OFFSET from a plain reference may read: the sheet of the
// reference, and in it the rows and columns that constants say.
func (g *depGraph) offset(n *node, args []string, sheet int) bool {
	tokens := formula.Lex(args[0])
	if len(args) < 3 || len(args) > 5 || len(tokens) != 1 {
		return false
	}
	k := len(n.reads)
	if !g.address(n, args[0], sheet, 0) || len(n.reads) == k {
		return false
	}
	r := &n.reads[k].r
	for len(args) < 5 {
		args = append(args, "")
	}
	r.R1, r.R2 = along(r.R1, r.R2, args[1], args[3], cellref.MaxRow)
	r.C1, r.C2 = along(r.C1, r.C2, args[2], args[4], cellref.MaxCol)
	return true
}

// along is where a run of rows or columns may be that is moved by and has the
// size given; all when one of them is no constant.
func along(from, to int, by, size string, limit int) (int, int) {
	move, err := constant(by, 0)
	n, err2 := constant(size, to-from+1)
	if err != nil || err2 != nil || n < 1 || from+move < 1 || from+move+n-1 > limit {
		return 1, limit
	}
	return from + move, from + move + n - 1
}

// constant reads a whole number; an argument left out is def.
func constant(s string, def int) (int, error) {
	if s == "" {
		return def, nil
	}
	return strconv.Atoi(s)
}
