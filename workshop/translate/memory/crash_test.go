package memory

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestKilled (TR-05): a process killed during a Put leaves only complete
// Puts, all of those that returned, and a memory that still works.
func TestKilled(t *testing.T) {
	ctx := context.Background()
	const each = 50
	batch := func(n int) (es []Entry) {
		for i := range each {
			es = append(es, Entry{Pair: enES, Source: fmt.Sprintf("batch %d has words %d of its own", n, i), Target: "x", Origin: Imported})
		}
		return es
	}
	if path := os.Getenv("MEMORY_TEST_KILL"); path != "" { // this is the child process
		m, err := Open(ctx, path)
		require.NoError(t, err)
		for n := 0; ; n++ {
			require.NoError(t, m.Put(ctx, batch(n)))
			fmt.Println("put", n)
		}
	}
	path := filepath.Join(t.TempDir(), "killed.db")
	for round := range 3 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		cmd.Env = append(os.Environ(), "MEMORY_TEST_KILL="+path)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		sc := bufio.NewScanner(out)
		puts := 0
		for puts < 3+4*round && sc.Scan() {
			puts++
		}
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait() // it was killed

		m, err := Open(ctx, path)
		require.NoError(t, err)
		info, err := m.Info(ctx)
		require.NoError(t, err)
		require.Len(t, info, 1)
		require.Zero(t, info[0].All()%each, "a Put is whole or not there")
		require.GreaterOrEqual(t, info[0].All(), each*puts)
		found, err := m.Similar(ctx, enES, "batch 2 has words 7 of his own", 1, 0.7)
		require.NoError(t, err)
		require.Len(t, found, 1, "the index is as whole as the entries")
		put(t, m, Entry{Pair: enES, Source: "goes on", Target: "sigue", Origin: Person})
		require.Equal(t, "sigue", exact(t, m, enES, "", "goes on"))
		var ok string
		require.NoError(t, m.db.QueryRow("PRAGMA integrity_check").Scan(&ok))
		require.Equal(t, "ok", ok)
		_, err = m.db.Exec("DELETE FROM entries WHERE origin = 1")
		require.NoError(t, err)
		require.NoError(t, m.Close())
	}
}
