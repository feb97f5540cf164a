package search

import (
	"bytes"
	"context"
	"io"
	"strings"
	"unicode/utf8"
)

const (
	block    = 1 << 20  // of a file, searched at a time
	maxBlock = 16 << 20 // a longer line is searched in parts of this size
	binaryAt = 8 << 10  // a NUL byte up to here makes a file binary (B9-05)
	// MaxLine bounds Match.Text and context lines in bytes.
	MaxLine = 2000
	// contextWindow limits the bytes before and after a match that are
	// searched for its context lines.
	contextWindow = 64 << 10
	// contextStep is how much of it is read first, because most lines are
	// short.
	contextStep = 1 << 10
)

// scanner searches one text at a time; it is reused for its buffer.
type scanner struct {
	*matcher
	before, after int
	max           int // maximum matches of one text; 0: no limit
	buf           []byte
	bytes         int   // of the hits of this text
	read          int64 // of this file, as GrepOptions.MostBytes counts
	checks        bool
	encoded       bool // with checks: this text is not UTF-8
}

// enough reports whether no further hit of a text can be used.
func (s *scanner) enough(hits []hit) bool {
	return s.max > 0 && len(hits) >= s.max || s.bytes > MaxMatchBytes
}

// hit is a matching line.
type hit struct {
	line       int   // 1-based
	start, end int64 // of the line in the text, without its terminator
	text       string
	cut        bool // text is only part of the line
}

// scan finds the matching lines of r, which has about size bytes. binary
// reports that the content is not text and was not searched.
func (s *scanner) scan(ctx context.Context, r io.Reader, size int64) (hits []hit, binary bool, err error) {
	if want := int(min(size+1, block)); len(s.buf) < want {
		s.buf = make([]byte, max(want, 64<<10))
	}
	var at blockAt
	s.bytes, s.encoded = 0, false
	have := 0
	for {
		n, eof, err := s.fillBuffer(r, have, size, at.offset)
		if err != nil {
			return nil, false, err
		}
		have = n
		if at.offset == 0 && at.line == 0 {
			if bytes.IndexByte(s.buf[:min(have, binaryAt)], 0) >= 0 {
				return nil, true, nil
			}
			at.line = 1
			at.skip = len(bom(s.buf[:have]))
		}
		cut := have
		if !eof {
			if cut = bytes.LastIndexByte(s.buf[:have], '\n') + 1; cut == 0 {
				if len(s.buf) < maxBlock {
					s.buf = append(s.buf, make([]byte, len(s.buf))...)
					continue
				}
				cut = have
			}
		}
		s.encoded = s.encoded || s.checks && !utf8.Valid(s.buf[:cut])
		if hits, err = s.scanBlock(ctx, s.buf[:cut], &at, hits); err != nil {
			return nil, false, err
		}
		if eof || s.enough(hits) {
			return hits, false, nil
		}
		have = copy(s.buf, s.buf[cut:have])
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
	}
}

// fillBuffer reads into the buffer after its first have bytes. To save a read, the
// file counts as finished when as many bytes were read as it had when it was
// opened.
func (s *scanner) fillBuffer(r io.Reader, have int, size, offset int64) (n int, eof bool, err error) {
	for have < len(s.buf) {
		if offset+int64(have) >= size {
			return have, true, nil
		}
		room := s.buf[have:]
		if left := size - offset - int64(have); int64(len(room)) > left {
			room = room[:left]
		}
		n, err := r.Read(room)
		have += n
		if err == io.EOF {
			return have, true, nil
		}
		if err != nil {
			return have, false, err
		}
	}
	return have, offset+int64(have) >= size, nil
}

// bom returns the byte order mark at the beginning of a UTF-8 text.
func bom(text []byte) []byte {
	const mark = "\ufeff"
	if bytes.HasPrefix(text, []byte(mark)) {
		return text[:len(mark)]
	}
	return nil
}

// blockAt is the position of a block in a text.
type blockAt struct {
	offset int64
	line   int // of its first byte, 1-based; 0 before the first block
	skip   int // bytes at its beginning that are not text
	last   int // the line of the last hit: each line matches once
}

