package text

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"atelier/formats"
)

// MaxWhole is the size in bytes up to which a read without selectors returns
// the whole file, and to which any read is cut.
const MaxWhole = 1 << 20

// maxLine bounds the bytes of one line that a read with a limit keeps in
// memory.
const maxLine = 64 << 20

// Read implements formats.Reader: the whole text, or the window of lines that
// sel asks for (W-36), every character as it is in the file. A larger file
// gives its first window and says so.
func (f format) Read(ctx context.Context, src formats.Source, sel formats.Selector) (formats.Text, error) {
	sel.Limit = formats.TextLimit{}
	return f.read(ctx, src, sel)
}

// ReadFitting implements formats.FittingReader: as many of the lines as fit.
func (f format) ReadFitting(ctx context.Context, src formats.Source, sel formats.Selector) (formats.Text, error) {
	return f.read(ctx, src, sel)
}

func (format) read(ctx context.Context, src formats.Source, sel formats.Selector) (formats.Text, error) {
	all := sel.LineStart == nil && sel.LineCount == nil
	if all && src.Size() <= MaxWhole && !sel.Limit.Limited() {
		r, _, err := Decode(ctx, src)
		if err != nil {
			return formats.Text{}, err
		}
		b, err := io.ReadAll(r)
		return formats.Text{Text: strings.ToValidUTF8(string(b), "\uFFFD")}, err
	}
	start, count := 1, ChunkLines
	if sel.LineStart != nil {
		start = max(1, *sel.LineStart)
	}
	if sel.LineCount != nil && *sel.LineCount > 0 {
		count = *sel.LineCount
	}
	if all && sel.Limit.Limited() {
		count = 1 << 40
	}
	w := window{start: start, end: start + min(count, 1<<40) - 1, most: MaxWhole, limit: sel.Limit}
	if w.limit.Limited() {
		w.most = maxLine
	}
	ix, err := indexOf(ctx, src)
	if err != nil {
		return formats.Text{}, err
	}
	if ix != nil {
		w.stop = true
		err = ix.readWindow(ctx, src, &w)
	} else if r, _, derr := Decode(ctx, src); derr == nil {
		err = w.readLines(bufio.NewReaderSize(r, int(min(2*src.Size()+64, 64<<10))))
	} else {
		err = derr
	}
	if err != nil {
		return formats.Text{}, err
	}
	return w.text(), nil
}

// window collects the lines start…end (1-based) of a text and counts them all.
type window struct {
	start, end int
	most       int // bytes of buf
	limit      formats.TextLimit
	buf        []byte
	escaped    int  // bytes of buf in a JSON string
	fitsTo     int  // end of the lines in buf that fit as a part, 0: all
	fitsLast   int  // the last of these lines
	lineAt     int  // where the last line begins in buf
	lines      int  // of the file
	last       int  // last line that buf has, whole or cut
	full       bool // buf has no room for the next line
	cut        bool // the last line in buf is not whole
	stop       bool // reading ends after the window, with errFull
}

func (w *window) readLines(r *bufio.Reader) error {
	open := false // inside a line
	for {
		part, err := r.ReadSlice('\n')
		if len(part) > 0 {
			if !open {
				w.lines++
				if w.stop && (w.lines > w.end || w.full) {
					return errFull
				}
			}
			w.addPart(part, open)
			open = part[len(part)-1] != '\n'
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}

// addPart adds part to the buffer when it belongs to the window and fits.
func (w *window) addPart(part []byte, continued bool) {
	if w.lines < w.start || w.lines > w.end || w.full {
		return
	}
	if !continued {
		w.lineAt = len(w.buf)
	}
	if room := w.most - len(w.buf); len(part) > room {
		w.full = true
		if w.lineAt > 0 {
			w.dropLastLine()
			return
		}
		part, w.cut = part[:room], true
	}
	w.buf = append(w.buf, part...)
	w.last = w.lines
	w.fitPart(part)
}

// dropLastLine removes the last line: the next window begins with it.
func (w *window) dropLastLine() { w.buf, w.last = w.buf[:w.lineAt], w.lines-1 }

// fitPart counts the size of part, and ends the window before a line that does
// not fit. The first line is always kept.
func (w *window) fitPart(part []byte) {
	if !w.limit.Limited() {
		return
	}
	w.escaped += formats.JSONLen(string(part))
	if w.escaped <= w.limit.Part {
		return
	}
	if w.lineAt > 0 && w.fitsTo == 0 {
		w.fitsTo, w.fitsLast = w.lineAt, w.lines-1
	}
	switch {
	case w.lineAt > 0 && len(w.buf) > w.limit.Whole:
		w.full = true
		w.dropLastLine()
	case w.lineAt == 0 && len(w.buf) > w.limit.Whole && part[len(part)-1] == '\n':
		w.full = true // of one line
	}
}

// text returns the window's result: its lines with their ends.
func (w *window) text() formats.Text {
	if w.last == 0 {
		return w.emptyText()
	}
	whole := w.start == 1 && w.last == w.lines && !w.cut
	if w.fitsTo > 0 && !(whole && len(w.buf) <= w.limit.Whole) {
		w.buf, w.last, w.cut, whole = w.buf[:w.fitsTo], w.fitsLast, false, false
	}
	s := strings.ToValidUTF8(string(w.buf), "\uFFFD")
	if whole {
		return formats.Text{Text: s}
	}
	c := &formats.ChunkInfo{
		ChunkIndex: (w.start - 1) / ChunkLines, TotalChunks: chunksOf(w.lines),
		HasMore: w.last < w.lines, Range: fmt.Sprintf("%d-%d", w.start, w.last),
	}
	if c.HasMore {
		c.Next = fmt.Sprintf("line_start=%d", w.last+1)
	}
	t := formats.Text{Text: s, Chunk: c}
	if w.cut {
		t.Notes = []string{fmt.Sprintf("line %d is longer than %d bytes and was cut", w.last, w.most)}
	}
	return t
}

// emptyText returns a Text that explains why there are no lines.
func (w *window) emptyText() formats.Text {
	if w.lines == 0 {
		return formats.Text{Notes: []string{"the file is empty"}}
	}
	return formats.Text{
		Chunk: &formats.ChunkInfo{ChunkIndex: (w.start - 1) / ChunkLines, TotalChunks: chunksOf(w.lines), Range: "none"},
		Notes: []string{fmt.Sprintf("the file has %s; line %d is past its end", formats.Count(w.lines, "line"), w.start)},
	}
}
