// Package linepatch changes text by whole lines, as workspace_write_patch asks
// for it (P-03…P-08): inserts, replacements and deletions with the line numbers
// of the text as it was, each checked against the lines it replaces.
//
//	out, err := linepatch.Apply(content, []linepatch.Change{
//		{Op: linepatch.Replace, Start: 2, End: 2, Expected: []string{"old"}, New: []string{"new"}},
//	})
//
// # Promises
//
//   - Bytes of lines that no change names stay as they are.
//   - New lines get the terminator that most lines have; whether the text ends
//     with one does not change.
//   - An error means that nothing was applied; it is an *Error.
//
// Plan and Patch.Write do the same with a text of any size that is read twice.
package linepatch

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Op is what a change does.
type Op string

// The operations.
const (
	Insert  Op = "insert"
	Replace Op = "replace"
	Delete  Op = "delete"
)

// ParseOp reads an operation in any case (P-03).
func ParseOp(s string) (Op, bool) {
	op := Op(strings.ToLower(s))
	return op, op == Insert || op == Replace || op == Delete
}

// Change is one change. Lines are 1-based and count in the text before any
// change.
type Change struct {
	Op       Op
	After    int      // insert: behind this line; 0 is the top
	Start    int      // replace, delete: first line
	End      int      // replace, delete: last line, inclusive
	Expected []string // replace, delete: the lines as they must be, without terminators
	Any      bool     // replace, delete: the lines may be any; Expected is empty
	New      []string // insert, replace: the new lines, without terminators
}

// Error says why changes were not applied.
type Error struct {
	Index    int  // of the change, 0-based
	Conflict bool // the text is not what the change expects; else the change is wrong
	Message  string
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Check finds what is wrong with changes whatever the text: members that are
// missing, lines that are none, order and overlap (P-04…P-07).
func Check(changes []Change) error {
	done := 0 // lines up to here are dealt with
	for i, c := range changes {
		bad := func(format string, args ...any) error {
			return &Error{Index: i, Message: fmt.Sprintf(format, args...)}
		}
		switch c.Op {
		case Insert:
			if c.After < 0 {
				return bad("afterLine must be 0 or more")
			}
			if len(c.New) == 0 {
				return bad("insert needs at least one line in newLines")
			}
		case Replace, Delete:
			switch {
			case c.Start < 1 || c.End < c.Start:
				return bad("startLine and endLine must be 1 or more, startLine not after endLine; they are %d and %d", c.Start, c.End)
			case len(c.Expected) == 0 && !c.Any:
				return bad("%s needs expectedOriginalLines", c.Op)
			case c.Op == Replace && len(c.New) == 0:
				return bad("replace needs at least one line in newLines; use delete to remove lines")
			case c.Op == Delete && len(c.New) > 0:
				return bad("delete takes no newLines")
			}
		default:
			return bad("the operation must be insert, replace or delete, not %q", string(c.Op))
		}
		for _, l := range c.New {
			if strings.ContainsAny(l, "\r\n") {
				return bad("a line in newLines holds a line break; give each line as one element, without terminator")
			}
			if !utf8.ValidString(l) {
				return bad("a line in newLines is not valid UTF-8")
			}
		}
		from, to := c.span()
		if from < done {
			return bad("changes must be sorted from top to bottom and must not overlap; this one begins before the end of the one before it")
		}
		done = to
	}
	return nil
}

// span is how many lines stand before the change and before what follows it.
func (c Change) span() (from, to int) {
	if c.Op == Insert {
		return c.After, c.After
	}
	return c.Start - 1, c.End
}

var bom = []byte("\ufeff")

// Apply carries changes out on the bytes of a text. A byte order mark is no
// part of the first line.
func Apply(content []byte, changes []Change) ([]byte, error) {
	body, mark := content, []byte(nil)
	if bytes.HasPrefix(content, bom) {
		mark, body = content[:len(bom)], content[len(bom):]
	}
	open := func() io.Reader { return bytes.NewReader(body) }
	p, err := Plan(open, changes)
	if err != nil {
		return nil, err
	}
	out := bytes.NewBuffer(slices.Clone(mark))
	if err := p.Write(out, open()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func ascii(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}
