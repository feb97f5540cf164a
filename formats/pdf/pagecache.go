package pdf

import (
	"container/list"
	"sync"

	"atelier/internal/budget"
)

// pageRead is what reads need of a page.
type pageRead struct {
	Page    int    // 0-based
	Text    string // with its tables; "" or spaces for a page without text
	What    string // what a page without text is
	Label   string // the printed number, "" when it has none
	Figures string // the line that names its images
	Alike   bool   // has lines like the marks of a read
	Fields  string // the line that names what is filled in
}

func (p *pageRead) size() int {
	return 200 + len(p.Text) + len(p.What) + len(p.Label) + len(p.Figures) + len(p.Fields)
}

// keptBytes bounds the pages that a format keeps.
const keptBytes = 32 << 20

// pageCache keeps pages that were read, by the content of their file, for reads
// and searches alike. It drops the least recently used document when it is full.
// Documents that need a password are not kept: other callers may not have it.
type pageCache struct {
	mu    sync.Mutex
	max   int
	bytes int
	docs  map[string]*list.Element
	used  list.List // of *keptPages, the most recently used first
}

type keptPages struct {
	key   string
	count int // pages of the document
	pages map[int]*pageRead
	bytes int
	entry *budget.Entry
}

func newPageCache() *pageCache {
	return &pageCache{max: keptBytes, docs: map[string]*list.Element{}}
}

// find returns how many pages a document has, 0 when it is not kept, and its
// page p, nil when that is not kept.
func (c *pageCache) find(key string, p int) (count int, page *pageRead) {
	c.mu.Lock()
	defer c.mu.Unlock()
	el := c.docs[key]
	if el == nil {
		return 0, nil
	}
	c.used.MoveToFront(el)
	k := el.Value.(*keptPages)
	k.entry.Touch()
	return k.count, k.pages[p]
}

// add keeps a page of a document with count pages.
func (c *pageCache) add(key string, count int, p *pageRead) {
	if key == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	el := c.docs[key]
	if el == nil {
		k := &keptPages{key: key, count: count, pages: map[int]*pageRead{}}
		if k.entry = budget.Process.Keep(0, func() { c.forget(k) }); k.entry == nil {
			return
		}
		el = c.used.PushFront(k)
		c.docs[key] = el
	}
	k := el.Value.(*keptPages)
	if k.pages[p.Page] != nil {
		return
	}
	n := p.size()
	for c.bytes+n > c.max && c.used.Back() != el {
		c.drop(c.used.Back())
	}
	if c.bytes+n > c.max {
		return // the rest of a document longer than all that is kept
	}
	k.pages[p.Page] = p
	k.bytes += n
	c.bytes += n
	k.entry.Resize(int64(k.bytes))
}

// forget drops a document whose memory is needed.
func (c *pageCache) forget(k *keptPages) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el := c.docs[k.key]; el != nil && el.Value == k {
		c.drop(el)
	}
}

func (c *pageCache) drop(el *list.Element) {
	k := el.Value.(*keptPages)
	c.bytes -= k.bytes
	k.entry.Forget()
	delete(c.docs, k.key)
	c.used.Remove(el)
}
