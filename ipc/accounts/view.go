package accounts

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// The keys of the bucket. Ids are UUIDs; an address is named by a hash.
const (
	userKey      = "user."      // ID → sharedUser
	emailKeyed   = "email."     // hash of the address → sharedUser, which claims the address
	workspaceKey = "workspace." // ID → Workspace
	memberKey    = "member."    // WORKSPACE.USER → sharedMember
	beatKey      = "beat."      // SLOT → anything: what a server writes to see how far it has read
)

// sharedUser is a User with what its JSON for people leaves out.
type sharedUser struct {
	User
	RevokedUntil int64 `json:"revoked_until,omitempty"`
	Revocations  int64 `json:"revocations,omitempty"`
}

func sharedOf(u User) sharedUser { return sharedUser{u, u.RevokedUntil, u.Revocations} }

func (u sharedUser) user() User {
	u.User.RevokedUntil, u.User.Revocations = u.RevokedUntil, u.Revocations
	return u.User
}

type sharedMember struct {
	AddedAt string `json:"added_at"`
}

// view is what the bucket has, as far as it was read.
type view struct {
	users      map[string]User
	claims     map[string]User // by hash of the address
	workspaces map[string]Workspace
	members    map[string]map[string]sharedMember // by workspace and user
	beat       uint64                             // revision of the last own beat
}

func newView() *view {
	return &view{map[string]User{}, map[string]User{}, map[string]Workspace{}, map[string]map[string]sharedMember{}, 0}
}

// apply takes in one change of the bucket.
func (v *view) apply(e jetstream.KeyValueEntry) error {
	key, gone := e.Key(), e.Operation() != jetstream.KeyValuePut
	read := func(into any) error {
		if err := json.Unmarshal(e.Value(), into); err != nil {
			return fmt.Errorf("the key %s of the accounts is not valid: %w", key, err)
		}
		return nil
	}
	kind, rest, _ := strings.Cut(key, ".")
	switch kind + "." {
	case userKey, emailKeyed:
		into := v.users
		if kind+"." == emailKeyed {
			into = v.claims
		}
		delete(into, rest)
		var u sharedUser
		if gone {
			return nil
		}
		if err := read(&u); err != nil {
			return err
		}
		into[rest] = u.user()
	case workspaceKey:
		delete(v.workspaces, rest)
		var w Workspace
		if gone {
			return nil
		}
		if err := read(&w); err != nil {
			return err
		}
		v.workspaces[rest] = w
	case memberKey:
		ws, user, _ := strings.Cut(rest, ".")
		delete(v.members[ws], user)
		var m sharedMember
		if gone {
			return nil
		}
		if err := read(&m); err != nil {
			return err
		}
		if v.members[ws] == nil {
			v.members[ws] = map[string]sharedMember{}
		}
		v.members[ws][user] = m
	case beatKey:
		v.beat = max(v.beat, e.Revision())
	}
	return nil
}

// sorted returns the values of a map by id for which keep holds, in order of creation. It
// sorts strings, since code for sorting each type adds 50 kB to the program.
func sorted[T any](m map[string]T, keep func(T) bool, created func(T) (at string)) []T {
	var keys []string
	for id, v := range m {
		if keep(v) {
			keys = append(keys, created(v)+"\x00"+id)
		}
	}
	slices.Sort(keys)
	out := make([]T, 0, len(keys))
	for _, k := range keys {
		_, id, _ := strings.Cut(k, "\x00")
		out = append(out, m[id])
	}
	return out
}
