package delimited

import (
	"bytes"
	"io"

	"atelier/formats"
)

// MaxRecord bounds one record in memory, in bytes. What is longer is nearly
// always a quote that is never closed.
const MaxRecord = 16 << 20

// Reader reads records one after another.
type Reader struct {
	r        io.Reader
	delim    byte
	buf      []byte
	pos, end int
	eof      bool
	fields   [][]byte
	quoted   []int     // those of fields that are in quotes
	marks    [256]bool // bytes that may end an unquoted field
	records  int
}

// NewReader reads UTF-8 text from r.
func NewReader(r io.Reader, delim byte) *Reader {
	d := &Reader{r: r, delim: delim, buf: make([]byte, 256<<10)}
	d.marks[delim], d.marks['\n'] = true, true
	return d
}

// Read returns the fields of the next record without quotes, or io.EOF. They
// are valid until the next call. A record over MaxRecord is CodeTooLarge.
func (d *Reader) Read() ([][]byte, error) {
	for {
		n, ok := d.parse()
		if ok {
			d.pos += n
			d.records++
			return d.fields, nil
		}
		if d.eof {
			return nil, io.EOF
		}
		if err := d.fill(); err != nil {
			return nil, err
		}
	}
}

// fill reads more input after the unconsumed part of the buffer.
func (d *Reader) fill() error {
	if d.pos > 0 {
		d.end = copy(d.buf, d.buf[d.pos:d.end])
		d.pos = 0
	}
	if d.end == len(d.buf) {
		if len(d.buf) >= MaxRecord {
			return formats.Errorf(formats.CodeTooLarge, "row %d has more than %d bytes; a quote in it may never be closed", d.records+1, MaxRecord)
		}
		d.buf = append(d.buf, make([]byte, len(d.buf))...)
	}
	// A record that did not fit is parsed again, so the whole buffer is filled
	// first: else a long one would be parsed as often as there are reads.
	for d.end < len(d.buf) {
		n, err := d.r.Read(d.buf[d.end:])
		d.end += n
		if err == io.EOF {
			d.eof = true
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// parse splits the record at pos and gives its length; ok is false when it is
// not whole yet, or when there is none.
// parse splits the record at pos and gives its length; ok is false when it is
// not whole yet, or when there is none.
func (d *Reader) parse() (length int, ok bool) {
	d.pos += blankLines(d.buf[d.pos:d.end])
	b := d.buf[d.pos:d.end]
	if len(b) == 0 {
		return 0, false
	}
	d.fields, d.quoted = d.fields[:0], d.quoted[:0]
	for start := 0; ; {
		quotedTo, end, ok := d.fieldEnd(b, start)
		if !ok {
			return 0, false
		}
		f := b[start:end]
		last := end == len(b) || b[end] == '\n'
		// What is in quotes is data; only an end of line outside is not.
		if last && end < len(b) && end > quotedTo && b[end-1] == '\r' {
			f = f[:len(f)-1]
		}
		if quotedTo > start {
			d.quoted = append(d.quoted, len(d.fields))
		}
		d.fields = append(d.fields, f)
		if last {
			for _, q := range d.quoted {
				d.fields[q] = unquote(d.fields[q])
			}
			return min(end+1, len(b)), true
		}
		start = end + 1
	}
}

// blankLines returns the length of the empty lines at the beginning of b.
func blankLines(b []byte) int {
	for i := 0; ; {
		switch {
		case i < len(b) && b[i] == '\n':
			i++
		case i+1 < len(b) && b[i] == '\r' && b[i+1] == '\n':
			i += 2
		default:
			return i
		}
	}
}

// fieldEnd returns where the field at start ends, and where its part in quotes
// ends: start when it has none. ok is false when more input is needed.
func (d *Reader) fieldEnd(b []byte, start int) (quotedTo, end int, ok bool) {
	i := start
	if i < len(b) && b[i] == '"' {
		if i = closingQuote(b, i+1); i < 0 {
			if !d.eof {
				return 0, 0, false
			}
			i = len(b)
		}
	}
	quotedTo = i
	for i < len(b) && !d.marks[b[i]] {
		i++
	}
	return quotedTo, i, i < len(b) || d.eof
}

// closingQuote returns the offset after the quote that ends a quoted field, -1
// when b ends first. A quote at the very end may be the first of two.
func closingQuote(b []byte, i int) int {
	for {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return -1
		}
		i += n + 1
		if i == len(b) || b[i] != '"' {
			return i
		}
		i++
	}
}

// unquote removes the quotes of a field, in place.
func unquote(f []byte) []byte {
	f = f[1:]
	out, i := 0, 0
	for i < len(f) {
		n := bytes.IndexByte(f[i:], '"')
		if n < 0 {
			break
		}
		out += copy(f[out:], f[i:i+n])
		i += n + 1
		if i == len(f) || f[i] != '"' {
			// After the closing quote everything is as it is.
			break
		}
		f[out] = '"'
		out++
		i++
	}
	out += copy(f[out:], f[i:])
	return f[:out]
}
