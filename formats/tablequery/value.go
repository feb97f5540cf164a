package tablequery

import (
	"math"
	"strconv"

	"atelier/formats/delimited"
)

// kinds says what types the value can have; null is true for no value.
func (c *cell) kinds() (k delimited.Kinds, null bool) {
	switch c.kind {
	case raw:
		if b := delimited.Trim(c.b); len(b) > 0 {
			return delimited.KindsOf(b), false
		}
		return 0, true
	case typed:
		return 0, false
	case number:
		if c.num == math.Trunc(c.num) && math.Abs(c.num) < 1<<53 {
			return delimited.AsInteger | delimited.AsNumber, false
		}
		return delimited.AsNumber, false
	case boolean:
		return delimited.AsBoolean, false
	case date:
		return delimited.AsDate, false
	}
	return 0, true
}

// shownText returns the value as text, nil for none.
func shownText(c cell) []byte {
	switch c.kind {
	case raw, typed, date:
		return c.b
	case number:
		return strconv.AppendFloat(nil, c.num, 'f', -1, 64)
	case boolean:
		return []byte(map[bool]string{true: "TRUE", false: "FALSE"}[c.num != 0])
	}
	return nil
}

// integer returns the value in a column of integers, float in one of numbers.
func (c *cell) integer() int64 {
	if c.kind == raw {
		return delimited.ParseInt(delimited.Trim(c.b))
	}
	return int64(c.num)
}

func (c *cell) float(comma bool) float64 {
	if c.kind == raw {
		return delimited.ParseFloat(delimited.Trim(c.b), comma)
	}
	return c.num
}

func (c *cell) truth() bool {
	if c.kind == raw {
		v, _ := delimited.ParseBool(delimited.Trim(c.b))
		return v
	}
	return c.num != 0
}
