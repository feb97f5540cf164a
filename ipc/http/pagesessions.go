package httpapi

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"sync"
	"time"

	"atelier/internal/cluster"
)

const (
	sessionsOfUser = 16     // the oldest ends for another
	sessionsInAll  = 10_000 // likewise
)

var errNoSession = errors.New("no session")

// sessions are those of the page. They end with their token, when they are ended, and, where
// they are not shared, with the process.
type sessions struct {
	now    func() time.Time
	shared *SharedSessions // of the servers of a cluster; nil: they are this server's alone

	mu  sync.Mutex // protects the fields below
	all []*session // the oldest first
}

// session is a browser in which a user has signed in.
type session struct {
	key    [sha256.Size]byte // of the cookie
	claims tokenClaims       // of the token
	ended  context.Context   // done when the session has ended
	end    context.CancelFunc
}

func newSessions(now func() time.Time, shared *SharedSessions) *sessions {
	return &sessions{now: now, shared: shared}
}

// add makes a session and returns its cookie.
func (l *sessions) add(ctx context.Context, c tokenClaims) (cookie string, err error) {
	b := make([]byte, 32)
	rand.Read(b) // never fails
	cookie = hex.EncodeToString(b)
	if l.shared != nil {
		cookie = c.user + "." + cookie
		if err := l.shared.put(ctx, c, sha256.Sum256([]byte(cookie)), l.now()); err != nil {
			return "", err
		}
	}
	l.keep(cookie, c)
	return cookie, nil
}

// keep notes a session here. The oldest ones make room for it.
func (l *sessions) keep(cookie string, c tokenClaims) *session {
	of := &session{key: sha256.Sum256([]byte(cookie)), claims: c}
	of.ended, of.end = context.WithCancel(context.Background())
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sweep()
	if n := l.index(of.key); n >= 0 {
		return l.all[n] // another request was faster
	}
	own := 0
	for _, o := range slices.Backward(l.all) {
		if l.shared == nil && o.claims.user == c.user { // the cluster bounds those that it keeps
			if own++; own >= sessionsOfUser {
				o.end()
			}
		}
	}
	if len(l.all) >= sessionsInAll {
		l.all[0].end()
	}
	l.all = append(l.all, of)
	return of
}

// index finds a session by a hash of its cookie, so that the comparison tells nothing about
// the cookie. The caller holds l.mu.
func (l *sessions) index(key [sha256.Size]byte) int {
	return slices.IndexFunc(l.all, func(o *session) bool { return o.key == key })
}

// find returns the session of a cookie, nil for none. Where sessions are shared, the cluster
// is asked: another server may have ended it. The error is that the cluster does not answer.
func (l *sessions) find(ctx context.Context, cookie string) (*session, error) {
	key := sha256.Sum256([]byte(cookie))
	of := l.here(key)
	if l.shared == nil {
		return of, nil
	}
	user := userOf(cookie)
	if user == "" {
		return nil, nil
	}
	claims, err := l.shared.find(ctx, user, key)
	switch {
	case errors.Is(err, cluster.ErrNotFound):
		if of != nil {
			l.drop(of)
		}
		return nil, nil
	case err != nil:
		return nil, err
	case !l.now().Before(claims.expires):
		return nil, nil
	case of == nil:
		of = l.keep(cookie, claims)
	}
	return of, nil
}

func (l *sessions) here(key [sha256.Size]byte) *session {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sweep()
	if n := l.index(key); n >= 0 {
		return l.all[n]
	}
	return nil
}

// still reports whether no other server has ended a session; one that the cluster does not
// tell of has not ended.
func (l *sessions) still(ctx context.Context, of *session) bool {
	if l.shared == nil {
		return true
	}
	_, err := l.shared.find(ctx, of.claims.user, of.key)
	return !errors.Is(err, cluster.ErrNotFound)
}

// end ends the session of a cookie, if there is one.
func (l *sessions) end(ctx context.Context, cookie string) error {
	key := sha256.Sum256([]byte(cookie))
	if of := l.here(key); of != nil {
		l.drop(of)
	}
	if user := userOf(cookie); l.shared != nil && user != "" {
		return l.shared.end(ctx, user, key)
	}
	return nil
}

// drop ends a session here.
func (l *sessions) drop(of *session) {
	of.end()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sweep()
}

// sweep removes sessions that have ended. The caller holds l.mu.
func (l *sessions) sweep() {
	now := l.now()
	l.all = slices.DeleteFunc(l.all, func(o *session) bool {
		if !now.Before(o.claims.expires) {
			o.end()
		}
		return o.ended.Err() != nil
	})
}
