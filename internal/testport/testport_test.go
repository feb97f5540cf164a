package testport

import (
	"fmt"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

// No port is given twice, used ones are not given, and one that was released is given again.
func TestTake(t *testing.T) {
	seen := map[int]bool{}
	for range 200 {
		port := Reserve(t)
		require.False(t, seen[port])
		seen[port] = true
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		require.NoError(t, err)
		l.Close()
	}
	_, release, err := Take()
	require.NoError(t, err)
	release()
}
