package seekflate_test

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	kflate "github.com/klauspost/compress/flate"

	"atelier/internal/seekflate"
)

// sample returns text like a worksheet's with parts that do not compress.
func sample(n int, seed uint64) []byte {
	rnd := rand.New(rand.NewPCG(seed, 2))
	var b bytes.Buffer
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, `<row r="%d"><c r="A%d"><v>%d</v></c><c r="B%d" t="s"><v>%d</v></c></row>`, i, i, rnd.IntN(1000), i, rnd.IntN(9))
		if rnd.IntN(2000) == 0 {
			junk := make([]byte, rnd.IntN(70_000))
			for i := range junk {
				junk[i] = byte(rnd.Uint32())
			}
			b.Write(junk)
			b.WriteString(strings.Repeat("z", rnd.IntN(5000)))
		}
	}
	return b.Bytes()[:n]
}

func deflated(t testing.TB, b []byte, level int) []byte {
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, level)
	require.NoError(t, err)
	_, err = w.Write(b)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}

func TestInflatesLikeTheStandardLibrary(t *testing.T) {
	for _, level := range []int{0, 1, 2, 5, 6, 9, flate.HuffmanOnly} {
		for _, n := range []int{0, 1, 100, 33_000, 300_000, 3_000_000} {
			want := sample(n, uint64(n))
			z := deflated(t, want, level)
			got, err := io.ReadAll(seekflate.NewReader(bytes.NewReader(z)))
			require.NoError(t, err)
			require.True(t, bytes.Equal(want, got), "level %d, %d bytes", level, n)
			got, err = io.ReadAll(seekflate.NewReader(iotest.HalfReader(bytes.NewReader(z))))
			require.NoError(t, err)
			require.True(t, bytes.Equal(want, got))
		}
	}
}

func TestResumesAtEveryMark(t *testing.T) {
	for _, level := range []int{0, 1, 6, 9, flate.HuffmanOnly} {
		want := sample(4_000_000, 7)
		z := deflated(t, want, level)
		var marks []seekflate.Mark
		r := seekflate.NewReader(bytes.NewReader(z))
		r.MarkEvery(200_000, func(m seekflate.Mark) { marks = append(marks, m) })
		_, err := io.Copy(io.Discard, r)
		require.NoError(t, err)
		require.Greater(t, len(marks), 5)
		for _, m := range marks {
			got, err := io.ReadAll(seekflate.Resume(bytes.NewReader(z), m))
			require.NoError(t, err)
			require.True(t, bytes.Equal(want[m.Offset:], got), "level %d at %d", level, m.Offset)
		}
	}
}

func TestDamageIsAnError(t *testing.T) {
	z := deflated(t, sample(50_000, 3), 6)
	for i := 0; i < len(z); i += 7 {
		_, err := io.ReadAll(seekflate.NewReader(bytes.NewReader(z[:i])))
		require.Error(t, err, "cut at %d", i)
	}
	_, err := io.ReadAll(seekflate.NewReader(iotest.ErrReader(io.ErrClosedPipe)))
	require.ErrorIs(t, err, io.ErrClosedPipe)
}

// FuzzAgainstTheStandardLibrary: both accept the same streams, with the same
// output.
func FuzzAgainstTheStandardLibrary(f *testing.F) {
	for _, level := range []int{0, 1, 6, flate.HuffmanOnly} {
		f.Add(deflated(f, sample(3000, 1), level))
		f.Add(deflated(f, []byte("aaaaaaaaaaaaaaaaaaaaaaaaaaaab"), level))
	}
	f.Fuzz(func(t *testing.T, z []byte) {
		const limit = 8 << 20
		want, err1 := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(z)), limit))
		got, err2 := io.ReadAll(io.LimitReader(seekflate.NewReader(bytes.NewReader(z)), limit))
		require.Equal(t, err1 == nil, err2 == nil, "%v, %v", err1, err2)
		if err1 == nil {
			require.True(t, bytes.Equal(want, got))
		}
	})
}

func benchmark(b *testing.B, open func(io.Reader) io.Reader) {
	z := deflated(b, sample(32<<20, 1), 6)
	b.SetBytes(32 << 20)
	for b.Loop() {
		n, err := io.Copy(struct{ io.Writer }{io.Discard}, open(bytes.NewReader(z)))
		require.NoError(b, err)
		require.EqualValues(b, 32<<20, n)
	}
}

func BenchmarkInflate(b *testing.B) {
	b.Run("seekflate", func(b *testing.B) { benchmark(b, func(r io.Reader) io.Reader { return seekflate.NewReader(r) }) })
	b.Run("standard", func(b *testing.B) { benchmark(b, func(r io.Reader) io.Reader { return flate.NewReader(r) }) })
	b.Run("klauspost", func(b *testing.B) { benchmark(b, func(r io.Reader) io.Reader { return kflate.NewReader(r) }) })
}
