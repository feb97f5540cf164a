package text

import (
	"bytes"
	"context"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"atelier/formats"
)

// charset is the character encoding of a file.
type charset struct {
	name string            // as the map tells it
	bom  int               // bytes of the byte order mark, 0 when there is none
	enc  encoding.Encoding // nil: UTF-8
}

var (
	utf8Plain = charset{name: "utf-8"}
	utf8BOM   = charset{name: "utf-8-bom", bom: 3}
	utf16LE   = charset{name: "utf-16le", enc: unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)}
	utf16BE   = charset{name: "utf-16be", enc: unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)}
	cp1252    = charset{name: "windows-1252", enc: charmap.Windows1252}
)

// sniffBytes is how many bytes of a file decide its encoding. A file whose
// first sniffBytes are UTF-8 is read as UTF-8 to its end.
const sniffBytes = 8 << 20

// detectCharset finds the encoding of src.
func detectCharset(ctx context.Context, src formats.Source) (charset, error) {
	r := ctxReader{ctx, io.NewSectionReader(src, 0, min(src.Size(), sniffBytes))}
	var c counter
	buf := make([]byte, min(src.Size()+1, 64<<10)) // one more, to see the end in the same read
	kept, first := 0, true
	for {
		n, err := io.ReadFull(r, buf[kept:])
		b := buf[:kept+n]
		if first {
			if cs, ok := charsetByMark(b); ok {
				return cs, nil
			}
			first = false
		}
		end := err == io.EOF || err == io.ErrUnexpectedEOF
		c.keepSample(b[kept:])
		kept = copy(buf, c.count(b, end && src.Size() <= sniffBytes))
		if end {
			return c.charset(), nil
		}
		if err != nil {
			return charset{}, err
		}
	}
}

// charsetByMark detects the encoding by a byte order mark, or by the zero bytes
// of UTF-16.
func charsetByMark(b []byte) (charset, bool) {
	switch {
	case bytes.HasPrefix(b, []byte("\xef\xbb\xbf")):
		return utf8BOM, true
	case bytes.HasPrefix(b, []byte("\xff\xfe")):
		cs := utf16LE
		cs.bom = 2
		return cs, true
	case bytes.HasPrefix(b, []byte("\xfe\xff")):
		cs := utf16BE
		cs.bom = 2
		return cs, true
	}
	var zeros [2]int
	head := b[:min(len(b), 4096)&^1]
	for i, c := range head {
		if c == 0 {
			zeros[i&1]++
		}
	}
	// Western text in UTF-16 has a zero in nearly every second byte.
	switch half := len(head) / 2; {
	case half < 2:
	case zeros[1] > half*6/10 && zeros[0] < half/10:
		return utf16LE, true
	case zeros[0] > half*6/10 && zeros[1] < half/10:
		return utf16BE, true
	}
	return charset{}, false
}

// counter counts multi-byte characters and bytes that are no UTF-8.
type counter struct {
	multi, bad int
	sample     []byte
}

// keepSample adds text with bytes beyond ASCII to the sample.
func (c *counter) keepSample(b []byte) {
	room := sampleBytes - len(c.sample)
	if room <= 0 {
		return
	}
	for i := range b {
		if b[i] >= utf8.RuneSelf {
			c.sample = append(c.sample, b[i:min(len(b), i+room)]...)
			return
		}
	}
}

// count counts b and returns its tail that may be the start of a character.
func (c *counter) count(b []byte, last bool) []byte {
	for len(b) > 0 {
		if b[0] < utf8.RuneSelf {
			b = b[1:]
			continue
		}
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			if !last && !utf8.FullRune(b) {
				return b
			}
			c.bad++
		} else {
			c.multi++
		}
		b = b[n:]
	}
	return nil
}

// charset treats a few bad bytes among many good characters as damage, and
// anything worse as another encoding.
func (c *counter) charset() charset {
	if c.bad == 0 || c.multi > 20*c.bad {
		return utf8Plain
	}
	return guessCharset(c.sample)
}

// reader returns the text of src in UTF-8, without a byte order mark. Bytes
// that are not characters are passed on in UTF-8 files and U+FFFD in others.
func (cs charset) reader(ctx context.Context, src formats.Source) io.Reader {
	r := io.Reader(ctxReader{ctx, io.NewSectionReader(src, int64(cs.bom), max(0, src.Size()-int64(cs.bom)))})
	if cs.enc != nil {
		r = cs.enc.NewDecoder().Reader(r)
	}
	return r
}

// ctxReader ends a read when its context is done.
type ctxReader struct {
	ctx context.Context
	r   io.Reader
}

func (c ctxReader) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	if len(b) > 64<<10 {
		b = b[:64<<10]
	}
	return c.r.Read(b)
}
