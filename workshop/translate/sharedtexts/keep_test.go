package sharedtexts

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/cluster"
	"atelier/internal/cluster/clustertest"
)

// Texts are kept until an operator has old ones removed, or bounds them; then the oldest go.
func TestTextsAreForgotten(t *testing.T) {
	campaign.Slow(t)
	ctx := t.Context()
	c, err := cluster.Connect(ctx, cluster.Options{URLs: clustertest.Start(t, 1).URLs(), Name: "test"})
	require.NoError(t, err)
	defer c.Close()
	k, err := Look(ctx, c)
	require.NoError(t, err)
	require.Zero(t, k)
	n, err := Forget(ctx, c, time.Now())
	require.NoError(t, err)
	require.Zero(t, n)
	b, err := c.Keys(ctx, unitsBucket, 0)
	require.NoError(t, err)
	put := func(from, to int, value string) {
		for i := from; i < to; i++ {
			h := sha256.Sum256([]byte(fmt.Sprint(i)))
			name := "aa." + hex.EncodeToString(h[:])
			_, err := b.Put(ctx, name, []byte(value))
			require.NoError(t, err)
		}
	}
	put(0, 200, "old")
	put(0, 20, "written again")
	time.Sleep(20 * time.Millisecond)
	middle := time.Now()
	time.Sleep(20 * time.Millisecond)
	put(200, 300, "new")
	put(20, 30, "written again later")
	k, err = Look(ctx, c)
	require.NoError(t, err)
	require.EqualValues(t, 300, k.Texts)
	require.True(t, k.Oldest.Before(middle))
	n, err = Forget(ctx, c, middle)
	require.NoError(t, err)
	require.EqualValues(t, 190, n)
	k, err = Look(ctx, c)
	require.NoError(t, err)
	require.EqualValues(t, 110, k.Texts)
	require.True(t, k.Oldest.After(middle))
	n, err = Forget(ctx, c, middle)
	require.NoError(t, err)
	require.Zero(t, n)

	require.NoError(t, Bound(ctx, c, 8<<20))
	put(1000, 1600, strings.Repeat("x", 32<<10)) // 19 MB
	k, err = Look(ctx, c)
	require.NoError(t, err)
	require.EqualValues(t, 8<<20, k.Most)
	require.LessOrEqual(t, k.Bytes, uint64(8<<20))
	require.Greater(t, k.Texts, uint64(100))
	require.NoError(t, Bound(ctx, c, 0))
	k, err = Look(ctx, c)
	require.NoError(t, err)
	require.Zero(t, k.Most)
	n, err = Forget(ctx, c, time.Now().Add(time.Hour))
	require.NoError(t, err)
	require.EqualValues(t, k.Texts, n)
}
