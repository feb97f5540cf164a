package search

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/workshop"
)

// The whole tree, with kinds and times and without hashes.
func BenchmarkList(b *testing.B) {
	dir := benchTree(b)
	v := benchView(b, dir)
	benchBoth(b, func() {
		got, err := v.List(context.Background(), "", workshop.ListOptions{Recursive: true, NoHash: true})
		require.NoError(b, err)
		require.NotEmpty(b, got)
	}, "find", dir, "-printf", "%p %s %t\n")
}
