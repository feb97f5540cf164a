package seqdiff

import (
	"hash/fnv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func key(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

func lists(a, b []string) []Step {
	return Lists(len(a), len(b), Options{
		KeyA: func(i int) uint64 { return key(a[i]) }, KeyB: func(j int) uint64 { return key(b[j]) },
		Similar:    func(i, j int) float64 { return Ratio(strings.Fields(a[i]), strings.Fields(b[j])) },
		Weightless: func(i int) bool { return a[i] == "" },
	})
}

// show formats an alignment: " x" equal, "~x" changed, "+x" added, "-x"
// removed, ">x" moved.
func show(a, b []string) string {
	var out []string
	for _, s := range lists(a, b) {
		switch {
		case s.Moved:
			out = append(out, ">"+b[s.B])
		case s.Kind == Added:
			out = append(out, "+"+b[s.B])
		case s.Kind == Removed:
			out = append(out, "-"+a[s.A])
		case s.Kind == Changed:
			out = append(out, "~"+b[s.B])
		default:
			out = append(out, " "+b[s.B])
		}
	}
	return strings.Join(out, "|")
}

func TestLists(t *testing.T) {
	f := func(s string) []string { return strings.Split(s, ",") }
	for _, c := range [][3]string{
		{"a,b,c", "a,b,c", " a| b| c"},
		{"a,b,c", "x,a,b,c", "+x| a| b| c"},
		{"a,b,c", "a,c", " a|-b| c"},
		{"one two,b", "one three,b", "~one three| b"},
		{"a,b,c,d", "d,a,b,c", ">d| a| b| c"},
		{"a,,b,,c", "a,,c", " a| |-b|-| c"},
		{"p,q,r", "x,y,z", "-p|-q|-r|+x|+y|+z"},
	} {
		require.Equal(t, c[2], show(f(c[0]), f(c[1])), "%s → %s", c[0], c[1])
	}
}

// Property: every item of both lists is in exactly one step, equal steps are
// equal, and steps that did not move keep the order of both lists.
func TestListsCoverBoth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gen := rapid.SliceOfN(rapid.StringMatching(`[ab]( [cd]){0,2}|`), 0, 14)
		a, b := gen.Draw(t, "a"), gen.Draw(t, "b")
		seenA, seenB := map[int]int{}, map[int]int{}
		lastA, lastB := -1, -1
		for _, s := range lists(a, b) {
			if s.A >= 0 {
				seenA[s.A]++
			}
			if s.B >= 0 {
				seenB[s.B]++
				require.Greater(t, s.B, lastB)
				lastB = s.B
			}
			switch {
			case s.Kind == Equal:
				require.Equal(t, a[s.A], b[s.B])
			case s.Kind == Added:
				require.Equal(t, -1, s.A)
			case s.Kind == Removed:
				require.Equal(t, -1, s.B)
			}
			if s.A >= 0 && s.B >= 0 && !s.Moved {
				require.Greater(t, s.A, lastA)
				lastA = s.A
			}
		}
		require.Len(t, seenA, len(a))
		require.Len(t, seenB, len(b))
		for _, n := range seenA {
			require.Equal(t, 1, n)
		}
		for _, n := range seenB {
			require.Equal(t, 1, n)
		}
	})
}

func BenchmarkLists100k(b *testing.B) {
	n := 100_000
	for b.Loop() {
		Lists(n, n+1, Options{KeyA: func(i int) uint64 { return uint64(i) }, KeyB: func(j int) uint64 {
			if j < 500 {
				return uint64(j)
			}
			return uint64(j - 1)
		}})
	}
}

// Remaining items between matches are paired by form with the best fit; if
// one side has far more, its items are new.
func TestTwins(t *testing.T) {
	run := func(a, b []string) (out []Step) {
		return Lists(len(a), len(b), Options{
			KeyA: func(i int) uint64 { return key(a[i]) }, KeyB: func(j int) uint64 { return key(b[j]) },
			Twin: func(i, j int) float64 {
				return float64(min(len(a[i]), len(b[j]))) / float64(max(len(a[i]), len(b[j])))
			},
		})
	}
	require.Equal(t, []Step{{0, 0, Changed, false}, {-1, 1, Added, false}, {1, 2, Changed, false}, {2, 3, Equal, false}},
		run([]string{"aaaaaaaa", "bbb", "same"}, []string{"AAAAAAAAA", "+", "BBB", "same"}))
	require.Equal(t, []Step{{-1, 0, Added, false}, {-1, 1, Added, false}, {-1, 2, Added, false}, {0, 3, Equal, false}},
		run([]string{"same"}, []string{"x", "y", "z", "same"}))
}
