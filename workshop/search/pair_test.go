package search

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// A finder gives each place of a literal and no other, whatever is around it and however
// near the end of the text it is.
func TestFindersFindEachPlace(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	alphabets := []string{"ab", "mentco ", "eEtTaA", "kKsS\u212a\u017faA", "qxz1", "éÉäÄßa", "\x80\xffab@`[{"}
	for round := range 4000 {
		letters := []rune(alphabets[round%len(alphabets)])
		draw := func(n int) []byte {
			var b []byte
			for range n {
				if c := letters[r.IntN(len(letters))]; c >= 0x80 && c <= 0xff && round%2 == 0 {
					b = append(b, byte(c)) // not UTF-8
				} else {
					b = append(b, string(c)...)
				}
			}
			return b
		}
		lit := draw(1 + r.IntN(6))
		text := draw(r.IntN(80))
		for range r.IntN(3) {
			text = append(append(text, lit...), draw(r.IntN(12))...)
		}
		var want []int
		for i := 0; i+len(lit) <= len(text); i++ {
			if bytes.HasPrefix(text[i:], lit) {
				want = append(want, i)
			}
		}
		require.Equal(t, want, placesOf(newPlain(string(lit)).finder(text)), "%q in %q", lit, text)

		runes := []rune(string(bytes.ToValidUTF8(lit, nil)))
		if len(runes) == 0 {
			continue
		}
		m := regexp.MustCompile("(?i)" + regexp.QuoteMeta(string(runes)))
		folded := placesOf(newFolded(runes).finder(text))
		require.Equal(t, m.Match(text), len(folded) > 0, "%q in %q", string(runes), text)
		require.GreaterOrEqual(t, len(folded), len(m.FindAllIndex(text, -1)), "%q in %q", string(runes), text)
	}
}

func placesOf(f finder) []int {
	var out []int
	for pos := 0; ; {
		i := f.next(pos)
		if i < 0 {
			return out
		}
		out = append(out, i)
		pos = i + 1
	}
}

// A pair is found where both bytes are and nowhere else, wherever the text begins and ends.
func TestPairsAreFoundWhereTheyAre(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	found := 0
	for range 5000 {
		p := pair{first: pairByte{value: 'm'}, second: pairByte{value: 'c'}, gap: 1 + r.IntN(9)}
		if r.IntN(2) == 0 {
			p.first.fold, p.second.fold = 0x20, 0x20
		}
		letters := []byte("MmCc\x00\xffabxyz-- ")[r.IntN(4):] // with many that have bits of both
		text := make([]byte, r.IntN(200))
		for i := range text {
			text[i] = letters[r.IntN(len(letters))]
		}
		var want, got []int
		for i := 0; i+p.gap < len(text); i++ {
			if p.first.is(text[i]) && p.second.is(text[i+p.gap]) {
				want = append(want, i)
			}
		}
		for i := p.next(text, 0); i >= 0; i = p.next(text, i+1) {
			got = append(got, i)
		}
		require.Equal(t, want, got, "%v in %q", p, text)
		found += len(got)
	}
	require.Greater(t, found, 1000)
}

// A pair is of the rarest characters that have a fixed distance.
func TestPairs(t *testing.T) {
	p := foldedPair([]rune("mentcon"))
	require.Equal(t, &pair{pairByte{'m', 0x20}, pairByte{'c', 0x20}, 0, 4}, p)
	require.Nil(t, foldedPair([]rune("akas")), "k and s have spellings of several bytes")
	require.NotNil(t, foldedPair([]rune("kabs")))
	require.Equal(t, 1, foldedPair([]rune("kabs")).at)
}
