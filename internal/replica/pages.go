package replica

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
)

// pageSet are pages of a database that changed.
type pageSet struct {
	Size    int      `json:"size"`    // of a page in bytes
	Count   uint32   `json:"count"`   // pages of the database after the change
	Numbers []uint32 `json:"numbers"` // from 1, rising

	data []byte // the pages, one after the other
}

func (p pageSet) empty() bool { return p.Count == 0 }

// with returns p with the later pages of more.
func (p pageSet) with(more pageSet) pageSet {
	if more.empty() {
		return p
	}
	if p.empty() {
		return more
	}
	content := map[uint32][]byte{}
	for _, set := range []pageSet{p, more} {
		for i, n := range set.Numbers {
			if n <= more.Count {
				content[n] = set.data[i*set.Size : (i+1)*set.Size]
			}
		}
	}
	out := pageSet{Size: more.Size, Count: more.Count, Numbers: sortedKeys(content)}
	for _, n := range out.Numbers {
		out.data = append(out.data, content[n]...)
	}
	return out
}

// image is a whole database at one time: its file, over which the pages of its log are
// laid. It can be read while the guard of the time stays.
type image struct {
	main *os.File
	wal  *os.File // nil: there is no log
	size int      // of a page in bytes
	over walPages
	len  int64 // of the database in bytes
}

// ReadAt reads bytes of the database.
func (m *image) ReadAt(b []byte, off int64) (n int, err error) {
	for n < len(b) && off < m.len {
		within := int(off % int64(m.size))
		part := b[n:min(len(b), n+m.size-within)]
		part = part[:min(int64(len(part)), m.len-off)]
		page := uint32(off/int64(m.size)) + 1
		at, logged := m.over.latest[page]
		if logged {
			if _, err = m.wal.ReadAt(part, at+int64(within)); err == nil {
				logged, err = m.over.still(m.wal, page, at)
			}
		}
		if !logged {
			clear(part)
			_, err = m.main.ReadAt(part, off)
			if errors.Is(err, io.EOF) { // a page that was never written
				err = nil
			}
		}
		if err != nil {
			return n, err
		}
		n += len(part)
		off += int64(len(part))
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func (m *image) close() {
	if m != nil && m.wal != nil {
		m.wal.Close()
	}
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
