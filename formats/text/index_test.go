package text

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/internal/campaign"
)

// A window of a large file is the same with and without the index.
func TestIndexedWindows(t *testing.T) {
	var sb strings.Builder
	for i := 0; sb.Len() < indexFrom+100; i++ {
		fmt.Fprintf(&sb, "línea %d%s\n", i+1, strings.Repeat(" x", i*i%97))
	}
	latin, err := cp1252.enc.NewEncoder().String(sb.String())
	require.NoError(t, err)
	for _, s := range []string{sb.String(), sb.String() + "last", "\xef\xbb\xbf" + sb.String(), latin + strings.Repeat("a\xf1o\n", 200_000), strings.Repeat("\n", indexFrom+7), strings.Repeat("x", indexFrom) + "\ny"} {
		src := formats.FromBytes("a.txt", []byte(s))
		ix, err := indexOf(context.Background(), src)
		require.NoError(t, err)
		require.NotNil(t, ix)
		cs, err := detectCharset(context.Background(), src)
		require.NoError(t, err)
		b, err := cs.enc2(s[cs.bom:])
		require.NoError(t, err)
		lines := linesOf(b)
		require.Equal(t, len(lines), ix.lines)
		rapid.Check(t, func(t *rapid.T) {
			start := rapid.IntRange(1, len(lines)+2).Draw(t, "start")
			got, err := Format().Reader.Read(context.Background(), src, formats.Selector{LineStart: &start, LineCount: num(3)})
			require.NoError(t, err)
			if start > len(lines) {
				require.Empty(t, got.Text)
				require.Contains(t, got.Notes[0], "past its end")
				return
			}
			end := min(start+2, len(lines))
			if want := b[lines[start-1].start:lines[end-1].next]; len(want) <= MaxWhole {
				require.Equal(t, want, got.Text)
				require.Equal(t, fmt.Sprintf("%d-%d", start, end), got.Chunk.Range)
				require.Equal(t, end < len(lines), got.Chunk.HasMore)
			} else {
				require.Contains(t, got.Notes[0], "was cut")
			}
		})
	}
}

// enc2 decodes a text in this encoding.
func (cs charset) enc2(s string) (string, error) {
	if cs.enc == nil {
		return s, nil
	}
	return cs.enc.NewDecoder().String(s)
}

// gigabytes is a file of lines of 100 bytes that takes no memory.
type gigabytes struct{ size int64 }

func (g gigabytes) ReadAt(b []byte, off int64) (int, error) {
	for i := range b {
		b[i] = 'x'
		if (off+int64(i))%100 == 99 {
			b[i] = '\n'
		}
	}
	return len(b), nil
}
func (g gigabytes) Size() int64  { return g.size }
func (g gigabytes) Hash() string { return "gigabytes" }
func (g gigabytes) Name() string { return "big.log" }

// A file of gigabytes is read by windows in flat memory, the first time by
// going through it once, then at once.
func TestGigabytes(t *testing.T) {
	campaign.Slow(t)
	if testing.Short() {
		t.Skip("makes a large file: left out with -short")
	}
	size, start := int64(3)<<30, 20_000_000
	if campaign.Small() {
		size, start = size/4, start/4
	}
	src := gigabytes{size}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range 2 {
		began := time.Now()
		got, err := Format().Reader.Read(context.Background(), src, formats.Selector{LineStart: &start, LineCount: num(2)})
		require.NoError(t, err)
		require.Len(t, got.Text, 200)
		require.Equal(t, fmt.Sprintf("%d-%d", start, start+1), got.Chunk.Range)
		if i == 1 {
			require.Less(t, time.Since(began), 2*time.Second)
		}
	}
	runtime.ReadMemStats(&after)
	require.Less(t, after.HeapSys, before.HeapSys+64<<20)
}
