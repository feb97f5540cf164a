package sqlitedb

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/internal/campaign"
)

func openTest(t testing.TB) *sql.DB {
	db, err := Open(filepath.Join(t.TempDir(), "t.db"), Options{Sync: "NORMAL"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	db.SetMaxOpenConns(1)
	_, err = db.Exec(`CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)`)
	require.NoError(t, err)
	return db
}

// TestStatementsKept: a statement that runs again gives what it would give the first
// time, also after the schema changed, after an error and after it was canceled.
func TestStatementsKept(t *testing.T) {
	db := openTest(t)
	ctx := t.Context()
	count := func() (n int) {
		require.NoError(t, db.QueryRowContext(ctx, `SELECT count(*) FROM t`).Scan(&n))
		return n
	}
	for i := range 5 {
		_, err := db.ExecContext(ctx, `INSERT INTO t (a, b) VALUES (?, ?)`, i, fmt.Sprint(i))
		require.NoError(t, err)
		require.Equal(t, i+1, count())
	}
	_, err := db.ExecContext(ctx, `INSERT INTO t (a, b) VALUES (?, ?)`, 1, "again")
	require.ErrorContains(t, err, "UNIQUE")
	_, err = db.ExecContext(ctx, `INSERT INTO t (a, b) VALUES (?, ?)`, 5, "five")
	require.NoError(t, err)

	rows, err := db.QueryContext(ctx, `SELECT * FROM t`)
	require.NoError(t, err)
	require.NoError(t, rows.Close())
	_, err = db.ExecContext(ctx, `ALTER TABLE t ADD COLUMN c TEXT`)
	require.NoError(t, err)
	rows, err = db.QueryContext(ctx, `SELECT * FROM t`)
	require.NoError(t, err)
	names, err := rows.Columns()
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b", "c"}, names)
	require.NoError(t, rows.Close())

	gone, cancel := context.WithCancel(ctx)
	cancel()
	_, err = db.ExecContext(gone, `DELETE FROM t WHERE a=?`, 5)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 6, count())
}

// TestStatementsNested: a statement whose rows are being read can be run again on the
// same connection.
func TestStatementsNested(t *testing.T) {
	db := openTest(t)
	for i := range 3 {
		_, err := db.Exec(`INSERT INTO t (a, b) VALUES (?, ?)`, i, "x")
		require.NoError(t, err)
	}
	tx, err := db.Begin()
	require.NoError(t, err)
	defer tx.Rollback()
	outer, err := tx.Query(`SELECT a FROM t ORDER BY a`)
	require.NoError(t, err)
	var pairs []string
	for outer.Next() {
		var a int
		require.NoError(t, outer.Scan(&a))
		inner, err := tx.Query(`SELECT a FROM t ORDER BY a`)
		require.NoError(t, err)
		for inner.Next() {
			var b int
			require.NoError(t, inner.Scan(&b))
			pairs = append(pairs, fmt.Sprint(a, b))
		}
		require.NoError(t, inner.Close())
	}
	require.NoError(t, outer.Close())
	require.Equal(t, []string{"0 0", "0 1", "0 2", "1 0", "1 1", "1 2", "2 0", "2 1", "2 2"}, pairs)
}

// TestStatementsAgainstPlain runs random statements, more than are kept, beside a
// database that keeps none.
func TestStatementsAgainstPlain(t *testing.T) {
	campaign.Checks(t, 100)
	dir := t.TempDir()
	run := 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		kept, err := Open(filepath.Join(dir, fmt.Sprint(run, "k.db")), Options{Sync: "OFF"})
		require.NoError(t, err)
		defer kept.Close()
		plain, err := sql.Open("sqlite", filepath.Join(dir, fmt.Sprint(run, "p.db"))+"?_pragma=synchronous(off)")
		require.NoError(t, err)
		defer plain.Close()
		both := func(text string, args ...any) {
			var said [2]string
			for i, db := range []*sql.DB{kept, plain} {
				rows, err := db.Query(text, args...)
				if err != nil {
					said[i] = err.Error()
					continue
				}
				for rows.Next() {
					var a, b any
					require.NoError(t, rows.Scan(&a, &b))
					said[i] += fmt.Sprint(a, b, ";")
				}
				if err := rows.Err(); err != nil {
					said[i] += err.Error()
				}
				rows.Close()
			}
			require.Equal(t, said[1], said[0], text)
		}
		both(`CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)`)
		for range rapid.IntRange(1, 150).Draw(t, "steps") {
			n := rapid.IntRange(0, 90).Draw(t, "n")
			switch rapid.IntRange(0, 5).Draw(t, "kind") {
			case 0:
				both(`INSERT INTO t (a, b) VALUES (?, ?) RETURNING a, b`, n, fmt.Sprint("b", n))
			case 1:
				both(fmt.Sprintf(`SELECT a, b FROM t WHERE a>%d ORDER BY a`, n)) // 90 texts
			case 2:
				both(`UPDATE t SET b=b||'x' WHERE a<? RETURNING a, b`, n)
			case 3:
				both(`SELECT a, b FROM t WHERE a>=? ORDER BY a DESC LIMIT 3`, n)
			case 4:
				both(`DELETE FROM t WHERE a=? RETURNING a, b`, n)
			case 5:
				both(`SELECT a, nothing FROM t`)
			}
		}
	})
}

// BenchmarkQuery is a row by its key.
func BenchmarkQuery(b *testing.B) {
	db := openTest(b)
	for b.Loop() {
		var n int
		if err := db.QueryRow(`SELECT count(*) FROM t WHERE a=?`, 1).Scan(&n); err != nil {
			b.Fatal(err)
		}
	}
}
