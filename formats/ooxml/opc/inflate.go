package opc

import (
	"archive/zip"
	"context"
	"hash/crc32"
	"io"
	"sync"

	kflate "github.com/klauspost/compress/flate"

	"atelier/formats"
	"atelier/internal/seekflate"
)

// inflaters are kept for reuse: each holds some 50 KiB of tables and window.
var inflaters sync.Pool

// newInflater returns the decompressor of zip entries: five times as fast as
// that of the standard library on the XML of office files.
func newInflater(r io.Reader) io.ReadCloser {
	if f, ok := inflaters.Get().(io.ReadCloser); ok {
		if err := f.(kflate.Resetter).Reset(r, nil); err == nil {
			return &pooledInflater{f}
		}
	}
	return &pooledInflater{kflate.NewReader(r)}
}

type pooledInflater struct{ io.ReadCloser }

func (p *pooledInflater) Read(b []byte) (int, error) {
	if p.ReadCloser == nil {
		return 0, io.ErrClosedPipe
	}
	return p.ReadCloser.Read(b)
}

func (p *pooledInflater) Close() error {
	if p.ReadCloser == nil {
		return nil
	}
	err := p.ReadCloser.Close()
	inflaters.Put(p.ReadCloser)
	p.ReadCloser = nil
	return err
}

// CanMark reports whether a part can be read with [Package.StreamMarked].
func (p *Package) CanMark(name string) bool {
	f := p.byName[foldName(name)]
	return f != nil && f.Method == zip.Deflate
}

// StreamMarked is Stream that reads from a mark on (nil: from the start), and
// gives a new mark about every bytes of inflated part; see [seekflate.Mark].
// Marks hold for any Package over the same bytes.
func (p *Package) StreamMarked(ctx context.Context, name string, from *seekflate.Mark, every int64, mark func(seekflate.Mark)) (io.ReadCloser, error) {
	f := p.byName[foldName(name)]
	if f == nil || f.Method != zip.Deflate {
		return nil, formats.Errorf(formats.CodeCorrupt, "the part %q cannot be read from the middle", name)
	}
	if err := p.checkSizes(f); err != nil {
		return nil, err
	}
	off, err := f.DataOffset()
	if err != nil {
		return nil, formats.Errorf(formats.CodeCorrupt, "the part %q cannot be opened: %w", name, err)
	}
	sec := io.NewSectionReader(p.src, off, int64(f.CompressedSize64))
	r := &partReader{ctx: ctx, pkg: p, name: name, left: int64(f.UncompressedSize64)}
	var z *seekflate.Reader
	if from == nil {
		z = seekflate.NewReader(sec)
		r.rc = &checksumReader{r: z, want: f.CRC32}
	} else {
		z = seekflate.Resume(sec, *from)
		r.rc = io.NopCloser(z)
		r.left -= from.Offset
	}
	z.MarkEvery(every, mark)
	return r, nil
}

// checksumReader checks the sum of what was read, as archive/zip does.
type checksumReader struct {
	r         io.Reader
	sum, want uint32
}

func (s *checksumReader) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	s.sum = crc32.Update(s.sum, crc32.IEEETable, b[:n])
	if err == io.EOF && s.sum != s.want {
		err = zip.ErrChecksum
	}
	return n, err
}

func (s *checksumReader) Close() error { return nil }
