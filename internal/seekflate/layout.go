package seekflate

import (
	"hash/crc32"
	"io"
	"sort"
)

// Layout says where the blocks of a deflated stream begin, so that [Layout.Patch] can
// change some of the inflated bytes and copy the blocks of all others as they are.
type Layout struct {
	starts []blockStart // in order of offset; the first is at 0
	marks  []Mark
	size   int64 // of the inflated stream
	bits   int64 // of the deflated stream
	sum    uint32
	every  int64 // least distance of two starts
	whole  bool
}

// blockStart is where a block begins. Blocks without output have the offset of the next.
type blockStart struct {
	offset int64  // in the inflated stream
	bit    int64  // in the deflated stream, of the first block at the offset
	last   int64  // the same of the last block at the offset
	sum    uint32 // CRC-32 of all inflated bytes before it
}

// maxStarts bounds a layout to 1 MiB, beside its marks.
const maxStarts = 32 << 10

// Layout makes r record the layout of its stream, of size bytes inflated, with at most
// marks marks of 32 KiB each. Call it before the first Read. The layout can be used once
// Read returned [io.EOF]. It replaces MarkEvery.
func (r *Reader) Layout(size int64, marks int) *Layout {
	l := &Layout{every: max(16<<10, size/maxStarts)}
	r.layout = l
	r.MarkEvery(max(1<<20, size/int64(max(1, marks-1))), func(m Mark) {
		if len(l.marks) < marks {
			l.marks = append(l.marks, m)
		}
	})
	return l
}

// Whole reports whether the stream was read to its end.
func (l *Layout) Whole() bool { return l != nil && l.whole }

// Size returns the length of the inflated stream.
func (l *Layout) Size() int64 { return l.size }

// Sum returns the CRC-32 of the inflated stream.
func (l *Layout) Sum() uint32 { return l.sum }

// note records that a block begins at the present place, where there is room.
func (l *Layout) note(r *Reader) {
	l.add(r)
	at, bit := r.base+int64(r.wp), r.bit()
	n := len(l.starts)
	switch {
	case n > 0 && l.starts[n-1].offset == at:
		l.starts[n-1].last = bit
	case n == 0 || at >= l.starts[n-1].offset+l.every && n < maxStarts:
		l.starts = append(l.starts, blockStart{at, bit, bit, l.sum})
	}
}

// add takes what r inflated since the last call into the sum.
func (l *Layout) add(r *Reader) {
	if from := l.size - r.base; from < int64(r.wp) {
		l.sum = crc32.Update(l.sum, crc32.IEEETable, r.out[from:r.wp])
		l.size = r.base + int64(r.wp)
	}
}

// end records the end of the stream.
func (l *Layout) end(r *Reader) {
	l.add(r)
	l.bits, l.whole = r.bit(), true
}

// startAt returns the index of the last start at or before an offset.
func (l *Layout) startAt(offset int64) int {
	return sort.Search(len(l.starts), func(i int) bool { return l.starts[i].offset > offset }) - 1
}

// startFrom returns the index of the first start at or after an offset, the number of
// starts where there is none.
func (l *Layout) startFrom(offset int64) int {
	return sort.Search(len(l.starts), func(i int) bool { return l.starts[i].offset >= offset })
}

// A Patch replaces the bytes From to To of an inflated stream by what Write writes to w.
// It may read the old bytes, and no others.
type Patch struct {
	From, To int64
	Write    func(w io.Writer, old io.Reader) error
}

// Deflater compresses a stream; Flush ends a block at a whole byte (as Z_SYNC_FLUSH of
// zlib does).
type Deflater interface {
	io.WriteCloser
	Flush() error
}

// stretch is a piece of a stream that is deflated again: the blocks from start a to b.
type stretch struct {
	a, b    int
	patches []Patch
}

// minCopied is how much inflated stream there must be between two patches for its blocks
// to be copied: less would cost more in compression than it saves.
const minCopied = 256 << 10

// stretches returns what is deflated again for patches, which are in order. A block may
// refer to the 32 KiB before it, so as much after a patch has to be as it was.
func (l *Layout) stretches(patches []Patch) (out []stretch) {
	for _, p := range patches {
		s := stretch{l.startAt(p.From), l.startFrom(p.To + history), []Patch{p}}
		if p.To == l.size {
			s.b = len(l.starts)
		}
		if n := len(out); n > 0 && (out[n-1].b == len(l.starts) || l.starts[s.a].offset < l.starts[out[n-1].b].offset+minCopied) {
			out[n-1].b = max(out[n-1].b, s.b)
			out[n-1].patches = append(out[n-1].patches, p)
			continue
		}
		out = append(out, s)
	}
	return out
}

