package doctext

import (
	"container/list"
	"context"
	"os"
	"sync"
	"time"

	"atelier/formats"
	"atelier/formats/password"
	"atelier/internal/budget"
)

// CacheOptions configure a Cache; the zero value works.
type CacheOptions struct {
	// Bytes limits the text in memory; 0 is 64 MiB.
	Bytes int
	// Dir is a folder, used for nothing else, that stores texts between runs,
	// for example in the state of the workbench; "" keeps them in memory
	// only. It can be deleted at any time.
	Dir string
	// DirBytes limits the files in Dir; 0 is 512 MiB.
	DirBytes int64
}

// Cache stores extracted text by the hash of the content and evicts the least
// recently used. Text files are read each time. It is safe for concurrent
// use; a document that is requested several times at once is extracted once.
type Cache struct {
	set  *formats.Set
	max  int
	disk *disk // nil: none

	mu    sync.Mutex
	byKey map[string]*list.Element
	used  list.List // of *entry, most recently used first
	bytes int
}

type entry struct {
	key   string
	ready chan struct{} // closed when doc and err are set
	doc   Doc
	err   error
	// secret: it is of an encrypted document, and for the caller alone that
	// extracted it.
	secret bool
	kept   *budget.Entry
}

func needsPassword(err error) bool {
	code := formats.CodeOf(err)
	return code == formats.CodeEncrypted || code == formats.CodeWrongPassword
}

// ofDocument reports whether an error would come again: it is one of the document, and
// neither of the caller's time nor of the machine's memory.
func ofDocument(err error) bool { return formats.CodeOf(err) != "" && !formats.Passing(err) }

// NewCache returns a cache for the formats of set.
func NewCache(set *formats.Set, opt CacheOptions) *Cache {
	c := &Cache{set: set, max: opt.Bytes, byKey: map[string]*list.Element{}}
	if c.max <= 0 {
		c.max = 64 << 20
	}
	if opt.Dir != "" {
		c.disk = &disk{dir: opt.Dir, max: opt.DirBytes, size: -1}
		if c.disk.max <= 0 {
			c.disk.max = 512 << 20
		}
	}
	return c
}

// Text returns the extracted text of src.
func (c *Cache) Text(ctx context.Context, src formats.Source) (string, error) {
	d, err := c.Document(ctx, src)
	return d.Text, err
}

// Document is like the function Document, cached.
func (c *Cache) Document(ctx context.Context, src formats.Source) (Doc, error) {
	// The name determines how the content is read.
	kind := formats.KindOfName(src.Name())
	if kind == formats.KindText || len(src.Hash()) < 8 {
		return Document(ctx, c.set, src)
	}
	key := src.Hash() + " " + string(kind)
	for {
		e, mine := c.claimEntry(key)
		if mine {
			c.fillEntry(ctx, e, src)
			return e.doc, e.err
		}
		select {
		case <-e.ready:
		case <-ctx.Done():
			return Doc{}, ctx.Err()
		}
		if e.secret {
			continue
		}
		if e.err == nil || ofDocument(e.err) {
			return e.doc, e.err
		}
		if err := ctx.Err(); err != nil {
			return Doc{}, err
		}
		// The goroutine that extracted it was cancelled, which says nothing
		// about the document.
	}
}

// claimEntry returns the entry of a key. If there is none, it creates one, and the
// caller has to fill it (mine).
func (c *Cache) claimEntry(key string) (e *entry, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el := c.byKey[key]; el != nil {
		c.used.MoveToFront(el)
		el.Value.(*entry).kept.Touch()
		return el.Value.(*entry), false
	}
	e = &entry{key: key, ready: make(chan struct{})}
	c.byKey[key] = c.used.PushFront(e)
	return e, true
}

func (c *Cache) fillEntry(ctx context.Context, e *entry, src formats.Source) {
	e.err = context.Canceled // in case extracting panics
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		close(e.ready)
		if e.secret || e.err != nil && !ofDocument(e.err) {
			c.dropEntry(c.byKey[e.key])
			return
		}
		if e.kept = budget.Process.Keep(int64(e.size()), func() { c.forgetEntry(e) }); e.kept == nil {
			c.dropEntry(c.byKey[e.key])
			return
		}
		c.bytes += e.size()
		for el := c.used.Back(); el != nil && c.bytes > c.max; {
			prev := el.Prev()
			if o := el.Value.(*entry); o.done() {
				c.bytes -= o.size()
				c.dropEntry(el)
			}
			el = prev
		}
	}()
	if c.disk != nil {
		if d, ok := c.disk.get(e.key); ok {
			e.doc, e.err = d, nil
			return
		}
	}
	// The text of an encrypted document is for those who have its password: it is
	// not kept.
	ctx, opened := password.Watch(ctx)
	e.doc, e.err = Document(ctx, c.set, src)
	if e.secret = opened.Any() || needsPassword(e.err); e.secret {
		return
	}
	if e.err == nil && c.disk != nil {
		c.disk.put(e.key, e.doc)
	}
	if e.err != nil && ctx.Err() != nil {
		e.err = ctx.Err() // whatever error extracting made of it
	}
}

// forgetEntry drops a text whose memory is needed.
func (c *Cache) forgetEntry(e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el := c.byKey[e.key]; el != nil && el.Value == e {
		c.bytes -= e.size()
		c.dropEntry(el)
	}
}

func (c *Cache) dropEntry(el *list.Element) {
	e := el.Value.(*entry)
	e.kept.Forget()
	delete(c.byKey, e.key)
	c.used.Remove(el)
}

func (e *entry) size() int { return len(e.doc.Text) + len(e.doc.At) + 64*len(e.doc.Parts) + 256 }

func (e *entry) done() bool {
	select {
	case <-e.ready:
		return true
	default:
		return false
	}
}

// Within returns a Text function for a search with a deadline. It always
// serves cached documents, extracts others until d has passed, and refuses
// them from then on. Extracted texts are cached, so the next search gets
// further.
func (c *Cache) Within(d time.Duration) func(context.Context, formats.Source) (string, error) {
	until := time.Now().Add(d)
	return func(ctx context.Context, src formats.Source) (string, error) {
		if time.Now().After(until) && !c.has(src) {
			return "", formats.Errorf(formats.CodeTooLarge, "its text has not been extracted yet; search again to go on")
		}
		return c.Text(ctx, src)
	}
}

// has reports whether the text of src is cached.
func (c *Cache) has(src formats.Source) bool {
	key := src.Hash() + " " + string(formats.KindOfName(src.Name()))
	c.mu.Lock()
	el := c.byKey[key]
	c.mu.Unlock()
	if el != nil {
		return el.Value.(*entry).done()
	}
	if c.disk == nil || len(src.Hash()) < 8 {
		return false
	}
	_, err := os.Stat(c.disk.path(key))
	return err == nil
}
