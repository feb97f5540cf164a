package xlsx

import (
	"container/list"
	"sync"
)

// lru keeps the values used last, up to a sum of costs. It is for what depends
// on nothing but the bytes of a file, by their hash.
type lru[V any] struct {
	mu    sync.Mutex // guards all below
	max   int
	cost  int
	order *list.List // of *lruItem[V], the last used in front
	items map[string]*list.Element
}

type lruItem[V any] struct {
	key  string
	v    V
	cost int
}

func newLRU[V any](max int) *lru[V] {
	return &lru[V]{max: max, order: list.New(), items: map[string]*list.Element{}}
}

func (c *lru[V]) get(key string) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.items[key]
	if e == nil {
		return v, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*lruItem[V]).v, true
}

func (c *lru[V]) put(key string, v V, cost int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.items[key]; e != nil {
		c.drop(e)
	}
	if cost > c.max {
		return
	}
	c.items[key] = c.order.PushFront(&lruItem[V]{key, v, cost})
	for c.cost += cost; c.cost > c.max; {
		c.drop(c.order.Back())
	}
}

// drop removes an item; c.mu is held.
func (c *lru[V]) drop(e *list.Element) {
	it := c.order.Remove(e).(*lruItem[V])
	delete(c.items, it.key)
	c.cost -= it.cost
}

// clear forgets all.
func (c *lru[V]) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.order.Init()
	clear(c.items)
	c.cost = 0
}
