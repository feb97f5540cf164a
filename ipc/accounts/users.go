package accounts

import (
	"context"
	"net/mail"
	"strings"

	"atelier/workshop"
)

// User is a person who may call the server (H-16).
type User struct {
	ID        string `json:"id"` // UUIDv7
	Email     string `json:"email"`
	FullName  string `json:"full_name,omitempty"`
	CreatedAt string `json:"created_at"` // RFC 3339, UTC
	// RevokedUntil is the second, Unix time, up to which issued access tokens
	// count no more; 0 if none were taken back.
	RevokedUntil int64 `json:"-"`
	// Revocations counts how often tokens were taken back. Tokens that Atelier makes have the
	// count, so that no clock decides whether they were made before.
	Revocations int64 `json:"-"`
	// MonthTokens is how many tokens requests to models may take in a month; 0: any
	// number.
	MonthTokens int64 `json:"tokens_a_month,omitempty"`
}

// AddUser creates a user. An address that is already used, in any case, is a
// Conflict.
func (s *Store) AddUser(ctx context.Context, email, fullName string) (User, error) {
	email = strings.TrimSpace(email)
	if a, err := mail.ParseAddress(email); err != nil || a.Address != email {
		return User{}, workshop.Faultf(workshop.Invalid, "%q is not an e-mail address such as ann@example.org", email).OnField("email")
	}
	u := User{ID: s.newID(), Email: email, FullName: strings.TrimSpace(fullName), CreatedAt: stamp(s.now())}
	taken, err := s.addUser(ctx, u)
	if err == nil && taken {
		err = workshop.Faultf(workshop.Conflict, "there is a user with the address %s already", email).OnField("email")
	}
	return u, err
}

func emailKey(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// RevokeTokens takes back all access tokens that a user, named by id or e-mail
// address, has by now. Tokens have whole seconds, so one that is issued later in
// the same second counts as taken back too.
func (s *Store) RevokeTokens(ctx context.Context, idOrEmail string) (User, error) {
	u, err := s.FindUser(ctx, idOrEmail)
	if err != nil {
		return u, err
	}
	u.RevokedUntil = s.now().Unix()
	return u, s.revoke(ctx, u.ID, func(r *User) {
		r.RevokedUntil, r.Revocations = max(r.RevokedUntil, u.RevokedUntil), r.Revocations+1
		u.Revocations = r.Revocations
	})
}

// Users lists the users in order of creation.
func (s *Store) Users(ctx context.Context) ([]User, error) { return s.users(ctx) }

// User returns a user by id; NotFound if there is none.
func (s *Store) User(ctx context.Context, id string) (User, error) {
	u, ok, err := s.user(ctx, id)
	if err == nil && !ok {
		err = noUser(id)
	}
	return u, err
}

// FindUser returns a user by id or e-mail address; NotFound if there is none.
func (s *Store) FindUser(ctx context.Context, idOrEmail string) (User, error) {
	u, ok, err := s.user(ctx, idOrEmail)
	if err == nil && !ok {
		u, ok, err = s.userAt(ctx, emailKey(idOrEmail))
	}
	if err == nil && !ok {
		err = noUser(idOrEmail)
	}
	return u, err
}

func noUser(name string) error {
	return workshop.Unknownf("there is no user %s", name).OnField("user")
}
