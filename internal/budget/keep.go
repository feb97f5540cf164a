package budget

import (
	"container/list"
	"context"
)

// Entry is one thing that a cache keeps. The methods of a nil Entry do nothing.
type Entry struct {
	b       *Budget
	el      *list.Element // nil when it is not kept any more
	n       int64
	drop    func()
	outside bool
}

// Keep counts n bytes that a cache keeps, and returns nil if there is no room for them
// beside the work in progress: then the cache does not keep them. When the memory is
// needed, drop is called once; it makes the cache forget the
// thing. Keep, Touch, Resize and Forget can be called while the cache is locked, since
// drop is then called by another goroutine; Reserve and Release cannot.
func (b *Budget) Keep(n int64, drop func()) *Entry {
	return b.keep(&Entry{b: b, n: max(n, 0), drop: drop})
}

// KeepOutside is Keep of memory that the garbage collector does not see, such as that of
// another process.
func (b *Budget) KeepOutside(n int64, end func()) *Entry {
	return b.keep(&Entry{b: b, n: max(n, 0), drop: end, outside: true})
}

// KeepOf is Keep of what the work with this context made, and KeepOutside if its
// reservation is Outside: the bytes are taken from its reservation, as far as that has
// them.
func (b *Budget) KeepOf(ctx context.Context, n int64, drop func()) *Entry {
	e := &Entry{b: b, n: max(n, 0), drop: drop}
	b.mu.Lock()
	defer b.mu.Unlock()
	if r, ok := ctx.Value(reservationKey{b}).(*Reservation); ok && !r.over {
		e.outside = r.outside
		b.give(r, min(e.n, max(r.n-1, 0)))
	}
	return b.keepLocked(e)
}

func (b *Budget) keep(e *Entry) *Entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.keepLocked(e)
}

// keepLocked adds an entry if there is room; mu is held.
func (b *Budget) keepLocked(e *Entry) *Entry {
	if b.work+e.n > b.limit {
		return nil
	}
	b.later(b.evict(e.n))
	e.el = b.kept.PushBack(e)
	b.cached += e.n
	if e.outside {
		b.tellOutside(e.n)
	}
	b.count()
	return e
}

// evict takes the least recently used entries from the list until n more bytes fit. It
// returns how to let them go, which must be called without mu.
func (b *Budget) evict(n int64) (drops []func()) {
	for b.kept.Len() > 0 && b.work+b.cached+n > b.limit {
		e := b.kept.Front().Value.(*Entry)
		b.remove(e)
		drops = append(drops, e.drop)
	}
	return drops
}

// later runs drops where the caller may have locked the cache that they lock.
func (b *Budget) later(drops []func()) {
	if len(drops) > 0 {
		go run(drops)
	}
}

// remove takes an entry from the list; mu is held.
func (b *Budget) remove(e *Entry) {
	b.kept.Remove(e.el)
	e.el = nil
	b.cached -= e.n
	if e.outside {
		b.tellOutside(-e.n)
	}
}

// Touch says that the thing was used now.
func (e *Entry) Touch() {
	if e == nil {
		return
	}
	e.b.mu.Lock()
	defer e.b.mu.Unlock()
	if e.el != nil {
		e.b.kept.MoveToBack(e.el)
	}
}

// Resize says that the thing has n bytes now and was used. Where they do not fit beside
// the work in progress, the thing is let go as when its memory is needed.
func (e *Entry) Resize(n int64) {
	if e == nil {
		return
	}
	b := e.b
	b.mu.Lock()
	defer b.mu.Unlock()
	if e.el == nil {
		return
	}
	b.kept.MoveToBack(e.el)
	more := max(n, 0) - e.n
	b.cached += more
	e.n += more
	if e.outside {
		b.tellOutside(more)
	}
	b.later(b.evict(0))
	b.count()
}

// Forget says that the cache no longer keeps the thing; drop is not called any more.
func (e *Entry) Forget() {
	if e == nil {
		return
	}
	e.b.mu.Lock()
	defer e.b.mu.Unlock()
	if e.el != nil {
		e.b.remove(e) // nobody waits for it: what is kept yields to work anyway
	}
}
