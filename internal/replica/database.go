package replica

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"os"

	"atelier/internal/sqlitedb"
)

// recycleAfter is how large a write-ahead log may become, in bytes, before its pages are
// moved into the database and it is begun anew; tests set it.
var recycleAfter int64 = 4 << 20

// database follows the pages of one SQLite database in WAL mode that others of this
// process write.
//
// A read transaction that is always open, the guard, keeps SQLite from beginning the log
// anew: what was committed since the guard began stays in the log until it was read. Only
// recycle lets the log begin anew, while no one can write.
type database struct {
	path   string
	main   *os.File // open until close: closing it would drop SQLite's locks of this process
	db     *sql.DB
	guard  *sql.Conn
	writer *sql.Conn
	pos    walPosition
	whole  bool // the next pages are the whole database
	pinned bool // an image is being read: the log is not recycled
}

// followDatabase begins to follow a database. Its first pages are the whole of it.
func followDatabase(ctx context.Context, path string) (_ *database, err error) {
	d := &database{path: path, whole: true}
	defer func() {
		if err != nil {
			d.close()
		}
	}()
	if d.main, err = os.Open(path); err != nil {
		return nil, err
	}
	if d.db, err = sqlitedb.Open(path, sqlitedb.Options{Sync: "FULL"}); err != nil {
		return nil, err
	}
	for _, c := range []**sql.Conn{&d.guard, &d.writer} {
		if *c, err = d.db.Conn(ctx); err != nil {
			return nil, err
		}
		if _, err := (*c).ExecContext(ctx, `PRAGMA wal_autocheckpoint=0`); err != nil {
			return nil, err
		}
	}
	return d, d.beginGuard(ctx)
}

