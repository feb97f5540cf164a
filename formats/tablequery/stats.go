package tablequery

import (
	"cmp"
	"context"
	"io"
	"math"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/delimited"
	"atelier/internal/budget"
	"atelier/internal/textclip"
)

// Stats are the figures of one column.
type Stats struct {
	Name     string         `json:"name"`
	Type     delimited.Type `json:"type"`
	Count    int            `json:"count"` // values that are not null
	Nulls    int            `json:"nulls"`
	Distinct int            `json:"distinct"`
	AtLeast  bool           `json:"distinct_at_least,omitempty"` // there are more than Distinct
	Min      any            `json:"min,omitempty"`
	Max      any            `json:"max,omitempty"`
	Sum      *float64       `json:"sum,omitempty"`
	Mean     *float64       `json:"mean,omitempty"`
	Top      []Frequent     `json:"top,omitempty"` // the most frequent values, when some repeat
}

// Frequent is a value and how often it occurs.
type Frequent struct {
	Value any `json:"value"`
	Count int `json:"count"`
}

const (
	maxDistinct = 100_000
	maxKeyLen   = 200 // of a text that is counted
	topValues   = 5
)

// Stats returns the figures of the named columns, of all when none is named.
func (s *Store) Stats(ctx context.Context, ref Ref, columns []string) ([]*Stats, error) {
	ctx, mem, err := budget.Process.Reserve(ctx, statsMemory)
	if err != nil {
		return nil, err
	}
	defer mem.Release()
	e, err := s.described(ctx, ref)
	if err != nil {
		return nil, err
	}
	defer s.release(e)
	want, err := e.pickColumns(columns)
	if err != nil {
		return nil, err
	}
	var missing []*column
	for _, c := range want {
		if e.stats[c.Name] == nil {
			missing = append(missing, c)
		}
	}
	// A few columns at a time keeps the counting in bounds.
	for len(missing) > 0 {
		n := min(len(missing), 32)
		got, err := measureColumns(ctx, e.refFrom(ref), missing[:n])
		if err != nil {
			return nil, err
		}
		for _, st := range got {
			e.stats[st.Name] = st
		}
		missing = missing[n:]
	}
	out := make([]*Stats, len(want))
	for i, c := range want {
		out[i] = e.stats[c.Name]
	}
	return out, nil
}

// pickColumns finds columns by name in any case.
func (s *tableShape) pickColumns(names []string) ([]*column, error) {
	var out []*column
	if len(names) == 0 {
		for i := range s.cols {
			out = append(out, &s.cols[i])
		}
		return out, nil
	}
	for _, n := range names {
		i := slices.IndexFunc(s.cols, func(c column) bool { return strings.EqualFold(c.Name, strings.TrimSpace(n)) })
		if i < 0 {
			return nil, formats.Errorf(formats.CodeNotFound, "there is no column %q; the columns are %s", n, columnNames([]*tableShape{s}))
		}
		out = append(out, &s.cols[i])
	}
	return out, nil
}

// columnCounter collects the figures of a column.
type columnCounter struct {
	col      *column
	count    int
	min, max any
	lo, hi   float64
	sum      float64
	nums     map[float64]int
	texts    map[string]*int
	full     bool
}

func measureColumns(ctx context.Context, ref Ref, cols []*column) ([]*Stats, error) {
	r, _, err := openRows(ctx, ref)
	if err != nil {
		return nil, err
	}
	defer r.close()
	tallies := make([]*columnCounter, len(cols))
	for i, c := range cols {
		tallies[i] = &columnCounter{col: c, lo: math.Inf(1), hi: math.Inf(-1), nums: map[float64]int{}, texts: map[string]*int{}}
	}
	total := 0
	for {
		cells, err := r.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if total&1023 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		total++
		for _, t := range tallies {
			if t.col.at < len(cells) {
				t.addValue(&cells[t.col.at])
			}
		}
	}
	out := make([]*Stats, len(cols))
	for i, t := range tallies {
		out[i] = t.stats(total)
	}
	return out, nil
}

func (t *columnCounter) addValue(c *cell) {
	b := c.b
	if c.kind == raw {
		b = delimited.Trim(b)
	}
	if c.kind == raw && len(b) == 0 || c.kind == empty || c.kind == failed || c.kind == formless {
		return
	}
	t.count++
	if t.col.Type == delimited.Integer || t.col.Type == delimited.Number {
		f := c.float(t.col.comma)
		t.lo, t.hi, t.sum = min(t.lo, f), max(t.hi, f), t.sum+f
		if n, ok := t.nums[f]; ok || len(t.nums) < maxDistinct {
			t.nums[f] = n + 1
		} else {
			t.full = true
		}
		return
	}
	if c.kind == number || c.kind == boolean {
		b = shownText(*c)
	}
	if t.col.Type == delimited.Boolean {
		b = []byte("false")
		if c.truth() {
			b = []byte("true")
		}
	}
	if len(b) > maxKeyLen {
		b = b[:maxKeyLen]
	}
	if n := t.texts[string(b)]; n != nil {
		*n++
		return
	}
	if len(t.texts) < maxDistinct {
		one := 1
		t.texts[string(b)] = &one
	} else {
		t.full = true
	}
	if s := t.min; s == nil || string(b) < s.(string) {
		t.min = string(b)
	}
	if s := t.max; s == nil || string(b) > s.(string) {
		t.max = string(b)
	}
}

func (t *columnCounter) stats(total int) *Stats {
	s := &Stats{Name: t.col.Name, Type: t.col.Type, Count: t.count, Nulls: total - t.count, Distinct: len(t.nums) + len(t.texts), AtLeast: t.full}
	if t.count == 0 {
		return s
	}
	clip := func(v any) any {
		if text, ok := v.(string); ok && len(text) > 80 {
			return textclip.HeadBytes(text, 80)
		} else if ok {
			return strings.ToValidUTF8(text, "\uFFFD")
		}
		return v
	}
	if len(t.nums) > 0 {
		mean := t.sum / float64(t.count)
		s.Min, s.Max, s.Sum, s.Mean = t.lo, t.hi, &t.sum, &mean
		for v, n := range t.nums {
			s.Top = keepTop(s.Top, v, n)
		}
	} else {
		if t.col.Type != delimited.Boolean {
			s.Min, s.Max = clip(t.min), clip(t.max)
		}
		for v, n := range t.texts {
			s.Top = keepTop(s.Top, v, *n)
		}
	}
	if len(s.Top) > 0 && s.Top[0].Count == 1 {
		s.Top = nil
	}
	for i := range s.Top {
		s.Top[i].Value = clip(s.Top[i].Value)
	}
	return s
}

// keepTop inserts a value among the most frequent; among equals the smaller
// one comes first, so that the order is always the same.
func keepTop[V cmp.Ordered](top []Frequent, v V, n int) []Frequent {
	if len(top) == topValues && top[topValues-1].Count > n {
		return top
	}
	at, _ := slices.BinarySearchFunc(top, n, func(f Frequent, n int) int {
		if f.Count != n {
			return n - f.Count
		}
		return cmp.Compare(f.Value.(V), v)
	})
	if at >= topValues {
		return top
	}
	top = slices.Insert(top, at, Frequent{v, n})
	return top[:min(len(top), topValues)]
}
