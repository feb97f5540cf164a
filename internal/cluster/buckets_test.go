package cluster

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"atelier/internal/campaign"
	"atelier/internal/cluster/clustertest"
)

// Processes that start at the same time make the same buckets, stores and streams: each
// gets them.
func TestMadeByManyAtOnce(t *testing.T) {
	s := clustertest.Start(t, 3)
	var all []*Cluster
	for i := range 3 {
		c, err := Connect(t.Context(), Options{URLs: []string{s.URL(i)}, Timeout: time.Minute})
		require.NoError(t, err)
		t.Cleanup(c.Close)
		all = append(all, c)
	}
	rounds := 2
	if campaign.Full() {
		rounds = 5
	}
	for round := range rounds {
		var g errgroup.Group
		for _, c := range all {
			g.Go(func() error {
				ctx := context.Background()
				kv, err := c.Keys(ctx, fmt.Sprint("keys-", round), 0)
				if err == nil {
					_, err = kv.Put(ctx, "a", nil)
				}
				return err
			})
			g.Go(func() error { _, err := c.Contents(context.Background(), fmt.Sprint("store-", round)); return err })
			g.Go(func() error {
				_, err := c.Stream(context.Background(), fmt.Sprint("stream-", round), jetstream.StreamConfig{Subjects: []string{fmt.Sprint("s", round)}})
				return err
			})
		}
		require.NoError(t, g.Wait())
	}
}
