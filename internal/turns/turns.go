package turns

import (
	"errors"
	"slices"
	"sync"
	"time"
)

// Limits bound a queue.
type Limits struct {
	Places  int // that there are
	Waiting int // tickets that wait at most
	Each    int // of them, tickets of one user
}

// The errors of Enter.
var (
	ErrFull   = errors.New("as many wait as may")
	ErrShare  = errors.New("as many of the user wait as may")
	ErrClosed = errors.New("no more turns are given")
)

// Queue is safe for concurrent use.
type Queue struct {
	limits Limits

	mu      sync.Mutex // protects the fields below
	taken   int        // places
	waiting int
	order   []string             // users who wait, in the order of their turns
	of      map[string][]*Ticket // what each of them waits with, in the order of coming
	closed  bool
}

// Ticket is a place, or the wait for one.
type Ticket struct {
	q     *Queue
	user  string
	came  time.Time
	turn  chan struct{} // closed when it has a place
	state state         // protected by q.mu
}

type state int

const (
	waits state = iota
	has         // a place
	left
)

// New makes a queue whose places are all free.
func New(l Limits) *Queue { return &Queue{limits: l, of: map[string][]*Ticket{}} }

// Enter returns a ticket that has a place, if one is free and nobody waits, else one that
// waits.
func (q *Queue) Enter(user string) (*Ticket, error) { return q.enter(user, true) }

// Continue is Enter for what was let in before, elsewhere: nothing refuses it.
func (q *Queue) Continue(user string) *Ticket {
	t, _ := q.enter(user, false)
	return t
}

func (q *Queue) enter(user string, bounded bool) (*Ticket, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := &Ticket{q: q, user: user, came: time.Now(), turn: make(chan struct{})}
	switch free := !q.closed && q.taken < q.limits.Places && q.waiting == 0; {
	case q.closed && bounded:
		return nil, ErrClosed
	case free:
		q.give(t)
		return t, nil
	case bounded && len(q.of[user]) >= q.limits.Each:
		return nil, ErrShare
	case bounded && q.waiting >= q.limits.Waiting:
		return nil, ErrFull
	}
	if len(q.of[user]) == 0 {
		q.order = append(q.order, user)
	}
	q.of[user] = append(q.of[user], t)
	q.waiting++
	return t, nil
}

// Claim returns a ticket that has a place, where one is free and nobody waits for it.
func (q *Queue) Claim() (*Ticket, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || q.waiting > 0 || q.taken >= q.limits.Places {
		return nil, false
	}
	t := &Ticket{q: q, came: time.Now(), turn: make(chan struct{})}
	q.give(t)
	return t, true
}

// give gives a place to a ticket. q.mu is held.
func (q *Queue) give(t *Ticket) {
	q.taken++
	t.state = has
	close(t.turn)
}

// next gives the free places to those whose turn it is. q.mu is held.
func (q *Queue) next() {
	for !q.closed && q.taken < q.limits.Places && len(q.order) > 0 {
		user := q.order[0]
		t := q.of[user][0]
		q.order = q.order[1:]
		q.of[user] = q.of[user][1:]
		if len(q.of[user]) > 0 {
			q.order = append(q.order, user)
		} else {
			delete(q.of, user)
		}
		q.waiting--
		q.give(t)
	}
}

// Turn is closed when the ticket has a place.
func (t *Ticket) Turn() <-chan struct{} { return t.turn }

// Waited is how long ago the ticket came, by the monotonic clock.
func (t *Ticket) Waited() time.Duration { return time.Since(t.came) }

// Leave gives the place up, or the wait for one. Only the first call counts.
func (t *Ticket) Leave() {
	t.q.mu.Lock()
	defer t.q.mu.Unlock()
	switch t.state {
	case waits:
		t.withdraw()
	case has:
		t.q.taken--
		t.q.next()
	}
	t.state = left
}

// Withdraw is Leave for a ticket that waits; false: it does not.
func (t *Ticket) Withdraw() bool {
	t.q.mu.Lock()
	defer t.q.mu.Unlock()
	if t.state != waits {
		return false
	}
	t.withdraw()
	t.state = left
	return true
}

// withdraw takes a ticket that waits out of the queue. q.mu is held.
func (t *Ticket) withdraw() {
	q := t.q
	q.waiting--
	mine := slices.DeleteFunc(q.of[t.user], func(o *Ticket) bool { return o == t })
	if len(mine) > 0 {
		q.of[t.user] = mine
		return
	}
	delete(q.of, t.user)
	q.order = slices.DeleteFunc(q.order, func(u string) bool { return u == t.user })
}

// Ahead is how many tickets have their turn before this one, if no other comes or leaves;
// false: it does not wait.
func (t *Ticket) Ahead() (n int, waiting bool) {
	q := t.q
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.state != waits {
		return 0, false
	}
	round := slices.Index(q.of[t.user], t) // turns of the user before it
	n = round
	before := true
	for _, u := range q.order {
		if u == t.user {
			before = false
			continue
		}
		most := round
		if before {
			most++
		}
		n += min(len(q.of[u]), most)
	}
	return n, true
}

// Free is how many places a ticket that comes now can have at once.
func (q *Queue) Free() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || q.waiting > 0 {
		return 0
	}
	return q.limits.Places - q.taken
}

// Waiting is how many tickets wait.
func (q *Queue) Waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waiting
}

// Close gives no more turns. Those who wait are told by who closes.
func (q *Queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
}
