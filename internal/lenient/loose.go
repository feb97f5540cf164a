// Package lenient has scalar types for the JSON that models really send for a
// boolean or an integer (A-15): true, "TRUE", "1" or 1 for a boolean, 5 or "
// 5 " for an integer, and 5 for a text. null leaves the value unchanged.
package lenient

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Bool accepts true/false, the same words as strings in any case, "1"/"0", 1/0.
type Bool bool

// UnmarshalJSON implements json.Unmarshaler.
func (b *Bool) UnmarshalJSON(data []byte) error {
	s, null, err := unquoted(data)
	if null || err != nil {
		return err
	}
	switch strings.ToLower(s) {
	case "true", "1":
		*b = true
	case "false", "0":
		*b = false
	default:
		return fmt.Errorf("expected a boolean, got %s", data)
	}
	return nil
}

// Int accepts whole numbers and decimal strings with surrounding white space.
type Int int

// UnmarshalJSON implements json.Unmarshaler.
func (i *Int) UnmarshalJSON(data []byte) error {
	s, null, err := unquoted(data)
	if null || err != nil {
		return err
	}
	if n, err := strconv.Atoi(s); err == nil {
		*i = Int(n)
		return nil
	}
	// In JSON, 5.0 and 5e0 are whole numbers too.
	if f, err := strconv.ParseFloat(s, 64); err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 && data[0] != '"' {
		*i = Int(f)
		return nil
	}
	return fmt.Errorf("expected an integer, got %s", data)
}

// Ptr returns the value as *int, or nil if i is nil.
func (i *Int) Ptr() *int {
	if i == nil {
		return nil
	}
	n := int(*i)
	return &n
}

// Float accepts numbers and decimal strings with surrounding white space.
type Float float64

// UnmarshalJSON implements json.Unmarshaler.
func (f *Float) UnmarshalJSON(data []byte) error {
	s, null, err := unquoted(data)
	if null || err != nil {
		return err
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return fmt.Errorf("expected a number, got %s", data)
	}
	*f = Float(n)
	return nil
}

// Text accepts strings, and numbers as written: a sheet named 2025, page 3,
// section 0.
type Text string

// UnmarshalJSON implements json.Unmarshaler.
func (t *Text) UnmarshalJSON(data []byte) error {
	var n json.Number
	switch {
	case string(data) == "null":
		return nil
	case data[0] == '"':
		var s string
		err := json.Unmarshal(data, &s)
		*t = Text(s)
		return err
	}
	if err := json.Unmarshal(data, &n); err != nil {
		kind := map[byte]string{'[': "array", '{': "object"}[data[0]]
		return fmt.Errorf("expected a string, got %s", cmp.Or(kind, "boolean"))
	}
	*t = Text(n)
	return nil
}

// unquoted returns a JSON value as written, or a string without its quotes
// and surrounding white space.
func unquoted(data []byte) (s string, null bool, err error) {
	if len(data) == 0 || data[0] != '"' {
		return string(data), string(data) == "null", nil
	}
	err = json.Unmarshal(data, &s)
	return strings.TrimSpace(s), false, err
}
