package seekflate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

const (
	history = 32 << 10 // maximum distance of a back reference
	outSize = 256 << 10
	inSize  = 64 << 10
	maxCopy = 258
)

// Mark is a place at which an inflated stream can be resumed.
type Mark struct {
	Offset int64  // in the inflated stream
	bit    int64  // in the deflated stream, of the block that begins here
	before []byte // the history that the block may refer to
}

// Reader inflates a stream. It is not safe for concurrent use.
type Reader struct {
	src io.Reader
	err error // of the stream; io.EOF at its end

	in     []byte
	ip, ie int
	inEnd  int64 // offset in the deflated stream of in[ie]
	srcErr error
	acc    uint64 // unused bits, the next in the lowest place
	n      uint

	out    []byte
	rp, wp int   // out[rp:wp] is not returned yet; the bytes before it are history
	base   int64 // offset in the inflated stream of out[0]

	inBlock  bool
	last     bool // the block is the last one
	stored   int  // remaining bytes of a stored block
	lit      table
	dist     table
	litOwn   table
	distOwn  table
	lengths  [320]uint8
	every    int64
	nextMark int64
	onMark   func(Mark)
	layout   *Layout // nil: not recorded
}

// NewReader reads the deflate stream src from its start.
func NewReader(src io.Reader) *Reader {
	return &Reader{src: src, in: make([]byte, inSize), out: make([]byte, outSize)}
}

// Resume continues at a mark; src must be the stream for which the mark was
// made.
func Resume(src io.ReaderAt, m Mark) *Reader {
	r := NewReader(&sectionFrom{src, m.bit / 8})
	r.inEnd = m.bit / 8
	r.wp = copy(r.out, m.before)
	r.rp = r.wp
	r.base = m.Offset - int64(r.wp)
	if r.fill(uint(m.bit % 8)) {
		r.drop(uint(m.bit % 8))
	}
	return r
}

type sectionFrom struct {
	src io.ReaderAt
	off int64
}

func (s *sectionFrom) Read(b []byte) (int, error) {
	n, err := s.src.ReadAt(b, s.off)
	s.off += int64(n)
	return n, err
}

// MarkEvery calls f with a mark at the first block that begins at least every
// bytes of inflated stream after the previous mark. f may keep the marks.
func (r *Reader) MarkEvery(every int64, f func(Mark)) {
	r.every, r.onMark = max(every, history), f
	r.nextMark = r.base + int64(r.wp) + r.every
}

// Read implements io.Reader.
func (r *Reader) Read(b []byte) (int, error) {
	for r.rp == r.wp {
		if r.err != nil {
			return 0, r.err
		}
		if r.wp > history {
			r.slide()
		}
		r.inflate()
	}
	n := copy(b, r.out[r.rp:r.wp])
	r.rp += n
	return n, nil
}

// slide discards everything that was returned, except the history.
func (r *Reader) slide() {
	if r.layout != nil {
		r.layout.add(r)
	}
	cut := r.wp - history
	copy(r.out, r.out[cut:r.wp])
	r.base += int64(cut)
	r.wp, r.rp = history, history
}

// more reads input; it returns false at the end of src or on its error.
func (r *Reader) more() bool {
	for tries := 0; r.srcErr == nil && tries < 100; tries++ {
		n, err := r.src.Read(r.in)
		r.srcErr = err
		r.ip, r.ie = 0, n
		r.inEnd += int64(n)
		if n > 0 {
			return true
		}
	}
	return false
}

// fill provides need bits, at most 48, unless the input ends.
func (r *Reader) fill(need uint) bool {
	for r.n < need {
		if r.ie-r.ip >= 8 {
			r.acc |= binary.LittleEndian.Uint64(r.in[r.ip:]) << r.n
			took := (63 - r.n) >> 3
			r.ip += int(took)
			r.n += took << 3
			r.acc &= 1<<r.n - 1
			continue
		}
		if r.ip == r.ie && !r.more() {
			return false
		}
		r.acc |= uint64(r.in[r.ip]) << r.n
		r.ip++
		r.n += 8
	}
	return true
}

