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

// Read implements formats.Reader: the whole text, or the window of lines that
// sel asks for (W-36). A larger file gives its first window and says so.
func (format) Read(ctx context.Context, src formats.Source, sel formats.Selector) (formats.Text, error) {
	if sel.LineStart == nil && sel.LineCount == nil && src.Size() <= MaxWhole {
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
	w := window{start: start, end: start + min(count, 1<<40) - 1}
	ix, err := indexOf(ctx, src)
	if err != nil {
		return formats.Text{}, err
	}
	if ix != nil {
		w.stop = true
		err = ix.read(ctx, src, &w)
	} else if r, _, derr := Decode(ctx, src); derr == nil {
		err = w.read(bufio.NewReaderSize(r, int(min(2*src.Size()+64, 64<<10))))
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
	buf        []byte
	lineAt     int  // where the last line begins in buf
	lines      int  // of the file
	last       int  // last line that buf has, whole or cut
	full       bool // buf has no room for the next line
	cut        bool // the last line in buf is not whole
	stop       bool // reading ends behind the window, with errFull
}

func (w *window) read(r *bufio.Reader) error {
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
			w.take(part, open)
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

// take keeps part when it belongs to the window and there is room.
func (w *window) take(part []byte, continued bool) {
	if w.lines < w.start || w.lines > w.end || w.full {
		return
	}
	if !continued {
		w.lineAt = len(w.buf)
	}
	if room := MaxWhole - len(w.buf); len(part) > room {
		w.full = true
		if w.lineAt > 0 {
			// The next window begins with this line.
			w.buf, w.last = w.buf[:w.lineAt], w.lines-1
			return
		}
		part, w.cut = part[:room], true
	}
	w.buf = append(w.buf, part...)
	w.last = w.lines
}

// text is the window's result: its lines without the last terminator.
func (w *window) text() formats.Text {
	if w.last == 0 {
		return formats.Text{} // past the end
	}
	s := strings.ToValidUTF8(string(w.buf), "\uFFFD")
	if !w.cut {
		s = strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r")
	}
	if w.start == 1 && w.last == w.lines && !w.cut {
		return formats.Text{Text: s}
	}
	c := &formats.ChunkInfo{
		ChunkIndex: (w.start - 1) / ChunkLines, TotalChunks: chunksOf(w.lines),
		HasMore: w.last < w.lines, Range: fmt.Sprintf("%d-%d", w.start, w.last),
	}
	if c.HasMore {
		c.Next = fmt.Sprintf("line_start=%d", w.last+1)
	}
	if w.cut {
		c.Next = strings.TrimPrefix(c.Next+fmt.Sprintf("; line %d is longer than %d bytes and was cut", w.last, MaxWhole), "; ")
	}
	return formats.Text{Text: s, Chunk: c}
}
