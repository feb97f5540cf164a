package lite

import (
	"runtime"
	"unsafe"

	"modernc.org/libc"
)

// Database is a database file in memory that never changes. It is freed when
// neither a connection nor anyone else holds it.
type Database struct {
	at   uintptr
	size int64
}

// NewDatabase copies the bytes of a database file to where the library reads.
func NewDatabase(image []byte) (*Database, error) {
	at, err := libc.CString(unsafe.String(unsafe.SliceData(image), len(image)))
	if err != nil {
		return nil, ErrMemory
	}
	db := &Database{at, int64(len(image))}
	runtime.AddCleanup(db, func(at uintptr) {
		tls := libc.NewTLS()
		libc.Xfree(tls, at)
		tls.Close()
	}, at)
	return db, nil
}

// Size returns how many bytes the database takes.
func (db *Database) Size() int64 { return db.size }

// Bytes returns the database file itself, to be read while db is held.
func (db *Database) Bytes() []byte {
	// The memory is the C library's: it does not move.
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&db.at)), db.size)
}
