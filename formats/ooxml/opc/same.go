package opc

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"

	"atelier/formats"
)

// Same reports whether two packages have the same parts, by their names in the
// same order, with the same content, however it is packed.
func Same(ctx context.Context, a, b formats.Source) (bool, error) {
	p, err := Open(ctx, a)
	if err != nil {
		return false, err
	}
	q, err := Open(ctx, b)
	if err != nil || len(p.zr.File) != len(q.zr.File) {
		return false, err
	}
	for i, f := range p.zr.File {
		g := q.zr.File[i]
		if f.Name != g.Name || f.CRC32 != g.CRC32 || f.UncompressedSize64 != g.UncompressedSize64 {
			return false, nil
		}
	}
	for _, f := range p.zr.File {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if p.SamePart(f.Name, q, f.Name) {
			continue
		}
		if same, err := sameContent(ctx, p, q, f.Name); err != nil || !same {
			return false, err
		}
	}
	return true, nil
}

// sameBytes reads both to the end, or to the first difference.
func sameBytes(x, y io.Reader) (bool, error) {
	bufX, bufY := make([]byte, 128<<10), make([]byte, 128<<10)
	for {
		n, errX := io.ReadFull(x, bufX)
		m, errY := io.ReadFull(y, bufY)
		if n != m || !bytes.Equal(bufX[:n], bufY[:m]) {
			return false, nil
		}
		switch {
		case ended(errX) && ended(errY):
			return true, nil
		case errX != nil && !ended(errX):
			return false, errX
		case errY != nil && !ended(errY):
			return false, errY
		case errX != nil || errY != nil:
			return false, nil
		}
	}
}

func ended(err error) bool { return err == io.EOF || err == io.ErrUnexpectedEOF }

// SamePart reports whether a part of p and one of q are stored as the same
// bytes, and so hold the same content. False does not mean that the content
// differs: it may be compressed differently.
func (p *Package) SamePart(name string, q *Package, other string) bool {
	_, overA := p.overlaid[foldName(name)]
	_, overB := q.overlaid[foldName(other)]
	if overA || overB {
		return false
	}
	a, b := p.byName[foldName(name)], q.byName[foldName(other)]
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
	// The checksum alone is not proof: one can be made to fit.
	same, err := sameBytes(x, y)
	return same && err == nil
}

// sameContent compares the decompressed content of a part.
func sameContent(ctx context.Context, a, b *Package, name string) (bool, error) {
	hash := func(p *Package) ([]byte, error) {
		r, err := p.Stream(ctx, name)
		if err != nil {
			return nil, err
		}
		defer r.Close()
		h := sha256.New()
		_, err = io.Copy(h, r)
		return h.Sum(nil), err
	}
	x, err := hash(a)
	if err != nil {
		return false, err
	}
	y, err := hash(b)
	return bytes.Equal(x, y), err
}
