package calc

import (
	"math"
	"strconv"

	"atelier/formats/xlsx/internal/sheetml"
)

// Cell returns a value as a cell stores it: its type and the content of v, as XML. ok is false for what no cell can store, such as an Unknown.
func (v Value) Cell() (typ sheetml.CellType, content string, ok bool) {
	switch v.kind {
	case Empty, Missing:
		return sheetml.TypeNumber, "", true
	case Number:
		return sheetml.TypeNumber, storedNumber(v.num), true
	case Text:
		return sheetml.TypeString, sheetml.Escape(v.str), true
	case Bool:
		return sheetml.TypeBool, strconv.FormatFloat(v.num, 'f', 0, 64), true
	case Err:
		return sheetml.TypeError, v.Error().String(), true
	}
	return 0, "", false
}

// Known reports whether a cell can have the value: whether Cell gives one.
func (v Value) Known() bool {
	switch v.kind {
	case Empty, Missing, Number, Text, Bool, Err:
		return true
	}
	return false
}

// storedNumber writes a number with the fewest digits that give it again, as
// programs do.
func storedNumber(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'G', -1, 64)
}
