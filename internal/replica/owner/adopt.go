package owner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"atelier/internal/cluster"
	"atelier/internal/replica"
)

// Adopt puts the workspaces into the cluster that this machine had at work alone before, and
// that no log has.
func (p *Places) Adopt(ctx context.Context) error {
	all, err := p.s.cfg.Home.List(ctx)
	if err != nil {
		return err
	}
	for _, i := range all {
		if _, err := os.Lstat(filepath.Join(p.StateDir(i.ID), replica.OwnedMark)); !errors.Is(err, os.ErrNotExist) || !i.Managed {
			continue
		}
		w, err := p.Find(ctx, i.ID)
		if errors.Is(err, cluster.ErrHeld) {
			continue // in the cluster already
		}
		if err != nil {
			return fmt.Errorf("workspace %s cannot be put into the cluster: %w", i.ID, err)
		}
		if err := w.Release(ctx); err != nil && !Moved(err) {
			return fmt.Errorf("workspace %s cannot be put into the cluster: %w", i.ID, err)
		}
	}
	return nil
}
