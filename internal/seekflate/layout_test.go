package seekflate_test

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	kflate "github.com/klauspost/compress/flate"
	"github.com/stretchr/testify/require"

	"atelier/internal/seekflate"
)

func newDeflater(w io.Writer) (seekflate.Deflater, error) {
	return kflate.NewWriter(w, kflate.DefaultCompression)
}

// layoutOf inflates a stream with its layout.
func layoutOf(t testing.TB, z []byte, size, marks int) *seekflate.Layout {
	r := seekflate.NewReader(bytes.NewReader(z))
	l := r.Layout(int64(size), marks)
	got, err := io.ReadAll(r)
	require.NoError(t, err)
	require.True(t, l.Whole())
	require.EqualValues(t, len(got), l.Size())
	require.Equal(t, crc32.ChecksumIEEE(got), l.Sum())
	return l
}

// patched makes random patches of a text and returns them with the result.
func patched(rnd *rand.Rand, text []byte, n int) (list []seekflate.Patch, want []byte) {
	at := 0
	for range n {
		from := at + rnd.IntN(max(1, 2*(len(text)-at)/n))
		to := from + rnd.IntN(3)*rnd.IntN(5000)
		if rnd.IntN(4) == 0 {
			from = at
		}
		if rnd.IntN(12) == 0 {
			to = len(text)
		}
		if to > len(text) || from > to {
			break
		}
		with := strings.Repeat("new", rnd.IntN(2)*rnd.IntN(3000))
		keeps := rnd.IntN(2) == 0
		list = append(list, seekflate.Patch{From: int64(from), To: int64(to), Write: func(w io.Writer, old io.Reader) error {
			if keeps {
				if _, err := io.Copy(w, old); err != nil {
					return err
				}
			}
			_, err := io.WriteString(w, with)
			return err
		}})
		want = append(want, text[at:from]...)
		if keeps {
			want = append(want, text[from:to]...)
		}
		want = append(want, with...)
		at = to
	}
	return list, append(want, text[at:]...)
}

// A patched stream inflates to the patched text, with all readers, and can be patched
// again.
func TestPatch(t *testing.T) {
	for _, level := range []int{0, 1, 5, 6, 9, flate.HuffmanOnly} {
		for seed := range uint64(3) {
			rnd := rand.New(rand.NewPCG(seed, uint64(level+5)))
			text := sample(1+rnd.IntN(2_000_000), seed)
			z := deflated(t, text, level)
			for range 2 {
				l := layoutOf(t, z, len(text), 1+rnd.IntN(8))
				list, want := patched(rnd, text, 1+rnd.IntN(6))
				var out bytes.Buffer
				size, sum, err := l.Patch(&out, bytes.NewReader(z), newDeflater, list)
				require.NoError(t, err)
				require.EqualValues(t, len(want), size)
				require.Equal(t, crc32.ChecksumIEEE(want), sum)
				z, text = bytes.Clone(out.Bytes()), want
				for _, r := range []io.Reader{flate.NewReader(bytes.NewReader(z)), kflate.NewReader(bytes.NewReader(z)), seekflate.NewReader(bytes.NewReader(z))} {
					got, err := io.ReadAll(r)
					require.NoError(t, err)
					require.True(t, bytes.Equal(want, got), "level %d, seed %d", level, seed)
				}
			}
		}
	}
}

// What is far from a patch is copied: little is deflated again, and a patch at the same
// place, again and again, does not make the stream grow.
func TestPatchCopiesBlocks(t *testing.T) {
	text := sample(20_000_000, 1)
	z := deflated(t, text, 6)
	grown := 0
	for i := range 10 {
		l := layoutOf(t, z, len(text), 16)
		list := []seekflate.Patch{{From: 10_000_000, To: 10_000_001, Write: func(w io.Writer, _ io.Reader) error {
			_, err := w.Write([]byte{byte('0' + i)})
			return err
		}}}
		require.Less(t, l.Deflated(list), int64(1_000_000))
		var out bytes.Buffer
		_, _, err := l.Patch(&out, bytes.NewReader(z), newDeflater, list)
		require.NoError(t, err)
		if i > 1 {
			grown += out.Len() - len(z)
		}
		z = out.Bytes()
	}
	require.Less(t, grown, 16)
}

// A layout of a stream in small blocks is bounded.
func TestLayoutIsBounded(t *testing.T) {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, 6)
	require.NoError(t, err)
	for range 200_000 {
		_, err := w.Write([]byte("abcdefgh"))
		require.NoError(t, err)
		require.NoError(t, w.Flush())
	}
	require.NoError(t, w.Close())
	l := layoutOf(t, b.Bytes(), 1_600_000, 4)
	require.Less(t, seekflate.Starts(l), 101)
}

func TestPatchErrors(t *testing.T) {
	text := sample(2_000_000, 4)
	z := deflated(t, text, 6)
	l := layoutOf(t, z, len(text), 4)
	fails := []seekflate.Patch{{From: 1_000_000, To: 1_000_100, Write: func(io.Writer, io.Reader) error { return zlib.ErrChecksum }}}
	_, _, err := l.Patch(io.Discard, bytes.NewReader(z), newDeflater, fails)
	require.ErrorIs(t, err, zlib.ErrChecksum)
	fails[0].Write = func(io.Writer, io.Reader) error { return nil }
	_, _, err = l.Patch(io.Discard, bytes.NewReader(z[:len(z)/4]), newDeflater, fails)
	require.Error(t, err)
}
