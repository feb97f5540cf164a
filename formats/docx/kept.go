package docx

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/internal/budget"
)

const (
	// keptBytes bounds the parsed documents that reads keep.
	keptBytes = 48 << 20
	// parsedSize is the memory of a parsed part, as a multiple of its size
	// (BenchmarkReadMemory: 2.8).
	parsedSize = 3
	// keptFor is how long a document is kept that no read asks for.
	keptFor = 2 * time.Minute
)

// keptDocument is what a read has parsed of a document and the next one, of another
// section, needs again. Parts of it fill what they look up later (part.relPrefix,
// document.lists), so one read at a time has it.
type keptDocument struct {
	key    string
	main   string
	strict bool
	styles styles
	lists  *numbering
	parsed map[string]*part
	texts  []textPart
	cut    *cutText
	bytes  int
	used   time.Time
	entry  *budget.Entry
}

// keptDocuments are those of the program, the most recently used last. They are found
// by the hash of their content. Encrypted documents are not kept.
type keptDocuments struct {
	mu    sync.Mutex
	list  []*keptDocument
	bytes int
	timer *time.Timer
}

var kept keptDocuments

// take returns a document for the caller alone, nil when there is none.
func (k *keptDocuments) take(key string) *keptDocument {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i, d := range k.list {
		if d.key == key {
			k.drop(i)
			return d
		}
	}
	return nil
}

func (k *keptDocuments) drop(i int) {
	k.bytes -= k.list[i].bytes
	k.list[i].entry.Forget()
	k.list = append(k.list[:i:i], k.list[i+1:]...)
}

// put keeps a document, and drops the least recently used to make room.
func (k *keptDocuments) put(d *keptDocument) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i, o := range k.list {
		if o.key == d.key {
			k.drop(i)
			break
		}
	}
	if d.entry = budget.Process.Keep(int64(d.bytes), func() { k.forget(d) }); d.entry == nil {
		return
	}
	d.used = time.Now()
	k.list = append(k.list, d)
	k.bytes += d.bytes
	for k.bytes > keptBytes {
		k.drop(0)
	}
	if k.timer == nil && len(k.list) > 0 {
		k.timer = time.AfterFunc(keptFor, k.expire)
	}
}

// forget drops a document whose memory is needed.
func (k *keptDocuments) forget(d *keptDocument) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if i := slices.Index(k.list, d); i >= 0 {
		k.drop(i)
	}
}

// expire drops the documents that were not read for a while.
func (k *keptDocuments) expire() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for len(k.list) > 0 && time.Since(k.list[0].used) >= keptFor {
		k.drop(0)
	}
	k.timer = nil
	if len(k.list) > 0 {
		k.timer = time.AfterFunc(keptFor, k.expire)
	}
}

// cutText is a text that does not fit into one answer: reads ask for the rest of it from
// an offset on.
type cutText struct {
	what string // the selection without its offset
	text formats.Text
}

// selection tells apart what is read, apart from the offset in it.
func selection(sel formats.Selector) string {
	return fmt.Sprintf("%q %q %v %v", sel.Section, sel.Include, sel.AsShown, sel.Chunked)
}

// readCut is readSelected that keeps a text which the next read continues with, as long as
// one does.
func (d *document) readCut(ctx context.Context, sel formats.Selector) (formats.Text, error) {
	what := selection(sel)
	kept := d.cut
	d.cut = nil
	if kept == nil || kept.what != what {
		t, err := d.readSelected(ctx, sel)
		if err != nil {
			return t, err
		}
		if room := sel.Limit.Part; room <= 0 || len(t.Text)*6 <= room {
			return t, nil // all of it fits
		}
		t.Index()
		kept = &cutText{what, t}
	}
	if room := sel.Limit.Part; room > 0 && kept.text.Continues(sel.Offset, room) {
		d.cut = kept
	}
	return kept.text, nil
}

// openToRead is openDocument of a document that is only read. done keeps what was
// parsed for the next read; a panic before it keeps nothing.
func openToRead(ctx context.Context, src formats.Source) (d *document, done func(), err error) {
	pkg, err := opc.Open(ctx, src)
	if err != nil {
		return nil, nil, err
	}
	key := src.Hash()
	if pkg.Locked() || len(key) < 8 {
		d, err = documentOf(ctx, pkg)
		return d, func() {}, err
	}
	if k := kept.take(key); k != nil {
		d = &document{ed: pkg.Edit(), main: k.main, strict: k.strict, styles: k.styles, lists: k.lists, parsed: k.parsed, texts: k.texts, cut: k.cut}
	} else if d, err = documentOf(ctx, pkg); err != nil {
		return nil, nil, err
	}
	d.reading = true
	return d, func() {
		k := &keptDocument{key: key, main: d.main, strict: d.strict, styles: d.styles, lists: d.lists, parsed: d.parsed, texts: d.texts, bytes: 64 << 10}
		for _, p := range d.parsed {
			k.bytes += p.memory()
		}
		if c := d.cut; c != nil {
			if n := k.bytes + len(c.text.Text) + c.text.IndexSize(); n <= keptBytes {
				k.cut, k.bytes = c, n
			}
		}
		if k.bytes <= keptBytes {
			kept.put(k)
		}
	}, nil
}

// memory returns about how many bytes a part takes with what reads keep of it.
func (p *part) memory() int {
	n := parsedSize*len(p.doc) + p.outline.memory() + p.left.memory() + len(p.labels)*16
	for _, l := range p.labels {
		n += len(l)
	}
	return n
}
