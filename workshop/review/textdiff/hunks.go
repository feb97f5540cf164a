package textdiff

const contextLines = 3

// hunker groups changed lines and the equal lines around them into hunks.
type hunker struct {
	max            int
	hunks          []Hunk
	count          int // changed lines shown
	added, removed int
	current        []Line // of the open hunk
	before         []Line // equal lines that may begin the next hunk
	tail           []Line // equal lines after the open hunk
	span           Span   // of the changed lines of the open hunk
}

func (h *hunker) full() bool { return h.count >= h.max }
func (h *hunker) open() bool { return len(h.current) > 0 }

// begin notes where a changed line stands, when it is the first of a hunk.
func (h *hunker) begin(old, now int64) {
	if !h.open() {
		h.span = Span{old, old, now, now}
	}
}

func (h *hunker) change(l Line) {
	if h.open() {
		h.current = append(h.current, h.tail...)
	} else {
		h.current = append(h.current, h.before...)
	}
	h.before, h.tail = nil, nil
	h.current = append(h.current, l)
	h.count++
	if l.Type == Added {
		h.added++
	} else {
		h.removed++
	}
}

func (h *hunker) equal(l Line) {
	if !h.open() {
		if h.before = append(h.before, l); len(h.before) > contextLines {
			h.before = h.before[1:]
		}
		return
	}
	if h.tail = append(h.tail, l); len(h.tail) > 2*contextLines {
		rest := h.tail[len(h.tail)-contextLines:]
		h.close()
		h.before = append([]Line(nil), rest...)
	}
}

// close ends the open hunk.
func (h *hunker) close() {
	if h.open() {
		h.current = append(h.current, h.tail[:min(len(h.tail), contextLines)]...)
		h.hunks = append(h.hunks, Hunk{Lines: h.current, Span: h.span})
	}
	h.current, h.before, h.tail = nil, nil, nil
}
