package replica_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/internal/campaign"
	"atelier/internal/replica"
	"atelier/internal/replica/replicatest"
	"atelier/internal/sqlitedb"
	"atelier/workshop"
)

// server is one process that may own the workspace.
type server struct {
	home *workshop.Home
	wb   *workshop.Workbench
	rep  *replica.Replica
}

// own takes the workspace over into a new data folder and opens it.
func own(t require.TestingT, log replica.Log, store replica.Contents, dir, id string, opt replica.Options) *server {
	s, err := owned(log, store, dir, id, opt)
	require.NoError(t, err)
	return s
}

func owned(log replica.Log, store replica.Contents, dir, id string, opt replica.Options) (*server, error) {
	ctx := context.Background()
	s := &server{}
	ahead := func() time.Time { return time.Now().Add(2 * time.Hour) } // for GC: nothing is too young
	var err error
	next, newID := ids(id)
	s.home, err = workshop.OpenHome(dir, workshop.Options{NewID: newID, Now: ahead, Unsynced: true})
	if err != nil {
		return nil, err
	}
	rep, empty, err := replica.Own(ctx, log, store, opt)
	if err != nil {
		return nil, err
	}
	s.rep = rep
	if empty {
		*next = id
		s.wb, err = s.home.Create(ctx, "shared", "")
	} else {
		var st *replica.State
		if st, err = rep.Restore(ctx, s.home.StateDir(id), ""); err == nil {
			err = rep.Follow(ctx, s.home.StateDir(id), st)
		}
		if err == nil {
			s.wb, err = s.home.Open(ctx, id)
		}
	}
	if err == nil {
		err = rep.Begin(ctx, s.wb, s.home.StateDir(id))
	}
	return s, err
}

// ids gives ids that no other owner gives, and next before them when it is set.
func ids(prefix string) (next *string, newID func() string) {
	next, n := new(string), 0
	return next, func() string {
		if id := *next; id != "" {
			*next = ""
			return id
		}
		n++
		return fmt.Sprintf("%s-%d-%d", prefix, time.Now().UnixNano(), n)
	}
}

func (s *server) close() {
	s.rep.Wait()
	_ = s.rep.Close()
	_ = s.home.Close()
}

// fingerprint is a state folder: rows of databases, hashes of files. The time of the last
// change counts for the user's files.
func fingerprint(t require.TestingT, dir string) map[string]string {
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		base := d.Name()
		switch {
		case base == "lock" || strings.HasPrefix(base, "lock.") || strings.HasSuffix(base, "-wal") || strings.HasSuffix(base, "-shm"):
			return nil
		case d.IsDir():
			out[rel] = "folder"
		case strings.HasSuffix(base, ".db") && !strings.HasPrefix(rel, "files/"):
			out[rel] = rows(t, name)
		default:
			b, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			out[rel] = fmt.Sprintf("%x", sha256.Sum256(b))
			if strings.HasPrefix(rel, "files/") {
				st, err := d.Info()
				if err != nil {
					return err
				}
				out[rel] += fmt.Sprint(st.Mode(), st.ModTime().UnixNano())
			}
		}
		return nil
	}))
	return out
}

// rows returns every row of a database, and what SQLite's check says of it.
func rows(t require.TestingT, name string) string {
	db, err := sqlitedb.Open(name, sqlitedb.Options{ReadOnly: true})
	require.NoError(t, err)
	defer db.Close()
	var b strings.Builder
	for _, table := range append(strings1(t, db, `SELECT name FROM sqlite_schema WHERE type='table' ORDER BY name`), "sqlite_schema") {
		fmt.Fprintln(&b, table)
		for _, line := range lines(t, db, `SELECT * FROM "`+table+`"`) {
			fmt.Fprintln(&b, line)
		}
	}
	for _, check := range []string{`PRAGMA integrity_check`, `PRAGMA foreign_key_check`} {
		fmt.Fprintln(&b, lines(t, db, check))
	}
	require.Contains(t, b.String(), "[ok]")
	return b.String()
}

func strings1(t require.TestingT, db *sql.DB, query string) (out []string) {
	rs, err := db.Query(query)
	require.NoError(t, err)
	defer rs.Close()
	for rs.Next() {
		var s string
		require.NoError(t, rs.Scan(&s))
		out = append(out, s)
	}
	require.NoError(t, rs.Err())
	return out
}

func lines(t require.TestingT, db *sql.DB, query string) (out []string) {
	rs, err := db.Query(query)
	require.NoError(t, err)
	defer rs.Close()
	names, err := rs.Columns()
	require.NoError(t, err)
	for rs.Next() {
		values := make([]any, len(names))
		for i := range values {
			values[i] = new(any)
		}
		require.NoError(t, rs.Scan(values...))
		var b strings.Builder
		for _, v := range values {
			fmt.Fprintf(&b, "%v|", *v.(*any))
		}
		out = append(out, strings.TrimSuffix(b.String(), "|"))
	}
	require.NoError(t, rs.Err())
	return out
}

