package extract

import (
	"container/list"
	"context"
	"sync"

	"atelier/formats"
)

// DefaultCache is how many bytes of text a Cache keeps by default.
const DefaultCache = 64 << 20

// Cache keeps extracted text by the hash of the content, the least recently
// used going first. It is safe for concurrent use; a document that several ask
// for at once is extracted once.
type Cache struct {
	set *formats.Set
	max int

	mu    sync.Mutex
	byKey map[string]*list.Element
	used  list.List // of *entry, the latest first
	bytes int
}

type entry struct {
	key   string
	ready chan struct{} // closed when doc and err are set
	doc   Doc
	err   error
}

// NewCache makes a cache of max bytes of text; 0 is DefaultCache.
func NewCache(set *formats.Set, max int) *Cache {
	if max <= 0 {
		max = DefaultCache
	}
	return &Cache{set: set, max: max, byKey: map[string]*list.Element{}}
}

// Text is the extracted text of src.
func (c *Cache) Text(ctx context.Context, src formats.Source) (string, error) {
	d, err := c.Document(ctx, src)
	return d.Text, err
}

// Document is Document of this package, kept.
func (c *Cache) Document(ctx context.Context, src formats.Source) (Doc, error) {
	// The name decides how the content is read.
	key := src.Hash() + " " + string(formats.KindOfName(src.Name()))
	for {
		e, mine := c.claim(key)
		if mine {
			c.fill(ctx, e, src)
			return e.doc, e.err
		}
		select {
		case <-e.ready:
		case <-ctx.Done():
			return Doc{}, ctx.Err()
		}
		if e.err == nil || formats.CodeOf(e.err) != "" {
			return e.doc, e.err
		}
		if err := ctx.Err(); err != nil {
			return Doc{}, err
		}
		// Whoever extracted it gave up, which says nothing about the document.
	}
}

// claim gives the entry of a key, making it when there is none: then it is the
// caller's to fill.
func (c *Cache) claim(key string) (e *entry, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el := c.byKey[key]; el != nil {
		c.used.MoveToFront(el)
		return el.Value.(*entry), false
	}
	e = &entry{key: key, ready: make(chan struct{})}
	c.byKey[key] = c.used.PushFront(e)
	return e, true
}

func (c *Cache) fill(ctx context.Context, e *entry, src formats.Source) {
	e.err = context.Canceled // should extracting panic
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		close(e.ready)
		if e.err != nil && formats.CodeOf(e.err) == "" {
			c.drop(c.byKey[e.key])
			return
		}
		c.bytes += e.size()
		for el := c.used.Back(); el != nil && c.bytes > c.max; {
			prev := el.Prev()
			if o := el.Value.(*entry); o.done() {
				c.bytes -= o.size()
				c.drop(el)
			}
			el = prev
		}
	}()
	e.doc, e.err = Document(ctx, c.set, src)
	if e.err != nil && ctx.Err() != nil {
		e.err = ctx.Err() // whatever it was called on the way
	}
}

func (c *Cache) drop(el *list.Element) {
	delete(c.byKey, el.Value.(*entry).key)
	c.used.Remove(el)
}

func (e *entry) size() int { return len(e.doc.Text) + 64*len(e.doc.Parts) + 256 }

func (e *entry) done() bool {
	select {
	case <-e.ready:
		return true
	default:
		return false
	}
}
