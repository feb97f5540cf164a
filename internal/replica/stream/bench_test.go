package stream_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/cluster"
	"atelier/internal/cluster/clustertest"
	"atelier/internal/replica/stream"
)

// BenchmarkAppends is how long a record of 4 KB takes, and how many a second three NATS nodes
// take from the owners of so many workspaces, for the simulation of clusters.
func BenchmarkAppends(b *testing.B) {
	nats := clustertest.Start(b, 3)
	c, err := cluster.Connect(b.Context(), cluster.Options{URLs: nats.URLs(), Replicas: 3})
	require.NoError(b, err)
	defer c.Close()
	store, err := stream.Open(b.Context(), c)
	require.NoError(b, err)
	message := make([]byte, 4<<10)
	for _, owners := range []int{1, 8, 64} {
		b.Run(fmt.Sprint("owners=", owners), func(b *testing.B) {
			var mu sync.Mutex
			var took []time.Duration
			for b.Loop() {
				var all sync.WaitGroup
				for i := range owners {
					log := store.Log(fmt.Sprint("w", owners, "-", i))
					last, err := log.Read(b.Context(), func(uint64, []byte) error { return nil })
					require.NoError(b, err)
					all.Go(func() {
						for range 20 {
							at := time.Now()
							n, err := log.Append(b.Context(), last, message)
							if err != nil {
								b.Error(err)
								return
							}
							last = n
							mu.Lock()
							took = append(took, time.Since(at))
							mu.Unlock()
						}
					})
				}
				all.Wait()
			}
			slices.Sort(took)
			b.ReportMetric(float64(len(took))/b.Elapsed().Seconds(), "appends/s")
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "median-ms")
		})
	}
}
