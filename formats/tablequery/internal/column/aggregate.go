package column

import "math"

// aggregate counts the different values of groups, or finds the first or last
// in order, or counts all.
func (c *codes) aggregate(fn string, group []int32, groups int) func(int) any {
	switch fn {
	case "count":
		return c.countValues(group, groups)
	case "distinct":
		return c.countDistinct(group, groups)
	}
	best := make([]uint16, groups)
	for i, g := range group {
		if g == leftOut || c.of[i] == 0 {
			continue
		}
		if b := best[g]; b == 0 || fn == "min" && c.of[i] < b || fn == "max" && c.of[i] > b {
			best[g] = c.of[i]
		}
	}
	return func(g int) any { return c.values[best[g]] }
}

func (c *codes) countValues(group []int32, groups int) func(int) any {
	n := make([]int64, groups)
	for i, g := range group {
		if g != leftOut && c.of[i] != 0 {
			n[g]++
		}
	}
	return func(g int) any { return n[g] }
}

// countDistinct returns nil when it would need too much memory.
func (c *codes) countDistinct(group []int32, groups int) func(int) any {
	values := len(c.values)
	if groups*values > 1<<26 {
		return nil
	}
	seen := make([]bool, groups*values)
	n := make([]int64, groups)
	for i, g := range group {
		if g == leftOut || c.of[i] == 0 {
			continue
		}
		if at := int(g)*values + int(c.of[i]); !seen[at] {
			seen[at] = true
			n[g]++
		}
	}
	return func(g int) any { return n[g] }
}

// sumInts sums up a column of integers; nil when the sum of a group is too
// large for one.
func sumInts(fn string, n *numbers, group []int32, groups int) func(int) any {
	counts, sums := make([]int64, groups), make([]int64, groups)
	for i, g := range group {
		if g == leftOut || n.null != nil && n.null[i] {
			continue
		}
		v := n.ints[i]
		switch fn {
		case "sum", "avg":
			s := sums[g] + v
			if v > 0 && s < sums[g] || v < 0 && s > sums[g] {
				return nil
			}
			sums[g] = s
		case "min":
			if counts[g] == 0 || v < sums[g] {
				sums[g] = v
			}
		case "max":
			if counts[g] == 0 || v > sums[g] {
				sums[g] = v
			}
		}
		counts[g]++
	}
	return func(g int) any {
		switch {
		case fn == "count":
			return counts[g]
		case counts[g] == 0:
			return nil
		case fn == "avg":
			return float64(sums[g]) / float64(counts[g])
		}
		return sums[g]
	}
}

// sum is a running sum with what rounding has lost so far (Neumaier, 1974), as
// SQLite keeps it.
type sum struct{ sum, lost float64 }

func (s *sum) add(v float64) {
	t := s.sum + v
	if math.Abs(s.sum) > math.Abs(v) {
		s.lost += (s.sum - t) + v
	} else {
		s.lost += (v - t) + s.sum
	}
	s.sum = t
}

func (s *sum) total() float64 {
	if math.IsNaN(s.lost) || math.IsInf(s.lost, 0) {
		return s.sum
	}
	return s.sum + s.lost
}

func sumFloats(fn string, n *numbers, group []int32, groups int) func(int) any {
	counts, sums := make([]int64, groups), make([]sum, groups)
	for i, g := range group {
		if g == leftOut || n.null != nil && n.null[i] {
			continue
		}
		v, s := n.floats[i], &sums[g]
		switch fn {
		case "sum", "avg":
			s.add(v)
		case "min":
			if counts[g] == 0 || v < s.sum {
				s.sum = v
			}
		case "max":
			if counts[g] == 0 || v > s.sum {
				s.sum = v
			}
		}
		counts[g]++
	}
	return func(g int) any {
		if fn == "count" {
			return counts[g]
		}
		v := sums[g].sum
		if fn == "sum" || fn == "avg" {
			v = sums[g].total()
		}
		if fn == "avg" {
			v /= float64(counts[g])
		}
		if counts[g] == 0 || math.IsNaN(v) {
			return nil
		}
		return v
	}
}
