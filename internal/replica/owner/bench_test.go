//go:build unix

package owner_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"syscall"
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

// server is a server of this process.
func server(b testing.TB, nats *clustertest.Servers, name string) *owner.Server {
	c, err := cluster.Connect(b.Context(), cluster.Options{URLs: nats.URLs(), Name: name})
	require.NoError(b, err)
	b.Cleanup(c.Close)
	store, err := stream.Open(b.Context(), c)
	require.NoError(b, err)
	all, err := owner.OpenServers(b.Context(), c, leaseTime)
	require.NoError(b, err)
	home, err := workshop.OpenHome(filepath.Join(b.TempDir(), "home"), workshop.Options{Unsynced: true})
	require.NoError(b, err)
	b.Cleanup(func() { _ = home.Close() })
	return owner.New(owner.Config{Home: home, Store: store, Claims: all.Claims(), Holder: cluster.Holder{Owner: name}, Options: replica.Options{}})
}

// put is a typical write: a text of 2 KB is put into the draft.
func put(ctx context.Context, wb *workshop.Workbench, n int) error {
	_, err := wb.DraftView(workshop.Cause{MessageID: "u-1", Tool: "bench"}).Put(ctx, workshop.Path(fmt.Sprint("f", n%100, ".txt")), workshop.PutOptions{}, func(w io.Writer) error {
		_, err := io.WriteString(w, fmt.Sprint(n, strings.Repeat(" a text of some words", 100)))
		return err
	})
	return err
}

// BenchmarkAcknowledged compares a write on one machine with one that three NATS nodes
// have synced.
func BenchmarkAcknowledged(b *testing.B) {
	b.Run("one machine", func(b *testing.B) {
		home, err := workshop.OpenHome(filepath.Join(b.TempDir(), "home"), workshop.Options{})
		require.NoError(b, err)
		defer home.Close()
		wb, err := home.Create(b.Context(), "w", "")
		require.NoError(b, err)
		for n := 0; b.Loop(); n++ {
			require.NoError(b, put(b.Context(), wb, n))
		}
	})
	for _, nodes := range []int{1, 3} {
		b.Run(fmt.Sprint("nodes=", nodes), func(b *testing.B) {
			w, err := server(b, clustertest.Start(b, nodes), "a").Take(b.Context(), "w")
			require.NoError(b, err)
			defer w.Release(context.Background())
			for n := 0; b.Loop(); n++ {
				require.NoError(b, w.Do(b.Context(), func(ctx context.Context, wb *workshop.Workbench) error { return put(ctx, wb, n) }))
			}
		})
	}
}

// BenchmarkTakeover is the time from the release of a workspace to its first answer on
// another server, by its files of 2 to 40 KB; the time of a lease comes on top after a
// failure.
func BenchmarkTakeover(b *testing.B) {
	for _, files := range []int{10, 1000} {
		b.Run(fmt.Sprint("files=", files), func(b *testing.B) {
			nats := clustertest.Start(b, 3)
			servers := []*owner.Server{server(b, nats, "a"), server(b, nats, "b")}
			w, err := servers[0].Take(b.Context(), "w")
			require.NoError(b, err)
			require.NoError(b, w.Do(b.Context(), func(ctx context.Context, wb *workshop.Workbench) error { return fill(ctx, wb, files) }))
			for n := 1; b.Loop(); n++ {
				b.StopTimer()
				require.NoError(b, w.Release(b.Context()))
				b.StartTimer()
				ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
				for err = cluster.ErrHeld; errors.Is(err, cluster.ErrHeld) && ctx.Err() == nil; { // the release may take a moment
					w, err = servers[n%2].Take(ctx, "w")
				}
				cancel()
				require.NoError(b, err)
			}
			require.NoError(b, w.Release(context.Background()))
		})
	}
}

// BenchmarkTakeoverOfRecords is BenchmarkTakeover of a workspace whose log has so many writes since
// its snapshot, each of a text of 2 KB.
func BenchmarkTakeoverOfRecords(b *testing.B) {
	for _, records := range []int{50, 500, 2000} {
		b.Run(fmt.Sprint("records=", records), func(b *testing.B) {
			nats := clustertest.Start(b, 1)
			servers := []*owner.Server{server(b, nats, "a"), server(b, nats, "b")}
			w, err := servers[0].Take(b.Context(), "w")
			require.NoError(b, err)
			for i := range records {
				require.NoError(b, w.Do(b.Context(), func(ctx context.Context, wb *workshop.Workbench) error { return put(ctx, wb, i) }))
			}
			before := cpuTime(b)
			for n := 1; b.Loop(); n++ {
				require.NoError(b, w.Release(b.Context()))
				w, err = servers[n%2].Take(b.Context(), "w")
				require.NoError(b, err)
			}
			b.ReportMetric(float64((cpuTime(b)-before).Milliseconds())/float64(b.N), "cpu-ms/op")
			require.NoError(b, w.Release(context.Background()))
		})
	}
}

// cpuTime is the processor time of this process so far.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func fill(ctx context.Context, wb *workshop.Workbench, files int) error {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range files {
		_, err := wb.LiveView(workshop.Cause{Tool: "bench"}).Put(ctx, workshop.Path(fmt.Sprintf("d%d/f%d.txt", n%50, n)), workshop.PutOptions{}, func(w io.Writer) error {
			text := make([]byte, 2000+r.IntN(38_000))
			for i := range text {
				text[i] = byte('a' + r.IntN(20))
			}
			_, err := w.Write(text)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
