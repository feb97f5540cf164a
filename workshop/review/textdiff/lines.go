package textdiff

import (
	"bufio"
	"bytes"
	"hash/maphash"
	"io"
	"strings"
)

// Tests set small windows.
var (
	windowBytes int64 = 1 << 20 // of each side, aligned at once
	windowLines       = 20_000
)

const maxShown = 4 << 10 // bytes of one line

// line is one line of a text in a comparison.
type line struct {
	start, end int64 // offsets; end is after the terminator
	hash       uint64
	text       []byte // its beginning, at most maxShown bytes, without terminator
	from       int64  // bytes left out before text
	size       int64  // without terminator
}

var seed = maphash.MakeSeed()

// readLines reads whole lines from an offset up to limit: at most one window,
// but at least one line of any length.
func readLines(t Text, from, limit int64) ([]line, error) {
	if from >= limit {
		return nil, nil
	}
	s := newScanner(t, from, limit)
	var out []line
	for len(out) < windowLines && s.at-from < windowBytes {
		l, err := s.next(true)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	return out, nil
}

// scanner reads lines one after the other.
type scanner struct {
	r  *bufio.Reader
	at int64
}

func newScanner(t Text, from, limit int64) *scanner {
	return &scanner{r: bufio.NewReaderSize(io.NewSectionReader(t, from, limit-from), 128<<10), at: from}
}

// next reads a line, and its text only if keep is set. The last line of a
// text may lack a terminator.
func (s *scanner) next(keep bool) (line, error) {
	l := line{start: s.at}
	piece, err := s.r.ReadSlice('\n')
	if err == nil || err == io.EOF && len(piece) > 0 {
		body := bytes.TrimSuffix(piece, []byte("\n"))
		s.at += int64(len(piece))
		l.end, l.size, l.hash = s.at, int64(len(body)), maphash.Bytes(seed, body)
		if keep {
			l.text = bytes.Clone(body[:min(len(body), maxShown)])
		}
		return l, nil
	}
	if err != bufio.ErrBufferFull {
		return l, err
	}
	// A line longer than the buffer is hashed in pieces.
	var h maphash.Hash
	h.SetSeed(seed)
	for {
		body := piece
		if err == nil {
			body = bytes.TrimSuffix(piece, []byte("\n"))
		}
		if keep && len(l.text) < maxShown {
			l.text = append(l.text, body[:min(len(body), maxShown-len(l.text))]...)
		}
		h.Write(body)
		l.size += int64(len(body))
		s.at += int64(len(piece))
		if err != bufio.ErrBufferFull {
			break
		}
		piece, err = s.r.ReadSlice('\n')
	}
	if err != nil && err != io.EOF {
		return l, err
	}
	l.end, l.hash = s.at, h.Sum64()
	return l, nil
}

// hunkLine converts a line for a hunk.
func hunkLine(l line, kind string, oldLine, newLine int) Line {
	text := bytes.TrimSuffix(l.text, []byte("\r"))
	return Line{
		Type: kind, Text: strings.ToValidUTF8(string(text), "\uFFFD"), OldLine: oldLine, NewLine: newLine,
		From: l.from, Cut: max(0, l.size-l.from-int64(len(l.text))),
	}
}

// focusLine returns the part of a long line around the first difference from
// the line that replaced it. Shorter lines are returned unchanged.
func (c *comparison) focusLine(t Text, l line, other Text, o line) line {
	if l.size <= maxShown {
		return l
	}
	n := min(l.size, o.size)
	at, err := firstDifference(t, l.start, other, o.start, n)
	if err != nil || at < maxShown/2 {
		return l
	}
	l.from = at - maxShown/4
	buf := make([]byte, min(maxShown, l.size-l.from))
	if _, err := t.ReadAt(buf, l.start+l.from); err != nil && err != io.EOF {
		return line{start: l.start, end: l.end, hash: l.hash, text: l.text, size: l.size}
	}
	l.text = buf
	return l
}

// firstDifference returns how many of at most n bytes are equal from the two
// offsets on.
func firstDifference(a Text, atA int64, b Text, atB int64, n int64) (int64, error) {
	const chunk = 256 << 10
	x, y := make([]byte, min(n, chunk)), make([]byte, min(n, chunk))
	for done := int64(0); done < n; {
		k := min(n-done, chunk)
		if err := readFull(a, x[:k], atA+done); err != nil {
			return 0, err
		}
		if err := readFull(b, y[:k], atB+done); err != nil {
			return 0, err
		}
		if !bytes.Equal(x[:k], y[:k]) {
			return done + int64(mismatch(x[:k], y[:k])), nil
		}
		done += k
	}
	return n, nil
}

func readFull(t Text, buf []byte, at int64) error {
	n, err := t.ReadAt(buf, at)
	if n == len(buf) {
		return nil
	}
	if err == nil {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// mismatch returns the index of the first byte that differs; a and b have the
// same length.
func mismatch(a, b []byte) int {
	i := 0
	for ; i+64 <= len(a) && bytes.Equal(a[i:i+64], b[i:i+64]); i += 64 {
	}
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i
}
