package textdiff

import (
	"context"
	"io"
)

// Text is one side of a comparison. It must not change during the comparison.
type Text interface {
	io.ReaderAt
	Size() int64
}

// Options configure Compare; the zero value starts at the beginning.
type Options struct {
	Start    Cursor
	MaxLines int // maximum number of shown lines; 0 is 2,000
}

// Cursor is a place in both texts from which a comparison continues. The zero
// value is the beginning.
type Cursor struct {
	Old, New         int64 // offsets of line starts, in bytes
	OldLine, NewLine int   // number of lines before the offsets
	// OldEnd and NewEnd are the ends of a block that has nothing in common; 0
	// if the cursor is outside such a block.
	OldEnd, NewEnd int64
}

// Window is the result of one Compare.
type Window struct {
	Hunks          []Hunk
	Added, Removed int     // lines in these hunks
	To             Cursor  // the end of this window
	Next           *Cursor // where the next Compare starts; nil at the end of both texts
}

// Hunk is a run of changed lines with up to three equal lines before and
// after it.
type Hunk struct {
	ID    string `json:"id,omitempty"` // names the hunk to take it back; "" when it cannot be
	Lines []Line `json:"lines"`
	Span  Span   `json:"-"` // of the changed lines
}

// Span is the same place in both texts, in bytes.
type Span struct{ OldStart, OldEnd, NewStart, NewEnd int64 }

// Line is one line of a hunk. OldLine and NewLine are 1-based, and 0 if the
// side has no such line.
type Line struct {
	Type    string `json:"type"` // context, added, removed
	Text    string `json:"text"` // without its terminator
	OldLine int    `json:"old_line,omitempty"`
	NewLine int    `json:"new_line,omitempty"`
	From    int64  `json:"from,omitempty"` // bytes of the line left out before Text
	Cut     int64  `json:"cut,omitempty"`  // bytes of the line left out after Text
}

// Types of a Line.
const (
	Context = "context"
	Added   = "added"
	Removed = "removed"
)

// Compare finds the differences of before and after from opt.Start on, until
// it has shown MaxLines.
func Compare(ctx context.Context, before, after Text, opt Options) (*Window, error) {
	if opt.MaxLines <= 0 {
		opt.MaxLines = 2000
	}
	c := &comparison{ctx: ctx, a: before, b: after, at: opt.Start, out: hunker{max: opt.MaxLines}}
	for !c.done() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		full, err := c.nextWindow()
		if err != nil {
			return nil, err
		}
		if full {
			break
		}
	}
	c.out.close()
	w := &Window{Hunks: c.out.hunks, Added: c.out.added, Removed: c.out.removed, To: c.at}
	if !c.done() {
		next := c.at
		w.Next = &next
	}
	return w, nil
}

// comparison is the state of one Compare.
type comparison struct {
	ctx  context.Context
	a, b Text
	at   Cursor
	out  hunker
	x, y []byte // buffers of skipEqual
}

func (c *comparison) done() bool { return c.at.Old >= c.a.Size() && c.at.New >= c.b.Size() }

// nextWindow skips an equal part and compares the window after it. full reports
// that MaxLines is reached.
func (c *comparison) nextWindow() (full bool, err error) {
	if c.at.OldEnd > 0 || c.at.NewEnd > 0 {
		return c.showBlock()
	}
	if err := c.skipEqual(); err != nil || c.done() {
		return false, err
	}
	a, err := readLines(c.a, c.at.Old, c.a.Size())
	if err != nil {
		return false, err
	}
	b, err := readLines(c.b, c.at.New, c.b.Size())
	if err != nil {
		return false, err
	}
	whole := endOfLines(a, c.at.Old) >= c.a.Size() && endOfLines(b, c.at.New) >= c.b.Size()
	ops := alignLines(a, b)
	if !whole {
		ops = ops[:lastCommon(ops, a)]
	}
	if len(ops) > 0 {
		return c.showOps(ops, a, b), nil
	}
	if c.at.OldEnd, c.at.NewEnd, err = c.resync(a, b); err != nil {
		return false, err
	}
	return c.showBlock()
}

// showOps passes the ops to the hunker until it is full.
func (c *comparison) showOps(ops []op, a, b []line) (full bool) {
	for k, o := range ops {
		if o.kind != opEqual && c.out.full() {
			return true
		}
		if o.kind != opEqual {
			c.out.begin(c.at.Old, c.at.New)
		}
		switch o.kind {
		case opEqual:
			c.out.equal(hunkLine(b[o.b], Context, c.at.OldLine+1, c.at.NewLine+1))
		case opRemoved:
			l := a[o.a]
			if k+1 < len(ops) && ops[k+1].kind == opAdded {
				l = c.focusLine(c.a, l, c.b, b[ops[k+1].b])
			}
			c.out.change(hunkLine(l, Removed, c.at.OldLine+1, 0))
		case opAdded:
			l := b[o.b]
			if k > 0 && ops[k-1].kind == opRemoved {
				l = c.focusLine(c.b, l, c.a, a[ops[k-1].a])
			}
			c.out.change(hunkLine(l, Added, 0, c.at.NewLine+1))
		}
		if o.kind != opAdded {
			c.at.Old, c.at.OldLine = a[o.a].end, c.at.OldLine+1
		}
		if o.kind != opRemoved {
			c.at.New, c.at.NewLine = b[o.b].end, c.at.NewLine+1
		}
		if o.kind != opEqual {
			c.out.span.OldEnd, c.out.span.NewEnd = c.at.Old, c.at.New
		}
	}
	return false
}

// blockLines is how many lines of each side of a block are shown together.
var blockLines = 200

// showBlock shows a part of a block that has nothing in common: some lines of the
// old text, then some of the new one.
func (c *comparison) showBlock() (full bool, err error) {
	a, err := readLines(c.a, c.at.Old, c.at.OldEnd)
	if err != nil {
		return false, err
	}
	b, err := readLines(c.b, c.at.New, c.at.NewEnd)
	if err != nil {
		return false, err
	}
	var ops []op
	for i := range min(len(a), blockLines) {
		ops = append(ops, op{opRemoved, i, -1})
	}
	for j := range min(len(b), blockLines) {
		ops = append(ops, op{opAdded, -1, j})
	}
	full = c.showOps(ops, a, b)
	if c.at.Old >= c.at.OldEnd && c.at.New >= c.at.NewEnd {
		c.at.OldEnd, c.at.NewEnd = 0, 0
	}
	return full, nil
}

func endOfLines(lines []line, start int64) int64 {
	if len(lines) == 0 {
		return start
	}
	return lines[len(lines)-1].end
}
