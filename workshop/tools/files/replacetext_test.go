package files

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/formats/text"
	"atelier/internal/campaign"
	"atelier/workshop"
)

// encodings are those that files are generated in; a sentence tells each from others.
var encodings = []struct {
	name, mark, tell string
	enc              encoding.Encoding
}{
	{"utf-8", "", "ñandú €", encoding.Nop},
	{"utf-8-bom", "\xef\xbb\xbf", "", encoding.Nop},
	{"utf-16le", "\xff\xfe", "", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)},
	{"utf-16be", "\xfe\xff", "", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)},
	{"windows-1252", "", "El niño comió piñas en Málaga; ¿qué más quería?", charmap.Windows1252},
}

// drawText draws a text in one of the encodings, with one or mixed line ends, and
// returns how to encode a text as the file is.
func drawText(t *rapid.T) (string, func(string) []byte) {
	e := encodings[rapid.IntRange(0, len(encodings)-1).Draw(t, "encoding")]
	ends := rapid.SampledFrom([][]string{{"\n"}, {"\r\n"}, {"\n", "\r\n"}, {"\r\n", "\r\n", "\n"}}).Draw(t, "ends")
	var sb strings.Builder
	sb.WriteString(e.tell)
	for range rapid.IntRange(0, 12).Draw(t, "lines") {
		sb.WriteString(rapid.StringMatching(`[abñ \r]{0,6}`).Draw(t, "line"))
		sb.WriteString(rapid.SampledFrom(ends).Draw(t, "end"))
	}
	sb.WriteString(rapid.StringMatching(`[abñ]{0,3}`).Draw(t, "last"))
	encode := func(s string) []byte {
		b, err := e.enc.NewEncoder().Bytes([]byte(s))
		if err != nil {
			t.Fatalf("%s: %v", e.name, err)
		}
		return append([]byte(e.mark), b...)
	}
	return sb.String(), encode
}

// chunked gives few bytes at a time.
type chunked struct {
	r io.Reader
	n int
}

func (c chunked) Read(b []byte) (int, error) { return c.r.Read(b[:min(len(b), c.n)]) }

// W-30: replace_text does what strings.Replace and regexp do in memory, in any encoding
// and with any line ends, and every other byte stays.
func TestReplaceTextReference(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		s, encode := drawText(t)
		a := ReplaceArgs{Path: "a.txt", Search: rapid.StringMatching(`[abñ]{1,2}(\n[ab]?)?`).Draw(t, "search"), Replace: rapid.StringMatching(`[abñx]{0,2}(\n[x]?)?`).Draw(t, "replace")}
		if a.Regexp = rapid.Bool().Draw(t, "regexp"); a.Regexp {
			a.Search = rapid.SampledFrom([]string{`a+`, `^`, `$`, `(a)(b)?`, `ñ*`, `\bb`, `[^b]$`}).Draw(t, "pattern")
			a.Replace = rapid.SampledFrom([]string{"x", "$1-$2", "<$0>", "", "y\nz"}).Draw(t, "template")
		}
		want, hits := replaced(s, a)
		raw := encode(s)
		st, err := text.OpenStream(ctx, formats.FromBytes("a.txt", raw))
		require.NoError(t, err)
		r, err := newReplacer(a)
		require.NoError(t, err)
		f := longFile{workshop.Entry{Path: "a.txt"}, st, ctx}
		found, err := r.survey(f, a)
		if hits == 0 {
			require.ErrorContains(t, err, "was not found in a.txt")
			return
		}
		require.NoError(t, err)
		require.Equal(t, hits, found.hits)
		var out bytes.Buffer
		w := st.Writer(&out)
		require.NoError(t, r.replace(chunked{f.text(), rapid.IntRange(1, 7).Draw(t, "chunk")}, w, &hitsNone))
		require.NoError(t, w.Close())
		require.Equal(t, encode(want), out.Bytes(), "%q %+v", s, a)
	})
}

var hitsNone hits

// replaced is replace_text in memory.
func replaced(s string, a ReplaceArgs) (string, int) {
	with := a.Replace
	if usesCRLF(s) {
		with = withCRLF(with)
	}
	if !a.Regexp {
		find := a.Search
		if !strings.Contains(s, find) && usesCRLF(s) {
			find = withCRLF(find)
		}
		return strings.ReplaceAll(s, find, with), strings.Count(s, find)
	}
	re := regexp.MustCompile(a.Search)
	n := 0
	var sb strings.Builder
	for line := range strings.SplitAfterSeq(s, "\n") {
		if line == "" {
			continue
		}
		body := strings.TrimSuffix(line, "\n")
		if body != line {
			body = strings.TrimSuffix(body, "\r")
		}
		n += len(re.FindAllStringIndex(body, -1))
		sb.WriteString(re.ReplaceAllString(body, with) + line[len(body):])
	}
	return sb.String(), n
}

// What a tool could not write back as it was is refused, as is what the encoding
// of the file lacks.
func TestStreamsRefuse(t *testing.T) {
	ctx := context.Background()
	for name, raw := range map[string]string{
		"half a surrogate": "\xff\xfea\x00\x00\xd8b\x00",
		"odd":              "\xff\xfea\x00b",
	} {
		_, err := text.OpenStream(ctx, formats.FromBytes("a.txt", []byte(raw)))
		require.ErrorContains(t, err, "is damaged", name)
	}
	st, err := text.OpenStream(ctx, formats.FromBytes("a.txt", []byte("ma\xf1ana por la ma\xf1ana en Espa\xf1a")))
	require.NoError(t, err)
	require.Equal(t, "windows-1252", st.Encoding())
	w := st.Writer(io.Discard)
	_, err = io.WriteString(w, "日本")
	require.ErrorContains(t, err, "lacks a character of the new text")
}

// lineSource is a text of so many bytes that takes no memory.
type lineSource struct{ size int64 }

func (g lineSource) ReadAt(b []byte, off int64) (int, error) {
	n := int(min(int64(len(b)), g.size-off))
	for done := 0; done < n; {
		done += copy(b[done:n], sourceLine[(off+int64(done))%int64(len(sourceLine)):])
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

const sourceLine = "the quick brown fox jumps over the lazy dog, and nothing else happens here today, or so it seemed.\r\n"

func (g lineSource) Size() int64  { return g.size }
func (g lineSource) Hash() string { return "lines" }
func (g lineSource) Name() string { return "a.txt" }

// A text of 200 MB is rewritten in flat memory.
func TestReplaceTextIsFlat(t *testing.T) {
	campaign.Slow(t)
	ctx := context.Background()
	st, err := text.OpenStream(ctx, lineSource{200 << 20})
	require.NoError(t, err)
	f := longFile{workshop.Entry{Path: "a.txt"}, st, ctx}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for _, a := range []ReplaceArgs{{Search: "fox jumps", Replace: "cat"}, {Search: `q\w+k`, Replace: "slow", Regexp: true}} {
		r, err := newReplacer(a)
		require.NoError(t, err)
		found, err := r.survey(f, a)
		require.NoError(t, err)
		require.InDelta(t, (200<<20)/100, found.hits, 50_000)
		require.NoError(t, r.replace(f.text(), st.Writer(io.Discard), &hits{}))
	}
	runtime.ReadMemStats(&after)
	require.Less(t, after.HeapSys, before.HeapSys+32<<20)
}
