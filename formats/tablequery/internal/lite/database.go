package lite

import (
	"runtime"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
)

// Memory is a block of the library's memory. It is freed when nothing holds it.
type Memory struct {
	at   uintptr
	size int
}

// NewMemory allocates n bytes, of which none is set.
func NewMemory(n int) (*Memory, error) {
	tls := libc.NewTLS()
	defer tls.Close()
	at := libc.Xmalloc(tls, types.Size_t(max(n, 1)))
	if at == 0 {
		return nil, ErrMemory
	}
	m := &Memory{at, n}
	useHugePages(m.Bytes())
	runtime.AddCleanup(m, func(at uintptr) {
		tls := libc.NewTLS()
		libc.Xfree(tls, at)
		tls.Close()
	}, at)
	return m, nil
}

// Bytes returns the block, to be used while m is held.
func (m *Memory) Bytes() []byte {
	// The memory is the C library's: it does not move.
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&m.at)), m.size)
}

// Database is a database file in memory that never changes.
type Database struct {
	mem  *Memory
	size int64
}

// NewDatabase makes a database of the bytes of a file. Those at the beginning of mem
// stay where they are; others are copied, and mem may be nil.
func NewDatabase(image []byte, mem *Memory) (*Database, error) {
	if mem == nil || len(image) > mem.size || unsafe.SliceData(image) != unsafe.SliceData(mem.Bytes()) {
		var err error
		if mem, err = NewMemory(len(image)); err != nil {
			return nil, err
		}
		copy(mem.Bytes(), image)
	}
	return &Database{mem, int64(len(image))}, nil
}

// Size returns how many bytes the database takes.
func (db *Database) Size() int64 { return db.size }

// Bytes returns the database file itself, to be read while db is held.
func (db *Database) Bytes() []byte { return db.mem.Bytes()[:db.size] }
