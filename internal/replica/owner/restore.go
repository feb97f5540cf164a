package owner

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"

	"atelier/engine/eventlog"
	"atelier/internal/busyfile"
	"atelier/internal/replica"
	"atelier/internal/trace"
	"atelier/workshop"
)

// restore makes the state folder as the log says, and opens it.
func (w *Workspace) restore(ctx context.Context, empty bool) error {
	ctx, span := trace.Start(ctx, "make the files from the log")
	defer span.End()
	home := w.s.cfg.Home
	dir, old := home.StateDir(w.id), filepath.Join(home.Dir(), "replaced", w.id)
	if err := home.CloseWorkbench(w.id); err != nil {
		return err
	}
	local, err := w.s.local(ctx, dir, w.id, empty)
	if err != nil {
		return err
	}
	// What is here may have more than was acknowledged. It only saves fetching contents.
	if !local {
		if err := setAside(dir, old); err != nil {
			return err
		}
	}
	switch {
	case local:
		w.wb, err = home.Open(ctx, w.id)
	case empty:
		w.wb, err = home.CreateManaged(ctx, w.id, w.id)
	default:
		var st *replica.State
		if st, err = w.rep.Restore(ctx, dir, old); err != nil {
			return err
		}
		if err = w.rep.Follow(ctx, dir, st); err != nil {
			return err
		}
		if err = eventlog.Restored(dir); err != nil {
			return err
		}
		w.wb, err = home.Open(ctx, w.id)
	}
	if err == nil && !local {
		err = mark(dir)
	}
	if err == nil {
		err = w.rep.Begin(ctx, w.wb, dir)
	}
	if err == nil && local { // before, the folder of a machine alone is in no log
		err = mark(dir)
	}
	return errors.Join(err, busyfile.RemoveAll(old))
}

// mark notes that what is in a state folder is in the log, as far as it was acknowledged.
func mark(dir string) error {
	return os.WriteFile(filepath.Join(dir, replica.OwnedMark), nil, 0o600)
}

// local reports whether the state folder is the one of a workspace that was at work without
// a cluster and that no log has yet. Where the log has another state under the same id, the
// folder is kept beside, since nothing else has what is in it.
func (s *Server) local(ctx context.Context, dir, id string, empty bool) (bool, error) {
	if _, err := os.Lstat(dir); errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	switch _, err := os.Lstat(filepath.Join(dir, replica.OwnedMark)); {
	case err == nil:
		return false, nil
	case !errors.Is(err, os.ErrNotExist):
		return false, err
	case empty:
		return true, s.managed(ctx, id)
	}
	kept := filepath.Join(s.cfg.Home.Dir(), "before-cluster", id)
	if _, err := os.Lstat(kept); err == nil {
		return false, nil // the first one is the one that counts; a restore that failed left this
	}
	s.log().Warn("the workspace is in the cluster already; what this machine had under its id before is kept", "workspace", id, "folder", kept)
	return false, setAside(dir, kept)
}

// managed refuses a workspace on a folder of a person: a cluster has the managed ones only.
func (s *Server) managed(ctx context.Context, id string) error {
	all, err := s.cfg.Home.List(ctx)
	if err != nil {
		return err
	}
	for _, i := range all {
		if i.ID == id && !i.Managed {
			f := workshop.Faultf(workshop.Forbidden, "workspace %s works on the folder %s of one machine, which the other servers of the cluster do not have", id, i.Root)
			f.Hint = "make a workspace without --root, and copy the files into it"
			return f
		}
	}
	return nil
}

func (s *Server) log() *slog.Logger {
	if s.cfg.Options.Log != nil {
		return s.cfg.Options.Log
	}
	return slog.New(slog.DiscardHandler)
}

// setAside moves a state folder away, in the place of an older one.
func setAside(dir, old string) error {
	if _, err := os.Lstat(dir); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err := busyfile.RemoveAll(old); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(old), 0o700); err != nil {
		return err
	}
	return busyfile.Rename(dir, old)
}
