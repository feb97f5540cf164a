package replica

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// settles is how long after its last change the times of a file or folder of the file
// system tell the next change from it.
const settles = 100 * time.Millisecond

// nature is how the changes of a file are found.
type nature int

const (
	ignored  nature = iota // of one process only, or can be made again
	whole                  // replaced by other files
	appended               // grows at its end
	paged                  // a SQLite database
	settled                // an object: never changes
	users                  // a file of the workspace's own folder: replaced by other files
)

// The folders of a state folder that are looked into only where they changed.
const (
	objectsDir = "objects"
	filesDir   = "files"
)

// natureOf returns that of a file by its path in the state folder.
func natureOf(p string) nature {
	top, _, below := strings.Cut(p, "/")
	name := path.Base(p)
	switch {
	case below && top == filesDir:
		if strings.HasPrefix(name, ".atelier-tmp-") {
			return ignored
		}
		return users
	case strings.HasPrefix(name, "tmp-") || strings.HasSuffix(name, ".tmp") || strings.HasSuffix(name, ".new"):
		return ignored
	case below && top == objectsDir:
		return settled
	case name == "lock" || strings.HasPrefix(name, "lock.") || strings.HasSuffix(name, ".lock"),
		strings.HasSuffix(name, "-wal"), strings.HasSuffix(name, "-shm"), strings.HasSuffix(name, "-journal"),
		strings.HasPrefix(p, "index.db"):
		return ignored
	case strings.HasSuffix(name, ".db") && top != "damaged":
		return paged
	case name == OwnedMark && !below:
		return ignored
	case p == "conversation.jsonl" || p == "events.jsonl" || top == RunsDir && strings.HasSuffix(name, ".jsonl"):
		return appended
	}
	return whole
}

// look is how a file looked when it was captured.
type look struct {
	size, mtime, ctime int64
	inode              uint64
	young              bool // its times may not tell the next change
}

func lookOf(st fs.FileInfo, now time.Time) look {
	l := look{size: st.Size(), mtime: st.ModTime().UnixNano()}
	l.inode, l.ctime = identity(st)
	l.young = now.Sub(st.ModTime()) < settles || l.ctime != 0 && now.Sub(time.Unix(0, l.ctime)) < settles
	return l
}

// same reports whether a file is surely unchanged.
func (l look) same(now look) bool {
	now.young = l.young
	return l == now && !l.young
}

// folder is a folder of objects or of the user, as it was read.
type folder struct {
	mtime int64
	mode  fs.FileMode
	young bool
	names []string // of files
	below []string // names of folders
}

// read reads a folder where it changed since it was read; changed is false where not.
func (f *folder) read(dir string) (changed bool, err error) {
	now := time.Now()
	st, err := os.Stat(dir)
	if err != nil {
		return false, err
	}
	if at := st.ModTime().UnixNano(); at == f.mtime && !f.young {
		return false, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false, err
	}
	f.mode = st.Mode().Perm()
	f.mtime, f.young = st.ModTime().UnixNano(), now.Sub(st.ModTime()) < settles
	f.names, f.below = nil, nil
	for _, e := range entries {
		if e.IsDir() {
			f.below = append(f.below, e.Name())
		} else if e.Type().IsRegular() {
			f.names = append(f.names, e.Name())
		}
	}
	return true, nil
}

// RunsDir is the folder in a state folder for logs of runs: files that grow at their end.
const RunsDir = "runs"

// OwnedMark is a file in a state folder that was made from the log, or is in it.
const OwnedMark = "in-cluster"

// host returns the path of a file of a state folder on the host.
func host(dir, p string) string { return filepath.Join(dir, filepath.FromSlash(p)) }
