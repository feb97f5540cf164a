package cellref

// Set is a set of cells with a fast test whether a range contains any of them:
// it has a bitmap of rows for each column.
type Set struct {
	cols map[int]*colBits
}

// colBits holds the rows of a column in chunks of 4096, allocated on first use.
type colBits [MaxRow/4096 + 1]*[64]uint64

// Add adds a cell and reports whether it was new.
func (s *Set) Add(row, col int) bool {
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

// AddRange adds a range and reports whether any of its cells was new.
func (s *Set) AddRange(r Range) (grew bool) {
	for col := r.C1; col <= r.C2; col++ {
		grew = s.Add(r.R1, col) || grew
		c := s.cols[col]
		for row := r.R1; row <= r.R2; row = (row | 63) + 1 {
			bits := ^uint64(0) << (row % 64)
			if row|63 > r.R2 {
				bits &= ^uint64(0) >> (63 - r.R2%64)
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

// Has reports whether the set contains a cell.
func (s *Set) Has(row, col int) bool {
	if s == nil || s.cols == nil {
		return false
	}
	c := s.cols[col]
	return c != nil && c[row/4096] != nil && c[row/4096][row/64%64]&(1<<(row%64)) != 0
}

// Columns returns the columns that cells of the set are in, in no order.
func (s *Set) Columns() (cols []int) {
	if s == nil {
		return nil
	}
	for col := range s.cols {
		cols = append(cols, col)
	}
	return cols
}

// HasRow reports whether the set contains a cell of a row.
func (s *Set) HasRow(row int) bool {
	if s == nil {
		return false
	}
	for _, c := range s.cols {
		if c[row/4096] != nil && c[row/4096][row/64%64]&(1<<(row%64)) != 0 {
			return true
		}
	}
	return false
}

// Empty reports whether the set has no cells.
func (s *Set) Empty() bool { return s == nil || len(s.cols) == 0 }

// Meets reports whether the set contains any cell of r.
func (s *Set) Meets(r Range) bool {
	if s.Empty() || r.Empty() {
		return false
	}
	if r.C2-r.C1 < len(s.cols) {
		for col := r.C1; col <= r.C2; col++ {
			if c := s.cols[col]; c != nil && c.meets(r.R1, r.R2) {
				return true
			}
		}
		return false
	}
	for col, c := range s.cols {
		if col >= r.C1 && col <= r.C2 && c.meets(r.R1, r.R2) {
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

// Union returns a new set with the cells of both.
func (s *Set) Union(o *Set) *Set {
	out := &Set{cols: map[int]*colBits{}}
	for _, from := range []*Set{s, o} {
		if from.Empty() {
			continue
		}
		for col, bits := range from.cols {
			if out.cols[col] == nil {
				out.cols[col] = &colBits{}
			}
			out.cols[col].union(bits)
		}
	}
	return out
}

// union adds the rows of o.
func (c *colBits) union(o *colBits) {
	for i, chunk := range o {
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
