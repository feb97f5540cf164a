package workshop

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"slices"
	"strings"

	"atelier/internal/sqlitedb"
)

// table is one of the state database as it is read from a damaged file.
type table struct {
	name    string
	columns []string // that both files have
	key     string   // what its rows are ordered by
	rowid   bool     // the key is SQLite's own, and kept
}

// salvaged is what could be read of a damaged database.
type salvaged struct {
	nothing bool           // the file could not be read at all
	rows    map[string]int // that were had, by table
	broken  map[string]string
	invalid int // rows with a hash that is none
}

// hurt reports whether rows of one of tables may be missing.
func (s salvaged) hurt(tables ...string) bool {
	return s.nothing || slices.ContainsFunc(tables, func(t string) bool { return s.broken[t] != "" })
}

// salvage copies what can be read of the database file from into a new one. Each
// table is read from its beginning up to the damage, and from its end back to it.
func salvage(ctx context.Context, from string, to *sql.Tx, names []table) (salvaged, error) {
	s := salvaged{rows: map[string]int{}, broken: map[string]string{}}
	old := openDamaged(ctx, from)
	if old == nil {
		s.nothing = true
		return s, ctx.Err()
	}
	defer old.Close()
	for _, t := range names {
		if t.name == "file_hashes" {
			continue // made again
		}
		if err := s.copyTable(ctx, old, to, t); err != nil {
			return s, err
		}
	}
	return s, ctx.Err()
}

// openDamaged opens a database whose header may be damaged: the rest of the file
// can be read with another one. nil: it cannot.
func openDamaged(ctx context.Context, path string) *sql.DB {
	open := func() *sql.DB {
		db, err := sqlitedb.Open(path, sqlitedb.Options{Sync: "OFF"})
		if err != nil {
			return nil
		}
		db.SetMaxOpenConns(1)
		var n int
		if err := db.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_master WHERE type='table' AND name='settings'`).Scan(&n); err != nil || n == 0 {
			db.Close()
			return nil
		}
		return db
	}
	if st, err := os.Stat(path); err != nil || st.Size() == 0 {
		return nil
	}
	if db := open(); db != nil {
		return db
	}
	if renewHeader(path) != nil {
		return nil
	}
	return open()
}

// headerSize is that of a SQLite file.
const headerSize = 100

// renewHeader gives a database file the header of a new one.
func renewHeader(path string) error {
	fresh := path + "-fresh"
	db, err := openDB(fresh, false)
	if err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	defer os.Remove(fresh)
	b, err := os.ReadFile(fresh)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || st.Size() < headerSize || len(b) < headerSize {
		return fmt.Errorf("%s has no page", path)
	}
	head := b[:headerSize]
	pages := uint32(st.Size() / (int64(head[16])<<8 | int64(head[17])))
	head[28], head[29], head[30], head[31] = byte(pages>>24), byte(pages>>16), byte(pages>>8), byte(pages)
	clear(head[32:40]) // no free pages are known
	copy(head[92:96], head[24:28])
	_, err = f.WriteAt(head, 0)
	return err
}

// tables returns those of a new database.
func tables(tx *sql.Tx) ([]table, error) {
	var out []table
	var sqls []string
	err := queryRows(tx, func(name, text, _ string) {
		out, sqls = append(out, table{name: name}), append(sqls, text)
	}, `SELECT name, sql, '' FROM sqlite_master WHERE type='table' AND name NOT LIKE 'sqlite_%' ORDER BY name`)
	if err != nil {
		return nil, err
	}
	for i := range out {
		t := &out[i]
		t.key, t.rowid = "rowid", true
		err := queryRows(tx, func(column, typ, pk string) {
			t.columns = append(t.columns, column)
			if pk != "0" && (strings.Contains(sqls[i], "WITHOUT ROWID") || typ == "INTEGER") {
				t.key, t.rowid = column, false
			}
		}, `SELECT name, type, pk FROM pragma_table_info(?)`, t.name)
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s *salvaged) copyTable(ctx context.Context, old *sql.DB, to *sql.Tx, t table) error {
	have := map[string]bool{}
	rs, err := old.QueryContext(ctx, `SELECT name FROM pragma_table_info(?)`, t.name)
	if err == nil {
		for rs.Next() {
			var c string
			if rs.Scan(&c) == nil {
				have[c] = true
			}
		}
		err = rs.Err()
		rs.Close()
	}
	t.columns = slices.DeleteFunc(t.columns, func(c string) bool { return !have[c] })
	if len(t.columns) == 0 {
		if err == nil {
			return nil // of an older release, which had no such table
		}
		s.broken[t.name] = err.Error()
		return ctx.Err()
	}
	last, rerr, err := s.copyRows(ctx, old, to, t, "", nil)
	if err != nil || rerr == nil {
		return err
	}
	s.broken[t.name] = rerr.Error()
	where, args := "", []any{}
	if last != nil {
		where, args = " WHERE "+t.key+">?", []any{last}
	}
	_, _, err = s.copyRows(ctx, old, to, t, where+" ORDER BY "+t.key+" DESC", args)
	return err
}

// copyRows copies rows until the last one, or until reading fails.
func (s *salvaged) copyRows(ctx context.Context, old *sql.DB, to *sql.Tx, t table, rest string, args []any) (last any, rerr, err error) {
	columns := append([]string{t.key}, t.columns...)
	into := t.columns
	if t.rowid {
		into = columns
	}
	if rest == "" {
		rest = " ORDER BY " + t.key
	}
	rs, rerr := old.QueryContext(ctx, "SELECT "+strings.Join(columns, ",")+" FROM "+t.name+rest, args...)
	if rerr != nil {
		return nil, rerr, ctx.Err()
	}
	defer rs.Close()
	put := "INSERT OR IGNORE INTO " + t.name + " (" + strings.Join(into, ",") + ") VALUES (?" + strings.Repeat(",?", len(into)-1) + ")"
	for rs.Next() {
		values := make([]any, len(columns))
		at := make([]any, len(columns))
		for i := range values {
			at[i] = &values[i]
		}
		if rerr := rs.Scan(at...); rerr != nil {
			return last, rerr, nil
		}
		last = values[0]
		if !validRow(t.columns, values[1:]) {
			s.invalid++
			continue
		}
		row := values[len(columns)-len(into):]
		if _, err := to.Exec(put, row...); err != nil {
			return last, nil, err
		}
		s.rows[t.name]++
	}
	return last, rs.Err(), ctx.Err()
}

// validRow reports whether the hashes of a row are some.
func validRow(columns []string, values []any) bool {
	for i, c := range columns {
		if c != "hash" && !strings.HasSuffix(c, "_hash") {
			continue
		}
		switch v := values[i].(type) {
		case nil:
		case string:
			if v != "" && !validHash(v) {
				return false
			}
		default:
			return false
		}
	}
	return true
}
