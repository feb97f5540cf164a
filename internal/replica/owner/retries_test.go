//go:build unix

package owner_test

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/cluster"
	"atelier/internal/cluster/clustertest"
	"atelier/internal/replica"
	"atelier/internal/replica/owner"
	"atelier/internal/replica/stream"
	"atelier/workshop"
)

// damagedStore changes what is read of contents, and counts takeovers that read a log.
type damagedStore struct {
	owner.Store
	damaged *atomic.Bool
	reads   *atomic.Int64
}

func (d damagedStore) Log(id string) replica.Log { return countedLog{d.Store.Log(id), d.reads} }

func (d damagedStore) Contents(id string) replica.Contents {
	return damagedContents{d.Store.Contents(id), d.damaged}
}

type countedLog struct {
	replica.Log
	reads *atomic.Int64
}

func (l countedLog) Append(ctx context.Context, last uint64, message []byte) (uint64, error) {
	l.reads.Add(1)
	return l.Log.Append(ctx, last, message)
}

type damagedContents struct {
	replica.Contents
	damaged *atomic.Bool
}

func (d damagedContents) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	r, err := d.Contents.Get(ctx, name)
	if err != nil || !d.damaged.Load() {
		return r, err
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if len(b) > 0 {
		b[len(b)/2] ^= 1
	}
	return io.NopCloser(bytes.NewReader(b)), err
}

// While calls wait for a workspace with damaged contents, it is taken again after longer and
// longer times, not for each look; when the contents are mended it is at work again.
func TestTakeoversOfDamagedContents(t *testing.T) {
	t.Parallel()
	nats := clustertest.Start(t, 1)
	c, err := cluster.Connect(t.Context(), cluster.Options{URLs: nats.URLs(), Name: "test"})
	require.NoError(t, err)
	defer c.Close()
	store, err := stream.Open(t.Context(), c)
	require.NoError(t, err)
	servers, err := owner.OpenServers(t.Context(), c, 5*time.Second)
	require.NoError(t, err)
	h, err := workshop.OpenHome(filepath.Join(t.TempDir(), "home"), workshop.Options{Unsynced: true})
	require.NoError(t, err)
	defer h.Close()
	damaged, appends := &atomic.Bool{}, &atomic.Int64{}
	p := owner.New(owner.Config{Home: h, Store: damagedStore{store, damaged, appends}, Claims: servers.Claims(), Holder: cluster.Holder{Owner: "a"},
		Options: replica.Options{SnapshotAfter: 1}}).Places(owner.PlacesConfig{})
	p.Begin(nil, nil)
	defer p.Close(context.Background())
	w, err := p.Find(t.Context(), "w")
	require.NoError(t, err)
	require.NoError(t, w.Do(t.Context(), func(ctx context.Context, wb *workshop.Workbench) error { return wb.SetSetting(ctx, "k", "v") }))
	w.Replica().Wait() // the snapshot is in the contents
	require.NoError(t, w.Release(t.Context()))

	damaged.Store(true)
	before := appends.Load()
	looks := 0
	for end := time.Now().Add(1500 * time.Millisecond); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		_, err := p.Find(t.Context(), "w")
		require.ErrorIs(t, err, replica.ErrDamaged)
		looks++
	}
	tries := appends.Load() - before // a takeover appends once
	t.Logf("%d takeovers, %d looks", tries, looks)
	require.Positive(t, tries)
	require.LessOrEqual(t, tries, int64(4), "after 0, 0.1, 0.3, 0.7 and 1.5 s")
	damaged.Store(false)
	require.Eventually(t, func() bool {
		w, err = p.Find(t.Context(), "w")
		return err == nil
	}, 20*time.Second, 20*time.Millisecond)
	require.NoError(t, w.Do(t.Context(), func(ctx context.Context, wb *workshop.Workbench) error {
		got, err := wb.Setting(ctx, "k")
		require.Equal(t, "v", got)
		return err
	}))
}
