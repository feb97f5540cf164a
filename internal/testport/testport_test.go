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
	locks := t.TempDir()
	port := Reserve(t)
	release, err := take(locks, port)
	require.NoError(t, err)
	require.NotNil(t, release)
	other, err := take(locks, port)
	require.NoError(t, err)
	require.Nil(t, other, "it is reserved")
	release()
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	require.NoError(t, err)
	other, err = take(locks, port)
	require.NoError(t, err)
	require.Nil(t, other, "something listens there")
	l.Close()
	other, err = take(locks, port)
	require.NoError(t, err)
	require.NotNil(t, other, "it is free again")
	other()
}
