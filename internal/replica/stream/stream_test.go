package stream_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/cluster"
	"atelier/internal/cluster/clustertest"
	"atelier/internal/replica"
	"atelier/internal/replica/stream"
)

func open(t testing.TB, urls ...string) *stream.Store {
	t.Helper()
	c, err := cluster.Connect(t.Context(), cluster.Options{URLs: urls, Name: t.Name()})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	s, err := stream.Open(t.Context(), c)
	require.NoError(t, err)
	return s
}

// TestLog: an append after another message than the last is refused, also after the log
// was shortened, and the logs of workspaces do not meet.
func TestLog(t *testing.T) {
	t.Parallel()
	s := open(t, clustertest.Start(t, 3).URLs()...)
	ctx := t.Context()
	read := func(id string) (all []string, last uint64) {
		last, err := s.Log(id).Read(ctx, func(n uint64, b []byte) error {
			all = append(all, fmt.Sprint(n, string(b)))
			return nil
		})
		require.NoError(t, err)
		return all, last
	}
	all, last := read("a")
	require.Empty(t, all)
	require.Zero(t, last)
	l := s.Log("a")
	one, err := l.Append(ctx, 0, []byte("one"))
	require.NoError(t, err)
	_, err = s.Log("b").Append(ctx, 0, []byte("other"))
	require.NoError(t, err)
	for _, wrong := range []uint64{0, one + 1, one + 5} {
		_, err = l.Append(ctx, wrong, []byte("wrong"))
		require.ErrorIs(t, err, replica.ErrFenced)
	}
	two, err := l.Append(ctx, one, []byte("two"))
	require.NoError(t, err)
	three, err := l.Append(ctx, two, []byte("three"))
	require.NoError(t, err)
	all, last = read("a")
	require.Equal(t, []string{fmt.Sprint(one, "one"), fmt.Sprint(two, "two"), fmt.Sprint(three, "three")}, all)
	require.Equal(t, three, last)
	require.NoError(t, l.Purge(ctx, two))
	all, _ = read("a")
	require.Equal(t, []string{fmt.Sprint(three, "three")}, all)
	require.NoError(t, l.Purge(ctx, three+7))
	all, _ = read("a")
	require.Len(t, all, 1, "the last message stays")
	_, err = l.Append(ctx, two, []byte("wrong"))
	require.ErrorIs(t, err, replica.ErrFenced)
	_, err = l.Append(ctx, three, []byte("four"))
	require.NoError(t, err)
	_, err = s.Log("a.b").Append(ctx, 0, nil)
	require.Error(t, err)
	require.NotErrorIs(t, err, replica.ErrUncertain)
}

// A log is read to its end where that takes longer than one message may: on busy servers it
// would otherwise be read from its beginning again and again. A message that does not come ends
// the reading.
func TestLongLog(t *testing.T) {
	defer stream.SetReadWait(time.Second)()
	servers := clustertest.Start(t, 1)
	link := servers.Link(0)
	s := open(t, "nats://"+link.Addr())
	l := s.Log("a")
	last := uint64(0)
	for i := range 300 {
		var err error
		last, err = l.Append(t.Context(), last, []byte(fmt.Sprint(i)))
		require.NoError(t, err)
	}
	n := 0
	got, err := l.Read(t.Context(), func(uint64, []byte) error {
		n++
		time.Sleep(7 * time.Millisecond)
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, last, got)
	require.Equal(t, 300, n)

	n = 0
	_, err = l.Read(t.Context(), func(uint64, []byte) error {
		if n++; n == 10 {
			link.Stall()
		}
		return nil
	})
	link.Mend()
	require.ErrorIs(t, err, replica.ErrUncertain)
	require.Less(t, n, 300)
}

// TestContents: contents of all sizes come back, are listed and removed.
func TestContents(t *testing.T) {
	t.Parallel()
	s := open(t, clustertest.Start(t, 1).URLs()...)
	ctx := t.Context()
	c := s.Contents("a")
	r := rand.NewChaCha8([32]byte{})
	want := map[string][]byte{}
	for i, size := range []int{0, 1, 1000, 512<<10 - 1, 512 << 10, 512<<10 + 1, 3 << 20, 3<<20 + 17} {
		b := make([]byte, size)
		_, _ = r.Read(b)
		name := fmt.Sprint("c", i)
		want[name] = b
		require.NoError(t, c.Put(ctx, replica.Content{Name: name}, bytes.NewReader(b)))
	}
	require.NoError(t, s.Contents("b").Put(ctx, replica.Content{Name: "other"}, bytes.NewReader(nil)))
	for name, b := range want {
		in, err := c.Get(ctx, name)
		require.NoError(t, err)
		got, err := io.ReadAll(in)
		require.NoError(t, err)
		require.True(t, bytes.Equal(b, got), name)
	}
	names, err := c.Names(ctx)
	require.NoError(t, err)
	require.Len(t, names, len(want))
	require.NoError(t, c.Remove(ctx, "c7"))
	_, err = c.Get(ctx, "c7")
	require.ErrorIs(t, err, replica.ErrNoContent)
	_, err = c.Get(ctx, "c6")
	require.NoError(t, err)
	_, err = c.Get(ctx, "other")
	require.ErrorIs(t, err, replica.ErrNoContent)
}
