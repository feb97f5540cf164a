package column

import "math"

// meetsAll reports whether the values of a group meet the conditions on groups; ok is
// false where SQLite has to say: it compares numbers with texts by the affinity of what
// they come from.
func meetsAll(row []any, tests []test) (meets, ok bool) {
	for _, c := range tests {
		v := row[c.column]
		switch c.op {
		case "null", "notnull":
			if (v == nil) != (c.op == "null") {
				return false, true
			}
			continue
		}
		if !comparable(v, c.values) {
			return false, false
		}
		if v == nil || !meetsOne(v, c) {
			return false, true
		}
	}
	return true, true
}

// comparable reports whether a value compares with literals as it does here: texts with
// texts, and numbers with numbers that a float64 has exactly.
func comparable(v any, literals []any) bool {
	for _, l := range literals {
		if _, text := l.(string); !text && !exact(l) {
			return false
		}
		if v == nil {
			continue
		}
		_, text := v.(string)
		if _, other := l.(string); text != other || !text && !exact(v) {
			return false
		}
	}
	return true
}

func exact(v any) bool {
	switch v := v.(type) {
	case int64:
		return v >= -1<<53 && v <= 1<<53
	case float64:
		return math.Abs(v) <= 1<<53
	}
	return false
}

func meetsOne(v any, c test) bool {
	if s, ok := v.(string); ok {
		lit := make([]string, len(c.values))
		for i, l := range c.values {
			lit[i] = l.(string)
		}
		return condition(c.op, lit)(s)
	}
	lit := make([]float64, len(c.values))
	for i, l := range c.values {
		lit[i] = asFloat(l)
	}
	return condition(c.op, lit)(asFloat(v))
}

func asFloat(v any) float64 {
	if n, ok := v.(int64); ok {
		return float64(n)
	}
	return v.(float64)
}
