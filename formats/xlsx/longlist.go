package xlsx

// longList is a list in blocks, none of which is copied when the list grows. The zero
// value is empty.
type longList[T any] struct {
	blocks [][]T // each of listBlock but for the last, which may have fewer
	n      int
}

const listBlock = 1 << 12

// at returns element i.
func (l *longList[T]) at(i int) *T { return &l.blocks[uint(i)/listBlock][uint(i)%listBlock] }

// grow makes the list at least n long; new elements are v.
func (l *longList[T]) grow(n int, v T) {
	for l.n < n {
		k := l.n / listBlock
		if k == len(l.blocks) {
			size := listBlock
			if k == 0 { // most lists are short
				size = 64
			}
			l.blocks = append(l.blocks, make([]T, 0, size))
		}
		l.blocks[k] = append(l.blocks[k], v)
		l.n++
	}
}
