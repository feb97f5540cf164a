// Package groupcommit joins what several goroutines want to write at the same time: while
// one write is on its way, what comes waits and is written together, with one sync.
//
//	g := groupcommit.New(1000, func(all []*row) { err := insert(all); … })
//	err := g.Do(ctx, r, 1) // returns when r was in a call of the function
//
// Nothing waits for company: a write that comes alone is done at once.
package groupcommit

import (
	"context"
	"sync"
)

// Group is a queue of writes. It is safe for concurrent use.
type Group[T any] struct {
	most int
	run  func([]T)

	mu      sync.Mutex
	waiting []item[T]
	busy    bool // a goroutine calls run
}

type item[T any] struct {
	value T
	size  int
	done  chan struct{}
}

// New returns a group that calls run with items, one call at a time, whose sizes are at
// most that much together; a larger item is alone. run puts its results into the items,
// and takes a bounded time.
func New[T any](most int, run func([]T)) *Group[T] { return &Group[T]{most: most, run: run} }

// Do returns when run was called with the item, or when ctx ends: run is then still called
// with it.
func (g *Group[T]) Do(ctx context.Context, value T, size int) error {
	it := item[T]{value, size, make(chan struct{})}
	g.mu.Lock()
	g.waiting = append(g.waiting, it)
	if !g.busy {
		g.busy = true
		go g.work()
	}
	g.mu.Unlock()
	select {
	case <-it.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// work calls run until nothing waits.
func (g *Group[T]) work() {
	for {
		some := g.next()
		if some == nil {
			return
		}
		values := make([]T, len(some))
		for i, it := range some {
			values[i] = it.value
		}
		g.run(values)
		for _, it := range some {
			close(it.done)
		}
	}
}

// next takes what is written together next; nil: nothing waits.
func (g *Group[T]) next() []item[T] {
	g.mu.Lock()
	defer g.mu.Unlock()
	n, size := 0, 0
	for n < len(g.waiting) && (n == 0 || size+g.waiting[n].size <= g.most) {
		size += g.waiting[n].size
		n++
	}
	g.busy = n > 0
	some := g.waiting[:n:n]
	if g.waiting = g.waiting[n:]; len(g.waiting) == 0 {
		g.waiting = nil
	}
	if n == 0 {
		return nil
	}
	return some
}
