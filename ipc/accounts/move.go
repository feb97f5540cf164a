package accounts

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Moved is the name of the file that says that the accounts of a data folder are in a
// cluster. Who deletes it has those of the time when they were moved again.
const Moved = "accounts.moved"

// checkMoved is an error where the accounts of a data folder are in a cluster.
func checkMoved(home string) error {
	_, err := os.Stat(filepath.Join(home, Moved))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("the accounts of this data folder were moved to a cluster: name it with --cluster. To use those of that time on this machine alone, delete %s", filepath.Join(home, Moved))
}

// Taken says what a cluster took over from a data folder.
type Taken struct {
	Users, Workspaces, Members int
	// Refused are users whose address another user of the cluster has. They are not in the
	// cluster, nor are the workspaces that they own.
	Refused []User
}

// Move copies the accounts of a data folder, where there are any, to those of a cluster,
// once: from then on Open refuses the folder. Accounts that the cluster has, by their ids,
// stay as they are. Where it fails it can be repeated.
func (s *Store) Move(ctx context.Context, home string) (t Taken, err error) {
	if _, err := os.Stat(filepath.Join(home, File)); errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	if checkMoved(home) != nil {
		return t, nil
	}
	from, err := Open(home, Options{})
	if err != nil {
		return t, err
	}
	defer from.Close()
	if err := s.copyUsers(ctx, from, &t); err != nil {
		return t, err
	}
	if err := s.copyWorkspaces(ctx, from, &t); err != nil {
		return t, err
	}
	return t, os.WriteFile(filepath.Join(home, Moved), []byte("The accounts of this data folder are in a cluster.\n"), 0o600)
}

func (s *Store) copyUsers(ctx context.Context, from *Store, t *Taken) error {
	users, err := from.Users(ctx)
	if err != nil {
		return err
	}
	for _, u := range users {
		have, ok, err := s.user(ctx, u.ID)
		if err != nil {
			return err
		}
		if !ok {
			taken, err := s.addUser(ctx, u)
			if err != nil {
				return err
			}
			if taken {
				if have, ok, err = s.userAt(ctx, emailKey(u.Email)); err != nil {
					return err
				}
				if !ok || have.ID != u.ID {
					t.Refused = append(t.Refused, u)
					continue
				}
			}
			t.Users++
		}
		if u.RevokedUntil > have.RevokedUntil || u.Revocations > have.Revocations { // a revocation is never lost
			if err := s.revoke(ctx, u.ID, func(r *User) {
				r.RevokedUntil, r.Revocations = max(r.RevokedUntil, u.RevokedUntil), max(r.Revocations, u.Revocations)
			}); err != nil {
				return err
			}
		}
		if u.MonthTokens > 0 && !ok {
			if err := s.setLimit(ctx, u.ID, u.MonthTokens); err != nil {
				return err
			}
			spent, err := from.Spending(ctx, u.ID)
			if err != nil {
				return err
			}
			if err := s.spend(ctx, u.ID, spent.Month, func(int64) (int64, error) { return spent.Tokens, nil }); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Store) copyWorkspaces(ctx context.Context, from *Store, t *Taken) error {
	list, err := from.Workspaces(ctx)
	if err != nil {
		return err
	}
	for _, w := range list {
		if _, ok, err := s.user(ctx, w.OwnerID); err != nil {
			return err
		} else if !ok {
			continue
		}
		taken, err := s.addWorkspace(ctx, w)
		if err != nil {
			return err
		}
		if !taken {
			t.Workspaces++
		}
		members, err := from.Members(ctx, w.ID)
		if err != nil {
			return err
		}
		have, err := s.Members(ctx, w.ID)
		if err != nil {
			return err
		}
		if taken && len(have) > 1 {
			continue // its members were changed in the cluster
		}
		for _, m := range members[1:] {
			if _, ok, err := s.user(ctx, m.UserID); err != nil {
				return err
			} else if !ok {
				continue
			}
			if err := s.addMember(ctx, w.ID, m.UserID, stamp(s.now())); err != nil {
				return err
			}
			t.Members++
		}
	}
	return nil
}
