//go:build unix

package owner_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/cluster"
	"atelier/internal/cluster/clustertest"
	"atelier/internal/replica/owner"
	"atelier/internal/replica/stream"
	"atelier/workshop"
)

// placesRig are servers of a test in this process, by name.
type placesRig struct {
	t       *testing.T
	conn    *cluster.Cluster
	servers *owner.Servers
	at      map[string]*owner.Places
	takers  sync.Map // by name, how often each took a workspace: *atomic.Int64
}

func newPlacesRig(t *testing.T, ttl time.Duration, names ...string) *placesRig {
	nats := clustertest.Start(t, 1)
	r := &placesRig{t: t, at: map[string]*owner.Places{}}
	connect := func() *cluster.Cluster {
		c, err := cluster.Connect(t.Context(), cluster.Options{URLs: nats.URLs(), Name: t.Name()})
		require.NoError(t, err)
		t.Cleanup(c.Close)
		return c
	}
	r.conn = connect()
	var err error
	r.servers, err = owner.OpenServers(t.Context(), r.conn, ttl)
	require.NoError(t, err)
	for _, name := range names {
		c := connect()
		h, err := workshop.OpenHome(filepath.Join(t.TempDir(), name), workshop.Options{Unsynced: true})
		require.NoError(t, err)
		store, err := stream.Open(t.Context(), c)
		require.NoError(t, err)
		servers, err := owner.OpenServers(t.Context(), c, ttl)
		require.NoError(t, err)
		p := owner.New(owner.Config{Home: h, Store: store, Claims: servers.Claims(), Holder: cluster.Holder{Owner: name, Address: "http://" + name}}).
			Places(owner.PlacesConfig{Servers: servers})
		taken := &atomic.Int64{}
		r.takers.Store(name, taken)
		p.Begin(func(string, *owner.Workspace) { taken.Add(1) }, nil)
		leave, err := p.Join(t.Context())
		require.NoError(t, err)
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			p.Close(ctx)
			leave()
			_ = h.Close()
		})
		r.at[name] = p
	}
	return r
}

func (r *placesRig) taken(name string) int64 {
	n, _ := r.takers.Load(name)
	return n.(*atomic.Int64).Load()
}

// call does f in a workspace, on a server or on the one that it names, until it was done.
func (r *placesRig) call(ctx context.Context, name string, f func(context.Context, *workshop.Workbench) error) error {
	var last error
	for ; ctx.Err() == nil; time.Sleep(2 * time.Millisecond) {
		ws, err := r.at[name].Find(ctx, "w")
		var held *cluster.HeldError
		if errors.As(err, &held) && r.at[held.Holder.Owner] != nil && held.Holder.Owner != name {
			ws, err = r.at[held.Holder.Owner].Find(ctx, "w")
		}
		if err == nil {
			err = ws.Do(ctx, f)
		}
		if err == nil {
			return nil
		}
		last = err
	}
	return fmt.Errorf("%w; before: %w", ctx.Err(), last)
}

func (r *placesRig) set(ctx context.Context, name, key, value string) error {
	return r.call(ctx, name, func(ctx context.Context, wb *workshop.Workbench) error { return wb.SetSetting(ctx, key, value) })
}

// until sets a setting through a server, and returns how long that took.
func (r *placesRig) until(name, key, value string) time.Duration {
	r.t.Helper()
	begun := time.Now()
	ctx, cancel := context.WithTimeout(r.t.Context(), 30*time.Second)
	defer cancel()
	require.NoError(r.t, r.set(ctx, name, key, value))
	return time.Since(begun)
}

