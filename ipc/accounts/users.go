package accounts

import (
	"context"
	"database/sql"
	"errors"
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
}

// AddUser creates a user. An address that is already used, in any case, is a
// Conflict.
func (s *Store) AddUser(ctx context.Context, email, fullName string) (User, error) {
	email = strings.TrimSpace(email)
	if a, err := mail.ParseAddress(email); err != nil || a.Address != email {
		return User{}, workshop.Faultf(workshop.Invalid, "%q is not an e-mail address such as ann@example.org", email).OnField("email")
	}
	u := User{ID: s.newID(), Email: email, FullName: strings.TrimSpace(fullName), CreatedAt: stamp(s.now())}
	err := s.inTx(ctx, func(tx *sql.Tx) error {
		var taken int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM users WHERE email_key=?`, emailKey(email)).Scan(&taken); err != nil {
			return err
		}
		if taken > 0 {
			return workshop.Faultf(workshop.Conflict, "there is a user with the address %s already", email).OnField("email")
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO users VALUES (?,?,?,?,?)`, u.ID, u.Email, emailKey(email), u.FullName, u.CreatedAt)
		return err
	})
	return u, err
}

func emailKey(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

const userColumns = `SELECT id, email, full_name, created_at, coalesce((SELECT issued_until FROM revocations WHERE user_id=users.id), 0) FROM users`

type scanner interface{ Scan(...any) error }

func scanUser(row scanner) (u User, err error) {
	err = row.Scan(&u.ID, &u.Email, &u.FullName, &u.CreatedAt, &u.RevokedUntil)
	return u, err
}

// RevokeTokens takes back all access tokens that a user, named by id or e-mail
// address, has by now. Tokens have whole seconds, so one that is issued later in
// the same second counts as taken back too.
func (s *Store) RevokeTokens(ctx context.Context, idOrEmail string) (User, error) {
	u, err := s.FindUser(ctx, idOrEmail)
	if err != nil {
		return u, err
	}
	u.RevokedUntil = s.now().Unix()
	_, err = s.db.ExecContext(ctx, `INSERT INTO revocations VALUES (?,?) ON CONFLICT (user_id) DO UPDATE SET issued_until=max(issued_until, excluded.issued_until)`, u.ID, u.RevokedUntil)
	return u, err
}

// Users lists the users in order of creation.
func (s *Store) Users(ctx context.Context) ([]User, error) {
	return list(ctx, s.db, scanUser, userColumns+` ORDER BY created_at, id`)
}

// User returns a user by id; NotFound if there is none.
func (s *Store) User(ctx context.Context, id string) (User, error) {
	u, err := scanUser(s.db.QueryRowContext(ctx, userColumns+` WHERE id=?`, id))
	if errors.Is(err, sql.ErrNoRows) {
		return u, noUser(id)
	}
	return u, err
}

// FindUser returns a user by id or e-mail address; NotFound if there is none.
func (s *Store) FindUser(ctx context.Context, idOrEmail string) (User, error) {
	u, err := scanUser(s.db.QueryRowContext(ctx, userColumns+` WHERE id=? OR email_key=?`, idOrEmail, emailKey(idOrEmail)))
	if errors.Is(err, sql.ErrNoRows) {
		return u, noUser(idOrEmail)
	}
	return u, err
}

func noUser(name string) error {
	return workshop.Unknownf("there is no user %s", name).OnField("user")
}

// list returns all rows of a query.
func list[T any](ctx context.Context, db *sql.DB, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := []T{}
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}
