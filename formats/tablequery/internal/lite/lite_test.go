package lite_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats/tablequery/internal/image"
	"atelier/formats/tablequery/internal/lite"
)

var ctx = context.Background()

// database has 1,000 rows of a number and a text.
func database(t testing.TB) *lite.Database {
	w := image.New([]image.Column{{Name: "n", Type: "INTEGER"}, {Name: "s", Type: "TEXT"}}, 0, 1<<30)
	for i := range 1000 {
		w.Begin()
		w.Int(int64(i))
		w.Text([]byte("row"))
		require.NoError(t, w.End())
	}
	img, err := w.Finish()
	require.NoError(t, err)
	db, err := lite.NewDatabase(img, nil)
	require.NoError(t, err)
	return db
}

func locked(t testing.TB, db *lite.Database) *lite.Conn {
	c, err := lite.Open()
	require.NoError(t, err)
	t.Cleanup(c.Close)
	require.NoError(t, c.Load("main", db))
	require.NoError(t, c.View("Sales", "SELECT * FROM data"))
	require.NoError(t, c.Lock(0))
	return c
}

// run reads all rows of a query and gives the last.
func run(ctx context.Context, c *lite.Conn, sql string) (last []any, err error) {
	r, err := c.Query(ctx, sql, 1<<40)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for {
		more, err := r.Next()
		if err != nil || !more {
			return last, err
		}
		last = last[:0]
		for i := range r.Columns() {
			last = append(last, r.Value(i))
		}
	}
}

func TestQueries(t *testing.T) {
	c := locked(t, database(t))
	for sql, want := range map[string]any{
		"SELECT count(*) FROM data": int64(1000),
		"select sum(n) from Sales;": int64(499500),
		"SELECT 1; -- the end\n ; ": int64(1),
		"VALUES ('x')":              "x",
		"SELECT x'00ff'":            "00ff",
		"SELECT 1.5":                1.5,
		"SELECT NULL":               nil,
		"SELECT char(0x1F600)":      "😀",
		"WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<9) SELECT max(x) FROM c": int64(9),
		"SELECT a.n FROM data a JOIN data b ON a.n=b.n WHERE b.n=7":                                    int64(7),
		"SELECT value FROM json_each('[5]')":                                                           int64(5),
		"SELECT sum(n) OVER (ORDER BY n) FROM data LIMIT 1 OFFSET 2":                                   int64(3),
	} {
		got, err := run(ctx, c, sql)
		require.NoError(t, err, sql)
		require.Equal(t, []any{want}, got, sql)
	}
	_, err := run(ctx, c, "EXPLAIN QUERY PLAN SELECT * FROM data")
	require.NoError(t, err)
	r, err := c.Query(ctx, "SELECT n, n+1 AS m FROM data", 1<<40)
	require.NoError(t, err)
	defer r.Close()
	require.Equal(t, []lite.Column{{Name: "n", Type: "INTEGER"}, {Name: "m"}}, r.Columns())
}

// peers.md: "Its SQL tool reads any file of the machine and the network".
func TestPeerSQLReadsAnyFile(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret.db")
	require.NoError(t, os.WriteFile(secret, []byte("secret"), 0o600))
	db := database(t)
	c := locked(t, db)
	for _, sql := range []string{
		"ATTACH '" + secret + "' AS x", "ATTACH ':memory:' AS x", "ATTACH DATABASE 'file:" + secret + "?mode=ro' AS x", "DETACH main",
		"SELECT load_extension('" + secret + "')", "SELECT readfile('" + secret + "')", "SELECT writefile('" + dir + "/w','x')",
		"SELECT edit('x','sh')", "SELECT fts3_tokenizer('simple')", "SELECT * FROM fsdir('" + dir + "')",
		"PRAGMA query_only=0", "PRAGMA writable_schema=1", "PRAGMA table_info(data)", "SELECT * FROM pragma_database_list", "SELECT * FROM pragma_table_info('data')",
		"VACUUM", "VACUUM INTO '" + dir + "/copy.db'", "SELECT * FROM dbstat", "SELECT * FROM sqlite_dbpage",
		"CREATE TABLE t(a)", "CREATE TEMP TABLE t(a)", "CREATE VIRTUAL TABLE t USING fts5(a)", "CREATE VIRTUAL TABLE temp.t USING csv(filename='" + secret + "')",
		"DROP TABLE data", "DELETE FROM data", "INSERT INTO data VALUES(1,'x')", "UPDATE data SET n=1", "REPLACE INTO data VALUES(1,'x')", "ALTER TABLE data RENAME TO x",
		"DELETE FROM data RETURNING n", "WITH x AS (SELECT 1) DELETE FROM data", "WITH x AS (SELECT 1) INSERT INTO data SELECT 1,'x'",
		"EXPLAIN DELETE FROM data", "EXPLAIN ATTACH '" + secret + "' AS x", "BEGIN", "COMMIT", "SAVEPOINT a", "ANALYZE", "REINDEX", "CREATE TRIGGER t AFTER INSERT ON data BEGIN SELECT 1; END",
		"SELECT 1; SELECT 2", "SELECT 1; ATTACH '" + secret + "' AS x", "SELECT 1;;DROP TABLE data", "", ";", "-- nothing", "SELECT 1; garbage", "SELECT '\x00'",
	} {
		_, err := run(ctx, c, sql)
		require.Error(t, err, sql)
	}
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 1, "a query has written a file")
	got, err := run(ctx, locked(t, db), "SELECT count(*), sum(n), max(s) FROM data")
	require.NoError(t, err)
	require.Equal(t, []any{int64(1000), int64(499500), "row"}, got, "a query has written to the table")
}

