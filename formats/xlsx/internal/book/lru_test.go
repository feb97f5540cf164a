package book_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats/xlsx/internal/book"
)

func TestLRU(t *testing.T) {
	c := book.NewLRU[int](3, 1)
	for i := range 3 {
		c.Put(fmt.Sprint(i), i, 1)
	}
	c.Get("0")
	c.Put("3", 3, 1)
	_, ok := c.Get("1")
	require.False(t, ok, "used longest ago")
	_, ok = c.Get("0")
	require.True(t, ok)
	c.Put("big", 1, 4)
	_, ok = c.Get("big")
	require.False(t, ok)
	c.Put("0", 9, 3)
	require.Len(t, c.Items, 1)
	require.Equal(t, 3, c.Cost)
}

// Against a cache that keeps a list in the order of use.
func TestLRUAgainstAList(t *testing.T) {
	type entry struct {
		key     string
		v, cost int
	}
	rapid.Check(t, func(rt *rapid.T) {
		c := book.NewLRU[int](10, 1)
		var list []entry // the last used in front
		find := func(key string) int {
			return slices.IndexFunc(list, func(e entry) bool { return e.key == key })
		}
		for step := range rapid.IntRange(1, 60).Draw(rt, "steps") {
			key := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f"}).Draw(rt, "key")
			i := find(key)
			switch rapid.IntRange(0, 9).Draw(rt, "what") {
			case 0:
				c.Clear()
				list = nil
			case 1, 2, 3, 4:
				v, ok := c.Get(key)
				require.Equal(rt, i >= 0, ok)
				if ok {
					require.Equal(rt, list[i].v, v)
					e := list[i]
					list = slices.Insert(slices.Delete(list, i, i+1), 0, e)
				}
			default:
				e := entry{key, step, rapid.IntRange(0, 12).Draw(rt, "cost")}
				c.Put(key, e.v, e.cost)
				if i >= 0 {
					list = slices.Delete(list, i, i+1)
				}
				if e.cost > 10 {
					break
				}
				list = slices.Insert(list, 0, e)
				for sum := 0; ; sum = 0 {
					for _, o := range list {
						sum += o.cost
					}
					if sum <= 10 {
						break
					}
					list = list[:len(list)-1]
				}
			}
			sum := 0
			for _, e := range list {
				sum += e.cost
				require.Contains(rt, c.Items, e.key)
			}
			require.Len(rt, c.Items, len(list))
			require.Equal(rt, sum, c.Cost)
		}
	})
}
