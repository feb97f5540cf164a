package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

// RV-06: pictures are paired correctly when slides are added, deleted or
// moved.
func TestRV06SlidePairs(t *testing.T) {
	item := []formats.DiffItem{{Change: formats.Modified}}
	groups := []formats.DiffGroup{
		{Name: "slide 1: New", Change: formats.Added, Items: item},
		{Name: "slide 2: First", Change: formats.Modified, Items: item},
		{Name: "slide 3: Last", Change: formats.Moved, From: "slide 4", Items: item},
		{Name: "slide 2: Gone", Change: formats.Removed, Items: item},
	}
	// Published: First, Gone, Third, Last. Draft: New, First, Last, Third.
	require.Equal(t, [][2]int{{-1, 0}, {0, 1}, {3, 2}, {1, -1}}, slidePairs(groups, 4, 4))
	require.Empty(t, slidePairs(nil, 3, 3))
}

func TestRV06PagePairs(t *testing.T) {
	p := func(s ...string) (out [][]byte) {
		for _, x := range s {
			out = append(out, []byte(x))
		}
		return out
	}
	require.Equal(t, [][2]int{{0, 0}, {-1, 1}, {1, 2}, {2, 3}}, pagePairs(p("a", "b", "c"), p("a", "new", "b", "c2")))
}