// bit returns the offset of the next bit in the deflated stream.
func (r *Reader) bit() int64 { return (r.inEnd-int64(r.ie-r.ip))*8 - int64(r.n) }

func (r *Reader) drop(n uint) {
	r.acc >>= n
	r.n -= n
}

func (r *Reader) take(n uint) int {
	if !r.fill(n) {
		r.short()
		return 0
	}
	v := int(r.acc & (1<<n - 1))
	r.drop(n)
	return v
}

var errCut = errors.New("the deflate stream is cut off")

func (r *Reader) short() {
	if r.err != nil {
		return
	}
	if r.err = errCut; r.srcErr != nil && r.srcErr != io.EOF {
		r.err = r.srcErr
	}
}

func (r *Reader) corrupt(what string) {
	if r.err == nil {
		r.err = fmt.Errorf("the deflate stream is damaged at byte %d: %s", r.inEnd-int64(r.ie-r.ip), what)
	}
}

// inflate produces some output, or sets r.err.
func (r *Reader) inflate() {
	for r.err == nil && r.wp < outSize-maxCopy {
		switch {
		case r.stored > 0:
			r.copyStored()
		case r.inBlock:
			r.symbols()
		case r.last:
			if r.err = io.EOF; r.layout != nil {
				r.layout.end(r)
			}
		default:
			r.block()
		}
	}
}

// block reads the header of a block (3.2.3).
func (r *Reader) block() {
	at := r.base + int64(r.wp)
	if r.layout != nil {
		r.layout.note(r)
	}
	if r.onMark != nil && at >= r.nextMark {
		from := max(0, r.wp-history)
		m := Mark{Offset: at, bit: r.bit(), before: append([]byte(nil), r.out[from:r.wp]...)}
		r.nextMark = at + r.every
		r.onMark(m)
	}
	r.last = r.take(1) == 1
	kind := r.take(2)
	if r.err != nil {
		return
	}
	switch kind {
	case 0:
		r.drop(r.n % 8)
		n, not := r.take(16), r.take(16)
		if r.err == nil && n != not^0xFFFF {
			r.corrupt("the length of a stored block")
		}
		r.stored = n
	case 1:
		r.lit, r.dist, r.inBlock = fixedLiteral, fixedDistance, true
	case 2:
		if err := r.dynamic(); err != nil {
			r.corrupt(err.Error())
		}
		r.inBlock = true
	default:
		r.corrupt("a block of no known kind")
	}
}

func (r *Reader) copyStored() {
	for r.n > 0 && r.stored > 0 && r.wp < outSize {
		r.out[r.wp] = byte(r.acc)
		r.drop(8)
		r.wp++
		r.stored--
	}
	if r.n > 0 {
		return
	}
	for r.stored > 0 && r.wp < outSize {
		if r.ip == r.ie && !r.more() {
			r.short()
			return
		}
		n := copy(r.out[r.wp:min(outSize, r.wp+r.stored)], r.in[r.ip:r.ie])
		r.ip += n
		r.wp += n
		r.stored -= n
	}
}

