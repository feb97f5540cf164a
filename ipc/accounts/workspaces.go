package accounts

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"atelier/workshop"
)

// Workspace is a workbench that users share (H-17).
type Workspace struct {
	ID        string `json:"id"` // of its workbench
	Name      string `json:"name"`
	OwnerID   string `json:"owner_id"`
	CreatedAt string `json:"created_at"` // RFC 3339, UTC
}

// Member is a user who may use a workspace.
type Member struct {
	WorkspaceID string `json:"workspace_id"`
	UserID      string `json:"user_id"`
	IsOwner     bool   `json:"is_owner"`
}

// Access says what a user may do in a workspace; owners are members (H-16).
type Access struct {
	WorkspaceID string `json:"workspace_id"`
	UserID      string `json:"user_id"`
	IsOwner     bool   `json:"is_owner"`
	IsMember    bool   `json:"is_member"`
}

// AddWorkspace makes the workbench id a workspace; owner is an id or e-mail
// address. A workbench that is already a workspace is a Conflict.
func (s *Store) AddWorkspace(ctx context.Context, id, name, owner string) (Workspace, error) {
	name = strings.TrimSpace(name)
	if name == "" {
		return Workspace{}, workshop.Faultf(workshop.Invalid, "a workspace needs a name").OnField("name")
	}
	u, err := s.FindUser(ctx, owner)
	if err != nil {
		return Workspace{}, err
	}
	w := Workspace{ID: id, Name: name, OwnerID: u.ID, CreatedAt: stamp(s.now())}
	err = s.inTx(ctx, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, `INSERT OR IGNORE INTO workspaces VALUES (?,?,?,?)`, w.ID, w.Name, w.OwnerID, w.CreatedAt)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, workshop.Faultf(workshop.Conflict, "the workbench %s is a workspace already", id))
		}
		return nil
	})
	return w, err
}

func scanWorkspace(row scanner) (w Workspace, err error) {
	err = row.Scan(&w.ID, &w.Name, &w.OwnerID, &w.CreatedAt)
	return w, err
}

// Workspaces lists the workspaces in order of creation.
func (s *Store) Workspaces(ctx context.Context) ([]Workspace, error) {
	return list(ctx, s.db, scanWorkspace, `SELECT id, name, owner_id, created_at FROM workspaces ORDER BY created_at, id`)
}

// WorkspacesOf lists the workspaces that a user owns or is a member of.
func (s *Store) WorkspacesOf(ctx context.Context, userID string) ([]Workspace, error) {
	return list(ctx, s.db, scanWorkspace, `SELECT id, name, owner_id, created_at FROM workspaces
		WHERE owner_id=? OR id IN (SELECT workspace_id FROM members WHERE user_id=?) ORDER BY created_at, id`, userID, userID)
}

// Members lists the users of a workspace, the owner first.
func (s *Store) Members(ctx context.Context, workspaceID string) ([]Member, error) {
	w, err := s.workspace(ctx, workspaceID)
	if err != nil {
		return nil, err
	}
	others, err := list(ctx, s.db, func(row scanner) (Member, error) {
		m := Member{WorkspaceID: w.ID}
		return m, row.Scan(&m.UserID)
	}, `SELECT user_id FROM members WHERE workspace_id=? ORDER BY added_at, user_id`, w.ID)
	return append([]Member{{WorkspaceID: w.ID, UserID: w.OwnerID, IsOwner: true}}, others...), err
}

func (s *Store) workspace(ctx context.Context, id string) (Workspace, error) {
	w, err := scanWorkspace(s.db.QueryRowContext(ctx, `SELECT id, name, owner_id, created_at FROM workspaces WHERE id=?`, id))
	if errors.Is(err, sql.ErrNoRows) {
		return w, workshop.Unknownf("there is no workspace %s", id).OnField("workspace")
	}
	return w, err
}

// AddMember adds a user, by id or e-mail address, to a workspace. Repeating
// it changes nothing.
func (s *Store) AddMember(ctx context.Context, workspaceID, user string) (Member, error) {
	w, err := s.workspace(ctx, workspaceID)
	if err != nil {
		return Member{}, err
	}
	u, err := s.FindUser(ctx, user)
	if err != nil {
		return Member{}, err
	}
	if u.ID == w.OwnerID {
		return Member{WorkspaceID: w.ID, UserID: u.ID, IsOwner: true}, nil
	}
	_, err = s.db.ExecContext(ctx, `INSERT OR IGNORE INTO members VALUES (?,?,?)`, w.ID, u.ID, stamp(s.now()))
	return Member{WorkspaceID: w.ID, UserID: u.ID}, err
}

// RemoveMember removes a user's membership. The owner cannot be removed; a
// user who is not a member is NotFound.
func (s *Store) RemoveMember(ctx context.Context, workspaceID, user string) (Member, error) {
	w, err := s.workspace(ctx, workspaceID)
	if err != nil {
		return Member{}, err
	}
	u, err := s.FindUser(ctx, user)
	if err != nil {
		return Member{}, err
	}
	if u.ID == w.OwnerID {
		return Member{}, workshop.Faultf(workshop.Invalid, "%s owns the workspace and stays its member", u.Email).OnField("user")
	}
	res, err := s.db.ExecContext(ctx, `DELETE FROM members WHERE workspace_id=? AND user_id=?`, w.ID, u.ID)
	if err != nil {
		return Member{}, err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return Member{}, errors.Join(err, workshop.Unknownf("%s is not a member of the workspace %s", u.Email, w.ID).OnField("user"))
	}
	return Member{WorkspaceID: w.ID, UserID: u.ID}, nil
}

// Access returns what a user may do in a workspace. For a workspace that does
// not exist it returns the same as for one of which the user is not a member
// (H-08).
func (s *Store) Access(ctx context.Context, workspaceID, userID string) (Access, error) {
	a := Access{WorkspaceID: workspaceID, UserID: userID}
	err := s.db.QueryRowContext(ctx, `SELECT owner_id=?2, EXISTS (SELECT 1 FROM members WHERE workspace_id=?1 AND user_id=?2)
		FROM workspaces WHERE id=?1`, workspaceID, userID).Scan(&a.IsOwner, &a.IsMember)
	if errors.Is(err, sql.ErrNoRows) {
		return a, nil
	}
	a.IsMember = a.IsMember || a.IsOwner
	return a, err
}
