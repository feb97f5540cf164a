package sharedtexts

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"atelier/internal/cluster"
)

// shards is in how many buckets the units are, by their key. A server syncs each message
// of a bucket alone, about a millisecond each; those of several buckets at the same time
// take hardly longer than one.
const shards = 8

// unitBuckets are the buckets of the units.
type unitBuckets [shards]jetstream.KeyValue

func openUnits(ctx context.Context, c *cluster.Cluster) (b unitBuckets, err error) {
	for i := range b {
		if b[i], err = c.Keys(ctx, fmt.Sprint("texts-", i), 0); err != nil {
			return b, err
		}
	}
	return b, nil
}

// shardOf is the number of the bucket that has a key of keyOf.
func shardOf(name string) int {
	return strings.IndexByte("0123456789abcdef", name[len(name)-1]) % shards
}

// unitValues reads units with their revisions.
func (t *Texts) unitValues(ctx context.Context, names []string) (map[string]unitValue, map[string]uint64, error) {
	var by [shards][]string
	for _, name := range names {
		by[shardOf(name)] = append(by[shardOf(name)], name)
	}
	found, revisions := map[string]unitValue{}, map[string]uint64{}
	var mu sync.Mutex
	g, ctx := errgroup.WithContext(ctx)
	for i, some := range by {
		if len(some) == 0 {
			continue
		}
		g.Go(func() error {
			units, revs, err := values[unitValue](ctx, t, t.units[i], some)
			mu.Lock()
			defer mu.Unlock()
			maps.Copy(found, units)
			maps.Copy(revisions, revs)
			return err
		})
	}
	err := g.Wait()
	return found, revisions, err
}

// changeUnits writes units and returns the keys that were written, also with an error.
func (t *Texts) changeUnits(ctx context.Context, changes []cluster.Change) (written []string, err error) {
	var by [shards][]cluster.Change
	for _, c := range changes {
		by[shardOf(c.Key)] = append(by[shardOf(c.Key)], c)
	}
	var mu sync.Mutex
	var g errgroup.Group
	for i, some := range by {
		if len(some) == 0 {
			continue
		}
		g.Go(func() error {
			revs, err := t.c.ChangeAll(ctx, t.units[i], some)
			mu.Lock()
			defer mu.Unlock()
			for j, rev := range revs {
				if rev != 0 {
					written = append(written, some[j].Key)
				}
			}
			return err
		})
	}
	err = g.Wait()
	return written, err
}
