package text

import (
	"bytes"
	"context"
	"errors"
	"io"

	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"

	"atelier/formats"
)

// Stream is a text of any size that can be stored again with its original encoding
// and byte order mark.
type Stream struct {
	src  formats.Source
	cs   charset
	mark []byte
}

// OpenStream finds the encoding of src. A file that could not be written back with
// the same bytes gives a CodeCorrupt error, as OpenEditable does.
func OpenStream(ctx context.Context, src formats.Source) (Stream, error) {
	cs, err := detectCharset(ctx, src)
	if err != nil {
		return Stream{}, err
	}
	s := Stream{src: src, cs: cs, mark: make([]byte, min(int64(cs.bom), src.Size()))}
	if _, err := src.ReadAt(s.mark, 0); err != nil && err != io.EOF {
		return s, err
	}
	if cs.enc == nil {
		return s, nil
	}
	same := &sameWriter{r: io.NewSectionReader(src, 0, src.Size())}
	w := s.Writer(same)
	if _, err = io.Copy(w, s.Reader(ctx)); err == nil {
		err = w.Close()
	}
	var fe *formats.Error
	switch {
	case ctx.Err() != nil:
		return s, ctx.Err()
	case errors.Is(err, errOtherBytes), errors.As(err, &fe), err == nil && same.n != src.Size():
		return s, formats.Errorf(formats.CodeCorrupt, "%s is damaged: it is not %s throughout", src.Name(), cs.name)
	}
	return s, err
}

// Encoding returns the name of the file's encoding, as the map has it.
func (s Stream) Encoding() string { return s.cs.name }

// Reader returns the text in UTF-8 without byte order mark. Bytes that are not
// characters are left in it where the file is UTF-8 otherwise.
func (s Stream) Reader(ctx context.Context) io.Reader { return s.cs.reader(ctx, s.src) }

// Writer writes text, which it takes in UTF-8, to w in the encoding of the file,
// behind its byte order mark. A character that the encoding lacks gives a
// CodeInvalid error. Close ends the text; it does not close w.
func (s Stream) Writer(w io.Writer) io.WriteCloser {
	m := &markWriter{w: w, mark: s.mark}
	if s.cs.enc == nil {
		return m
	}
	return &encodingWriter{transform.NewWriter(m, s.cs.enc.NewEncoder()), m, s}
}

// markWriter writes a byte order mark before the first bytes, or at the end of an
// empty text.
type markWriter struct {
	w    io.Writer
	mark []byte
	err  error // of w, rather than of the encoding
}

func (m *markWriter) Write(b []byte) (int, error) {
	if err := m.writeMark(); err != nil {
		return 0, err
	}
	n, err := m.w.Write(b)
	m.err = err
	return n, err
}

func (m *markWriter) writeMark() error {
	mark := m.mark
	m.mark = nil
	if len(mark) > 0 {
		_, m.err = m.w.Write(mark)
	}
	return m.err
}

// Close implements io.Closer.
func (m *markWriter) Close() error { return m.writeMark() }

type encodingWriter struct {
	*transform.Writer
	under *markWriter
	s     Stream
}

func (e *encodingWriter) Write(b []byte) (int, error) {
	n, err := e.Writer.Write(b)
	return n, e.told(err)
}

// Close implements io.Closer.
func (e *encodingWriter) Close() error {
	if err := e.told(e.Writer.Close()); err != nil {
		return err
	}
	return e.under.Close()
}

// told returns an error of the encoding in the words of Editable.Bytes.
func (e *encodingWriter) told(err error) error {
	if err == nil || e.under.err != nil {
		return err
	}
	var lacks interface{ Replacement() byte } // as an error for a missing character has
	if errors.As(err, &lacks) || errors.Is(err, encoding.ErrInvalidUTF8) {
		return formats.Errorf(formats.CodeInvalid, "%s is stored as %s, which lacks a character of the new text", e.s.src.Name(), e.s.cs.name)
	}
	return err
}

var errOtherBytes = errors.New("the bytes would be others")

// sameWriter compares what is written with what r has.
type sameWriter struct {
	r   io.Reader
	n   int64
	buf []byte
}

func (s *sameWriter) Write(b []byte) (int, error) {
	s.buf = append(s.buf[:0], b...)
	n, err := io.ReadFull(s.r, s.buf)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return 0, err
	}
	if n < len(b) || !bytes.Equal(s.buf, b) {
		return 0, errOtherBytes
	}
	s.n += int64(n)
	return len(b), nil
}