func same(t require.TestingT, want, got map[string]string, what string) {
	for _, p := range slices.Sorted(maps.Keys(want)) {
		require.Equal(t, want[p], got[p], "%s: %s", what, p)
	}
	require.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)), what)
}

// act does a random operation.
func (s *server) act(t *rapid.T, n int) {
	ctx := t.Context()
	name := workshop.Path(rapid.SampledFrom([]string{"a.txt", "b.txt", "d/c.txt", "d/e/f.txt", "ñ 🙂.csv", "d", "big.bin"}).Draw(t, "path"))
	size := rapid.SampledFrom([]int{0, 10, 3000, 70_000, 300_000}).Draw(t, "size")
	write := func(w io.Writer) error {
		_, err := io.WriteString(w, fmt.Sprint(n, strings.Repeat(fmt.Sprint(n*7919), size/4)))
		return err
	}
	draft := s.wb.DraftView(workshop.Cause{MessageID: fmt.Sprint("u-", n)})
	live := s.wb.LiveView(workshop.Cause{Tool: "test"})
	// What is refused is refused; what it did to the state is compared all the same.
	switch rapid.IntRange(0, 13).Draw(t, "kind") {
	case 0, 1:
		_, _ = draft.Put(ctx, name, workshop.PutOptions{}, write)
	case 2:
		_ = draft.Remove(ctx, name)
	case 3:
		_ = draft.Move(ctx, name, workshop.Path(fmt.Sprint("moved/", n%5, ".txt")))
	case 4, 5:
		_, _ = s.wb.Publish(ctx, workshop.PublishOptions{})
	case 6:
		_ = s.wb.Discard(ctx, nil)
	case 7:
		_, _ = s.wb.CreateCheckpoint(ctx, "test")
	case 8:
		if all, _ := s.wb.Checkpoints(ctx); len(all) > 0 {
			_, _ = s.wb.Restore(ctx, all[n%len(all)].ID)
		}
	case 9:
		require.NoError(t, s.wb.Conversation().Append(workshop.Record{Type: workshop.TypeUser, MessageID: fmt.Sprint("u-", n), Role: "user", Text: strings.Repeat("x", size)}))
	case 10:
		if rs, _ := s.wb.Conversation().Records(); len(rs) > 0 {
			_, _ = s.wb.UndoTo(ctx, rs[n%len(rs)].MessageID)
		}
	case 11:
		_, err := s.wb.GC(ctx, workshop.GCOptions{})
		require.NoError(t, err)
	case 12:
		_, _ = live.Put(ctx, name, workshop.PutOptions{}, write)
	case 13:
		require.NoError(t, s.wb.SetSetting(ctx, fmt.Sprint("k", n%3), strings.Repeat("y", size)))
	}
}

// TestRestoreAnyRecord: after random operations, the state at every record of the log is
// the state of the moment when it was acknowledged.
func TestRestoreAnyRecord(t *testing.T) {
	campaign.Checks(t, 48) // a check takes half a second
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "replica")
		require.NoError(t, err)
		defer os.RemoveAll(dir)
		defer replica.SetRecycleAfter(rapid.SampledFrom([]int64{0, 50_000, 4 << 20}).Draw(t, "recycle after"))()
		mem := &replicatest.Memory{}
		const id = "w1"
		opt := replica.Options{SnapshotAfter: rapid.SampledFrom([]int64{1, 20_000, 300_000, 1 << 30}).Draw(t, "snapshot after")}
		s := own(t, mem, mem, filepath.Join(dir, "0"), id, opt)
		defer func() { s.close() }()
		servers := 1
		for n := range rapid.IntRange(1, 25).Draw(t, "steps") {
			for range rapid.IntRange(1, 4).Draw(t, "operations") {
				s.act(t, n)
			}
			require.NoError(t, s.rep.Commit(t.Context()))
			s.rep.Wait()
			want := fingerprint(t, s.home.StateDir(id))
			then := mem.Clone()
			at := filepath.Join(dir, "restored")
			_, err := replica.Restore(t.Context(), then, then, at, s.home.StateDir(id))
			require.NoError(t, err)
			same(t, want, fingerprint(t, at), fmt.Sprint("step ", n))
			require.NoError(t, os.RemoveAll(at))
			if rapid.IntRange(0, 9).Draw(t, "takeover") == 0 { // the old one is as if paused
				old := s
				s = own(t, mem, mem, filepath.Join(dir, fmt.Sprint(servers)), id, opt)
				servers++
				require.NoError(t, old.wb.SetSetting(t.Context(), "late", fmt.Sprint(n)))
				require.ErrorIs(t, old.rep.Commit(t.Context()), replica.ErrFenced)
				old.close()
				v, err := s.wb.Setting(t.Context(), "late")
				require.NoError(t, err)
				require.NotEqual(t, fmt.Sprint(n), v)
			}
		}
	})
}
