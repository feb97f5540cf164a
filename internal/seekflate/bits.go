package seekflate

import (
	"hash/crc32"
	"io"
)

// bitWriter writes a deflate stream in bits, the lowest of a byte first (RFC 1951, 3.1.1).
type bitWriter struct {
	w   io.Writer
	acc uint64 // bits that are not written yet
	n   uint   // how many, fewer than 8 between calls
	in  []byte
	buf []byte
}

// copyBits copies the bits from and up to two offsets of src. The first comes to the same
// place in a byte as in src, since stored blocks begin at whole bytes (3.2.4).
func (b *bitWriter) copyBits(src io.ReaderAt, from, to int64) error {
	b.fill(uint(from % 8))
	if b.in == nil {
		b.in = make([]byte, inSize)
	}
	for pos := from / 8; pos*8 < to; {
		in := b.in[:min(inSize, (to+7)/8-pos)]
		if n, err := src.ReadAt(in, pos); n < len(in) {
			return noEOF(err)
		}
		in[0] = in[0]&^(1<<b.n-1) | byte(b.acc)
		b.acc, b.n = 0, 0
		if pos += int64(len(in)); pos*8 > to {
			b.n = uint(to % 8)
			b.acc = uint64(in[len(in)-1] & (1<<b.n - 1))
			in = in[:len(in)-1]
		}
		if err := b.write(); err != nil {
			return err
		}
		if _, err := b.w.Write(in); err != nil {
			return err
		}
	}
	return nil
}

// fill writes blocks without output until the next bit is at the given place in its byte.
func (b *bitWriter) fill(place uint) {
	if (place-b.n)%2 != 0 {
		b.oddBlock()
	}
	for b.n != place {
		b.put(0b0000000_01_0, 10) // fixed codes, the end (3.2.6)
	}
}

// oddBlock writes a block of 97 bits with its codes and no output: its codes are complete,
// as some readers demand (3.2.7). Each other block without output has an even number of
// bits, or ends at a whole byte.
func (b *bitWriter) oddBlock() {
	b.put(0b10_0, 3) // not the last, with its codes
	b.put(0, 5)      // 257 codes of literals
	b.put(2, 5)      // 3 codes of distances
	b.put(14, 4)     // 18 codes of code lengths: 18 and 2 have 2 bits, 1 has one
	for _, symbol := range codeOrder[:18] {
		switch symbol {
		case 18, 2:
			b.put(2, 3)
		case 1:
			b.put(1, 3)
		default:
			b.put(0, 3)
		}
	}
	// The codes, the first bit in the lowest place: 1 is 0, 2 is 10 and 18 is 11.
	const one, two, zeros = 0b0, 0b01, 0b11
	b.put(zeros, 2)
	b.put(138-11, 7)
	b.put(zeros, 2)
	b.put(117-11, 7)
	b.put(one, 1) // literal 255
	b.put(one, 1) // the end of the block
	b.put(one, 1) // the distances
	b.put(two, 2)
	b.put(two, 2)
	b.put(1, 1) // the end: the second of two codes of a bit
}

func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// put adds the lowest n bits of v, at most 16.
func (b *bitWriter) put(v uint64, n uint) {
	b.acc |= v & (1<<n - 1) << b.n
	for b.n += n; b.n >= 8; b.n -= 8 {
		b.buf = append(b.buf, byte(b.acc))
		b.acc >>= 8
	}
}

// write writes out the whole bytes.
func (b *bitWriter) write() error {
	_, err := b.w.Write(b.buf)
	b.buf = b.buf[:0]
	return err
}

// align ends the stream at a whole byte.
func (b *bitWriter) align() error {
	b.fill(0)
	return b.write()
}

// flush fills up the last byte.
func (b *bitWriter) flush() error {
	if b.n > 0 {
		b.put(0, 8-b.n)
	}
	return b.write()
}

// shiftSum returns what the CRC-32 of a stream becomes by n more bytes, but for the sum
// of these alone: the sum of A and B together is shiftSum(sum of A, len(B)) ^ sum of B.
func shiftSum(sum uint32, n int64) uint32 {
	power := uint32(1) << (31 - 8) // x⁸, in the order of bits of crc32.IEEE
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			sum = timesModulo(power, sum)
		}
		power = timesModulo(power, power)
	}
	return sum
}

// timesModulo multiplies two polynomials modulo that of CRC-32.
func timesModulo(a, b uint32) (p uint32) {
	for bit := uint32(1) << 31; bit != 0; bit >>= 1 {
		if a&bit != 0 {
			p ^= b
		}
		if b&1 != 0 {
			b = b>>1 ^ crc32.IEEE
		} else {
			b >>= 1
		}
	}
	return p
}
