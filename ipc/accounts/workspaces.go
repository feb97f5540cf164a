package accounts

import (
	"context"
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
	taken, err := s.addWorkspace(ctx, w)
	if err == nil && taken {
		err = workshop.Faultf(workshop.Conflict, "the workbench %s is a workspace already", id)
	}
	return w, err
}

// Workspaces lists the workspaces in order of creation.
func (s *Store) Workspaces(ctx context.Context) ([]Workspace, error) { return s.workspaces(ctx) }

// WorkspacesOf lists the workspaces that a user owns or is a member of.
func (s *Store) WorkspacesOf(ctx context.Context, userID string) ([]Workspace, error) {
	return s.workspacesOf(ctx, userID)
}

// Members lists the users of a workspace, the owner first.
func (s *Store) Members(ctx context.Context, workspaceID string) ([]Member, error) {
	w, err := s.known(ctx, workspaceID)
	if err != nil {
		return nil, err
	}
	others, err := s.members(ctx, w.ID)
	list := []Member{{WorkspaceID: w.ID, UserID: w.OwnerID, IsOwner: true}}
	for _, id := range others {
		list = append(list, Member{WorkspaceID: w.ID, UserID: id})
	}
	return list, err
}

// known returns a workspace; NotFound if there is none.
func (s *Store) known(ctx context.Context, id string) (Workspace, error) {
	w, ok, err := s.workspace(ctx, id)
	if err == nil && !ok {
		err = workshop.Unknownf("there is no workspace %s", id).OnField("workspace")
	}
	return w, err
}

// AddMember adds a user, by id or e-mail address, to a workspace. Repeating
// it changes nothing.
func (s *Store) AddMember(ctx context.Context, workspaceID, user string) (Member, error) {
	w, err := s.known(ctx, workspaceID)
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
	return Member{WorkspaceID: w.ID, UserID: u.ID}, s.addMember(ctx, w.ID, u.ID, stamp(s.now()))
}

// RemoveMember removes a user's membership. The owner cannot be removed; a
// user who is not a member is NotFound.
func (s *Store) RemoveMember(ctx context.Context, workspaceID, user string) (Member, error) {
	w, err := s.known(ctx, workspaceID)
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
	was, err := s.removeMember(ctx, w.ID, u.ID)
	if err == nil && !was {
		err = workshop.Unknownf("%s is not a member of the workspace %s", u.Email, w.ID).OnField("user")
	}
	if err != nil {
		return Member{}, err
	}
	return Member{WorkspaceID: w.ID, UserID: u.ID}, nil
}

// Access returns what a user may do in a workspace. For a workspace that does
// not exist it returns the same as for one of which the user is not a member
// (H-08).
func (s *Store) Access(ctx context.Context, workspaceID, userID string) (Access, error) {
	owner, member, err := s.access(ctx, workspaceID, userID)
	return Access{WorkspaceID: workspaceID, UserID: userID, IsOwner: owner, IsMember: member || owner}, err
}
