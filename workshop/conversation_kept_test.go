package workshop

import (
	"fmt"
	"os"
	"path/filepath"
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
