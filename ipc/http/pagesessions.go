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
)

const (
	sessionsOfUser = 16     // the oldest ends for another
	sessionsInAll  = 10_000 // likewise
)

var errNoSession = errors.New("no session")

// sessions are those of the page. They end with their token, with the process, and
// when they are ended.
type sessions struct {
	now func() time.Time

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

func newSessions(now func() time.Time) *sessions { return &sessions{now: now} }

// add makes a session and returns its cookie.
func (l *sessions) add(c tokenClaims) (cookie string) {
	b := make([]byte, 32)
	rand.Read(b) // never fails
	cookie = hex.EncodeToString(b)
	of := &session{key: sha256.Sum256([]byte(cookie)), claims: c}
	of.ended, of.end = context.WithCancel(context.Background())
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sweep()
	own := 0
	for _, o := range slices.Backward(l.all) {
		if o.claims.user == c.user {
			if own++; own >= sessionsOfUser {
				o.end()
			}
		}
	}
	if len(l.all) >= sessionsInAll {
		l.all[0].end()
	}
	l.all = append(l.all, of)
	return cookie
}

// find returns the session of a cookie, nil for none.
func (l *sessions) find(cookie string) *session {
	key := sha256.Sum256([]byte(cookie)) // so that the comparison tells nothing about it
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sweep()
	n := slices.IndexFunc(l.all, func(o *session) bool { return o.key == key })
	if n < 0 {
		return nil
	}
	return l.all[n]
}

// end ends the session of a cookie, if there is one.
func (l *sessions) end(cookie string) {
	if of := l.find(cookie); of != nil {
		l.drop(of)
	}
}

// drop ends a session.
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