// While clients write without a pause through a third server, a workspace is moved to and fro.
// The third server never takes it, so no move waits for a lease, and nothing that was
// acknowledged is lost.
func TestMovesAreHandedOver(t *testing.T) {
	t.Parallel()
	campaign.Slow(t)
	ttl := 8 * time.Second
	if campaign.Race {
		ttl *= 4
	}
	r := newPlacesRig(t, ttl, "a", "b", "third")
	r.until("a", "first", "1")
	require.EqualValues(t, 1, r.taken("a"))
	ctx, stop := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	var longest, writes atomic.Int64
	last := make([]int, 3)
	for c := range last {
		clients.Go(func() {
			for n := 1; ctx.Err() == nil; n++ {
				begun := time.Now()
				if r.set(ctx, "third", fmt.Sprint("k", c), fmt.Sprint(n)) == nil {
					last[c] = n
					writes.Add(1)
					longest.Store(max(longest.Load(), int64(time.Since(begun))))
				}
			}
		})
	}
	from, to := "a", "b"
	for range 8 {
		time.Sleep(100 * time.Millisecond)
		begun := time.Now()
		require.NoError(t, r.servers.Move(ctx, from, to, "w"))
		took := time.Since(begun)
		t.Logf("moved to %s in %s", to, took.Round(time.Millisecond))
		assert.Less(t, took, ttl/2)
		h, err := r.servers.Claims().Holder(ctx, "w")
		require.NoError(t, err)
		require.Equal(t, to, h.Owner)
		from, to = to, from
	}
	stop()
	clients.Wait()
	require.Zero(t, r.taken("third"))
	require.Greater(t, writes.Load(), int64(8))
	t.Logf("%d writes, the longest took %s", writes.Load(), time.Duration(longest.Load()).Round(time.Millisecond))
	assert.Less(t, time.Duration(longest.Load()), ttl/2)
	for c, n := range last {
		require.NoError(t, r.call(t.Context(), from, func(ctx context.Context, wb *workshop.Workbench) error {
			got, err := wb.Setting(ctx, fmt.Sprint("k", c))
			if got != fmt.Sprint(n) && got != fmt.Sprint(n+1) { // the one after may have been done without an answer
				t.Errorf("client %d: acknowledged %d, there is %s", c, n, got)
			}
			return err
		}))
	}
}

// A server that takes nothing gets nothing, and one that was given a workspace and never takes it
// keeps it from the others for half the time of a lease.
func TestMovesToServersThatDoNotTake(t *testing.T) {
	t.Parallel()
	campaign.Slow(t)
	ttl := 4 * time.Second
	if campaign.Race {
		ttl *= 4
	}
	r := newPlacesRig(t, ttl, "a", "drained", "third")
	r.until("a", "k", "1")
	require.NoError(t, r.servers.Drain(t.Context(), "drained"))
	require.ErrorContains(t, r.servers.Move(t.Context(), "a", "drained", "w"), "this server is drained")
	require.ErrorIs(t, r.servers.Move(t.Context(), "a", "nobody", "w"), owner.ErrNoServer)
	require.EqualValues(t, 1, r.taken("a"), "it is still there")
	r.until("third", "k", "2")
	require.Zero(t, r.taken("third"))

	lease, err := r.servers.Claims().Leases().Acquire(t.Context(), "of-idle", cluster.Holder{Owner: "idle"})
	require.NoError(t, err)
	defer lease.Release()
	order, err := json.Marshal(map[string]any{"do": "release", "workspace": "w", "to": cluster.Recipient{Holder: cluster.Holder{Owner: "idle", Address: "http://idle"}, Lease: "of-idle"}})
	require.NoError(t, err)
	m, err := r.conn.Conn().Request("atelier.ws.server.a", order, 10*time.Second)
	require.NoError(t, err)
	require.JSONEq(t, `{}`, string(m.Data))
	_, err = r.at["third"].Find(t.Context(), "w")
	var held *cluster.HeldError
	require.ErrorAs(t, err, &held)
	require.Equal(t, "idle", held.Holder.Owner)
	took := r.until("third", "k", "3")
	t.Logf("the next server took it after %s", took.Round(time.Millisecond))
	require.Less(t, took, ttl)
	require.EqualValues(t, 1, r.taken("third"))
	require.True(t, lease.Valid())

	// A move by the server itself that fails lets any other have the workspace.
	require.ErrorIs(t, r.at["third"].MoveTo(t.Context(), "w", cluster.Holder{Owner: "gone"}), owner.ErrNoServer)
	require.Less(t, r.until("a", "k", "4"), ttl)
	require.EqualValues(t, 2, r.taken("a"))
	require.NoError(t, r.at["a"].MoveTo(t.Context(), "w", cluster.Holder{Owner: "third"}))
	require.EqualValues(t, 2, r.taken("third"))
}
