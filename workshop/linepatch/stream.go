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
		p.text, p.end = withoutEnd(b, err == nil)
		p.last = err != bufio.ErrBufferFull
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

// withoutEnd splits a line that ends with "\n", if ended is set, from its terminator.
func withoutEnd(b []byte, ended bool) (text []byte, end string) {
	if !ended {
		return b, ""
	}
	if line, ok := bytes.CutSuffix(b, []byte("\r\n")); ok {
		return line, "\r\n"
	}
	return b[:len(b)-1], "\n"
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
	m := &maker{rest: p.changes, term: p.term, out: &lineWriter{w: bufio.NewWriterSize(w, pieceBytes)}}
	if err := eachPiece(r, m.add); err != nil {
		return err
	}
	for _, c := range m.rest {
		if from, _ := c.span(); from == p.Lines {
			m.addNew(c)
		}
	}
	return m.out.close(p.openEnd)
}

// maker makes changes while a text goes by.
type maker struct {
	rest []Change // that are not past
	term string
	out  *lineWriter
}

func (m *maker) add(x piece) error {
	if x.first {
		m.begin(x.line)
	}
	if m.drops(x.line) {
		return m.out.err
	}
	m.out.write(x.text)
	switch {
	case x.end != "":
		m.out.end(x.end)
	case x.last:
		m.out.end(m.term)
	}
	return m.out.err
}

// begin puts in front of a line what comes there, and forgets changes that are past.
func (m *maker) begin(line int) {
	for len(m.rest) > 0 {
		c := m.rest[0]
		from, to := c.span()
		if from == line {
			m.addNew(c)
		}
		if to > line || from > line {
			return
		}
		m.rest = m.rest[1:]
	}
}

// drops reports whether a line is replaced or deleted.
func (m *maker) drops(line int) bool {
	if len(m.rest) == 0 {
		return false
	}
	from, to := m.rest[0].span()
	return from <= line && line < to
}

func (m *maker) addNew(c Change) {
	for _, l := range c.New {
		m.out.write([]byte(l))
		m.out.end(m.term)
	}
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
