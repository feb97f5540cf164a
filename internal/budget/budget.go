package budget

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Budget is an amount of memory. It is safe for concurrent use.
type Budget struct {
	mu      sync.Mutex // protects the fields below and those of entries and reservations
	limit   int64
	told    atomic.Int64 // limit, for Limit
	work    int64        // reserved
	cached  int64        // by Keep
	outside int64        // the part of work that other processes take
	kept    list.List    // of *Entry, the least recently used first
	queue   list.List    // of *waiter, in order of arrival
	most    int64        // work and cached together, at most since the start
	waits   int64        // how many had to wait
	changed func(outside int64)
}

// New returns a budget of limit bytes.
func New(limit int64) *Budget {
	b := &Budget{}
	b.SetLimit(limit)
	return b
}

// Stats is what a budget is used for, in bytes.
type Stats struct {
	Limit   int64 `json:"limit"`
	Work    int64 `json:"work"`    // reserved by work in progress
	Cached  int64 `json:"cached"`  // kept by caches; let go when work needs it
	Waiting int   `json:"waiting"` // how many wait for memory
	Waited  int64 `json:"waited"`  // how many had to wait since the start
	Most    int64 `json:"most"`    // of work and cached together since the start
}

// Stats returns what the budget is used for now.
func (b *Budget) Stats() Stats {
	b.mu.Lock()
	defer b.mu.Unlock()
	return Stats{Limit: b.limit, Work: b.work, Cached: b.cached, Waiting: b.queue.Len(), Waited: b.waits, Most: b.most}
}

// Limit returns how many bytes the budget has.
func (b *Budget) Limit() int64 { return b.told.Load() }

// SetLimit changes how many bytes the budget has. Caches are emptied to fit; work in
// progress continues.
func (b *Budget) SetLimit(limit int64) {
	b.mu.Lock()
	b.limit = max(limit, 1)
	b.told.Store(b.limit)
	drops := b.evict(0)
	done := b.admit(drops)
	b.mu.Unlock()
	done()
}

// Reservation is memory that work has until it releases it.
type Reservation struct {
	b       *Budget
	n       int64
	outside bool
	over    bool // Release has been called
}

type reservationKey struct{ b *Budget }

// WaitError is that the time of a call ended while it waited for memory.
type WaitError struct {
	Want, InUse, Limit int64 // bytes
	Waited             time.Duration
	cause              error
}

func (e *WaitError) Error() string {
	return fmt.Sprintf("waited %s for memory: %d MiB in use of a budget of %d MiB, and this needs %d MiB; try again when less is in progress, or raise the limit with --memory-limit",
		e.Waited.Round(time.Second), e.InUse>>20, e.Limit>>20, e.Want>>20)
}

// Unwrap returns why the wait ended.
func (e *WaitError) Unwrap() error { return e.cause }

type waiter struct {
	n     int64
	r     *Reservation
	ready chan struct{}
}

// Reserve waits until n bytes are free, letting go of what caches keep. Work with a
// context that Reserve returned belongs to that reservation: if it asks for more, the
// difference is added without waiting until it releases it. The error is a *WaitError
// when the time of the context is over, else the error of the context.
func (b *Budget) Reserve(ctx context.Context, n int64) (context.Context, *Reservation, error) {
	if outer, ok := ctx.Value(reservationKey{b}).(*Reservation); ok {
		if r := b.inside(outer, n); r != nil {
			return ctx, r, nil
		}
	}
	r, err := b.wait(ctx, n)
	if err != nil {
		return ctx, nil, err
	}
	return context.WithValue(ctx, reservationKey{b}, r), r, nil
}

// inside adds to an outer reservation what n is more; nil when the outer one has ended.
func (b *Budget) inside(outer *Reservation, n int64) *Reservation {
	b.mu.Lock()
	if outer.over {
		b.mu.Unlock()
		return nil
	}
	r := &Reservation{b: b, n: max(0, n-outer.n)}
	b.work += r.n
	drops := b.evict(0)
	b.count()
	b.mu.Unlock()
	run(drops)
	return r
}