func (d *database) beginGuard(ctx context.Context) error {
	if _, err := d.guard.ExecContext(ctx, `BEGIN DEFERRED`); err != nil {
		return err
	}
	var n int
	return d.guard.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema`).Scan(&n) // a transaction begins with its first read
}

// close ends following. The database is closed as by its last user, if it is that.
func (d *database) close() error {
	var errs []error
	for _, c := range []*sql.Conn{d.guard, d.writer} {
		if c != nil {
			errs = append(errs, c.Close())
		}
	}
	if d.db != nil {
		errs = append(errs, d.db.Close())
	}
	if d.main != nil {
		errs = append(errs, d.main.Close())
	}
	return errors.Join(errs...)
}

// pages returns the pages that were committed since the call before; nothing changed where
// the set is empty. The first time, and where the log misses transactions, whole is to be
// taken instead.
func (d *database) pages(ctx context.Context) (p pageSet, whole *image, err error) {
	wal, err := os.Open(d.path + "-wal")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return p, nil, err
	}
	if err != nil {
		wal = nil
	}
	defer func() {
		if wal != nil && whole == nil {
			wal.Close()
		}
	}()
	var to walPosition
	var found walPages
	if wal != nil {
		var anew bool
		if to, found, anew, err = readWAL(wal, d.pos, -1); err != nil {
			return p, nil, err
		}
		if anew && d.pos.salt != [8]byte{} && to.seq != d.pos.seq+1 {
			d.whole = true // transactions between are not in the log; the guard rules it out
		}
	}
	if d.whole {
		if wal != nil {
			if to, found, err = wholeWAL(wal); err != nil {
				return p, nil, err
			}
		}
		if whole, err = d.image(wal, found); err == nil {
			d.pos, d.whole = to, false
		}
		return p, whole, err
	}
	if wal == nil {
		return p, nil, nil
	}
	if found.pages > 0 {
		if p, err = changedPages(wal, found); err != nil {
			return p, nil, err
		}
	}
	d.pos = to
	if d.pos.frames*int64(found.size) >= recycleAfter && !d.pinned {
		p, err = d.recycle(ctx, wal, p)
	}
	return p, nil, err
}

// wholeWAL finds all transactions in a log. A writer may begin it anew meanwhile, once while
// the guard stays: then what was found is not all of the log.
func wholeWAL(wal *os.File) (to walPosition, found walPages, err error) {
	for range 3 {
		var anew bool
		if to, found, _, err = readWAL(wal, walPosition{}, -1); err != nil {
			return to, found, err
		}
		if anew, err = begunAnew(wal, to); err != nil || !anew {
			return to, found, err
		}
	}
	return to, found, errors.New("the write-ahead log is begun anew again and again")
}

// changedPages reads pages out of a log, by rising number.
func changedPages(wal *os.File, found walPages) (pageSet, error) {
	p := pageSet{Size: found.size, Count: found.pages}
	for _, n := range sortedKeys(found.latest) {
		if n > found.pages {
			continue // the database became shorter after it
		}
		at := len(p.data)
		p.data = append(p.data, make([]byte, found.size)...)
		if _, err := wal.ReadAt(p.data[at:], found.latest[n]); err != nil {
			return pageSet{}, err
		}
		p.Numbers = append(p.Numbers, n)
	}
	return p, nil
}

// image is the whole database with the pages of the log over its file. The guard keeps
// others from moving into the file what is not in the log.
func (d *database) image(wal *os.File, over walPages) (*image, error) {
	m := &image{main: d.main, wal: wal, size: over.size, over: over, len: int64(over.pages) * int64(over.size)}
	if over.pages > 0 {
		return m, nil
	}
	var h [100]byte
	if _, err := d.main.ReadAt(h[:], 0); err != nil {
		if errors.Is(err, io.EOF) {
			m.size = 4096
			return m, nil // nothing was ever committed
		}
		return nil, err
	}
	st, err := d.main.Stat()
	if err != nil {
		return nil, err
	}
	m.size = headerPageSize(h[:])
	m.len = st.Size() / int64(m.size) * int64(m.size)
	return m, nil
}

// headerPageSize reads the size of a page from the header of a database (section 1.3.2).
func headerPageSize(h []byte) int {
	if n := int(h[16])<<8 | int(h[17]); n != 1 {
		return max(n, 512)
	}
	return 65536
}

// recycle moves the log's pages into the database, so that the next writer begins it
// anew, and adds to p what was committed until then. Where a reader keeps it from that,
// the log grows and a later call does it.
func (d *database) recycle(ctx context.Context, wal *os.File, p pageSet) (pageSet, error) {
	if _, err := d.writer.ExecContext(ctx, `BEGIN IMMEDIATE`); err != nil {
		return p, err
	}
	defer d.writer.ExecContext(context.WithoutCancel(ctx), `ROLLBACK`)
	to, found, _, err := readWAL(wal, d.pos, -1)
	if err != nil {
		return p, err
	}
	if found.pages > 0 {
		more, err := changedPages(wal, found)
		if err != nil {
			return p, err
		}
		p = p.with(more)
		d.pos = to
	}
	ctx = context.WithoutCancel(ctx) // the guard must come back
	if _, err := d.guard.ExecContext(ctx, `ROLLBACK`); err != nil {
		return p, err
	}
	var busy, frames, moved int
	err = d.guard.QueryRowContext(ctx, `PRAGMA wal_checkpoint(PASSIVE)`).Scan(&busy, &frames, &moved)
	return p, errors.Join(err, d.beginGuard(ctx))
}

// reread returns the database as it was when its pages were last returned.
func (d *database) reread() (*image, error) {
	wal, err := os.Open(d.path + "-wal")
	if errors.Is(err, fs.ErrNotExist) {
		return d.image(nil, walPages{})
	}
	if err != nil {
		return nil, err
	}
	to, found, _, err := readWAL(wal, walPosition{}, d.pos.frames)
	if err == nil && (to.salt != d.pos.salt || to.frames != d.pos.frames) { // it began anew: all of before is in the file
		found = walPages{}
	}
	var m *image
	if err == nil {
		m, err = d.image(wal, found)
	}
	if err != nil {
		wal.Close()
	}
	return m, err
}
