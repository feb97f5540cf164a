package workshop

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// racy is how young a file may be so that it could be written again without
// looking different: the grain of the coarsest clocks of file systems (FAT).
const racy = 2 * time.Second

// looks is what the hash of a published file is cached by. A change that keeps
// size and modification time still shows in the change time, where there is
// one; one that comes within the clock's grain does not, so the hash of a young
// file is not kept. Decisions about overwriting never rest on the cache
// (freshHash).
type looks struct{ size, mtime, ctime, inode int64 }

func looksOf(st fs.FileInfo) looks {
	_, n := inode(st)
	return looks{st.Size(), st.ModTime().UnixNano(), changeTime(st), int64(n)}
}

// looksOpen is looksOf an open file, which on Windows alone has a change time and
// a number.
func looksOpen(f *os.File, st fs.FileInfo) looks {
	l := looksOf(st)
	if onWindows {
		_, n, changed := openIdentity(f)
		l.inode, l.ctime = int64(n), changed
	}
	return l
}

// settled reports whether a file that looked so at a time cannot have changed
// since without looking different.
func (l looks) settled(at time.Time) bool {
	old := at.Add(-racy).UnixNano()
	return l.mtime < old && l.ctime < old
}

// hashFile hashes an open file, or takes the hash from the cache.
func (wb *Workbench) hashFile(ctx context.Context, p Path, f *os.File, st fs.FileInfo) (string, error) {
	l := looksOpen(f, st)
	var hash string
	err := wb.db.QueryRowContext(ctx, `SELECT hash FROM file_hashes WHERE path=? AND size=? AND mtime=? AND ctime=? AND inode=?`,
		string(p), l.size, l.mtime, l.ctime, l.inode).Scan(&hash)
	if err == nil {
		return hash, nil
	}
	begun := time.Now()
	hash, err = hashOf(ctx, f, st.Size())
	if err != nil {
		return "", fmt.Errorf("cannot read %s: %w", p, err)
	}
	if l.settled(begun) {
		wb.keepHashes(ctx, map[Path]hashed{p: {l, hash}})
	}
	return hash, nil
}

type hashed struct {
	looks
	hash string
}

// keepHashes caches hashes, in one transaction. That it cannot is no reason not
// to say what the files are.
func (wb *Workbench) keepHashes(ctx context.Context, fresh map[Path]hashed) {
	if wb.readOnly || len(fresh) == 0 {
		return
	}
	err := inTx(ctx, wb.db, func(tx *sql.Tx) error {
		q, err := tx.Prepare(`INSERT OR REPLACE INTO file_hashes VALUES (?,?,?,?,?,?)`)
		if err != nil {
			return err
		}
		defer q.Close()
		for p, h := range fresh {
			if _, err := q.Exec(string(p), h.size, h.mtime, h.ctime, h.inode, h.hash); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		wb.log.Debug("hashes cannot be kept", "err", err)
	}
}

// batch is how many files are worth reading the cache as a whole, and how many
// fresh hashes are kept at once.
const batch = 1000

// hashListed fills in hashes. Files whose hash is cached are not opened.
func (wb *Workbench) hashListed(ctx context.Context, files []listed) error {
	cached := map[Path]hashed{}
	whole := len(files) >= batch && !onWindows // there a file must be opened to see whether it changed
	if whole {
		var err error
		if cached, err = wb.allHashes(ctx); err != nil {
			return err
		}
	}
	fresh := map[Path]hashed{}
	defer func() { wb.keepHashes(ctx, fresh) }()
	for i := range files {
		e := &files[i]
		if e.IsDir || e.Refused != "" {
			continue
		}
		if h, ok := cached[e.Path]; ok && h.looks == looksOf(e.st) {
			e.Hash = h.hash
			continue
		}
		hash := wb.publishedHash
		if whole {
			hash = func(ctx context.Context, p Path) (string, error) { return wb.hashAnew(ctx, p, fresh) }
		}
		if err := e.setHash(ctx, hash); err != nil {
			return err
		}
		if len(fresh) >= batch {
			wb.keepHashes(ctx, fresh)
			clear(fresh)
		}
	}
	return nil
}

// setHash fills in the hash of a file. One that cannot be read is marked; one that is
// gone has no hash.
func (e *listed) setHash(ctx context.Context, hash func(context.Context, Path) (string, error)) (err error) {
	e.Hash, err = hash(ctx, e.Path)
	switch {
	case errors.Is(err, ErrNotReadable):
		e.Refused = "unreadable"
		return nil
	case IsFault(err, NotFound):
		return nil
	}
	return err
}

// hashAnew hashes a file and notes in fresh what may be kept.
func (wb *Workbench) hashAnew(ctx context.Context, p Path, fresh map[Path]hashed) (string, error) {
	f, st, err := wb.openPublished(p)
	if err != nil {
		return "", err
	}
	defer f.Close()
	begun := time.Now()
	hash, err := hashOf(ctx, f, st.Size())
	if l := looksOpen(f, st); err == nil && l.settled(begun) {
		fresh[p] = hashed{l, hash}
	}
	return hash, err
}

func (wb *Workbench) allHashes(ctx context.Context) (map[Path]hashed, error) {
	out := map[Path]hashed{}
	return out, inReadTx(ctx, wb.db, func(tx *sql.Tx) error {
		rs, err := tx.Query(`SELECT path, size, mtime, ctime, inode, hash FROM file_hashes`)
		if err != nil {
			return err
		}
		defer rs.Close()
		for rs.Next() {
			var p string
			var h hashed
			if err := rs.Scan(&p, &h.size, &h.mtime, &h.ctime, &h.inode, &h.hash); err != nil {
				return err
			}
			out[Path(p)] = h
		}
		return rs.Err()
	})
}
