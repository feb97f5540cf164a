package column

import (
	"math"
	"slices"

	"atelier/formats/tablequery/internal/image"
)

// leftOut is the group of a row that a condition leaves out.
const leftOut = -1

// filter leaves out the rows that do not meet a condition; false when the
// condition is not one of ours: comparing numbers with texts has rules of its
// own.
func (t *Table) filter(c test, group []int32) bool {
	if c.op == "null" || c.op == "notnull" || t.types[c.column] == image.Text {
		return t.filterCodes(c, group)
	}
	n := t.readNumbers(c.column)
	if n.ints != nil && allIntegers(c.values) {
		return filterNumbers(n.ints, n.null, c, group)
	}
	floats, ok := floatLiterals(c.values)
	if !ok {
		return false
	}
	c.values = floats
	if n.floats != nil {
		return filterNumbers(n.floats, n.null, c, group)
	}
	// Integers too large for a float64 are larger than any literal here too.
	return filterNumbersAs(n.ints, n.null, c, group, func(v int64) float64 { return float64(v) })
}

func allIntegers(values []any) bool {
	return !slices.ContainsFunc(values, func(v any) bool { _, ok := v.(int64); return !ok })
}

// floatLiterals returns literals as numbers that are exactly them.
func floatLiterals(values []any) (out []any, ok bool) {
	for _, v := range values {
		switch v := v.(type) {
		case int64:
			if v > 1<<53 || v < -1<<53 {
				return nil, false
			}
			out = append(out, float64(v))
		case float64:
			if math.Abs(v) > 1<<53 {
				return nil, false
			}
			out = append(out, v)
		default:
			return nil, false
		}
	}
	return out, true
}

func filterNumbers[T int64 | float64](values []T, null []bool, c test, group []int32) bool {
	return filterNumbersAs(values, null, c, group, func(v T) T { return v })
}

func filterNumbersAs[T, U int64 | float64](values []T, null []bool, c test, group []int32, as func(T) U) bool {
	lit := make([]U, len(c.values))
	for i, v := range c.values {
		lit[i] = v.(U)
	}
	meets := condition(c.op, lit)
	eachShare(len(values), func(_, from, to int) {
		for i := from; i < to; i++ {
			if null != nil && null[i] || !meets(as(values[i])) {
				group[i] = leftOut
			}
		}
	})
	return true
}

// condition returns the condition as a function.
func condition[T int64 | float64 | string](op string, lit []T) func(T) bool {
	a := lit[0]
	switch op {
	case "=":
		return func(v T) bool { return v == a }
	case "<>":
		return func(v T) bool { return v != a }
	case "<":
		return func(v T) bool { return v < a }
	case "<=":
		return func(v T) bool { return v <= a }
	case ">":
		return func(v T) bool { return v > a }
	case ">=":
		return func(v T) bool { return v >= a }
	case "between":
		b := lit[1]
		return func(v T) bool { return v >= a && v <= b }
	}
	return func(v T) bool { return slices.Contains(lit, v) } // in
}

// filterCodes looks at each value of the column once.
func (t *Table) filterCodes(c test, group []int32) bool {
	var lit []string
	for _, v := range c.values {
		s, ok := v.(string)
		if !ok {
			return false
		}
		lit = append(lit, s)
	}
	codes := t.readCodes(c.column)
	if codes.failed {
		return false
	}
	keep := make([]bool, len(codes.values))
	switch c.op {
	case "null":
		keep[0] = true
	case "notnull":
		for i := range keep[1:] {
			keep[i+1] = true
		}
	default:
		meets := condition(c.op, lit)
		for i, v := range codes.values[1:] {
			keep[i+1] = meets(v.(string))
		}
	}
	eachShare(t.rows, func(_, from, to int) {
		for i := from; i < to; i++ {
			if !keep[codes.of[i]] {
				group[i] = leftOut
			}
		}
	})
	return true
}
