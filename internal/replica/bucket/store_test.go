package bucket

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/internal/replica"
	"atelier/internal/s3"
)

// Workspaces that are taken while the store is silent wait for it side by side.
func TestSilentStoreIsAskedOnce(t *testing.T) {
	var asked atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		<-r.Context().Done()
	}))
	defer srv.Close()
	place, err := OpenPlace("s3://documents", s3.Config{Endpoint: srv.URL, PathStyle: true, Key: "k", Secret: "s", Patience: time.Millisecond, Silence: time.Second})
	require.NoError(t, err)
	defer place.Close()
	s := &Store{place: place, cluster: "c"}
	const workspaces = 16
	var all sync.WaitGroup
	for range workspaces {
		all.Go(func() { assert.ErrorIs(t, s.mine(t.Context()), replica.ErrStore) })
	}
	all.Wait()
	require.Less(t, asked.Load(), int32(workspaces/2))
	t.Logf("asked %d times", asked.Load())
}
