package book

import (
	"container/list"
	"sync"

	"atelier/internal/budget"
)

// LRU keeps the values used last, up to a sum of costs. It is for what depends
// on nothing but the bytes of a file, by their hash.
type LRU[V any] struct {
	mu    sync.Mutex // guards all below
	max   int
	Cost  int
	unit  int64      // bytes of a cost of 1
	order *list.List // of *lruItem[V], the last used in front
	Items map[string]*list.Element
}

type lruItem[V any] struct {
	key  string
	v    V
	cost int
	kept *budget.Entry
}

// NewLRU returns an empty cache whose entries cost at most max together. A cost of 1 is
// unit bytes of memory, which other work may need (package budget).
func NewLRU[V any](max int, unit int64) *LRU[V] {
	return &LRU[V]{max: max, unit: unit, order: list.New(), Items: map[string]*list.Element{}}
}

// Get returns the value of a key and marks it as used now.
func (c *LRU[V]) Get(key string) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.Items[key]
	if e == nil {
		return v, false
	}
	c.order.MoveToFront(e)
	it := e.Value.(*lruItem[V])
	it.kept.Touch()
	return it.v, true
}

// Put keeps a value, and drops those that were used longest ago.
func (c *LRU[V]) Put(key string, v V, cost int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.Items[key]; e != nil {
		c.drop(e)
	}
	if cost > c.max {
		return
	}
	it := &lruItem[V]{key: key, v: v, cost: cost}
	if it.kept = budget.Process.Keep(int64(cost)*c.unit, func() { c.forget(it) }); it.kept == nil {
		return
	}
	c.Items[key] = c.order.PushFront(it)
	for c.Cost += cost; c.Cost > c.max; {
		c.drop(c.order.Back())
	}
}

// forget drops an item whose memory is needed.
func (c *LRU[V]) forget(it *lruItem[V]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.Items[it.key]; e != nil && e.Value == it {
		c.drop(e)
	}
}

// drop removes an item; c.mu is held.
func (c *LRU[V]) drop(e *list.Element) {
	it := c.order.Remove(e).(*lruItem[V])
	it.kept.Forget()
	delete(c.Items, it.key)
	c.Cost -= it.cost
}

// Clear forgets all.
func (c *LRU[V]) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for e := c.order.Front(); e != nil; e = e.Next() {
		e.Value.(*lruItem[V]).kept.Forget()
	}
	c.order.Init()
	clear(c.Items)
	c.Cost = 0
}
