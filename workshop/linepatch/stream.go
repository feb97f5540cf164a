package linepatch

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"

	"atelier/internal/utf8check"
)

// Patch is changes that fit a text.
type Patch struct {
	Lines   int // of the text
	changes []Change
	term    string // of new lines
	openEnd bool   // the last line has no terminator
	firsts  []string
}

// shownLine is how many bytes of a line are kept for telling it.
const shownLine = 200

// Plan reads a text without byte order mark and checks that changes fit it. Its
// error is an *Error or that of the reader.
func Plan(open func() io.Reader, changes []Change) (*Patch, error) {
	if err := Check(changes); err != nil {
		return nil, err
	}
	s := survey{changes: changes, wrong: make([]*Error, len(changes)), firsts: make([]string, len(changes))}
	if err := eachPiece(open(), s.add); err != nil {
		return nil, err
	}
	if err := s.fits(); err != nil {
		return nil, err
	}
	p := &Patch{Lines: s.lines, changes: changes, term: "\n", openEnd: s.open, firsts: s.firsts}
	if s.crlf > s.lf {
		p.term = "\r\n"
	}
	return p, nil
}

// First returns the beginning of the first line that a change replaces or deletes.
func (p *Patch) First(change int) string { return p.firsts[change] }

// After returns the number of lines after the changes.
func (p *Patch) After() int {
	n := p.Lines
	for _, c := range p.changes {
		from, to := c.span()
		n += len(c.New) - (to - from)
	}
	return n
}

// piece is a line or, of a long line, a part: without its terminator, which the last
// piece has in end.
type piece struct {
	line  int // 0-based
	text  []byte
	end   string // "\n", "\r\n", or "" where more of the line follows or the text ends
	first bool   // of the line
	last  bool
}

// pieceBytes is the most bytes of a piece.
const pieceBytes = 64 << 10

// eachPiece gives the lines of a text piece by piece.
func eachPiece(r io.Reader, f func(piece) error) error {
	br := bufio.NewReaderSize(r, pieceBytes)
	p := piece{first: true}
	for {
		b, err := br.ReadSlice('\n')
		if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
			return err
		}
		if err == bufio.ErrBufferFull && b[len(b)-1] == '\r' { // perhaps of the terminator
			if err := br.UnreadByte(); err != nil {
				return err
			}
			b = b[:len(b)-1]
		}
		if err == io.EOF && len(b) == 0 && p.first {
			return nil
		}
		p.text, p.end, p.last = b, "", err != bufio.ErrBufferFull
		if err == nil {
			p.text, p.end = b[:len(b)-1], "\n"
			if bytes.HasSuffix(p.text, []byte("\r")) {
				p.text, p.end = p.text[:len(p.text)-1], "\r\n"
			}
		}
		if err := f(p); err != nil {
			return err
		}
		if err == io.EOF {
			return nil
		}
		if p.first = p.last; p.last {
			p.line++
		}
	}
}

// survey is what the first reading of a text finds.
type survey struct {
	changes  []Change
	at       int // the first change that is not dealt with
	lines    int
	lf, crlf int
	open     bool // the last line has no terminator
	utf8     utf8check.Checker
	held     []byte // of the line, as far as it is needed
	wrong    []*Error
	firsts   []string
}

func (s *survey) add(p piece) error {
	s.utf8.Add(p.text)
	for s.at < len(s.changes) {
		if _, to := s.changes[s.at].span(); to > p.line {
			break
		}
		s.at++
	}
	if s.at < len(s.changes) {
		s.compare(p)
	}
	if !p.last {
		return nil
	}
	s.lines++
	s.open = p.end == ""
	switch p.end {
	case "\n":
		s.lf++
		s.utf8.Add([]byte{'\n'})
	case "\r\n":
		s.crlf++
		s.utf8.Add([]byte{'\n'})
	}
	return nil
}

