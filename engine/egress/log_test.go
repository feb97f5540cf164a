package egress

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func openLog(t *testing.T) *Log {
	l, err := Open(t.TempDir(), "w1")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	return l
}

func TestLogForgetsTheOldestAndSaysSo(t *testing.T) {
	l := openLog(t)
	l.keep = 100
	for range 250 {
		require.NoError(t, l.Add(Event{At: time.Unix(0, 0), Kind: KindGranted}))
	}
	list, dropped, err := l.Events(ctx, 0, 1000)
	require.NoError(t, err)
	require.EqualValues(t, 250, int(dropped)+len(list))
	require.LessOrEqual(t, len(list), 102)
	require.GreaterOrEqual(t, len(list), 100)
	page, _, err := l.Events(ctx, 200, 10)
	require.NoError(t, err)
	require.Len(t, page, 10)
	require.EqualValues(t, 201, page[0].ID)
}

// Several processes write one log: the data folder's is everybody's.
func TestLogOfSeveralProcesses(t *testing.T) {
	dir := t.TempDir()
	var logs []*Log
	for range 3 {
		l, err := Open(dir, "")
		require.NoError(t, err)
		defer l.Close()
		logs = append(logs, l)
	}
	var wg sync.WaitGroup
	for i := range 90 {
		wg.Go(func() {
			l := logs[i%3]
			id, err := l.begin(Event{At: time.Now(), Kind: KindProbe})
			assert.NoError(t, err)
			assert.NoError(t, l.end(Event{ID: id, BytesOut: int64(i)}))
			assert.NoError(t, l.Update(ctx, func(tx *sql.Tx) error {
				_, err := tx.Exec(`INSERT INTO grants VALUES ('p','','',?)`, fmt.Sprint(i))
				return err
			}))
		})
	}
	wg.Wait()
	list, _, err := logs[0].Events(ctx, 0, 1000)
	require.NoError(t, err)
	require.Len(t, list, 90)
	var sum int64
	for _, e := range list {
		require.True(t, e.Ended)
		sum += e.BytesOut
	}
	require.EqualValues(t, 89*90/2, sum)
	rows, err := logs[2].Query(ctx, `SELECT count(*) FROM grants`)
	require.NoError(t, err)
	require.True(t, rows.Next())
	var granted int
	require.NoError(t, rows.Scan(&granted))
	require.NoError(t, rows.Close())
	require.Equal(t, 90, granted)
	if runtime.GOOS != "windows" {
		st, err := os.Stat(filepath.Join(dir, File))
		require.NoError(t, err)
		require.Zero(t, st.Mode().Perm()&0o077, "nobody else's business")
	}
}

// TestFind: events are found by any of their names, with the newest first, page by
// page, and those that stayed on this machine can be left out.
func TestFind(t *testing.T) {
	l := openLog(t)
	for _, e := range []Event{
		{Kind: "run", Provider: "openai", Model: "gpt", Host: "api.openai.com", Files: []string{"R&D 100%.docx", `quo"te.md`}},
		{Kind: "run", Provider: "house", Model: "llama", Host: "localhost:1234", Local: true, Files: []string{"R&D 100%.docx"}},
		{Kind: "fetch", Provider: "web", Model: "", Host: "example.org", Error: "timeout"},
	} {
		e.At = time.Now()
		require.NoError(t, l.Add(e))
	}
	for find, want := range map[string][]int64{
		"": {3, 2, 1}, "OPENAI": {1}, "r&d 100%": {2, 1}, "100_": nil, `quo"te`: {1}, "timeout": {3}, "llama": {2}, `\`: nil,
	} {
		list, _, err := l.Find(ctx, Query{Newest: true, Find: find, Limit: 10})
		require.NoError(t, err)
		var ids []int64
		for _, e := range list {
			ids = append(ids, e.ID)
		}
		require.Equal(t, want, ids, find)
	}
	list, _, err := l.Find(ctx, Query{Newest: true, Before: 3, Left: true, Limit: 10})
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.EqualValues(t, 1, list[0].ID)
}