// scanBlock finds the matching lines in data, which has whole lines or a part of
// a long one, and moves at to the end of data. It checks the context for each
// line, because a pattern may take long for one.
func (s *scanner) scanBlock(ctx context.Context, data []byte, at *blockAt, hits []hit) ([]hit, error) {
	pos, line, counted := at.skip, at.line, 0
	var f finder
	if s.filter != nil {
		f = s.filter.finder(data)
	}
	for pos < len(data) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		i := pos
		if f != nil {
			if i = f.next(pos); i < 0 {
				break
			}
		}
		start := max(pos, bytes.LastIndexByte(data[pos:i], '\n')+1+pos)
		end := len(data)
		if n := bytes.IndexByte(data[i:], '\n'); n >= 0 {
			end = i + n
		}
		text := data[start:end]
		if end < len(data) {
			text = bytes.TrimSuffix(text, []byte("\r"))
		}
		if where := s.findMatch(text, i-start); where >= 0 {
			line += bytes.Count(data[counted:start], []byte("\n"))
			counted = start
			if line != at.last {
				at.last = line
				h := hit{line: line, start: at.offset + int64(start), end: at.offset + int64(end)}
				h.text, h.cut = shortenLine(text, where)
				hits = append(hits, h)
				if s.bytes += len(h.text) + matchSize; s.enough(hits) {
					return hits, nil
				}
			}
		}
		pos = end + 1
	}
	at.line = line + bytes.Count(data[counted:], []byte("\n"))
	at.offset += int64(len(data))
	at.skip = 0
	return hits, nil
}

// findMatch returns the position of the match in a line, or -1 if the line does
// not match. at is the position that the filter found.
func (s *scanner) findMatch(line []byte, at int) int {
	if s.certain {
		return at
	}
	if len(line) <= MaxLine {
		if s.re.Match(line) { // its position is not needed
			return 0
		}
		return -1
	}
	if loc := s.re.FindIndex(line); loc != nil {
		return loc[0]
	}
	return -1
}

// shortenLine returns at most MaxLine bytes of a line around the match, as valid
// UTF-8, with … where text is left out.
func shortenLine(line []byte, around int) (text string, cut bool) {
	if len(line) <= MaxLine {
		return strings.ToValidUTF8(string(line), "\uFFFD"), false
	}
	const ellipsis = "…"
	from := max(0, min(around-MaxLine/4, len(line)-MaxLine))
	to := min(len(line), from+MaxLine)
	for n := 0; from > 0 && n < utf8.UTFMax && !utf8.RuneStart(line[from]); n++ {
		from++
	}
	for n := 0; to < len(line) && n < utf8.UTFMax && !utf8.RuneStart(line[to]); n++ {
		to--
	}
	text = string(line[from:to])
	if from > 0 {
		text = ellipsis + text
	}
	if to < len(line) {
		text += ellipsis
	}
	return strings.ToValidUTF8(text, "\uFFFD"), true
}

// readContext reads the context lines of a hit (B9-03): the neighbouring lines
// unchanged, limited by the ends of the text and by the context window.
func (s *scanner) readContext(r io.ReaderAt, size int64, h hit) (before, after []string, err error) {
	if s.before > 0 && h.line > 1 {
		if before, err = s.linesBefore(r, h.start-1); err != nil {
			return nil, nil, err
		}
	}
	if s.after > 0 && h.end+1 < size {
		if after, err = s.linesAfter(r, h.end+1, size); err != nil {
			return nil, nil, err
		}
	}
	return before, after, nil
}

// linesBefore returns the lines that end at end, without the last terminator.
func (s *scanner) linesBefore(r io.ReaderAt, end int64) (_ []string, err error) {
	var text []byte
	from := end
	for window := int64(contextStep); from > 0 && window <= contextWindow && bytes.Count(text, []byte("\n")) < s.before; window *= 4 {
		from = max(0, end-window)
		if text, err = readAt(r, from, end); err != nil {
			return nil, err
		}
	}
	if from == 0 {
		text = text[len(bom(text)):]
	}
	lines := bytes.Split(text, []byte("\n"))
	if from > 0 && len(lines) > 1 {
		lines = lines[1:] // incomplete
	}
	return contextLines(lines[max(0, len(lines)-s.before):], true), nil
}

// linesAfter returns the lines that begin at start.
func (s *scanner) linesAfter(r io.ReaderAt, start, size int64) (_ []string, err error) {
	var text []byte
	to := start
	for window := int64(contextStep); to < size && window <= contextWindow && bytes.Count(text, []byte("\n")) < s.after; window *= 4 {
		to = min(size, start+window)
		if text, err = readAt(r, start, to); err != nil {
			return nil, err
		}
	}
	lines := bytes.SplitN(text, []byte("\n"), s.after+1)
	whole := true
	switch {
	case len(lines) > s.after:
		lines = lines[:s.after]
	case len(lines[len(lines)-1]) == 0: // after the final newline there is no line
		lines = lines[:len(lines)-1]
	default:
		whole = false
	}
	return contextLines(lines, whole), nil
}

// contextLines converts lines for a result. whole reports that the last line
// ends with a newline; a carriage return before it is not part of the text.
func contextLines(lines [][]byte, whole bool) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		if whole || i < len(lines)-1 {
			l = bytes.TrimSuffix(l, []byte("\r"))
		}
		out[i], _ = shortenLine(l, 0)
	}
	return out
}

func readAt(r io.ReaderAt, from, to int64) ([]byte, error) {
	b := make([]byte, to-from)
	n, err := r.ReadAt(b, from)
	if err == io.EOF {
		err = nil
	}
	return b[:n], err
}
