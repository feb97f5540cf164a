package sheetml

import (
	"bytes"
	"io"

	"atelier/formats"
)

const (
	initialBufferSize = 256 << 10
	// maxBuffered bounds the bytes in memory, which one cell or the elements before
	// the rows may need: a cell has at most 32,767 characters, but its runs may each
	// carry formatting.
	maxBuffered = 16 << 20
)

// window is a sliding view of a stream. Offsets are relative to pos, the first
// byte not consumed, and stay valid while more is read.
type window struct {
	r        io.Reader
	buf      []byte
	pos, end int
	base     int64 // offset of pos in the stream
	eof      bool
	err      error
}

func newWindow(r io.Reader) window { return window{r: r, buf: make([]byte, initialBufferSize)} }

// rest returns the bytes read so far.
func (w *window) rest() []byte { return w.buf[w.pos:w.end] }

func (w *window) consume(n int) {
	w.pos += n
	w.base += int64(n)
}

// more reads further bytes and returns false at the end of the stream or on an
// error.
func (w *window) more() bool {
	if w.eof || w.err != nil {
		return false
	}
	if w.end == len(w.buf) {
		if w.pos > 0 {
			w.end = copy(w.buf, w.buf[w.pos:w.end])
			w.pos = 0
		} else if len(w.buf) >= maxBuffered {
			w.err = formats.Errorf(formats.CodeTooLarge, "a single element of a worksheet has more than %d bytes", maxBuffered)
			return false
		} else {
			w.buf = append(w.buf, make([]byte, len(w.buf))...)
		}
	}
	for tries := 0; tries < 100; tries++ {
		n, err := w.r.Read(w.buf[w.end:])
		w.end += n
		if err == io.EOF {
			w.eof = true
		} else if err != nil {
			w.err = err
		}
		if n > 0 {
			return true
		}
		if err != nil {
			return false
		}
	}
	w.err = io.ErrNoProgress
	return false
}

// need reads until n bytes are available.
func (w *window) need(n int) bool {
	for w.end-w.pos < n {
		if !w.more() {
			return false
		}
	}
	return true
}

// index returns the offset of c at or after from, -1 when the stream ends
// first.
func (w *window) index(from int, c byte) int {
	for {
		if d := w.rest(); from < len(d) {
			if i := bytes.IndexByte(d[from:], c); i >= 0 {
				return from + i
			}
			from = len(d)
		}
		if !w.more() {
			return -1
		}
	}
}

// indexSeq is index for a sequence.
func (w *window) indexSeq(from int, seq string) int {
	for {
		i := w.index(from, seq[0])
		if i < 0 || !w.need(i+len(seq)) {
			return -1
		}
		if string(w.rest()[i:i+len(seq)]) == seq {
			return i
		}
		from = i + 1
	}
}

// afterTag returns the offset after the '>' of the tag at from; a '>' inside
// quotes does not count.
func (w *window) afterTag(from int) int {
	for {
		e := w.index(from, '>')
		if e < 0 {
			return -1
		}
		// Attribute values seldom contain '>', so this usually succeeds at once.
		q := openQuote(w.rest()[from:e])
		if q == 0 {
			return e + 1
		}
		if from = w.index(e+1, q) + 1; from == 0 {
			return -1
		}
	}
}

// openQuote returns the quote character still open at the end of b, 0 when none
// is.
func openQuote(b []byte) byte {
	double, single := true, true // whether there may be one
	for {
		i, j := -1, -1
		if double {
			i = bytes.IndexByte(b, '"')
			double = i >= 0
		}
		if single {
			// Searched only before the next '"': else the scan is quadratic.
			if i >= 0 {
				j = bytes.IndexByte(b[:i], '\'')
			} else {
				j = bytes.IndexByte(b, '\'')
				single = j >= 0
			}
		}
		if j >= 0 {
			i = j
		}
		if i < 0 {
			return 0
		}
		q := b[i]
		n := bytes.IndexByte(b[i+1:], q)
		if n < 0 {
			return q
		}
		b = b[i+n+2:]
	}
}

// skipMarkup returns the offset after the comment, CDATA section or processing
// instruction at from; -1 when there is none, or it does not end.
func (w *window) skipMarkup(from int) int {
	end := ""
	switch {
	case !w.need(from + 4):
		return -1
	case w.rest()[from+1] == '?':
		end = "?>"
	case string(w.rest()[from:from+4]) == "<!--":
		end = "-->"
	case w.need(from+9) && string(w.rest()[from:from+9]) == "<![CDATA[":
		end = "]]>"
	default:
		return -1
	}
	i := w.indexSeq(from+2, end)
	if i < 0 {
		return -1
	}
	return i + len(end)
}
