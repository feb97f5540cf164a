package cluster

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/cluster/clustertest"
)

// Many keys are written at once with the revisions that they then have; where a key has
// another revision, the others are written all the same, and none of those that are to be
// written together.
func TestChanges(t *testing.T) {
	t.Parallel()
	c := changing(t, 1)
	// As an earlier program made it: it does not take many writes as one.
	single, err := c.js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: "single"})
	require.NoError(t, err)
	testChanges(t, c, single, 30)
}

// The same with three servers.
func TestChangesOfThree(t *testing.T) {
	campaign.Slow(t)
	changing(t, 3)
}

func changing(t *testing.T, servers int) *Cluster {
	c, err := Connect(t.Context(), Options{URLs: clustertest.Start(t, servers).URLs()})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	durable, err := c.Keys(t.Context(), "durable", 0)
	require.NoError(t, err)
	testChanges(t, c, durable, 600)
	volatile, err := c.VolatileKeys(t.Context(), "volatile", 0)
	require.NoError(t, err)
	testChanges(t, c, volatile, 600)
	return c
}

func testChanges(t *testing.T, c *Cluster, kv jetstream.KeyValue, n int) {
	ctx := t.Context()
	var all []Change
	var keys []string
	for i := range n {
		keys = append(keys, fmt.Sprint("k", i))
		all = append(all, Change{Key: keys[i], Value: fmt.Append(nil, i)})
	}
	revs, err := c.ChangeAll(ctx, kv, all)
	require.NoError(t, err)
	have := func() map[string]Entry {
		m, err := c.Last(ctx, kv, keys)
		require.NoError(t, err)
		return m
	}
	require.EventuallyWithT(t, func(t *assert.CollectT) { // any replica may answer
		m := have()
		for i, k := range keys {
			require.Equal(t, revs[i], m[k].Revision)
			require.Equal(t, fmt.Sprint(i), string(m[k].Value))
		}
	}, 10*time.Second, 20*time.Millisecond)

	second := []Change{{Key: "k1", Value: []byte("x"), Before: revs[1]}, {Key: "k2", Value: []byte("x"), Before: revs[2] + 1000}, {Key: "k3", Before: revs[3]}}
	together, err := c.ChangeTogether(ctx, kv, second)
	require.NoError(t, err)
	require.Nil(t, together)
	now, err := c.ChangeAll(ctx, kv, second)
	require.NoError(t, err)
	require.Equal(t, []bool{true, false, true}, []bool{now[0] != 0, now[1] != 0, now[2] != 0})
	require.EventuallyWithT(t, func(t *assert.CollectT) {
		m := have()
		require.Equal(t, []string{"x", "2", ""}, []string{string(m["k1"].Value), string(m["k2"].Value), string(m["k3"].Value)})
		require.Equal(t, []uint64{now[0], revs[2], now[2]}, []uint64{m["k1"].Revision, m["k2"].Revision, m["k3"].Revision})
	}, 10*time.Second, 20*time.Millisecond)

	// Writers at the same time share round trips; one whose value is too large fails alone.
	w := c.Writer(kv)
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() {
			value, more := []byte("y"), Change{Key: fmt.Sprint("more", i), Value: []byte("z")}
			if i == 7 {
				value = []byte(strings.Repeat("y", 1<<21))
			}
			got, err := w.ChangeAll(ctx, []Change{{Key: fmt.Sprint("k", 10+i), Value: value, Before: revs[10+i]}, more})
			if i == 7 {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			require.NotContains(t, got, uint64(0))
			keys := []string{fmt.Sprint("k", 10+i), more.Key}
			require.EventuallyWithT(t, func(t *assert.CollectT) {
				m, err := c.Last(ctx, kv, keys)
				require.NoError(t, err)
				require.Equal(t, got, []uint64{m[keys[0]].Revision, m[keys[1]].Revision})
			}, 10*time.Second, 20*time.Millisecond)
		})
	}
	wg.Wait()
}
