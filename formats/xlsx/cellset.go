package xlsx

// cellSet is a set of cells that answers quickly whether a block holds any:
// a bitmap of rows for each column.
type cellSet struct {
	cols map[int]*colBits
}

// colBits holds the rows of a column in chunks of 4096, made on first use.
type colBits [maxRow/4096 + 1]*[64]uint64

// add puts a cell in; it reports whether it was new.
func (s *cellSet) add(row, col int) bool {
	if s.cols == nil {
		s.cols = map[int]*colBits{}
	}
	c := s.cols[col]
	if c == nil {
		c = &colBits{}
		s.cols[col] = c
	}
	if c[row/4096] == nil {
		c[row/4096] = new([64]uint64)
	}
	w, bit := &c[row/4096][row/64%64], uint64(1)<<(row%64)
	if *w&bit != 0 {
		return false
	}
	*w |= bit
	return true
}

// addRect puts a block in; it reports whether any cell of it was new.
func (s *cellSet) addRect(r rect) (grew bool) {
	for col := r.c1; col <= r.c2; col++ {
		grew = s.add(r.r1, col) || grew
		c := s.cols[col]
		for row := r.r1; row <= r.r2; row = (row | 63) + 1 {
			bits := ^uint64(0) << (row % 64)
			if row|63 > r.r2 {
				bits &= ^uint64(0) >> (63 - r.r2%64)
			}
			if c[row/4096] == nil {
				c[row/4096] = new([64]uint64)
			}
			w := &c[row/4096][row/64%64]
			grew = grew || *w|bits != *w
			*w |= bits
		}
	}
	return grew
}

func (s *cellSet) has(row, col int) bool {
	if s == nil || s.cols == nil {
		return false
	}
	c := s.cols[col]
	return c != nil && c[row/4096] != nil && c[row/4096][row/64%64]&(1<<(row%64)) != 0
}

func (s *cellSet) empty() bool { return s == nil || len(s.cols) == 0 }

// meets reports whether any cell of r is in the set.
func (s *cellSet) meets(r rect) bool {
	if s.empty() || r.empty() {
		return false
	}
	if r.c2-r.c1 < len(s.cols) {
		for col := r.c1; col <= r.c2; col++ {
			if c := s.cols[col]; c != nil && c.meets(r.r1, r.r2) {
				return true
			}
		}
		return false
	}
	for col, c := range s.cols {
		if col >= r.c1 && col <= r.c2 && c.meets(r.r1, r.r2) {
			return true
		}
	}
	return false
}

func (c *colBits) meets(r1, r2 int) bool {
	for w := r1 / 64; w <= r2/64; w++ {
		chunk := c[w/64]
		if chunk == nil {
			w |= 63
			continue
		}
		bits := chunk[w%64]
		if w == r1/64 {
			bits &= ^uint64(0) << (r1 % 64)
		}
		if w == r2/64 {
			bits &= ^uint64(0) >> (63 - r2%64)
		}
		if bits != 0 {
			return true
		}
	}
	return false
}

// union is a new set with the cells of both.
func (s *cellSet) union(o *cellSet) *cellSet {
	out := &cellSet{cols: map[int]*colBits{}}
	for _, from := range []*cellSet{s, o} {
		if from.empty() {
			continue
		}
		for col, bits := range from.cols {
			c := out.cols[col]
			if c == nil {
				c = &colBits{}
				out.cols[col] = c
			}
			for i, chunk := range bits {
				if chunk == nil {
					continue
				}
				if c[i] == nil {
					c[i] = new([64]uint64)
				}
				for w, b := range chunk {
					c[i][w] |= b
				}
			}
		}
	}
	return out
}
