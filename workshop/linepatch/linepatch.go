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
package linepatch

import (
	"bytes"
	"fmt"
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
			case len(c.Expected) == 0:
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
	if err := Check(changes); err != nil {
		return nil, err
	}
	body, isUTF8 := content, utf8.Valid(content)
	var out bytes.Buffer
	if bytes.HasPrefix(content, bom) {
		out.Write(bom)
		body = content[len(bom):]
	}
	lines := split(body)
	if err := fits(lines, isUTF8, changes); err != nil {
		return nil, err
	}
	r := result{out: &out, term: lines.dominant()}
	done := 0
	for _, c := range changes {
		from, to := c.span()
		r.keep(lines, done, from)
		for _, l := range c.New {
			r.add(l)
		}
		done = to
	}
	r.keep(lines, done, lines.count())
	if n := lines.count(); n > 0 && lines.at(n-1).end == nil {
		r.openEnd()
	}
	return out.Bytes(), nil
}

// result is the new text as it is written. Every line gets a terminator.
type result struct {
	out  *bytes.Buffer
	term []byte
	last line // the line written last
}

// keep copies the lines from and up to, but without, to.
func (r *result) keep(t text, from, to int) {
	if from >= to {
		return
	}
	r.out.Write(t.body[t.starts[from]:t.starts[to]])
	r.last = t.at(to - 1)
	if r.last.end == nil {
		r.last.end = r.term
		r.out.Write(r.term)
	}
}

func (r *result) add(l string) {
	r.last = line{[]byte(l), r.term}
	r.out.WriteString(l)
	r.out.Write(r.term)
}

// openEnd takes the terminator of the last line back, unless the line is empty: it
// would not be a line without one.
func (r *result) openEnd() {
	if len(r.last.text) > 0 {
		r.out.Truncate(r.out.Len() - len(r.last.end))
	}
}

// fits checks the changes against the lines they are about.
func fits(lines text, isUTF8 bool, changes []Change) error {
	for i, c := range changes {
		_, to := c.span()
		if to > lines.count() {
			return &Error{Index: i, Message: fmt.Sprintf("line %d is outside the file, which has %d lines", to, lines.count())}
		}
		if !isUTF8 && slices.ContainsFunc(c.New, func(l string) bool { return !ascii(l) }) {
			return &Error{Index: i, Message: "the file is not UTF-8, so only ASCII characters can be put into it"}
		}
		if c.Op == Insert {
			continue
		}
		if n := c.End - c.Start + 1; len(c.Expected) != n {
			return &Error{Index: i, Conflict: true, Message: fmt.Sprintf("expectedOriginalLines has %d lines, but lines %d to %d are %d", len(c.Expected), c.Start, c.End, n)}
		}
		for j, want := range c.Expected {
			if got := lines.at(c.Start - 1 + j); string(got.text) != want && (isUTF8 || string([]rune(string(got.text))) != want) {
				return &Error{Index: i, Conflict: true, Message: fmt.Sprintf("line %d is not as expected: expected %.200q, found %.200q", c.Start+j, want, got.text)}
			}
		}
	}
	return nil
}

func ascii(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// line is a line and its terminator: "\n", "\r\n" or, at the end of a text that
// does not end with one, nil.
type line struct{ text, end []byte }

// text is a text with the offsets of its lines. A list of lines would take many
// times the memory of the text.
type text struct {
	body   []byte
	starts []int // of each line, and the length of body
}

// split is the line model A-11.
func split(b []byte) text {
	t := text{b, make([]int, 1, bytes.Count(b, []byte("\n"))+2)}
	for at := 0; at < len(b); {
		i := bytes.IndexByte(b[at:], '\n')
		if at += i + 1; i < 0 {
			at = len(b)
		}
		t.starts = append(t.starts, at)
	}
	return t
}

// count returns the number of lines.
func (t text) count() int { return len(t.starts) - 1 }

// at returns a line, 0-based.
func (t text) at(i int) line {
	b := t.body[t.starts[i]:t.starts[i+1]]
	switch {
	case bytes.HasSuffix(b, []byte("\r\n")):
		return line{b[:len(b)-2], b[len(b)-2:]}
	case bytes.HasSuffix(b, []byte("\n")):
		return line{b[:len(b)-1], b[len(b)-1:]}
	}
	return line{text: b}
}

// dominant returns the terminator that most lines have; "\n" when none has one.
func (t text) dominant() []byte {
	crlf := bytes.Count(t.body, []byte("\r\n"))
	if lf := bytes.Count(t.body, []byte("\n")) - crlf; crlf > lf {
		return []byte("\r\n")
	}
	return []byte("\n")
}
