package xlsx

import (
	"context"
	"encoding/binary"
	"io"
	"iter"
	"os"
	"strings"
	"sync"

	"atelier/formats"
	"atelier/formats/tags"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
)

// targets are the translations that a replacer takes: by segment in no order, or in
// the order of the segments.
type targets struct {
	named map[string]string
	used  int // of named

	ordered iter.Seq2[string, string] // nil: named has them
	next    func() (id, text string, ok bool)
	stop    func()
	id      string // of the next one that is ordered
	text    string
	more    bool
}

// begin starts a pass over the segments; end ends it.
func (t *targets) begin() {
	if t.used = 0; t.ordered != nil {
		t.next, t.stop = iter.Pull2(t.ordered)
		t.id, t.text, t.more = t.next()
	}
}

func (t *targets) end() {
	if t.stop != nil {
		t.stop()
	}
}

// of returns the target of a segment; segments are asked for in order.
func (t *targets) of(id string) (text string, ok bool) {
	if t.ordered == nil {
		if text, ok = t.named[id]; ok {
			t.used++
		}
		return text, ok
	}
	if !t.more || t.id != id {
		return "", false
	}
	text = t.text
	t.id, t.text, t.more = t.next()
	return text, true
}

// unknown returns a target's name for which there was no segment, in the pass that
// ends.
func (t *targets) unknown(has func(id string) bool) (id string, ok bool) {
	if t.ordered != nil {
		return t.id, t.more
	}
	if t.used < len(t.named) {
		for id := range t.named {
			if !has(id) {
				return id, true
			}
		}
	}
	return "", false
}

func (t *targets) empty() bool {
	if t.ordered == nil {
		return len(t.named) == 0
	}
	for range t.ordered {
		return false
	}
	return true
}

// without returns the targets but those of some segments.
func (t *targets) without(ids map[string]bool) *targets {
	if t.ordered == nil {
		rest := make(map[string]string, len(t.named))
		for id, text := range t.named {
			if !ids[id] {
				rest[id] = text
			}
		}
		return &targets{named: rest}
	}
	return &targets{ordered: func(yield func(string, string) bool) {
		for id, text := range t.ordered {
			if !ids[id] && !yield(id, text) {
				return
			}
		}
	}}
}

// idOf is the segment's ID of an entry.
func (c *collector) idOf(e *entry) string {
	if e.unit != nil {
		return e.unit.seg.ID
	}
	return c.sharedID(e.sst)
}

// take checks all targets before anything is written.
func (r *replacer) take(t *targets) error {
	t.begin()
	defer t.end()
	for i := range r.entries {
		e := &r.entries[i]
		if i&1023 == 0 && r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		target, ok := t.of(r.idOf(e))
		if !ok {
			continue
		}
		var err error
		if e.unit != nil {
			err = r.takeUnit(e.unit, target)
		} else {
			err = r.takeShared(e, target)
		}
		if err != nil {
			return err
		}
	}
	id, unknown := t.unknown(func(id string) bool {
		for i := range r.entries {
			if r.idOf(&r.entries[i]) == id {
				return true
			}
		}
		return false
	})
	if unknown {
		return formats.Errorf(formats.CodeInvalid, "there is no segment %s", cellref.QuoteArg(id))
	}
	r.commas()
	r.distinctHeaders()
	return nil
}

// takeUnit takes a target for a unit.
func (r *replacer) takeUnit(u *unit, target string) error {
	if target == u.seg.Text {
		return nil
	}
	runs, err := u.runsFor(target)
	if err != nil {
		return err
	}
	switch {
	case u.shared:
		r.shared[u.seg.ID], r.sharedIn[u.part] = target, true
		return nil
	case u.write != nil || u.list != nil || u.tab > 0:
		r.plain[u] = tags.Plain(target)
		return nil
	}
	if len(r.headers[u]) > 0 && strings.TrimSpace(plainOf(runs)) == "" {
		return formats.Errorf(formats.CodeInvalid, "segment %s: the header of a table must not be empty", u.seg.ID)
	}
	r.runs[u] = runs
	return nil
}

// takeShared takes a target for a shared string that is only the text of cells.
func (r *replacer) takeShared(e *entry, target string) error {
	u := r.parse(e)
	if target == u.seg.Text {
		return nil
	}
	runs, err := u.runsFor(target)
	if err != nil {
		return err
	}
	r.withoutCharset(runs)
	at, err := r.written.put(u.rst.xml(runs), plainOf(runs))
	e.now = at + 1
	return err
}

// withoutCharset takes the letters that a run's font was chosen for from runs in
// another language.
func (r *replacer) withoutCharset(runs []run) {
	if r.lang == "" {
		return
	}
	for i := range runs {
		if len(runs[i].props) > 0 {
			runs[i].props = charset.ReplaceAll(runs[i].props, nil)
		}
	}
}

// now returns what an entry of cells says after the change, if it changes.
func (r *replacer) now(i int) (text string, ok bool) {
	e := &r.entries[i]
	if e.unit != nil {
		runs, ok := r.runs[e.unit]
		return plainOf(runs), ok
	}
	if e.now == 0 {
		return "", false
	}
	_, text = r.written.get(e.now - 1)
	return text, true
}

