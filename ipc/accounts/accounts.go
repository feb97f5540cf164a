// Package accounts stores who may use which workspace of a served Atelier: users,
// workspaces, memberships, tokens that were taken back. A workspace is a workbench and has
// the id of the workbench.
//
//	store, err := accounts.Open(home, accounts.Options{}) // or Share, for the servers of a cluster
//	ann, err := store.AddUser(ctx, "ann@example.org", "Ann")
//	ws, err := store.AddWorkspace(ctx, workbenchID, "Contracts", ann.ID)
//	access, err := store.Access(ctx, ws.ID, ann.ID)
//
// Open has them in one SQLite file in the data folder, which several processes of the
// machine may use at once: the command line administers it while a server runs. Share has
// them in a cluster, for all its servers and commands. Errors are *workshop.Fault, or
// ErrUnavailable where a cluster does not answer.
package accounts

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
)

// ErrUnavailable is that a cluster did not answer, so that it is not known who may do what.
var ErrUnavailable = errors.New("the accounts of the cluster cannot be reached")

// Options configure a Store; the zero value works.
type Options struct {
	Now   func() time.Time // clock; nil is time.Now
	NewID func() string    // UUIDv7 by default
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = func() string { return uuid.Must(uuid.NewV7()).String() }
	}
	return o
}

// Store has the accounts. It is safe for concurrent use.
type Store struct {
	rows
	now   func() time.Time
	newID func() string
}

// rows are where the accounts are kept: in a file, or in a cluster. Names and ids were
// checked before.
type rows interface {
	// addUser adds a user whose id is new; taken: another has the address.
	addUser(ctx context.Context, u User) (taken bool, err error)
	user(ctx context.Context, id string) (User, bool, error)
	userAt(ctx context.Context, emailKey string) (User, bool, error)
	users(ctx context.Context) ([]User, error) // in order of creation
	// revoke changes RevokedUntil and Revocations of a user with raise, in one step.
	revoke(ctx context.Context, id string, raise func(u *User)) error
	// addWorkspace adds a workspace; taken: there is one with the id.
	addWorkspace(ctx context.Context, w Workspace) (taken bool, err error)
	workspace(ctx context.Context, id string) (Workspace, bool, error)
	workspaces(ctx context.Context) ([]Workspace, error)                  // in order of creation
	workspacesOf(ctx context.Context, userID string) ([]Workspace, error) // owned, or used as a member
	// members are the ids of those who are not the owner, in order of addition.
	members(ctx context.Context, workspaceID string) ([]string, error)
	addMember(ctx context.Context, workspaceID, userID, at string) error
	removeMember(ctx context.Context, workspaceID, userID string) (was bool, err error)
	access(ctx context.Context, workspaceID, userID string) (owner, member bool, err error)
	setLimit(ctx context.Context, userID string, tokens int64) error
	spent(ctx context.Context, userID, month string) (tokens int64, err error)
	// spend changes what a user used in a month in one step, unless change fails.
	spend(ctx context.Context, userID, month string, change func(used int64) (int64, error)) error
	Close() error
}

func newStore(r rows, o Options) *Store { return &Store{r, o.Now, o.NewID} }

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
