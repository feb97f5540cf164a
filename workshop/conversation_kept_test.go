package workshop

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func keptConversation(t *testing.T, n int) *Conversation {
	c, err := openConversation(filepath.Join(t.TempDir(), "c.jsonl"), time.Now, func() string { return "x" }, false)
	require.NoError(t, err)
	for i := range n {
		require.NoError(t, c.Append(Record{Type: TypeUser, MessageID: fmt.Sprint("u-", i), Text: "text"}))
	}
	return c
}

// TestConversationIsParsedOnce: a conversation that has not changed is not read again,
// and what is added is added to what is in memory.
func TestConversationIsParsedOnce(t *testing.T) {
	c := keptConversation(t, 100)
	_, err := c.Records()
	require.NoError(t, err)
	require.NoError(t, c.Append(Record{Type: TypeUser, MessageID: "last"}))
	var rs []Record
	allocs := testing.AllocsPerRun(10, func() { rs, err = c.Records() })
	require.NoError(t, err)
	require.Len(t, rs, 101)
	require.Equal(t, "last", rs[100].MessageID)
	require.Less(t, allocs, 20.0)

	rs[0].Text = "changed by the caller"
	again, err := c.Records()
	require.NoError(t, err)
	require.Equal(t, "text", again[0].Text)
}

// TestConversationChangedByOthers: what another program does to the file is seen.
func TestConversationChangedByOthers(t *testing.T) {
	c := keptConversation(t, 3)
	rs, err := c.AllRecords()
	require.NoError(t, err)
	require.Len(t, rs, 3)

	b, err := os.ReadFile(c.path)
	require.NoError(t, err)
	b[20] ^= 1
	require.NoError(t, os.WriteFile(c.path, b, 0o600))
	require.NoError(t, os.Chtimes(c.path, time.Time{}, time.Now().Add(time.Second)))
	rs, err = c.AllRecords()
	require.NoError(t, err)
	require.Len(t, rs, 2, "the damaged line is left out")

	require.NoError(t, c.Append(Record{Type: TypeUser, MessageID: "u-3"}))
	rs, err = c.AllRecords()
	require.NoError(t, err)
	require.Len(t, rs, 3)

	require.NoError(t, os.Remove(c.path))
	rs, err = c.AllRecords()
	require.NoError(t, err)
	require.Empty(t, rs)
}

// TestConversationReadWhileWritten: readers see a beginning of what is written, each
// record once.
func TestConversationReadWhileWritten(t *testing.T) {
	c := keptConversation(t, 1)
	var wg sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		wg.Go(func() {
			for {
				rs, err := c.Records()
				if err != nil {
					t.Error(err)
					return
				}
				for i, r := range rs {
					if r.MessageID != fmt.Sprint("u-", i) {
						t.Errorf("record %d is %s", i, r.MessageID)
						return
					}
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for i := 1; i < 100; i++ {
		require.NoError(t, c.Append(Record{Type: TypeUser, MessageID: fmt.Sprint("u-", i)}))
	}
	close(done)
	wg.Wait()
	rs, err := c.Records()
	require.NoError(t, err)
	require.Len(t, rs, 100)
}

// TestConversationKeptAcrossUndos: after any records and undos, what is kept is what a
// first reader of the file sees, and what was given out before stays as it was.
func TestConversationKeptAcrossUndos(t *testing.T) {
	c := keptConversation(t, 1)
	rng := rand.New(rand.NewPCG(1, 2))
	type given struct{ list, copied []Record }
	var before []given
	for i := 1; i < 120; i++ {
		r := Record{Type: TypeUser, MessageID: fmt.Sprint("u-", i), Text: "text"}
		if rng.IntN(5) == 0 {
			r = Record{Type: TypeSystem, EventKind: EventUndo, MessageID: fmt.Sprint("s-", i), Metadata: map[string]any{[]string{"to", "before"}[rng.IntN(2)]: fmt.Sprint("u-", rng.IntN(i+2))}}
		}
		require.NoError(t, c.Append(r))
		if rng.IntN(3) == 0 {
			_, err := c.Standing() // else the next is added to what nobody asked for
			require.NoError(t, err)
		}
		fresh, err := openConversation(c.path, time.Now, func() string { return "x" }, true)
		require.NoError(t, err)
		want, wantPast, err := fresh.branches()
		require.NoError(t, err)
		got, past, err := c.branches()
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Equal(t, wantPast, past)
		before = append(before, given{got, slices.Clone(got)})
	}
	for _, g := range before {
		require.Equal(t, g.copied, g.list)
	}
}