func (b *Budget) wait(ctx context.Context, n int64) (*Reservation, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	w := &waiter{n: max(n, 1), r: &Reservation{b: b}, ready: make(chan struct{})}
	b.mu.Lock()
	el := b.queue.PushBack(w)
	done := b.admit(nil)
	if w.r.n == 0 {
		b.waits++
	}
	b.mu.Unlock()
	done()
	from := time.Now()
	select {
	case <-w.ready:
		return w.r, nil
	case <-ctx.Done():
	}
	b.mu.Lock()
	if w.r.n > 0 { // both at once
		b.mu.Unlock()
		w.r.Release()
		return nil, ctx.Err()
	}
	b.queue.Remove(el)
	why := &WaitError{Want: w.n, InUse: b.work, Limit: b.limit, Waited: time.Since(from), cause: context.Cause(ctx)}
	done = b.admit(nil) // those behind it
	b.mu.Unlock()
	done()
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return nil, why
	}
	return nil, ctx.Err()
}

// admit lets those begin whose turn it is. Its result runs drops and lets go of what
// caches keep, then wakes them; it is called without mu, which admit's caller holds.
func (b *Budget) admit(drops []func()) func() {
	var ready []chan struct{}
	for el := b.queue.Front(); el != nil; el = b.queue.Front() {
		w := el.Value.(*waiter)
		n := min(w.n, b.limit) // who asks for more gets all of it, alone
		if b.work+n > b.limit {
			break
		}
		b.queue.Remove(el)
		w.r.n = n
		b.work += n
		drops = append(drops, b.evict(0)...)
		ready = append(ready, w.ready)
	}
	b.count()
	return func() {
		run(drops)
		for _, c := range ready {
			close(c)
		}
	}
}

// count notes the most that was in use; mu is held.
func (b *Budget) count() { b.most = max(b.most, b.work+b.cached) }

func run(drops []func()) {
	for _, f := range drops {
		f()
	}
}

// Release gives the memory back. Only the first call does.
func (r *Reservation) Release() {
	b := r.b
	b.mu.Lock()
	if r.over {
		b.mu.Unlock()
		return
	}
	r.over = true
	b.give(r, r.n)
	done := b.admit(nil)
	b.mu.Unlock()
	done()
}

// give takes n bytes from what a reservation has; mu is held.
func (b *Budget) give(r *Reservation, n int64) {
	r.n -= n
	b.work -= n
	if r.outside {
		b.tellOutside(-n)
	}
}

// Grow makes the reservation n bytes larger if they are free, without waiting, and
// reports whether it did. It lets go of what caches keep.
func (r *Reservation) Grow(n int64) bool {
	b := r.b
	b.mu.Lock()
	if r.over || n < 0 || b.work+n > b.limit {
		b.mu.Unlock()
		return false
	}
	b.give(r, -n)
	drops := b.evict(0)
	b.count()
	b.mu.Unlock()
	run(drops)
	return true
}

// Outside says that the garbage collector does not see the memory, since it is that of
// another process or of a library, so that it leaves room for it.
func (r *Reservation) Outside() {
	r.b.mu.Lock()
	defer r.b.mu.Unlock()
	if !r.over && !r.outside {
		r.outside = true
		r.b.tellOutside(r.n)
	}
}

func (b *Budget) tellOutside(n int64) {
	b.outside += n
	if b.changed != nil {
		b.changed(b.outside)
	}
}

// Why returns what the error says of a wait for memory, led by ": ", for messages about a
// call whose time is over; "" when the call did not end waiting for memory.
func Why(err error) string {
	var w *WaitError
	if errors.As(err, &w) {
		return ": " + w.Error()
	}
	return ""
}

// Bytes returns how much the reservation has.
func (r *Reservation) Bytes() int64 {
	r.b.mu.Lock()
	defer r.b.mu.Unlock()
	return r.n
}