// compare holds a line that a change is about against what the change expects.
func (s *survey) compare(p piece) {
	c := s.changes[s.at]
	from, _ := c.span()
	if p.line < from || c.Op == Insert {
		return
	}
	if p.first {
		s.held = s.held[:0]
	}
	want := ""
	if i := p.line - from; i < len(c.Expected) {
		want = c.Expected[i]
	}
	room := max(len(want)+1, shownLine) // one more than fits is another line
	s.held = append(s.held, p.text[:min(len(p.text), max(0, room-len(s.held)))]...)
	if !p.last {
		return
	}
	if p.line == from {
		s.firsts[s.at] = string(s.held[:min(len(s.held), shownLine)])
	}
	if got := string(s.held); len(c.Expected) > 0 && s.wrong[s.at] == nil && got != want && string([]rune(got)) != want {
		s.wrong[s.at] = &Error{Index: s.at, Conflict: true, Message: fmt.Sprintf("line %d is not as expected: expected %.200q, found %.200q", p.line+1, want, got)}
	}
}

// fits checks the changes against what was found.
func (s *survey) fits() error {
	for i, c := range s.changes {
		_, to := c.span()
		if to > s.lines {
			return &Error{Index: i, Message: fmt.Sprintf("line %d is outside the file, which has %d lines", to, s.lines)}
		}
		if !s.utf8.Valid() && slices.ContainsFunc(c.New, func(l string) bool { return !ascii(l) }) {
			return &Error{Index: i, Message: "the file is not UTF-8, so only ASCII characters can be put into it"}
		}
		if c.Op == Insert || c.Any {
			continue
		}
		if n := c.End - c.Start + 1; len(c.Expected) != n {
			return &Error{Index: i, Conflict: true, Message: fmt.Sprintf("expectedOriginalLines has %d lines, but lines %d to %d are %d", len(c.Expected), c.Start, c.End, n)}
		}
		if s.wrong[i] != nil {
			return s.wrong[i]
		}
	}
	return nil
}

// Write writes the text with the changes made; r is the text that was planned for.
func (p *Patch) Write(w io.Writer, r io.Reader) error {
	out := &lineWriter{w: bufio.NewWriterSize(w, pieceBytes)}
	rest := p.changes
	add := func(c Change) {
		for _, l := range c.New {
			out.write([]byte(l))
			out.end(p.term)
		}
	}
	err := eachPiece(r, func(x piece) error {
		for x.first && len(rest) > 0 {
			from, to := rest[0].span()
			if from == x.line && to == from { // an insert in front of this line
				add(rest[0])
				rest = rest[1:]
				continue
			}
			if from == x.line {
				add(rest[0])
			}
			if to > x.line {
				break
			}
			rest = rest[1:]
		}
		if len(rest) > 0 {
			if from, to := rest[0].span(); from <= x.line && x.line < to {
				return out.err // replaced or deleted
			}
		}
		out.write(x.text)
		switch {
		case x.end != "":
			out.end(x.end)
		case x.last:
			out.end(p.term)
		}
		return out.err
	})
	if err != nil {
		return err
	}
	for _, c := range rest {
		if from, _ := c.span(); from == p.Lines {
			add(c)
		}
	}
	return out.close(p.openEnd)
}

// lineWriter writes lines. It holds the last terminator back, which a text may end
// without.
type lineWriter struct {
	w     *bufio.Writer
	term  string // of the line that was ended last
	empty bool   // that line is
	any   bool   // bytes of the present line were written
	err   error
}

func (l *lineWriter) write(b []byte) {
	if len(b) == 0 {
		return
	}
	l.flush()
	l.any = true
	if _, err := l.w.Write(b); l.err == nil {
		l.err = err
	}
}

func (l *lineWriter) flush() {
	if _, err := l.w.WriteString(l.term); l.err == nil {
		l.err = err
	}
	l.term = ""
}

func (l *lineWriter) end(term string) {
	if !l.any {
		l.flush() // of the line before
	}
	l.term, l.empty, l.any = term, !l.any, false
}

// close ends the text. Its last line gets no terminator if open is set, unless it is
// empty: it would not be a line without one.
func (l *lineWriter) close(open bool) error {
	if !open || l.empty {
		l.flush()
	}
	if l.err != nil {
		return l.err
	}
	return l.w.Flush()
}
