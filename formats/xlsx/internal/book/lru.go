package book

import (
	"container/list"
	"sync"
)

// LRU keeps the values used last, up to a sum of costs. It is for what depends
// on nothing but the bytes of a file, by their hash.
type LRU[V any] struct {
	mu    sync.Mutex // guards all below
	max   int
	Cost  int
	order *list.List // of *lruItem[V], the last used in front
	Items map[string]*list.Element
}

type lruItem[V any] struct {
	key  string
	v    V
	cost int
}

// NewLRU returns an empty cache whose entries cost at most max together.
func NewLRU[V any](max int) *LRU[V] {
	return &LRU[V]{max: max, order: list.New(), Items: map[string]*list.Element{}}
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
	return e.Value.(*lruItem[V]).v, true
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
	c.Items[key] = c.order.PushFront(&lruItem[V]{key, v, cost})
	for c.Cost += cost; c.Cost > c.max; {
		c.drop(c.order.Back())
	}
}

// drop removes an item; c.mu is held.
func (c *LRU[V]) drop(e *list.Element) {
	it := c.order.Remove(e).(*lruItem[V])
	delete(c.Items, it.key)
	c.Cost -= it.cost
}

// Clear forgets all.
func (c *LRU[V]) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.order.Init()
	clear(c.Items)
	c.Cost = 0
}
