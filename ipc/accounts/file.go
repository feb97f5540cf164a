package accounts

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"atelier/internal/sqlitedb"
)

// File is the name of the database inside the data folder.
const File = "accounts.db"

// connections is how many queries run in parallel.
const connections = 8

const schema = `
CREATE TABLE IF NOT EXISTS users (
  id TEXT PRIMARY KEY, email TEXT NOT NULL, email_key TEXT NOT NULL UNIQUE, full_name TEXT NOT NULL, created_at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS workspaces (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, owner_id TEXT NOT NULL REFERENCES users(id), created_at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS members (         -- the owner has no row here
  workspace_id TEXT NOT NULL REFERENCES workspaces(id), user_id TEXT NOT NULL REFERENCES users(id), added_at TEXT NOT NULL,
  PRIMARY KEY (workspace_id, user_id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS revocations (     -- access tokens issued up to that second, Unix time, count no more
  user_id TEXT PRIMARY KEY REFERENCES users(id), issued_until INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS revocation_counts ( -- how often
  user_id TEXT PRIMARY KEY REFERENCES users(id), n INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS limits (          -- of tokens that requests to models may take in a month; 0: none
  user_id TEXT PRIMARY KEY REFERENCES users(id), month_tokens INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS spending (        -- of users who have a limit; month as 2006-01, UTC
  user_id TEXT NOT NULL REFERENCES users(id), month TEXT NOT NULL, tokens INTEGER NOT NULL, PRIMARY KEY (user_id, month)) WITHOUT ROWID;
`

// file has the accounts of one machine.
type file struct{ db *sql.DB }

// Open opens the accounts of a data folder and creates both if they do not
// exist.
func Open(home string, o Options) (*Store, error) {
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, err
	}
	if err := checkMoved(home); err != nil {
		return nil, err
	}
	path, err := filepath.Abs(filepath.Join(home, File))
	if err != nil {
		return nil, err
	}
	// The file has e-mail addresses. It is created here, so that other users
	// can never read it.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	db, err := sqlitedb.Open(path, sqlitedb.Options{Sync: "FULL"})
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections) // opening one costs more than a query
	if _, err := db.ExecContext(context.Background(), schema); err != nil {
		db.Close()
		return nil, fmt.Errorf("%s cannot be used: %w", path, err)
	}
	return newStore(&file{db}, o.withDefaults()), nil
}

// Close closes the database.
func (f *file) Close() error { return f.db.Close() }

// inTx runs do in a transaction, which is committed if do returns nil.
func (f *file) inTx(ctx context.Context, do func(*sql.Tx) error) error {
	tx, err := f.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		tx.Rollback()
		return err
	}
	return tx.Commit()
}

func (f *file) addUser(ctx context.Context, u User) (taken bool, err error) {
	err = f.inTx(ctx, func(tx *sql.Tx) error {
		if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM users WHERE email_key=?)`, emailKey(u.Email)).Scan(&taken); err != nil || taken {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO users VALUES (?,?,?,?,?)`, u.ID, u.Email, emailKey(u.Email), u.FullName, u.CreatedAt)
		return err
	})
	return taken, err
}

const userColumns = `SELECT id, email, full_name, created_at, coalesce((SELECT issued_until FROM revocations WHERE user_id=users.id), 0),
	coalesce((SELECT n FROM revocation_counts WHERE user_id=users.id), 0),
	coalesce((SELECT month_tokens FROM limits WHERE user_id=users.id), 0) FROM users`

type scanner interface{ Scan(...any) error }

func scanUser(row scanner) (u User, err error) {
	err = row.Scan(&u.ID, &u.Email, &u.FullName, &u.CreatedAt, &u.RevokedUntil, &u.Revocations, &u.MonthTokens)
	return u, err
}