// Deflated returns how many inflated bytes Patch deflates again, about.
func (l *Layout) Deflated(patches []Patch) (n int64) {
	for _, s := range l.stretches(patches) {
		end := l.size
		if s.b < len(l.starts) {
			end = l.starts[s.b].offset
		}
		n += end - l.starts[s.a].offset
	}
	return n
}

// Patch writes the deflated stream src, whose layout is l, with patches, which are in
// order and do not overlap. It returns the length and the CRC-32 of the inflated result.
func (l *Layout) Patch(dst io.Writer, src io.ReaderAt, deflate func(io.Writer) (Deflater, error), patches []Patch) (size int64, sum uint32, err error) {
	p := &patcher{l: l, src: src, out: bitWriter{w: dst}, deflate: deflate}
	next := 0
	for _, s := range l.stretches(patches) {
		if err := p.copyBlocks(next, s.a); err != nil {
			return 0, 0, err
		}
		if err := p.again(s); err != nil {
			return 0, 0, err
		}
		if next = s.b; next == len(l.starts) {
			return p.size, p.sum, nil
		}
	}
	if err := p.copyBlocks(next, len(l.starts)); err != nil {
		return 0, 0, err
	}
	return p.size, p.sum, p.out.flush()
}

// patcher is a Patch at work.
type patcher struct {
	l       *Layout
	src     io.ReaderAt
	out     bitWriter
	deflate func(io.Writer) (Deflater, error)
	old     *Reader // of what is deflated again
	at      int64   // offset of old
	size    int64   // inflated, of what is written
	sum     uint32
}

// copyBlocks copies the blocks from start a to b, or to the end.
func (p *patcher) copyBlocks(a, b int) error {
	if a == b {
		return nil
	}
	from, end := p.l.starts[a], blockStart{offset: p.l.size, bit: p.l.bits, sum: p.l.sum}
	if b < len(p.l.starts) {
		end = p.l.starts[b]
	}
	bit := from.last
	if a == 0 {
		bit = from.bit
	}
	n := end.offset - from.offset
	p.sum = shiftSum(p.sum^from.sum, n) ^ end.sum
	p.size += n
	return p.out.copyBits(p.src, bit, end.bit)
}

// again deflates a stretch with its patches.
func (p *patcher) again(s stretch) error {
	if err := p.out.align(); err != nil {
		return err
	}
	to := &gate{w: p.out.w}
	z, err := p.deflate(to)
	if err != nil {
		return err
	}
	ended := false
	defer func() {
		if to.shut = true; !ended {
			z.Close()
		}
	}()
	if err := p.seek(p.l.starts[s.a].offset); err != nil {
		return err
	}
	w := &summing{z, p}
	for _, patch := range s.patches {
		if err := p.copyOld(w, patch.From); err != nil {
			return err
		}
		old := &io.LimitedReader{R: p.old, N: patch.To - patch.From}
		if err := patch.Write(w, old); err != nil {
			return err
		}
		p.at = patch.To - old.N
		if err := p.copyOld(io.Discard, patch.To); err != nil {
			return err
		}
	}
	if s.b == len(p.l.starts) {
		if err := p.copyOld(w, p.l.size); err != nil {
			return err
		}
		ended = true
		return z.Close()
	}
	if err := p.copyOld(w, p.l.starts[s.b].offset); err != nil {
		return err
	}
	return z.Flush()
}

// seek makes old begin at an offset that it has not passed.
func (p *patcher) seek(offset int64) error {
	i := sort.Search(len(p.l.marks), func(i int) bool { return p.l.marks[i].Offset > offset })
	switch {
	case i > 0 && (p.old == nil || p.l.marks[i-1].Offset > p.at):
		p.old, p.at = Resume(p.src, p.l.marks[i-1]), p.l.marks[i-1].Offset
	case p.old == nil:
		p.old, p.at = NewReader(io.NewSectionReader(p.src, 0, (p.l.bits+7)/8)), 0
	}
	return p.copyOld(io.Discard, offset)
}

// copyOld copies old bytes up to an offset.
func (p *patcher) copyOld(w io.Writer, to int64) error {
	if to <= p.at {
		return nil
	}
	n, err := io.CopyN(w, p.old, to-p.at)
	p.at += n
	return err
}

// summing counts and sums what is deflated again.
type summing struct {
	w io.Writer
	p *patcher
}

func (s *summing) Write(b []byte) (int, error) {
	n, err := s.w.Write(b)
	s.p.size += int64(n)
	s.p.sum = crc32.Update(s.p.sum, crc32.IEEETable, b[:n])
	return n, err
}

// gate passes on what is written until it is shut: a deflater that was flushed and is
// closed writes the end of a stream, which continues.
type gate struct {
	w    io.Writer
	shut bool
}

func (g *gate) Write(b []byte) (int, error) {
	if g.shut {
		return len(b), nil
	}
	return g.w.Write(b)
}
