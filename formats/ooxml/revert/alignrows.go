package revert

import (
	"bytes"
	"strconv"

	"atelier/formats/ooxml/tree"
	"atelier/formats/ooxml/xmlscan"
)

// numbered compares the rows of a worksheet, or the cells of a row, by their numbers;
// it reports false for other elements and where the numbers do not ascend.
func (al *aligner) numbered(a, b *tree.Node, kidsA, kidsB []*tree.Node) (bool, error) {
	number, rows := rowNumber, true
	switch a.Local {
	case "sheetData":
	case "row":
		number, rows = columnNumber, false
	default:
		return false, nil
	}
	numsA, okA := ascending(kidsA, number)
	numsB, okB := ascending(kidsB, number)
	if !okA || !okB {
		return false, nil
	}
	at := b.End // behind the last child of b that was passed
	for i, j := 0, 0; i < len(kidsA) || j < len(kidsB); {
		hasA := j == len(kidsB) || i < len(kidsA) && numsA[i] <= numsB[j]
		hasB := i == len(kidsA) || j < len(kidsB) && numsB[j] <= numsA[i]
		if rows && hasA {
			al.row = numsA[i]
		} else if rows {
			al.row = numsB[j]
		}
		switch {
		case hasA && hasB:
			if err := al.element(kidsA[i], kidsB[j]); err != nil {
				return true, err
			}
		case hasA:
			al.add("gone ", kidsA[i].Start, xmlscan.Splice{Start: at, End: at, New: al.a.Raw(kidsA[i])})
		default:
			al.only(a, kidsB[j])
		}
		if hasB {
			at = kidsB[j].After
			j++
		}
		if hasA {
			i++
		}
	}
	if rows {
		al.row = 0
	}
	return true, nil
}

// ascending returns the numbers of rows or cells; false where they do not ascend.
func ascending(kids []*tree.Node, number func(*tree.Node) int) ([]int, bool) {
	out := make([]int, len(kids))
	last := 0
	for i, k := range kids {
		if out[i] = number(k); out[i] <= last {
			return nil, false
		}
		last = out[i]
	}
	return out, true
}

func rowNumber(row *tree.Node) int {
	n, err := strconv.Atoi(row.AttrLocal("r"))
	if err != nil || row.Local != "row" {
		return 0
	}
	return n
}

// columnNumber returns the column of a cell by its reference, such as 28 for AB7.
func columnNumber(cell *tree.Node) (n int) {
	if cell.Local != "c" {
		return 0
	}
	for _, r := range cell.AttrLocal("r") {
		if r < 'A' || r > 'Z' {
			break
		}
		n = n*26 + int(r-'A') + 1
	}
	return n
}

// sameFormula reports whether two cells of a worksheet (ECMA-376-1 18.3.1.4) have the
// same formula: then their values follow from others.
func sameFormula(ta *tree.Tree, a *tree.Node, tb *tree.Tree, b *tree.Node) bool {
	fa, fb := formulaOf(a), formulaOf(b)
	if fa == nil || fb == nil || !bytes.Equal(ta.Raw(fa), tb.Raw(fb)) {
		return false
	}
	for _, name := range []string{"r", "s", "cm", "vm", "ph"} {
		if a.AttrLocal(name) != b.AttrLocal(name) {
			return false
		}
	}
	return true
}

func formulaOf(cell *tree.Node) *tree.Node {
	for k := range cell.Kids() {
		if k.Local == "f" {
			return k
		}
	}
	return nil
}
