package cluster_test

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/cluster"
)

// A server that lacks what is used is refused when connecting, in words: Debian's has
// version 2.9.
func TestServerTooOld(t *testing.T) {
	t.Parallel()
	for version, refused := range map[string]bool{"2.9.10": true, "2.11.9": true, "2.12.0": false, "2.15.2": false, "built here": false} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			_, err := cluster.Connect(t.Context(), cluster.Options{URLs: []string{greeting(t, version)}, Timeout: 300 * time.Millisecond})
			require.Error(t, err, "it does nothing but greet")
			if refused {
				require.ErrorIs(t, err, cluster.ErrTooOld)
				require.ErrorContains(t, err, "nats-server "+version+"; version 2.12.0 or later is needed")
			} else {
				require.NotErrorIs(t, err, cluster.ErrTooOld, version)
			}
		})
	}
}

// greeting is the address of a server that says its version and answers pings, and says
// that nobody answers a request.
func greeting(t *testing.T, version string) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				fmt.Fprintf(c, "INFO {\"server_id\":\"x\",\"version\":%q,\"headers\":true,\"max_payload\":1048576}\r\n", version)
				for lines := bufio.NewScanner(c); lines.Scan(); {
					if strings.HasPrefix(lines.Text(), "PING") {
						fmt.Fprint(c, "PONG\r\n")
					} else if strings.HasPrefix(lines.Text(), "PUB") {
						return // the connection ends
					}
				}
			}()
		}
	}()
	return "nats://" + l.Addr().String()
}
