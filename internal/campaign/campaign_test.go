package campaign

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// Without a setting an eighth of the large sample runs, and it is a part of that.
func TestSamples(t *testing.T) {
	if testing.Short() {
		t.Skip("-short takes other samples")
	}
	kept := func(level string) (items []int) {
		t.Setenv("ATELIER_CAMPAIGN", level)
		for i := range 60 {
			if !Skips(t, i, 3) {
				items = append(items, i)
			}
		}
		return items
	}
	small, large, full := kept(""), kept("large"), kept("full")
	require.Len(t, small, 3)
	require.Len(t, large, 20)
	require.Len(t, full, 60)
	require.Subset(t, large, small)
	for level, want := range map[string]int{"": 5, "slow": 5, "large": 40, "full": 100} {
		t.Setenv("ATELIER_CAMPAIGN", level)
		require.Equal(t, want, Of(40, 100), level)
		require.False(t, Skips(t, 1, 1), level)
	}
}

// Only go test by itself leaves slow tests out.
func TestSlow(t *testing.T) {
	if testing.Short() {
		t.Skip("-short takes other samples")
	}
	for level, runs := range map[string]bool{"": false, "slow": true, "large": true, "full": true} {
		t.Setenv("ATELIER_CAMPAIGN", level)
		ran := false
		t.Run("level "+level, func(t *testing.T) {
			Slow(t)
			ran = true
		})
		require.Equal(t, runs, ran, level)
	}
}

// Only go test by itself leaves items out, and each seed others.
func TestLeaves(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing is left out with -short")
	}
	t.Setenv("ATELIER_CAMPAIGN", "")
	var all []int
	for seed := range 3 {
		t.Setenv("ATELIER_SEED", strconv.Itoa(seed))
		for i := range 9 {
			if !Leaves(i, 3) {
				all = append(all, i)
			}
		}
	}
	require.ElementsMatch(t, []int{0, 1, 2, 3, 4, 5, 6, 7, 8}, all)
	t.Setenv("ATELIER_CAMPAIGN", "slow")
	require.False(t, Leaves(1, 3))
}

// Of tests that take long, a seed selects one, and a full campaign runs all.
func TestOne(t *testing.T) {
	if testing.Short() {
		t.Skip("-short takes other samples")
	}
	ran := func(level string) (all []int) {
		t.Setenv("ATELIER_CAMPAIGN", level)
		for i := range 3 {
			t.Run("of three", func(t *testing.T) {
				One(t, i, 3)
				all = append(all, i)
			})
		}
		t.Run("only full", func(t *testing.T) {
			OnlyFull(t)
			all = append(all, 9)
		})
		return all
	}
	t.Setenv("ATELIER_SEED", "4")
	require.Empty(t, ran(""))
	require.Equal(t, []int{1}, ran("slow"))
	require.Equal(t, []int{0, 1, 2, 9}, ran("full"))
}