func (f *file) revoke(ctx context.Context, id string, raise func(*User)) error {
	return f.inTx(ctx, func(tx *sql.Tx) error {
		u, err := scanUser(tx.QueryRowContext(ctx, userColumns+` WHERE id=?`, id))
		if err != nil {
			return err
		}
		raise(&u)
		if _, err := tx.ExecContext(ctx, `INSERT INTO revocations VALUES (?,?) ON CONFLICT (user_id) DO UPDATE SET issued_until=excluded.issued_until`, id, u.RevokedUntil); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO revocation_counts VALUES (?,?) ON CONFLICT (user_id) DO UPDATE SET n=excluded.n`, id, u.Revocations)
		return err
	})
}

func (f *file) users(ctx context.Context) ([]User, error) {
	return list(ctx, f.db, scanUser, userColumns+` ORDER BY created_at, id`)
}

func (f *file) user(ctx context.Context, id string) (User, bool, error) {
	return found(scanUser(f.db.QueryRowContext(ctx, userColumns+` WHERE id=?`, id)))
}

func (f *file) userAt(ctx context.Context, emailKey string) (User, bool, error) {
	return found(scanUser(f.db.QueryRowContext(ctx, userColumns+` WHERE email_key=?`, emailKey)))
}

// found says of a row whether there is one.
func found[T any](v T, err error) (T, bool, error) {
	if errors.Is(err, sql.ErrNoRows) {
		return v, false, nil
	}
	return v, err == nil, err
}

func (f *file) addWorkspace(ctx context.Context, w Workspace) (taken bool, err error) {
	res, err := f.db.ExecContext(ctx, `INSERT OR IGNORE INTO workspaces VALUES (?,?,?,?)`, w.ID, w.Name, w.OwnerID, w.CreatedAt)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 0, err
}

const workspaceColumns = `SELECT id, name, owner_id, created_at FROM workspaces`

func scanWorkspace(row scanner) (w Workspace, err error) {
	err = row.Scan(&w.ID, &w.Name, &w.OwnerID, &w.CreatedAt)
	return w, err
}

func (f *file) workspaces(ctx context.Context) ([]Workspace, error) {
	return list(ctx, f.db, scanWorkspace, workspaceColumns+` ORDER BY created_at, id`)
}

func (f *file) workspacesOf(ctx context.Context, userID string) ([]Workspace, error) {
	return list(ctx, f.db, scanWorkspace, workspaceColumns+`
		WHERE owner_id=? OR id IN (SELECT workspace_id FROM members WHERE user_id=?) ORDER BY created_at, id`, userID, userID)
}

func (f *file) workspace(ctx context.Context, id string) (Workspace, bool, error) {
	return found(scanWorkspace(f.db.QueryRowContext(ctx, workspaceColumns+` WHERE id=?`, id)))
}

func (f *file) members(ctx context.Context, workspaceID string) ([]string, error) {
	return list(ctx, f.db, func(row scanner) (id string, err error) { err = row.Scan(&id); return id, err },
		`SELECT user_id FROM members WHERE workspace_id=? ORDER BY added_at, user_id`, workspaceID)
}

func (f *file) addMember(ctx context.Context, workspaceID, userID, at string) error {
	_, err := f.db.ExecContext(ctx, `INSERT OR IGNORE INTO members VALUES (?,?,?)`, workspaceID, userID, at)
	return err
}

func (f *file) removeMember(ctx context.Context, workspaceID, userID string) (was bool, err error) {
	res, err := f.db.ExecContext(ctx, `DELETE FROM members WHERE workspace_id=? AND user_id=?`, workspaceID, userID)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

func (f *file) access(ctx context.Context, workspaceID, userID string) (owner, member bool, err error) {
	err = f.db.QueryRowContext(ctx, `SELECT owner_id=?2, EXISTS (SELECT 1 FROM members WHERE workspace_id=?1 AND user_id=?2)
		FROM workspaces WHERE id=?1`, workspaceID, userID).Scan(&owner, &member)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return owner, member, err
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
