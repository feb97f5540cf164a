package spend

import (
	"sync"
	"time"
)

// Clock measures how long a run works. It stops while the run waits for an
// answer of a person. It is safe for concurrent use.
type Clock struct {
	now func() time.Time

	mu      sync.Mutex // protects the fields below
	begun   time.Time
	waiting int       // questions that are open
	since   time.Time // when the first of them was put
	waited  time.Duration
}

func newClock(now func() time.Time) *Clock { return &Clock{now: now, begun: now()} }

// Hold stops the clock until the returned function is called.
func (c *Clock) Hold() (release func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting++; c.waiting == 1 {
		c.since = c.now()
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.waiting--; c.waiting == 0 {
			c.waited += c.now().Sub(c.since)
		}
	}
}

func (c *Clock) worked() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	end := c.now()
	if c.waiting > 0 {
		end = c.since
	}
	return end.Sub(c.begun) - c.waited
}