var codeOrder = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// dynamic reads the codes of a block (3.2.7).
func (r *Reader) dynamic() error {
	nl, nd, nc := 257+r.take(5), 1+r.take(5), 4+r.take(4)
	if nl > 286 || nd > 30 {
		return errors.New("too many codes")
	}
	clear(r.lengths[:])
	for _, i := range codeOrder[:nc] {
		r.lengths[i] = uint8(r.take(3))
	}
	if r.err != nil {
		return r.err
	}
	codes, err := r.litOwn.build(r.lengths[:19], plainSym)
	if err != nil {
		return err
	}
	r.litOwn = codes
	clear(r.lengths[:])
	for i := 0; i < nl+nd; {
		r.fill(7)
		e := codes[r.acc&(1<<primaryBits-1)]
		if e&kindMask != kindLiteral || e.len() > r.n {
			r.short()
			return errors.New("the code of a code length")
		}
		r.drop(e.len())
		v := e.value()
		if v < 16 {
			r.lengths[i] = uint8(v)
			i++
			continue
		}
		n, what := 0, uint8(0)
		switch v {
		case 16:
			if i == 0 {
				return errors.New("nothing to repeat")
			}
			n, what = 3+r.take(2), r.lengths[i-1]
		case 17:
			n = 3 + r.take(3)
		default:
			n = 11 + r.take(7)
		}
		if r.err != nil || i+n > nl+nd {
			return errors.New("too many code lengths")
		}
		for range n {
			r.lengths[i] = what
			i++
		}
	}
	if r.lengths[256] == 0 {
		return errors.New("a block without an end")
	}
	if r.distOwn, err = r.distOwn.build(r.lengths[nl:nl+nd], distanceSym); err != nil {
		return err
	}
	if r.litOwn, err = r.litOwn.build(r.lengths[:nl], literalSym); err != nil {
		return err
	}
	r.lit, r.dist = r.litOwn, r.distOwn
	return nil
}

// symbols decodes until the block ends or the output is full. It keeps its
// state in local variables, which doubles its speed.
func (r *Reader) symbols() {
	lit, dist := r.lit, r.dist
	if len(lit) < 1<<primaryBits || len(dist) < 1<<primaryBits {
		r.corrupt("a block without codes")
		return
	}
	acc, n, ip, wp := r.acc, r.n, r.ip, r.wp
	out, in := r.out, r.in[:r.ie]
	defer func() { r.acc, r.n, r.wp = acc, n, wp }()
	for wp < outSize-maxCopy {
		// 48 bits are enough for a length, a distance and their extra bits.
		if n < 48 {
			if len(in)-ip >= 8 {
				acc |= binary.LittleEndian.Uint64(in[ip:]) << n
				took := (63 - n) >> 3
				ip += int(took)
				n += took << 3
				acc &= 1<<n - 1
			} else {
				r.acc, r.n, r.ip = acc, n, ip
				r.fill(48) // near the end of the stream there may be fewer
				acc, n, ip = r.acc, r.n, r.ip
				in = r.in[:r.ie]
			}
		}
		e := lit[acc&(1<<primaryBits-1)]
		if e&kindMask == kindSub {
			acc >>= primaryBits
			n -= primaryBits
			e = lit[e.value()+int(acc&(1<<e.extra()-1))]
		}
		l := e.len()
		if l > n || n > 64 {
			r.ip = ip
			r.short()
			return
		}
		acc >>= l
		n -= l
		switch e & kindMask {
		case kindLiteral:
			out[wp] = byte(e >> 16)
			wp++
			continue
		case kindEnd:
			r.ip, r.inBlock = ip, false
			return
		case kindBase:
		default:
			r.ip = ip
			r.corrupt("no symbol has this code")
			return
		}
		x := e.extra()
		length := e.value() + int(acc&(1<<x-1))
		acc >>= x
		n -= x
		d := dist[acc&(1<<primaryBits-1)]
		if d&kindMask == kindSub {
			acc >>= primaryBits
			n -= primaryBits
			d = dist[d.value()+int(acc&(1<<d.extra()-1))]
		}
		if d&kindMask != kindBase {
			r.ip = ip
			r.corrupt("no distance has this code")
			return
		}
		l, x = d.len(), d.extra()
		acc >>= l
		from := d.value() + int(acc&(1<<x-1))
		acc >>= x
		n -= l + x
		if n > 64 { // below zero: more bits used than available
			r.ip = ip
			r.short()
			return
		}
		if from > wp {
			r.ip = ip
			r.corrupt("a distance before the start")
			return
		}
		if from >= length {
			copy(out[wp:wp+length], out[wp-from:])
			wp += length
			continue
		}
		for end := wp + length; wp < end; wp++ {
			out[wp] = out[wp-from]
		}
	}
	r.ip = ip
}
