package owner

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"atelier/internal/cluster"
)

// Waiting names the workspaces in which something is in progress that another server is to
// continue when the one that has it dies, though no call comes.
type Waiting struct {
	keys jetstream.KeyValue
}

// waitingTime is after how long a name is forgotten: no run takes as long.
const waitingTime = 7 * 24 * time.Hour

// OpenWaiting opens those of a cluster.
func OpenWaiting(ctx context.Context, c *cluster.Cluster) (*Waiting, error) {
	keys, err := c.Keys(ctx, "ws-waiting", waitingTime)
	return &Waiting{keys}, err
}

// Add names what is in progress in a workspace; both are letters, digits and hyphens.
func (w *Waiting) Add(ctx context.Context, id, what string) error {
	ctx, cancel := context.WithTimeout(ctx, waitingPatience)
	defer cancel()
	_, err := w.keys.Put(ctx, id+"."+what, nil)
	return cluster.Classified("workspace "+id, err)
}

// Remove removes what Add named.
func (w *Waiting) Remove(ctx context.Context, id, what string) error {
	ctx, cancel := context.WithTimeout(ctx, waitingPatience)
	defer cancel()
	return cluster.Classified("workspace "+id, w.keys.Purge(ctx, id+"."+what))
}

// Keep removes all that is named in a workspace but one.
func (w *Waiting) Keep(ctx context.Context, id, what string) error {
	list, err := w.list(ctx, id+".*")
	for _, key := range list {
		if key != id+"."+what {
			err = errors.Join(err, w.Remove(ctx, id, strings.TrimPrefix(key, id+".")))
		}
	}
	return err
}

// waitingPatience bounds a request.
const waitingPatience = 5 * time.Second

// list returns the keys that a filter matches.
func (w *Waiting) list(ctx context.Context, filter string) (list []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, waitingPatience)
	defer cancel()
	keys, err := w.keys.ListKeysFiltered(ctx, filter)
	if err != nil {
		return nil, cluster.Classified("workspaces that wait", err)
	}
	for key := range keys.Keys() {
		list = append(list, key)
	}
	return list, cluster.Classified("workspaces that wait", ctx.Err())
}

// workspaces returns those in which something is in progress.
func (w *Waiting) workspaces(ctx context.Context) (list []string, err error) {
	keys, err := w.list(ctx, ">")
	for _, key := range keys {
		id, _, _ := strings.Cut(key, ".")
		if !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	return list, err
}
