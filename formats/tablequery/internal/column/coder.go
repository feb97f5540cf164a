package column

import (
	"cmp"
	"math"
	"slices"

	"atelier/formats/tablequery/internal/image"
)

// coder numbers the values of some rows in the order they come, from 1 on.
type coder struct {
	kind        image.Kind
	texts       map[string]uint16
	bits        map[uint64]uint16 // of numbers
	values      []any             // by code; [0] is none
	first, last int               // rows seen
	failed      bool
}

func newCoder(kind image.Kind) *coder {
	return &coder{kind: kind, texts: map[string]uint16{}, bits: map[uint64]uint16{}, values: []any{nil}, first: -1, last: -1}
}

func (e *coder) code(v image.Value) uint16 {
	if v.Kind == image.Null || e.failed {
		return 0
	}
	if v.Kind == image.Text {
		c, ok := e.texts[string(v.Text)]
		if !ok {
			text := string(v.Text)
			if c = e.addValue(text); c > 0 {
				e.texts[text] = c
			}
		}
		return c
	}
	var value any = v.Int
	b := uint64(v.Int)
	if e.kind == image.Float {
		f := v.Float
		if v.Kind == image.Int {
			f = float64(v.Int)
		}
		value, b = f, math.Float64bits(f)
	}
	c, ok := e.bits[b]
	if !ok {
		if c = e.addValue(value); c > 0 {
			e.bits[b] = c
		}
	}
	return c
}

func (e *coder) addValue(v any) uint16 {
	if len(e.values) > maxValues {
		e.failed = true
		return 0
	}
	e.values = append(e.values, v)
	return uint16(len(e.values) - 1)
}

// joinCodes makes the codes of several coders, each of its own rows, those of one
// order of values.
func joinCodes(of []uint16, parts []*coder) (values []any, failed bool) {
	var all []any
	for _, e := range parts {
		if e == nil {
			continue
		}
		if e.failed {
			return nil, true
		}
		all = append(all, e.values[1:]...)
	}
	slices.SortFunc(all, compare)
	all = slices.Compact(all)
	if len(all) > maxValues {
		return nil, true
	}
	at := make(map[any]uint16, len(all))
	for i, v := range all {
		at[v] = uint16(i + 1)
	}
	for _, e := range parts {
		if e == nil || e.first < 0 {
			continue
		}
		final := make([]uint16, len(e.values))
		for i, v := range e.values[1:] {
			final[i+1] = at[v]
		}
		for i, c := range of[e.first : e.last+1] {
			of[e.first+i] = final[c]
		}
	}
	return append([]any{nil}, all...), false
}

// compare orders values as SQLite does: none, then numbers, then texts by
// bytes. Numbers of one column are all of one type.
func compare(a, b any) int {
	switch x := a.(type) {
	case nil:
		if b == nil {
			return 0
		}
		return -1
	case int64:
		if y, ok := b.(int64); ok {
			return cmp.Compare(x, y)
		}
	case float64:
		if y, ok := b.(float64); ok {
			return cmp.Compare(x, y)
		}
	case string:
		if y, ok := b.(string); ok {
			return cmp.Compare(x, y)
		}
	}
	if b == nil {
		return 1
	}
	return 0
}
