package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/google/uuid"

	"atelier/internal/cluster"
	"atelier/ipc/accounts"
)

// openAccounts opens the accounts of the cluster, else those of the data folder; end closes
// them. The settings are resolved.
func (c *clusterFlags) openAccounts(ctx context.Context, s *settings, name string) (store *accounts.Store, end func(), err error) {
	if !c.on() {
		if err := c.check(); err != nil {
			return nil, nil, usageError{err}
		}
		store, err := accounts.Open(s.home, accounts.Options{})
		if err != nil {
			return nil, nil, err
		}
		return store, func() { store.Close() }, nil
	}
	c.resolve(s)
	cl, err := c.Connect(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	err = cluster.Patiently(ctx, joinPatience, func() (err error) { // its servers may be choosing a leader
		store, err = accounts.Share(ctx, cl, accounts.Options{})
		return err
	})
	if err != nil {
		cl.Close()
		return nil, nil, err
	}
	return store, func() { store.Close(); cl.Close() }, nil
}

// serverAccounts is openAccounts for a server: those of its data folder move to its cluster.
func (c *clusterFlags) serverAccounts(ctx context.Context, s *settings, log *slog.Logger) (store *accounts.Store, end func(), err error) {
	store, end, err = c.openAccounts(ctx, s, "accounts of atelier http on "+hostName())
	if err != nil || !c.on() {
		return store, end, err
	}
	took, err := store.Move(ctx, s.home)
	if err != nil {
		end()
		return nil, nil, fmt.Errorf("the accounts of this data folder cannot be moved to the cluster: %w", err)
	}
	if took.Users+took.Workspaces+took.Members > 0 {
		log.Info("the accounts of this data folder are in the cluster now", "users", took.Users, "workspaces", took.Workspaces, "members", took.Members)
	}
	for _, u := range took.Refused {
		log.Warn("a user and the workspaces that the user owns were not moved to the cluster: another user there has the address", "user", u.ID)
	}
	return store, end, nil
}

// addSharedWorkspace adds a workspace of a cluster: the first server that has it at work
// makes it.
func addSharedWorkspace(ctx context.Context, a *accounts.Store, name, owner, root string) (any, error) {
	if root != "" {
		return nil, usageError{errors.New("--root does not go with --cluster: the servers share the files of a workspace, and a folder is on one machine")}
	}
	return a.AddWorkspace(ctx, uuid.Must(uuid.NewV7()).String(), name, owner)
}
