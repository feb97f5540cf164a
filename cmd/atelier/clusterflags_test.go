package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/cluster"
)

// A cluster that cannot be reached is an error that says what to do, also through the
// engine, and is still known as that.
func TestClusterUnreachable(t *testing.T) {
	c := clusterFlags{urls: []string{"nats://127.0.0.1:1"}}
	_, err := c.Connect(t.Context(), "test")
	require.ErrorIs(t, err, cluster.ErrUnreachable)
	require.ErrorContains(t, err, "start a NATS server at that address")
}
