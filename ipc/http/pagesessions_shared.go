package httpapi

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"atelier/internal/cluster"
)

// SharedSessions keeps the sessions of the page for all servers of a cluster: a user signs in
// once, whichever server a balancer chooses.
type SharedSessions struct{ keys jetstream.KeyValue }

const (
	// sessionsKept is after how long a session is forgotten; no token is valid for longer.
	sessionsKept = 366 * 24 * time.Hour
	// sessionsPatience bounds a request.
	sessionsPatience = 5 * time.Second
)

// OpenSessions opens those of a cluster.
func OpenSessions(ctx context.Context, c *cluster.Cluster) (*SharedSessions, error) {
	keys, err := c.Keys(ctx, "page-sessions", sessionsKept)
	return &SharedSessions{keys}, err
}

// sharedSession is the value of a key; the key has a hash of the cookie.
type sharedSession struct {
	Begun   time.Time `json:"begun"`
	Issued  time.Time `json:"issued"` // of the token, as Expires is
	Expires time.Time `json:"expires"`

	Revocations *int64 `json:"revocations,omitempty"` // of the token
}

// sharedKey names a session: its user, then a hash of its cookie.
func sharedKey(user string, hash [32]byte) string { return user + "." + hex.EncodeToString(hash[:]) }

// put keeps a session. The oldest of the user's make room for it, and those that have ended.
func (s *SharedSessions) put(ctx context.Context, c tokenClaims, hash [32]byte, now time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, sessionsPatience)
	defer cancel()
	b, err := json.Marshal(sharedSession{now, c.issued, c.expires, c.revocations})
	if err != nil {
		return err
	}
	if err := s.makeRoom(ctx, c.user, now); err != nil {
		return err
	}
	_, err = s.keys.Create(ctx, sharedKey(c.user, hash), b)
	return cluster.Classified("a session", err)
}

func (s *SharedSessions) makeRoom(ctx context.Context, user string, now time.Time) error {
	list, err := s.keys.ListKeysFiltered(ctx, user+".*")
	if err != nil {
		return cluster.Classified("sessions of a user", err)
	}
	type kept struct {
		key string
		at  time.Time
	}
	var all []kept
	for key := range list.Keys() {
		v, err := s.get(ctx, key)
		switch {
		case errors.Is(err, cluster.ErrNotFound):
			continue
		case err != nil && ctx.Err() != nil:
			return err
		case err != nil || !now.Before(v.Expires):
			v.Begun = time.Time{} // it goes first
		}
		all = append(all, kept{key, v.Begun})
	}
	if ctx.Err() != nil {
		return cluster.Classified("sessions of a user", ctx.Err())
	}
	slices.SortFunc(all, func(a, b kept) int { return a.at.Compare(b.at) })
	for i, k := range all {
		if !k.at.IsZero() && len(all)-i < sessionsOfUser {
			break
		}
		if err := s.keys.Purge(ctx, k.key); err != nil {
			return cluster.Classified("a session", err)
		}
	}
	return nil
}

func (s *SharedSessions) get(ctx context.Context, key string) (v sharedSession, err error) {
	e, err := s.keys.Get(ctx, key)
	if err != nil {
		return v, cluster.Classified("a session", err)
	}
	if err := json.Unmarshal(e.Value(), &v); err != nil {
		return v, fmt.Errorf("a session in the cluster cannot be read: %w", err)
	}
	return v, nil
}

// find returns the token of a session; cluster.ErrNotFound: there is none.
func (s *SharedSessions) find(ctx context.Context, user string, hash [32]byte) (c tokenClaims, err error) {
	ctx, cancel := context.WithTimeout(ctx, sessionsPatience)
	defer cancel()
	v, err := s.get(ctx, sharedKey(user, hash))
	return tokenClaims{user: user, issued: v.Issued, expires: v.Expires, revocations: v.Revocations}, err
}

// end ends a session for all servers.
func (s *SharedSessions) end(ctx context.Context, user string, hash [32]byte) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sessionsPatience)
	defer cancel()
	return cluster.Classified("a session", s.keys.Purge(ctx, sharedKey(user, hash)))
}

// userOf is the user that a cookie of a cluster names, "" for none.
func userOf(cookie string) string {
	user, rest, ok := strings.Cut(cookie, ".")
	if !ok || len(rest) != 64 || len(user) != 36 || strings.Trim(user, "0123456789abcdef-") != "" {
		return ""
	}
	return user
}
