package engine

import (
	"testing"
	"time"
)

// WaitForServers sets how long runs of a test wait for tool servers to start.
func WaitForServers(t *testing.T, d time.Duration) {
	was := serversWait
	serversWait = d
	t.Cleanup(func() { serversWait = was })
}
