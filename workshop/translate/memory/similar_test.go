package memory

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSimilar (TR-05): scores as documented, best first.
func TestSimilar(t *testing.T) {
	ctx := context.Background()
	m := open(t)
	put(t, m,
		Entry{Pair: enES, Source: "The <1>Seller</1> delivers the goods on Monday.", Target: "<1>La vendedora</1> entrega los bienes el lunes.", Origin: Person},
		Entry{Pair: enES, Source: "The Seller delivers the goods.", Target: "La vendedora entrega los bienes.", Origin: Imported},
		Entry{Pair: enES, Source: "The Seller delivers the goods on Sunday.", Target: "pseudo", Origin: Machine, Recipe: "pseudo"},
		Entry{Pair: Pair{"en", "de"}, Source: "The Seller delivers the goods on Tuesday.", Target: "…", Origin: Person},
		Entry{Pair: Pair{"zh", "en"}, Source: "本合同由双方签订并生效", Target: "This contract is signed", Origin: Person},
	)
	similar := func(p Pair, source string) (out []string) {
		ms, err := m.Similar(ctx, p, source, 5, 0.6)
		require.NoError(t, err)
		for _, m := range ms {
			out = append(out, fmt.Sprintf("%.2f %s", m.Score, m.Target))
		}
		return out
	}
	require.Equal(t, []string{"0.88 <4>La vendedora</4> entrega los bienes el lunes.", "0.74 La vendedora entrega los bienes."},
		similar(Pair{"en-GB", "es-MX"}, "The <4>Seller</4> delivers the goods on Friday."))
	require.Equal(t, "0.98 <1>La vendedora</1> entrega los bienes el lunes.", similar(enES, "the seller delivers the goods on monday.")[0], "case and tags")
	require.Equal(t, "1.00 <1>La vendedora</1> entrega los bienes el lunes.", similar(enES, "The <1>Seller</1> delivers the goods on Monday.")[0])
	require.Equal(t, []string{"0.91 This contract is signed"}, similar(Pair{"zh", "en"}, "本合同由三方签订并生效"))
	require.Empty(t, similar(Pair{"fr", "es"}, "The Seller delivers the goods."))
	require.Empty(t, similar(enES, "Nothing of the kind here"))
	require.Empty(t, similar(enES, "…"))
}

// vocabulary draws words with the frequencies of real texts (Zipf's law).
type vocabulary struct {
	rng  *rand.Rand
	zipf *rand.Zipf
}

func newVocabulary(seed uint64) vocabulary {
	rng := rand.New(rand.NewPCG(seed, 1))
	return vocabulary{rng, rand.NewZipf(rng, 1.1, 4, 30_000)}
}

func (v vocabulary) word() string {
	n := v.zipf.Uint64()
	const letters = "etaoinshrdlucmfwypvbgkqjxz"
	var sb strings.Builder
	for h := n*2654435761 + 7; sb.Len() < 2+int(min(n/40, 3)+h%5); h = h/7 + n { // frequent words are short
		sb.WriteByte(letters[h%26])
	}
	return sb.String() + fmt.Sprintf("%c", letters[n%26])
}

func (v vocabulary) sentence() []string {
	out := make([]string, 4+v.rng.IntN(18))
	for i := range out {
		out[i] = v.word()
	}
	return out
}

// TestSimilarFindsAll (TR-05): texts with small changes are found among many.
func TestSimilarFindsAll(t *testing.T) {
	ctx := context.Background()
	m := open(t)
	v := newVocabulary(1)
	var es []Entry
	for i := range 3000 {
		es = append(es, Entry{Pair: enES, Source: strings.Join(v.sentence(), " ") + ".", Target: fmt.Sprint("t", i), Origin: Imported})
	}
	put(t, m, es...)
	found, asked := 0, 0
	for i := 0; i < len(es); i += 10 {
		words := strings.Fields(es[i].Source)
		for range 1 + len(words)/6 {
			words[v.rng.IntN(len(words))] = v.word()
		}
		text := strings.Join(words, " ")
		score := scoreOf(wordsOf(text), text, es[i].Source, 0)
		if score < 0.7 {
			continue
		}
		asked++
		ms, err := m.Similar(ctx, enES, text, 3, 0.65)
		require.NoError(t, err)
		if len(ms) > 0 && ms[0].Score >= score-1e-9 {
			found++
		}
	}
	require.Greater(t, asked, 200)
	require.Equal(t, asked, found)
}

var million struct {
	path    string
	sources []string
}

// aMillion returns a memory of a million entries, created once for the
// benchmarks.
func aMillion(b *testing.B) *Memory {
	ctx := context.Background()
	if million.path == "" {
		path := filepath.Join(b.TempDir(), "million.db")
		m, err := Open(ctx, path)
		require.NoError(b, err)
		v := newVocabulary(2)
		for range 200 {
			es := make([]Entry, 5000)
			for i := range es {
				es[i] = Entry{Pair: enES, Source: strings.Join(v.sentence(), " "), Target: "una traducción de unas palabras", Origin: Imported}
				if i%100 == 0 {
					million.sources = append(million.sources, es[i].Source)
				}
			}
			require.NoError(b, m.Put(ctx, es))
		}
		b.Cleanup(func() { m.Close() })
		million.path = path
		return m
	}
	m, err := Open(ctx, million.path)
	require.NoError(b, err)
	b.Cleanup(func() { m.Close() })
	return m
}

func BenchmarkMillion(b *testing.B) {
	ctx := context.Background()
	m := aMillion(b)
	v := newVocabulary(3)
	b.Run("Exact40", func(b *testing.B) {
		for i := 0; b.Loop(); i += 40 {
			i %= len(million.sources) - 40
			found, err := m.Exact(ctx, enES, "", million.sources[i:i+40])
			if err != nil || len(found) < 39 {
				b.Fatal(err, len(found))
			}
		}
	})
	b.Run("Similar", func(b *testing.B) {
		found, n := 0, 0
		for i := 0; b.Loop(); i++ {
			words := strings.Fields(million.sources[i*37%len(million.sources)])
			words[v.rng.IntN(len(words))] = v.word()
			ms, err := m.Similar(ctx, enES, strings.Join(words, " "), 3, 0.7)
			if err != nil {
				b.Fatal(err)
			}
			n++
			if len(ms) > 0 {
				found++
			}
		}
		b.ReportMetric(float64(found)/float64(n), "found/op")
	})
}

func BenchmarkImportTMX(b *testing.B) {
	ctx := context.Background()
	v := newVocabulary(4)
	var sb strings.Builder
	sb.WriteString(`<tmx version="1.4"><header srclang="en"/><body>`)
	const units = 20_000
	for range units {
		fmt.Fprintf(&sb, `<tu><tuv xml:lang="en"><seg>%s <bpt i="1"/>x<ept i="1"/></seg></tuv><tuv xml:lang="es"><seg>una traducción <bpt i="1"/>x<ept i="1"/></seg></tuv></tu>`, strings.Join(v.sentence(), " "))
	}
	sb.WriteString(`</body></tmx>`)
	b.SetBytes(int64(sb.Len()))
	for b.Loop() {
		m, err := Open(ctx, filepath.Join(b.TempDir(), "m.db"))
		require.NoError(b, err)
		n, err := m.ImportTMX(ctx, strings.NewReader(sb.String()))
		require.NoError(b, err)
		require.Equal(b, units, n.Units)
		require.NoError(b, m.Close())
	}
	b.ReportMetric(float64(units)*float64(b.N)/b.Elapsed().Seconds(), "units/s")
}
