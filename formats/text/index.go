package text

import (
	"bufio"
	"bytes"
	"container/list"
	"context"
	"errors"
	"io"
	"sync"

	"golang.org/x/text/encoding/charmap"

	"atelier/formats"
)

const (
	indexFrom   = 4 << 20 // size of a file from which its lines are indexed
	maxMarks    = 1 << 15 // of one index: 256 KiB
	keptIndexes = 64      // of all files
)

// index knows where lines of a large file begin, so that a window far into it
// needs no reading of what is before it. It never changes once made.
type index struct {
	cs    charset
	step  int     // lines from one mark to the next
	marks []int64 // offset of line 0, step, 2*step … in the file
	lines int
}

// indexes caches the most recent indexes by the hash of the content.
var indexes struct {
	sync.Mutex
	by    map[string]*list.Element
	order list.List // of indexed, the last used first
}

type indexEntry struct {
	hash string
	ix   *index
}

// indexOf returns the index of a large file whose encoding keeps line ends as
// they are in ASCII; nil for others.
func indexOf(ctx context.Context, src formats.Source) (*index, error) {
	if src.Size() < indexFrom {
		return nil, nil
	}
	key := src.Hash()
	indexes.Lock()
	if e := indexes.by[key]; e != nil {
		indexes.order.MoveToFront(e)
		indexes.Unlock()
		return e.Value.(indexEntry).ix, nil
	}
	indexes.Unlock()
	cs, err := detectCharset(ctx, src)
	if err != nil {
		return nil, err
	}
	if _, single := cs.enc.(*charmap.Charmap); cs.enc != nil && !single {
		return nil, nil
	}
	ix, err := makeIndex(ctx, cs, src)
	if err != nil {
		return nil, err
	}
	indexes.Lock()
	defer indexes.Unlock()
	if indexes.by == nil {
		indexes.by = map[string]*list.Element{}
	}
	if indexes.by[key] == nil {
		indexes.by[key] = indexes.order.PushFront(indexEntry{key, ix})
	}
	for indexes.order.Len() > keptIndexes {
		delete(indexes.by, indexes.order.Remove(indexes.order.Back()).(indexEntry).hash)
	}
	return ix, nil
}

func makeIndex(ctx context.Context, cs charset, src formats.Source) (*index, error) {
	ix := &index{cs: cs, step: 64, marks: []int64{int64(cs.bom)}}
	at := int64(cs.bom)
	buf := make([]byte, 256<<10)
	last := byte('\n')
	for at < src.Size() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n, err := src.ReadAt(buf, at)
		b := buf[:n]
		for i := 0; ; {
			k := bytes.IndexByte(b[i:], '\n')
			if k < 0 {
				break
			}
			i += k + 1
			if ix.lines++; ix.lines%ix.step == 0 {
				ix.addMark(at + int64(i))
			}
		}
		if n > 0 {
			last = b[n-1]
		}
		at += int64(n)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	if last != '\n' {
		ix.lines++
	}
	return ix, nil
}

// addMark records where a line begins; when there are too many marks, it drops
// every second one.
func (ix *index) addMark(at int64) {
	ix.marks = append(ix.marks, at)
	if len(ix.marks) <= maxMarks {
		return
	}
	for i := range maxMarks/2 + 1 {
		ix.marks[i] = ix.marks[2*i]
	}
	ix.marks = ix.marks[:maxMarks/2+1]
	ix.step *= 2
}

// readWindow fills a window, using the index.
func (ix *index) readWindow(ctx context.Context, src formats.Source, w *window) error {
	w.lines = ix.lines
	if w.start > ix.lines {
		return nil
	}
	mark := min((w.start-1)/ix.step, len(ix.marks)-1)
	from := ix.marks[mark]
	body := io.Reader(ctxReader{ctx, io.NewSectionReader(src, from, src.Size()-from)})
	if ix.cs.enc != nil {
		body = ix.cs.enc.NewDecoder().Reader(body)
	}
	w.lines = mark * ix.step
	err := w.readLines(bufio.NewReaderSize(body, 64<<10))
	w.lines = ix.lines
	if errors.Is(err, errFull) {
		err = nil
	}
	return err
}

// errFull ends the reading of a window that is complete.
var errFull = errors.New("the window is full")
