package owner

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"atelier/internal/cluster"
)

// Waiting names the workspaces in which something is in progress that another server is to
// continue when the one that has it dies, though no call comes.
type Waiting struct {
	keys jetstream.KeyValue
}

// OpenWaiting opens those of a cluster.
func OpenWaiting(ctx context.Context, c *cluster.Cluster) (*Waiting, error) {
	keys, err := c.Keys(ctx, "ws-waiting", 0)
	return &Waiting{keys}, err
}

// Add names a workspace. It is there until Remove.
func (w *Waiting) Add(ctx context.Context, id string) error {
	_, err := w.keys.Put(ctx, id, nil)
	return cluster.Classified("workspace "+id, err)
}

// Remove removes a workspace, which may not be there.
func (w *Waiting) Remove(ctx context.Context, id string) error {
	return cluster.Classified("workspace "+id, w.keys.Purge(ctx, id))
}

func (w *Waiting) list(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	list, err := w.keys.Keys(ctx)
	if errors.Is(err, jetstream.ErrNoKeysFound) {
		return nil, nil
	}
	return list, cluster.Classified("workspaces that wait", err)
}
