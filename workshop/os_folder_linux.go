package workshop

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// openedDir is an open folder, whose entries are reached by their names relative to it
// and never through a link. It does by itself what os.Root does with three more system
// calls for each file and eleven for each folder, which is most of the time of a walk.
type openedDir struct{ fd int }

// openDir opens a folder below a root.
func openDir(root *os.Root, name string) (*openedDir, error) {
	f, err := root.OpenFile(name, openForReading|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	conn, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	d, dup := &openedDir{-1}, error(nil)
	err = conn.Control(func(own uintptr) {
		d.fd, dup = unix.FcntlInt(own, unix.F_DUPFD_CLOEXEC, 0)
	})
	if err = errors.Join(err, dup); err != nil {
		return nil, err
	}
	return d, nil
}

// folder opens a folder inside this one.
func (d *openedDir) folder(name string) (*openedDir, error) {
	fd, err := d.openat(name, unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return nil, err
	}
	return &openedDir{fd}, nil
}

func (d *openedDir) openat(name string, flags int) (int, error) {
	for {
		fd, err := unix.Openat(d.fd, name, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err == nil {
			return fd, nil
		}
		if err != unix.EINTR {
			return -1, &fs.PathError{Op: "open", Path: name, Err: err}
		}
	}
}

func (d *openedDir) Close() error { return unix.Close(d.fd) }

// direntBuffers are reused: a walk reads one folder after the other.
var direntBuffers = sync.Pool{New: func() any { b := make([]byte, 32<<10); return &b }}

// The parts of linux_dirent64: inode, offset, length of the record, type, name.
const (
	direntLength = 16
	direntType   = 18
	direntName   = 19
)

// each calls f with the name and type of each entry, in the order of the file system. name
// is valid during the call.
func (d *openedDir) each(f func(name []byte, isDir, regular bool)) error {
	buf := direntBuffers.Get().(*[]byte)
	defer direntBuffers.Put(buf)
	for {
		n, err := unix.Getdents(d.fd, *buf)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return &fs.PathError{Op: "readdirent", Path: ".", Err: err}
		case n <= 0:
			return nil
		}
		for rest := (*buf)[:n]; len(rest) > direntName; {
			size := int(binary.NativeEndian.Uint16(rest[direntLength:]))
			if size <= direntName || size > len(rest) {
				break
			}
			name, kind := rest[direntName:size], rest[direntType]
			rest = rest[size:]
			if end := bytes.IndexByte(name, 0); end >= 0 {
				name = name[:end]
			}
			if s := string(name); s == "." || s == ".." {
				continue
			}
			if kind == unix.DT_UNKNOWN { // some file systems do not tell
				st, err := d.lstat(string(name))
				if err != nil {
					continue // gone
				}
				f(name, st.IsDir(), st.Mode().IsRegular())
				continue
			}
			f(name, kind == unix.DT_DIR, kind == unix.DT_REG)
		}
	}
}

// lstat looks at an entry, not through a link.
func (d *openedDir) lstat(name string) (fs.FileInfo, error) {
	var st unix.Stat_t
	for {
		err := unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW)
		if err == nil {
			return newStatInfo(name, &st), nil
		}
		if err != unix.EINTR {
			return nil, &fs.PathError{Op: "lstat", Path: name, Err: err}
		}
	}
}

// openedFile is an open file without what os.File needs for files that one waits for.
type openedFile struct {
	fd   int
	name string
	size int64
}

// open opens a regular file for reading.
func (d *openedDir) open(name string) (*openedFile, fs.FileInfo, error) {
	fd, err := d.openat(name, openForReading)
	if err != nil {
		return nil, nil, err
	}
	f := &openedFile{fd: fd, name: name}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	f.size = st.Size()
	return f, st, nil
}

func (f *openedFile) Size() int64  { return f.size }
func (f *openedFile) Close() error { return unix.Close(f.fd) }

func (f *openedFile) Stat() (fs.FileInfo, error) {
	var st unix.Stat_t
	for {
		err := unix.Fstat(f.fd, &st)
		if err == nil {
			return newStatInfo(f.name, &st), nil
		}
		if err != unix.EINTR {
			return nil, &fs.PathError{Op: "stat", Path: f.name, Err: err}
		}
	}
}

func (f *openedFile) Read(b []byte) (int, error) {
	for {
		n, err := unix.Read(f.fd, b)
		if err != unix.EINTR {
			return f.result(n, len(b), err)
		}
	}
}

func (f *openedFile) ReadAt(b []byte, off int64) (n int, err error) {
	for n < len(b) && err == nil {
		m, rerr := unix.Pread(f.fd, b[n:], off+int64(n))
		if rerr == unix.EINTR {
			continue
		}
		m, err = f.result(m, len(b)-n, rerr)
		n += m
	}
	return n, err
}

// result is what a read of n of want bytes returns.
func (f *openedFile) result(n, want int, err error) (int, error) {
	switch {
	case err != nil:
		return 0, &fs.PathError{Op: "read", Path: f.name, Err: err}
	case n == 0 && want > 0:
		return 0, io.EOF
	}
	return n, nil
}

// statInfo is what lstat and Stat return.
type statInfo struct {
	name string
	st   syscall.Stat_t
}

func newStatInfo(name string, u *unix.Stat_t) *statInfo {
	s := &statInfo{name: name}
	s.st.Dev, s.st.Ino, s.st.Nlink, s.st.Mode = u.Dev, u.Ino, u.Nlink, u.Mode
	s.st.Uid, s.st.Gid, s.st.Rdev, s.st.Size = u.Uid, u.Gid, u.Rdev, u.Size
	s.st.Blksize, s.st.Blocks = u.Blksize, u.Blocks
	s.st.Atim, s.st.Mtim, s.st.Ctim = syscall.Timespec(u.Atim), syscall.Timespec(u.Mtim), syscall.Timespec(u.Ctim)
	return s
}

func (s *statInfo) Name() string       { return s.name }
func (s *statInfo) Size() int64        { return s.st.Size }
func (s *statInfo) IsDir() bool        { return s.st.Mode&unix.S_IFMT == unix.S_IFDIR }
func (s *statInfo) Sys() any           { return &s.st }
func (s *statInfo) ModTime() time.Time { return time.Unix(s.st.Mtim.Unix()) }

func (s *statInfo) Mode() fs.FileMode {
	mode := fs.FileMode(s.st.Mode & 0o777)
	switch s.st.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		mode |= fs.ModeDir
	case unix.S_IFLNK:
		mode |= fs.ModeSymlink
	case unix.S_IFIFO:
		mode |= fs.ModeNamedPipe
	case unix.S_IFSOCK:
		mode |= fs.ModeSocket
	case unix.S_IFBLK:
		mode |= fs.ModeDevice
	case unix.S_IFCHR:
		mode |= fs.ModeDevice | fs.ModeCharDevice
	}
	if s.st.Mode&unix.S_ISUID != 0 {
		mode |= fs.ModeSetuid
	}
	if s.st.Mode&unix.S_ISGID != 0 {
		mode |= fs.ModeSetgid
	}
	if s.st.Mode&unix.S_ISVTX != 0 {
		mode |= fs.ModeSticky
	}
	return mode
}
