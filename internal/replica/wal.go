package replica

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
)

// Sizes of SQLite's write-ahead log in bytes (https://www.sqlite.org/fileformat2.html,
// section 4).
const (
	walHeaderSize   = 32
	frameHeaderSize = 24
	walMagic        = 0x377f0682 // the lowest bit says that checksums are big-endian
)

// walPosition is a place in a write-ahead log, at the end of a transaction. The zero
// position is before the first frame of a log that is not known yet.
type walPosition struct {
	salt   [8]byte
	seq    uint32 // how often the log was begun anew
	frames int64  // that are before the position
	sum    [2]uint32
	pages  uint32 // size of the database in pages after the last transaction
}

// walPages are the pages that transactions changed, as they are after the last of them.
type walPages struct {
	size   int              // of a page in bytes
	pages  uint32           // of the database; 0: no transaction was found
	latest map[uint32]int64 // page number → offset of its content in the log
	salt   [8]byte          // of the log
}

// still reports whether the log has a page at an offset yet. Where it was begun anew, all
// pages that it had before are in the database's file, and the guard keeps them there. A
// writer writes the header of a frame before its content, so a caller that asks after it has
// read the content knows what it has.
func (w walPages) still(f *os.File, page uint32, at int64) (bool, error) {
	var h [16]byte
	if _, err := f.ReadAt(h[:], at-frameHeaderSize); err != nil {
		return false, err
	}
	return binary.BigEndian.Uint32(h[:]) == page && [8]byte(h[8:16]) == w.salt, nil
}

// begunAnew reports whether a log is no longer the one of a position.
func begunAnew(f *os.File, p walPosition) (bool, error) {
	var h [walHeaderSize]byte
	if _, err := f.ReadAt(h[:], 0); err != nil {
		if errors.Is(err, io.EOF) {
			return p.salt != [8]byte{}, nil
		}
		return false, err
	}
	return p.salt != [8]byte{} && [8]byte(h[16:24]) != p.salt, nil
}

// readWAL finds the whole transactions in a log after a position. anew reports that the
// log was begun anew since from: its pages are those of all transactions in it. A frame
// that is not whole, or not yet committed, ends the search, and so does frame limit (-1: none).
func readWAL(f *os.File, from walPosition, limit int64) (to walPosition, found walPages, anew bool, err error) {
	var h [walHeaderSize]byte
	if _, err := f.ReadAt(h[:], 0); err != nil {
		if errors.Is(err, io.EOF) { // a log that has nothing yet
			return from, found, false, nil
		}
		return from, found, false, err
	}
	order, sum, ok := walHeader(h[:])
	if !ok { // it is being begun anew: its first frame is not there yet
		return from, found, false, nil
	}
	found.size = int(binary.BigEndian.Uint32(h[8:]))
	found.latest = map[uint32]int64{}
	found.salt = [8]byte(h[16:24])
	to = from
	if [8]byte(h[16:24]) != from.salt {
		anew = true
		to = walPosition{salt: [8]byte(h[16:24]), seq: binary.BigEndian.Uint32(h[12:]), sum: sum}
	}
	frame := make([]byte, frameHeaderSize+found.size)
	at, uncommitted := to, map[uint32]int64{}
	for at.frames != limit {
		offset := walHeaderSize + at.frames*int64(len(frame))
		if n, err := f.ReadAt(frame, offset); n < len(frame) {
			if err != nil && !errors.Is(err, io.EOF) {
				return from, found, anew, err
			}
			return to, found, anew, nil
		}
		if [8]byte(frame[8:16]) != at.salt {
			return to, found, anew, nil
		}
		at.sum = walChecksum(order, at.sum, frame[:8])
		at.sum = walChecksum(order, at.sum, frame[frameHeaderSize:])
		if at.sum[0] != binary.BigEndian.Uint32(frame[16:]) || at.sum[1] != binary.BigEndian.Uint32(frame[20:]) {
			return to, found, anew, nil
		}
		at.frames++
		uncommitted[binary.BigEndian.Uint32(frame)] = offset + frameHeaderSize
		if pages := binary.BigEndian.Uint32(frame[4:]); pages > 0 {
			at.pages, found.pages, to = pages, pages, at
			for page, offset := range uncommitted {
				found.latest[page] = offset
			}
			clear(uncommitted)
		}
	}
	return to, found, anew, nil
}

// walHeader checks the header of a log.
func walHeader(h []byte) (order binary.ByteOrder, sum [2]uint32, ok bool) {
	magic := binary.BigEndian.Uint32(h)
	if magic&^1 != walMagic {
		return nil, sum, false
	}
	order = binary.LittleEndian
	if magic&1 != 0 {
		order = binary.BigEndian
	}
	size := binary.BigEndian.Uint32(h[8:])
	if size < 512 || size > 65536 || size&(size-1) != 0 {
		return nil, sum, false
	}
	sum = walChecksum(order, sum, h[:24])
	return order, sum, sum[0] == binary.BigEndian.Uint32(h[24:]) && sum[1] == binary.BigEndian.Uint32(h[28:])
}

// walChecksum continues a checksum over b, whose length is a multiple of 8 (section 4.2).
func walChecksum(order binary.ByteOrder, sum [2]uint32, b []byte) [2]uint32 {
	s0, s1 := sum[0], sum[1]
	if order == binary.LittleEndian {
		for ; len(b) >= 8; b = b[8:] {
			s0 += binary.LittleEndian.Uint32(b) + s1
			s1 += binary.LittleEndian.Uint32(b[4:]) + s0
		}
	} else {
		for ; len(b) >= 8; b = b[8:] {
			s0 += binary.BigEndian.Uint32(b) + s1
			s1 += binary.BigEndian.Uint32(b[4:]) + s0
		}
	}
	return [2]uint32{s0, s1}
}
