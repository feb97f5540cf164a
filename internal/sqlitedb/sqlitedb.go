// Package sqlitedb opens the SQLite databases that store state.
//
//	db, err := sqlitedb.Open("/data/workbench.db", sqlitedb.Options{Sync: "FULL"})
package sqlitedb

import (
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// Options configure how a database is opened.
type Options struct {
	ReadOnly bool
	// Sync is SQLite's synchronous setting: FULL if an acknowledged write
	// must survive a power failure, NORMAL for data that can be rebuilt.
	Sync string
	// Cache is how many KiB of pages each connection may hold; 0 is SQLite's own
	// 2 MB. A database with an index in no order, to which many rows are added, needs
	// about the size of that index.
	Cache int
	// Checkpoint is after how many KiB of the log its pages are moved into the
	// database; 0 is SQLite's own 4 MB. A page that changes often is then moved
	// once for many changes.
	Checkpoint int
}

const pageKB = 4 // of a page

// Open opens or creates a database in WAL mode. Transactions take the write
// lock at their beginning, and wait up to five seconds for other processes. Each
// connection keeps the statements compiled that it ran last.
func Open(path string, opt Options) (*sql.DB, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	name := filepath.ToSlash(abs)
	if !strings.HasPrefix(name, "/") {
		name = "/" + name // a drive letter
	}
	q := url.Values{"_pragma": {"busy_timeout(5000)"}}
	if opt.ReadOnly {
		q.Set("mode", "ro")
	} else {
		q["_pragma"] = append(q["_pragma"], "journal_mode(WAL)", "synchronous("+opt.Sync+")", "foreign_keys(1)")
		q.Set("_txlock", "immediate")
		if opt.Checkpoint > 0 {
			q["_pragma"] = append(q["_pragma"], fmt.Sprintf("wal_autocheckpoint(%d)", opt.Checkpoint/pageKB))
		}
	}
	if opt.Cache > 0 {
		q["_pragma"] = append(q["_pragma"], fmt.Sprintf("cache_size(-%d)", opt.Cache))
	}
	dsn := url.URL{Scheme: "file", Path: name, RawQuery: q.Encode()}
	db, err := sql.Open("sqlite", "") // for the driver with what is registered; it opens nothing
	if err != nil {
		return nil, err
	}
	defer db.Close()
	return sql.OpenDB(connector{db.Driver(), dsn.String()}), nil
}