// Queries without end stop with their context.
func TestQueryTimeLimit(t *testing.T) {
	c := locked(t, database(t))
	for _, sql := range []string{
		"WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT count(*) FROM c",
		"SELECT count(*) FROM data a, data b, data c, data d",
		"SELECT max(length(replace(printf('%.1000c','x'),'x','yy'))) FROM data a, data b, data c, data d",
	} {
		short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		start := time.Now()
		_, err := run(short, c, sql)
		cancel()
		require.ErrorIs(t, err, context.DeadlineExceeded, sql)
		require.Less(t, time.Since(start), 3*time.Second, sql)
	}
	_, err := run(ctx, c, "SELECT 1")
	require.NoError(t, err, "the connection goes on")
}

// Queries that would fill the memory are stopped.
func TestQueryMemoryLimit(t *testing.T) {
	old := lite.MaxMemory
	lite.MaxMemory = 8 << 20
	defer func() { lite.MaxMemory = old }()
	c := locked(t, database(t))
	for _, sql := range []string{
		"SELECT zeroblob(900000)||b.n r FROM data a, data b ORDER BY r",
		"WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT x FROM c ORDER BY x",
		"SELECT DISTINCT printf('%.100000c%d','x',a.n*1000+b.n) FROM data a, data b",
	} {
		short, cancel := context.WithTimeout(ctx, time.Minute)
		_, err := run(short, c, sql)
		cancel()
		require.ErrorIs(t, err, lite.ErrMemory, sql)
	}
	for _, sql := range []string{"SELECT zeroblob(1000000000)", "SELECT randomblob(2000000)", "SELECT printf('%.*c',2000000,'x')", "SELECT group_concat(printf('%.99999c','x')) FROM data",
		"SELECT " + strings.Repeat("(", 5000) + "1" + strings.Repeat(")", 5000), "SELECT 1" + strings.Repeat("+1", 5000), "SELECT '" + strings.Repeat("x", 200_000) + "'"} {
		_, err := run(ctx, c, sql)
		require.Error(t, err)
	}
}

// Many connections read one database at once.
func TestManyConnections(t *testing.T) {
	db := database(t)
	var wg sync.WaitGroup
	for range 8 {
		c := locked(t, db)
		wg.Go(func() {
			for range 20 {
				got, err := run(ctx, c, "SELECT sum(n), count(DISTINCT s) FROM data")
				if err != nil || got[0] != int64(499500) {
					t.Errorf("%v %v", got, err)
				}
			}
		})
	}
	wg.Wait()
}

// A database that was built in the library's memory stays there; one that outgrew it, or
// never was there, is copied.
func TestDatabaseInItsMemory(t *testing.T) {
	build := func(room, rows int) (*lite.Database, *lite.Memory) {
		mem, err := lite.NewMemory(room)
		require.NoError(t, err)
		for i := range mem.Bytes() {
			mem.Bytes()[i] = 0xaa // what was there before means nothing
		}
		w := image.NewIn(mem.Bytes(), []image.Column{{Name: "n", Type: "INTEGER"}}, 1<<30)
		for i := range rows {
			w.Begin()
			w.Int(int64(i))
			require.NoError(t, w.End())
		}
		img, err := w.Finish()
		require.NoError(t, err)
		db, err := lite.NewDatabase(img, mem)
		require.NoError(t, err)
		return db, mem
	}
	for _, c := range []struct {
		room, rows int
		stays      bool
	}{{1 << 20, 5000, true}, {64 << 10, 50_000, false}, {10, 5, false}} {
		db, mem := build(c.room, c.rows)
		require.Equal(t, c.stays, &db.Bytes()[0] == &mem.Bytes()[0])
		runtime.GC()
		last, err := run(ctx, locked(t, db), "SELECT count(*), sum(n) FROM data")
		require.NoError(t, err)
		require.Equal(t, []any{int64(c.rows), int64(c.rows * (c.rows - 1) / 2)}, last)
	}
}
