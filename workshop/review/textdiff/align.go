package textdiff

import (
	"io"

	"atelier/internal/seqdiff"
)

type opKind uint8

const (
	opEqual opKind = iota
	opRemoved
	opAdded
)

// op is one line of an edit script: an index into the old lines, the new
// lines, or both.
type op struct {
	kind opKind
	a, b int
}

// alignLines returns the edit script from a to b. In each change the removed
// lines come before the added ones.
func alignLines(a, b []line) []op {
	steps := seqdiff.Lists(len(a), len(b), seqdiff.Options{
		KeyA: func(i int) uint64 { return a[i].hash }, KeyB: func(j int) uint64 { return b[j].hash },
		Weightless: func(int) bool { return true }, // a moved line is one removed and one added
	})
	var out, added []op
	flush := func() {
		out = append(out, added...)
		added = added[:0]
	}
	for _, s := range steps {
		switch {
		case s.A < 0:
			added = append(added, op{opAdded, -1, s.B})
		case s.B < 0:
			out = append(out, op{opRemoved, s.A, -1})
		default:
			flush()
			out = append(out, op{opEqual, s.A, s.B})
		}
	}
	flush()
	return out
}

// resync accepts a run of equal lines as the same place if it has this many
// lines or bytes.
const (
	sureLines = 3
	sureBytes = 24
)

// lastCommon returns the number of ops up to the end of the last run of equal
// lines. The lines after it may have their counterparts in the next window.
func lastCommon(ops []op, a []line) int {
	for at := len(ops); at > 0; {
		if ops[at-1].kind != opEqual {
			at--
			continue
		}
		n, size := 0, int64(0)
		start := at
		for start > 0 && ops[start-1].kind == opEqual {
			start--
			n++
			size += a[ops[start].a].size
		}
		if n >= sureLines || size >= sureBytes {
			return at
		}
		at = start
	}
	return 0
}

// resync finds where two texts are equal again that have nothing in common in
// a window. It searches for lines of each window in the rest of the other
// text and returns the ends of the block between, or the ends of the texts if
// there is no such place.
func (c *comparison) resync(a, b []line) (endA, endB int64, err error) {
	endA, endB = c.a.Size(), c.b.Size()
	i, posB, err := c.findLines(a, c.b, endOfLines(b, c.at.New), endB)
	if err != nil {
		return 0, 0, err
	}
	best := int64(-1)
	if i >= 0 {
		endA, endB = a[i].start, posB
		best = endA - c.at.Old + endB - c.at.New
	}
	limit := c.a.Size()
	if best >= 0 {
		limit = min(limit, c.at.Old+best) // a place further on would be no better
	}
	j, posA, err := c.findLines(b, c.a, endOfLines(a, c.at.Old), limit)
	if err != nil {
		return 0, 0, err
	}
	if j >= 0 && (best < 0 || posA-c.at.Old+b[j].start-c.at.New < best) {
		endA, endB = posA, b[j].start
	}
	return endA, endB, nil
}

// findLines searches t between two offsets for two consecutive lines of a window.
// It returns -1 if there are none.
func (c *comparison) findLines(window []line, t Text, from, limit int64) (int, int64, error) {
	at := map[uint64]int{} // index in the window; -1: the line occurs twice
	for i, l := range window {
		if _, twice := at[l.hash]; twice {
			at[l.hash] = -1
		} else {
			at[l.hash] = i
		}
	}
	s := newScanner(t, from, limit)
	was, wasAt := -1, int64(0)
	for n := 0; ; n++ {
		if n%8192 == 0 {
			if err := c.ctx.Err(); err != nil {
				return -1, 0, err
			}
		}
		l, err := s.next(false)
		if err == io.EOF {
			return -1, 0, nil
		}
		if err != nil {
			return -1, 0, err
		}
		i, ok := at[l.hash]
		if !ok {
			i = -1
		}
		if was >= 0 && was+1 < len(window) && window[was+1].hash == l.hash && window[was].size+l.size >= sureBytes/2 {
			return was, wasAt, nil
		}
		if i >= 0 && window[i].size >= sureBytes && i == len(window)-1 {
			return i, l.start, nil
		}
		was, wasAt = i, l.start
	}
}
