package xlsx

import (
	"math/bits"
	"os"

	"atelier/formats/xlsx/internal/cellref"
)

// maxHeldChunks is how many chunks of rows that are sorted are held in memory. A test
// makes it smaller.
var maxHeldChunks = 24

// spilledChunks are the chunks of movedRows in a temporary file.
type spilledChunks struct {
	file *os.File
	at   []int64 // where each chunk begins
	size int64
	buf  []byte // what was read last
	err  error  // the first one

	loaded int // the bucket in buf; see arrange
}

// makeRoom writes all chunks into the file once as many are held as may be.
func (m *movedRows) makeRoom() {
	if len(m.chunks)-len(m.spill.at) < maxHeldChunks {
		return
	}
	for k := len(m.spill.at); k < len(m.chunks) && m.spill.err == nil; k++ {
		if m.spill.err = m.spill.write(m.chunks[k]); m.spill.err == nil {
			m.chunks[k] = nil
		}
	}
}

func (s *spilledChunks) write(chunk []byte) (err error) {
	if s.file == nil {
		if s.file, err = os.CreateTemp("", "atelier-*.rows"); err != nil {
			return err
		}
	}
	if _, err = s.file.Write(chunk); err == nil {
		s.at = append(s.at, s.size)
		s.size += int64(len(chunk))
	}
	return err
}

// read returns bytes of a chunk, valid until the next call; none after an error.
func (s *spilledChunks) read(chunk, at, n int) []byte {
	if cap(s.buf) < n {
		s.buf = make([]byte, n)
	}
	b := s.buf[:n]
	if s.err == nil {
		_, s.err = s.file.ReadAt(b, s.at[chunk]+int64(at))
	}
	if s.err != nil {
		return nil
	}
	return b
}

// failed returns the error that writing or reading the file had, after which rows are
// missing.
func (m *movedRows) failed() error {
	if m == nil {
		return nil
	}
	return m.spill.err
}

// Close removes the file.
func (m *movedRows) Close() error {
	return m.closeFile()
}

func (m *movedRows) closeFile() error {
	if m.spill.file == nil {
		return nil
	}
	m.spill.file.Close()
	return os.Remove(m.spill.file.Name())
}

// placeRow is place for the cells of a row.
func (m *movedRows) placeRow(row int, r *packedRow) (area cellref.Range) {
	if r.columns&1 != 0 {
		return m.place(row, m.unpack(nil, r))
	}
	for columns := r.columns; columns != 0; columns &= columns - 1 {
		col := bits.TrailingZeros64(columns)
		if m.set.Add(row, col) {
			m.places++
		}
		area.Add(row, col)
	}
	return area
}
