package httpapi

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// rates limits the calls of each user: a token bucket for two seconds' worth.
type rates struct {
	perSecond float64
	now       func() time.Time

	mu    sync.Mutex // protects the fields below
	users map[string]*userRate
	swept time.Time
}

type userRate struct {
	limit *rate.Limiter
	last  time.Time
}

// forget is how long an idle user's bucket is kept: by then it is full again.
const forget = 10 * time.Minute

func newRates(perSecond float64, now func() time.Time) *rates {
	return &rates{perSecond: perSecond, now: now, users: map[string]*userRate{}, swept: now()}
}

// allow takes one request off a user's bucket, or refuses with the time to
// wait.
func (l *rates) allow(w http.ResponseWriter, user string) error {
	if l.perSecond < 0 {
		return nil
	}
	now := l.now()
	res := l.of(user, now).ReserveN(now, 1)
	wait := res.DelayFrom(now)
	if wait == 0 {
		return nil
	}
	res.CancelAt(now)
	return tooMany(w, wait)
}

// await is allow for a caller that waits for its turn, at most awaitMost.
func (l *rates) await(ctx context.Context, user string) error {
	if l.perSecond < 0 {
		return nil
	}
	now := l.now()
	res := l.of(user, now).ReserveN(now, 1)
	wait := res.DelayFrom(now)
	if wait > awaitMost {
		res.CancelAt(now)
		return fail(http.StatusTooManyRequests, codeRate, "Too many requests; try again in a while")
	}
	select {
	case <-time.After(wait):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

const awaitMost = 10 * time.Second

func tooMany(w http.ResponseWriter, wait time.Duration) error {
	retryAfter(w, wait)
	return fail(http.StatusTooManyRequests, codeRate, "Too many requests; try again after the seconds that Retry-After says")
}

func retryAfter(w http.ResponseWriter, wait time.Duration) {
	w.Header().Set("Retry-After", strconv.Itoa(max(1, int(math.Ceil(wait.Seconds())))))
}

func (l *rates) of(user string, now time.Time) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.swept) > forget {
		for id, u := range l.users {
			if now.Sub(u.last) > forget {
				delete(l.users, id)
			}
		}
		l.swept = now
	}
	u := l.users[user]
	if u == nil {
		u = &userRate{limit: rate.NewLimiter(rate.Limit(l.perSecond), max(1, int(2*l.perSecond)))}
		l.users[user] = u
	}
	u.last = now
	return u.limit
}

// shares limits the uploads in progress, in total and for each user. They
// take as long as their senders like, so they do not use the places of calls.
type shares struct {
	most, each int

	mu  sync.Mutex // protects the fields below
	all int
	of  map[string]int
}

func newShares(most int) *shares {
	return &shares{most: most, each: max(1, most/4), of: map[string]int{}}
}

// take takes a place for a user or returns an error. The caller calls leave
// if err is nil.
func (s *shares) take(w http.ResponseWriter, user string) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.of[user] >= s.each:
		retryAfter(w, time.Second)
		return nil, fail(http.StatusTooManyRequests, codeRate, fmt.Sprintf("%d of your uploads are on their way, which is the most; let one end", s.each))
	case s.all >= s.most:
		retryAfter(w, time.Second)
		return nil, fail(http.StatusServiceUnavailable, codeUnavailable, "The server is busy; try again")
	}
	s.all++
	s.of[user]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.all--
		if s.of[user]--; s.of[user] == 0 {
			delete(s.of, user)
		}
	}, nil
}

// taken returns how many places are taken.
func (s *shares) taken() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all
}

// places limits how many calls are executed at once.
type places struct {
	free chan struct{}
	wait time.Duration
}

func newPlaces(n int, wait time.Duration) places { return places{make(chan struct{}, n), wait} }

// take waits for a place. The caller calls leave if err is nil.
func (p places) take(ctx context.Context, w http.ResponseWriter) (leave func(), err error) {
	leave, err = p.enter(ctx)
	if err == errBusy {
		retryAfter(w, max(p.wait, time.Second))
	}
	return leave, err
}

var errBusy = fail(http.StatusServiceUnavailable, codeUnavailable, "The server is busy; try again")

// enter is take for a caller that is not told when to try again: errBusy.
func (p places) enter(ctx context.Context) (leave func(), err error) {
	leave = func() { <-p.free }
	select {
	case p.free <- struct{}{}:
		return leave, nil
	default:
	}
	timer := time.NewTimer(p.wait)
	defer timer.Stop()
	select {
	case p.free <- struct{}{}:
		return leave, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timer.C:
		return nil, errBusy
	}
}