// entryOf returns the entry of a shared string, nil when it is not to be translated.
func (c *collector) entryOf(n int) *entry {
	if n < 0 || n >= len(c.seen) || c.seen[n] <= 0 {
		return nil
	}
	return &c.entries[c.seen[n]-1]
}

// writeStrings hands the shared strings to the finisher; special are the new contents
// of those that have a unit.
func (r *replacer) writeStrings(f *finisher, special map[int]string) {
	if len(special) == 0 && r.written.size == 0 {
		return
	}
	changes := func(n int) bool {
		e := r.entryOf(n)
		if e == nil || e.unit == nil {
			return e != nil && e.now > 0
		}
		_, ok := special[n]
		return ok
	}
	f.strs = changes
	f.strText = func(n int) string {
		text, _ := r.now(int(r.seen[n]) - 1)
		return text
	}
	f.ed.SetStream(r.strings.Part, func(w io.Writer) error {
		pos := 0
		for n, sp := range r.strings.Items {
			if n&1023 == 0 && r.ctx.Err() != nil {
				return r.ctx.Err()
			}
			if !changes(n) {
				continue
			}
			xml, ok := special[n]
			if !ok {
				xml, _ = r.written.get(r.entryOf(n).now - 1)
			}
			if _, err := w.Write(r.strings.Doc[pos:sp.Start]); err != nil {
				return err
			}
			if _, err := io.WriteString(w, xml); err != nil {
				return err
			}
			pos = sp.End
		}
		if r.written.err != nil {
			return r.written.err
		}
		_, err := w.Write(r.strings.Doc[pos:])
		return err
	})
}

// changedTexts are pairs of texts that were written one after the other: in memory,
// and in a temporary file once they are many. It is safe for concurrent use.
type changedTexts struct {
	mu   sync.Mutex
	buf  []byte // of what is not in file
	file *os.File
	size int64 // of all

	window []byte // of file, from at on
	at     int64
	err    error // of reading
}

const (
	maxChangedTexts = 4 << 20  // bytes in memory
	readChunk       = 64 << 10 // bytes of a read
)

// put adds a pair of texts and returns its place.
func (c *changedTexts) put(a, b string) (at int64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at = c.size
	n := len(c.buf)
	c.buf = binary.AppendUvarint(c.buf, uint64(len(a)))
	c.buf = binary.AppendUvarint(c.buf, uint64(len(b)))
	c.buf = append(append(c.buf, a...), b...)
	c.size += int64(len(c.buf) - n)
	if len(c.buf) < maxChangedTexts {
		return at, nil
	}
	if c.file == nil {
		if c.file, err = os.CreateTemp("", "atelier-*.texts"); err != nil {
			return 0, err
		}
	}
	_, err = c.file.Write(c.buf)
	c.buf = c.buf[:0]
	return at, err
}

// get returns the pair at a place.
func (c *changedTexts) get(at int64) (a, b string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	const head = 2 * binary.MaxVarintLen64
	h := c.bytes(at, head)
	m, i := binary.Uvarint(h)
	n, k := binary.Uvarint(h[max(i, 0):])
	if i <= 0 || k <= 0 {
		return "", ""
	}
	d := c.bytes(at+int64(i+k), int(m+n))
	if len(d) < int(m+n) {
		return "", ""
	}
	return string(d[:m]), string(d[m : m+n])
}

// bytes returns up to n bytes from a place on, fewer at the end and after an error.
func (c *changedTexts) bytes(at int64, n int) []byte {
	if start := c.size - int64(len(c.buf)); at >= start {
		d := c.buf[at-start:]
		return d[:min(n, len(d))]
	}
	if at < c.at || at+int64(n) > c.at+int64(len(c.window)) {
		c.window = append(c.window[:0], make([]byte, max(n, readChunk))...)
		got, err := c.file.ReadAt(c.window, at)
		if c.window, c.at = c.window[:got], at; err != nil && err != io.EOF {
			c.err = err
		}
	}
	d := c.window[at-c.at:]
	return d[:min(n, len(d))]
}

// Close gives up the texts.
func (c *changedTexts) Close() error {
	if c.file == nil {
		return nil
	}
	c.file.Close()
	return os.Remove(c.file.Name())
}

// EachSegment implements formats.BulkSegmenter.
func (segmenter) EachSegment(ctx context.Context, src formats.Source, opt formats.SegmentOptions, do func(formats.Segment) error) error {
	wb, err := open(ctx, src)
	if err != nil {
		return err
	}
	c, err := wb.collect(ctx)
	if err != nil {
		return book.Typed(err, src.Name())
	}
	for i := range c.entries {
		if u := c.unitOf(&c.entries[i]); u.tab == 0 || opt.SheetNames {
			if err := do(u.seg); err != nil {
				return err
			}
		}
	}
	return nil
}

// ReplaceEach implements formats.BulkSegmenter.
func (segmenter) ReplaceEach(ctx context.Context, src formats.Source, dst io.Writer, ordered iter.Seq2[string, string], opt formats.ReplaceOptions) error {
	return replaceTargets(ctx, src, dst, &targets{ordered: ordered}, opt, &edit{src: src, orig: src, name: src.Name()})
}
