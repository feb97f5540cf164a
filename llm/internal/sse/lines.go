package sse

import (
	"bytes"
	"io"
)

// lineReader splits a stream at LF, CRLF or CR without reading on when a whole
// line is there already.
type lineReader struct {
	r       io.Reader
	most    int // bytes of a line
	buf     []byte
	start   int // of the current line
	scanned int // from start on, without a line end
	skipLF  bool
	begun   bool
	err     error
}

var bom = []byte("\xef\xbb\xbf")

// next returns the next line without its end; it is valid until the next call.
// The last line need not be ended.
func (l *lineReader) next() ([]byte, error) {
	for {
		if l.skipLF && l.start < len(l.buf) {
			l.skipLF = false
			if l.buf[l.start] == '\n' {
				l.start++
			}
		}
		if i := lineEnd(l.buf[l.start+l.scanned:]); i >= 0 {
			end := l.start + l.scanned + i
			line := l.buf[l.start:end]
			l.skipLF = l.buf[end] == '\r'
			l.start, l.scanned = end+1, 0
			return l.trim(line), nil
		}
		l.scanned = len(l.buf) - l.start
		if l.err != nil {
			return l.last()
		}
		if l.scanned >= l.most {
			return nil, ErrTooLong
		}
		l.fill()
	}
}

// last returns what stands after the last line end, once, if the stream ended
// well.
func (l *lineReader) last() ([]byte, error) {
	if l.err != io.EOF || l.scanned == 0 {
		return nil, l.err
	}
	line := l.buf[l.start:]
	l.start, l.scanned = len(l.buf), 0
	return l.trim(line), nil
}

func (l *lineReader) trim(line []byte) []byte {
	if !l.begun {
		l.begun = true
		line = bytes.TrimPrefix(line, bom)
	}
	return line
}

func lineEnd(b []byte) int {
	i := bytes.IndexByte(b, '\n')
	if i < 0 {
		return bytes.IndexByte(b, '\r')
	}
	if j := bytes.IndexByte(b[:i], '\r'); j >= 0 {
		return j
	}
	return i
}

func (l *lineReader) fill() {
	if l.start > 0 {
		n := copy(l.buf, l.buf[l.start:])
		l.buf, l.start = l.buf[:n], 0
	}
	if cap(l.buf)-len(l.buf) < 4<<10 {
		grown := make([]byte, len(l.buf), max(16<<10, 2*cap(l.buf)))
		copy(grown, l.buf)
		l.buf = grown
	}
	for range 100 {
		n, err := l.r.Read(l.buf[len(l.buf):cap(l.buf)])
		l.buf = l.buf[:len(l.buf)+n]
		if err != nil {
			l.err = err
			return
		}
		if n > 0 {
			return
		}
	}
	l.err = io.ErrNoProgress
}
