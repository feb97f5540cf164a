package accounts

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"atelier/internal/cluster"
)

// patiently makes a change, again while the cluster cannot be reached.
func (s *shared) patiently(ctx context.Context, what string, do func(context.Context) error) error {
	defer s.wrote()
	return unavailable(cluster.Patiently(ctx, 2*patience, func() error {
		each, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		return cluster.Classified(what, do(each))
	}))
}

// create writes a key that is not there; made is false where it is there with another value.
// A write whose answer was lost counts as made.
func (s *shared) create(ctx context.Context, key string, value any) (made bool, err error) {
	b, err := json.Marshal(value)
	if err != nil {
		return false, err
	}
	err = s.patiently(ctx, "writing "+key, func(ctx context.Context) error {
		_, err := s.kv.Create(ctx, key, b)
		if !cluster.IsConflict(err) {
			made = err == nil
			return err
		}
		e, err := s.kv.Get(ctx, key)
		if errors.Is(err, jetstream.ErrKeyNotFound) { // this server of the cluster does not have it yet
			return cluster.ErrUnreachable
		}
		made = err == nil && bytes.Equal(e.Value(), b)
		return err
	})
	return made, err
}

// change changes the value of a key that is known to be there, if change returns true.
func change[T any](ctx context.Context, s *shared, key string, change func(*T) bool) error {
	return s.patiently(ctx, "writing "+key, func(ctx context.Context) error {
		for {
			e, err := s.kv.Get(ctx, key)
			if errors.Is(err, jetstream.ErrKeyNotFound) { // this server of the cluster does not have it yet
				return cluster.ErrUnreachable
			}
			if err != nil {
				return err
			}
			var v T
			if err := json.Unmarshal(e.Value(), &v); err != nil {
				return err
			}
			if !change(&v) {
				return nil
			}
			b, err := json.Marshal(v)
			if err != nil {
				return err
			}
			if _, err = s.kv.Update(ctx, key, b, e.Revision()); !cluster.IsConflict(err) {
				return err
			}
			select { // another process changed it, or this server of the cluster is behind
			case <-time.After(10 * time.Millisecond):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
}

func hashOf(emailKey string) string {
	sum := sha256.Sum256([]byte(emailKey))
	return hex.EncodeToString(sum[:])
}

// addUser claims the address and then adds the user. Where a process ended between the two,
// the claim has the user, and any process that finds it completes it.
func (s *shared) addUser(ctx context.Context, u User) (taken bool, err error) {
	kept := sharedOf(u)
	made, err := s.create(ctx, emailKeyed+hashOf(emailKey(u.Email)), kept)
	if err != nil {
		return false, err
	}
	if !made {
		_, _, err = s.userAt(ctx, emailKey(u.Email))
		return true, err
	}
	_, err = s.create(ctx, userKey+u.ID, kept)
	return false, err
}

func (s *shared) userAt(ctx context.Context, emailKey string) (u User, ok bool, err error) {
	complete := true
	err = s.with(ctx, func(v *view) {
		if u, ok = v.claims[hashOf(emailKey)]; ok {
			if now, there := v.users[u.ID]; there {
				u = now
			} else {
				complete = false
			}
		}
	})
	if err == nil && !complete {
		_, err = s.create(ctx, userKey+u.ID, sharedOf(u))
	}
	return u, ok, err
}

func (s *shared) revoke(ctx context.Context, id string, raise func(*User)) error {
	return change(ctx, s, userKey+id, func(v *sharedUser) bool {
		u := v.user()
		raise(&u)
		changed := u.RevokedUntil != v.RevokedUntil || u.Revocations != v.Revocations
		v.RevokedUntil, v.Revocations = u.RevokedUntil, u.Revocations
		return changed
	})
}

func (s *shared) addWorkspace(ctx context.Context, w Workspace) (taken bool, err error) {
	made, err := s.create(ctx, workspaceKey+w.ID, w)
	return err == nil && !made, err
}

func (s *shared) addMember(ctx context.Context, workspaceID, userID, at string) error {
	_, err := s.create(ctx, memberKey+workspaceID+"."+userID, sharedMember{at})
	return err
}

func (s *shared) removeMember(ctx context.Context, workspaceID, userID string) (was bool, err error) {
	err = s.with(ctx, func(v *view) { _, was = v.members[workspaceID][userID] })
	if err != nil || !was {
		return false, err
	}
	return true, s.patiently(ctx, "removing a member", func(ctx context.Context) error {
		return s.kv.Delete(ctx, memberKey+workspaceID+"."+userID)
	})
}
