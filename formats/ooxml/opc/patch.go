package opc

import (
	"archive/zip"
	"context"
	"encoding/binary"
	"io"
	"math"

	"atelier/formats"
	"atelier/internal/seekflate"
)

// patchedPart is a part of which some bytes change.
type patchedPart struct {
	layout  *seekflate.Layout
	patches []seekflate.Patch
}

// SetPatched is SetStream for a part of the package of which some bytes change: the
// deflated blocks of all others are copied. layout is that of the part, read to its end
// with [Package.StreamLayout]; write produces the same bytes as the patches do, and is
// used where they cannot be.
func (e *Edit) SetPatched(name string, write func(io.Writer) error, layout *seekflate.Layout, patches []seekflate.Patch) {
	e.SetStream(name, write)
	if layout.Whole() && e.pkg.CanMark(name) {
		e.patches[foldName(name)] = patchedPart{layout, patches}
	}
}

// writePatched writes the entry f with patches and the fields of h.
func (e *Edit) writePatched(ctx context.Context, zw *zip.Writer, f *zip.File, h zip.FileHeader, p patchedPart) error {
	off, err := f.DataOffset()
	if err != nil {
		return formats.Errorf(formats.CodeCorrupt, "the entry %q is damaged: %w", f.Name, err)
	}
	h.Method, h.Flags = zip.Deflate, 0x8 // sizes and sum come behind the data
	h.ReaderVersion = 20
	h.CreatorVersion = h.CreatorVersion&0xFF00 | 20
	setTimes(&h)
	w, err := zw.CreateRaw(&h)
	if err != nil {
		return err
	}
	out := &counter{w: ctxWriter{ctx, w}}
	deflate := func(w io.Writer) (seekflate.Deflater, error) { return newDeflater(w, e.level) }
	size, sum, err := p.layout.Patch(out, io.NewSectionReader(e.pkg.src, off, int64(f.CompressedSize64)), deflate, p.patches)
	if err != nil {
		return err
	}
	h.CRC32, h.UncompressedSize64, h.CompressedSize64 = sum, uint64(size), uint64(out.n)
	// archive/zip writes these into the descriptor of an entry that it did not compress.
	//lint:ignore SA1019 see above
	h.CompressedSize = uint32(min(h.CompressedSize64, math.MaxUint32))
	//lint:ignore SA1019 see above
	h.UncompressedSize = uint32(min(h.UncompressedSize64, math.MaxUint32))
	return nil
}

// setTimes sets the times of an entry as zip.Writer.CreateHeader does.
func setTimes(h *zip.FileHeader) {
	if h.Modified.IsZero() {
		return
	}
	t := h.Modified
	//lint:ignore SA1019 zip.Writer.CreateRaw does not set them from Modified
	h.ModifiedDate = uint16(t.Day() + int(t.Month())<<5 + (t.Year()-1980)<<9)
	//lint:ignore SA1019 zip.Writer.CreateRaw does not set them from Modified
	h.ModifiedTime = uint16(t.Second()/2 + t.Minute()<<5 + t.Hour()<<11)
	h.Extra = append(h.Extra, 0x55, 0x54, 5, 0, 1) // extended timestamp: modified
	h.Extra = binary.LittleEndian.AppendUint32(h.Extra, uint32(t.Unix()))
}

// asciiName reports whether a name needs no flag that says how it is encoded.
func asciiName(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' || s[i] == '\\' {
			return false
		}
	}
	return true
}

// counter counts what is written.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}
