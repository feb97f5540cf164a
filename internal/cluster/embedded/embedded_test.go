package embedded_test

import (
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/cluster"
	"atelier/internal/cluster/embedded"
)

func freeAddress(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

// Three embedded servers are a cluster: a lease outlives the death of one.
func TestThreeServers(t *testing.T) {
	campaign.Slow(t)
	addresses := []string{freeAddress(t), freeAddress(t), freeAddress(t)}
	servers := make([]*embedded.Server, 3)
	var wg sync.WaitGroup
	for i := range servers {
		var routes []string
		for j, a := range addresses {
			if j != i {
				routes = append(routes, a)
			}
		}
		opt := embedded.Options{Name: fmt.Sprint("n", i), Dir: t.TempDir(), Listen: freeAddress(t), ClusterListen: addresses[i], Routes: routes}
		wg.Go(func() {
			var err error
			servers[i], err = embedded.Start(t.Context(), opt)
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	require.False(t, t.Failed())
	var urls []string
	for _, s := range servers {
		urls = append(urls, s.URL())
		defer s.Close()
	}
	var leases *cluster.Leases
	require.Eventually(t, func() bool { // until the servers have found each other
		c, err := cluster.Connect(t.Context(), cluster.Options{URLs: urls, Timeout: 3 * time.Second})
		if err != nil {
			return false
		}
		t.Cleanup(c.Close)
		leases, err = c.Leases(t.Context(), "owners", 3*time.Second)
		return err == nil && c.Replicas() == 3
	}, 30*time.Second, 200*time.Millisecond)
	lease, err := leases.Wait(t.Context(), "w", cluster.Holder{Owner: "x"})
	require.NoError(t, err)
	servers[0].Close()
	time.Sleep(2 * leases.TTL())
	require.True(t, lease.Valid())
	lease.Release()
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		opt embedded.Options
		why string
	}{
		{embedded.Options{Name: "n", Dir: "d"}, "needs a name, a folder and an address"},
		{embedded.Options{Name: "n", Dir: "d", Listen: "0.0.0.0:4222"}, "can be reached from other machines"},
		{embedded.Options{Name: "n", Dir: "d", Listen: "127.0.0.1:4222", ClusterListen: "10.0.0.1:6222", Routes: []string{"10.0.0.2:6222"}}, "10.0.0.1:6222 can be reached"},
		{embedded.Options{Name: "n", Dir: "d", Listen: "127.0.0.1:4222", Routes: []string{"127.0.0.1:6222"}}, "at least one of theirs"},
		{embedded.Options{Name: "n", Dir: "d", Listen: "127.0.0.1"}, "write HOST:PORT"},
		{embedded.Options{Name: "n", Dir: "d", Listen: "127.0.0.1:4222", Cert: "c"}, "needed together"},
	} {
		_, err := embedded.Start(t.Context(), c.opt)
		require.ErrorContains(t, err, c.why)
	}
}
