package opc

import (
	"bytes"
	"io"
)

// SamePart reports whether a part of p and one of q are stored as the same
// bytes, and so hold the same content. False says nothing: the same content may
// be packed in another way.
func (p *Package) SamePart(name string, q *Package, other string) bool {
	_, overA := p.over[fold(name)]
	_, overB := q.over[fold(other)]
	if overA || overB {
		return false
	}
	a, b := p.byName[fold(name)], q.byName[fold(other)]
	if a == nil || b == nil || a.Method != b.Method || a.CRC32 != b.CRC32 || a.CompressedSize64 != b.CompressedSize64 || a.UncompressedSize64 != b.UncompressedSize64 {
		return false
	}
	x, err := a.OpenRaw()
	if err != nil {
		return false
	}
	y, err := b.OpenRaw()
	if err != nil {
		return false
	}
	// The checksum alone is no proof: one can be made to fit.
	size := min(128<<10, a.CompressedSize64+1)
	bufX, bufY := make([]byte, size), make([]byte, size)
	for {
		n, errX := io.ReadFull(x, bufX)
		m, errY := io.ReadFull(y, bufY)
		if n != m || !bytes.Equal(bufX[:n], bufY[:m]) || errX != errY {
			return false
		}
		switch errX {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF:
			return true
		default:
			return false
		}
	}
}
