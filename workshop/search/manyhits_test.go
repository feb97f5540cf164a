package search

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// looks is a context that ends after Err was called this many times.
type looks struct {
	context.Context
	left int
}

func (l *looks) Err() error {
	if l.left--; l.left < 0 {
		return context.Canceled
	}
	return nil
}

// The scan of a block checks its context for each line, because a pattern may
// take long for one line.
func TestScanLooksAtItsContext(t *testing.T) {
	m, err := compilePattern("a", false)
	require.NoError(t, err)
	s := &scanner{matcher: m}
	text := strings.Repeat("a\n", 300_000) // within one block
	hits, _, err := s.scan(&looks{ctx, 1 << 30}, strings.NewReader(text), int64(len(text)))
	require.NoError(t, err)
	require.Greater(t, len(hits), 100_000)
	_, _, err = s.scan(&looks{ctx, 1000}, strings.NewReader(text), int64(len(text)))
	require.ErrorIs(t, err, context.Canceled)
	g := &grep{}
	s.before = 1
	_, err = g.withContext(&looks{ctx, 1000}, s, strings.NewReader(text), int64(len(text)), "a", hits)
	require.ErrorIs(t, err, context.Canceled)
}

// counted counts the bytes that are read.
type counted struct {
	io.ReaderAt
	n int
}

func (c *counted) ReadAt(b []byte, at int64) (int, error) {
	c.n += len(b)
	return c.ReaderAt.ReadAt(b, at)
}

// The context lines of a hit cost reads of their own length, not of a whole
// window.
func TestContextLinesReadLittle(t *testing.T) {
	text := strings.Repeat("hit\n", 100_000)
	m, err := compilePattern("hit", true)
	require.NoError(t, err)
	s := &scanner{matcher: m, before: 2, after: 2, max: 1000}
	hits, _, err := s.scan(ctx, strings.NewReader(text), int64(len(text)))
	require.NoError(t, err)
	r := &counted{ReaderAt: strings.NewReader(text)}
	ms, err := (&grep{}).withContext(ctx, s, r, int64(len(text)), "a", hits)
	require.NoError(t, err)
	require.Len(t, ms, 1000)
	require.Equal(t, []string{"hit", "hit"}, ms[500].Before)
	require.Equal(t, []string{"hit", "hit"}, ms[500].After)
	require.LessOrEqual(t, r.n, 1000*2*contextStep)

	// Up to the window where lines are long.
	text = strings.Repeat("x", 20_000) + "\n" + strings.Repeat("y", 20_000) + "\nhit\n" + strings.Repeat("z", 20_000) + "\nend\n"
	got, err := Grep(ctx, memory{"a": text}, GrepOptions{Pattern: "hit", Before: 2, After: 2})
	require.NoError(t, err)
	require.Len(t, got.Matches[0].Before, 2)
	require.Len(t, got.Matches[0].After, 2)
	require.Equal(t, "end", got.Matches[0].After[1])
}

// The memory of matches of short lines is limited, not only the bytes of
// their text.
func TestGrepBoundsShortMatches(t *testing.T) {
	got, err := Grep(ctx, memory{"a": strings.Repeat("a\n", 1<<20)}, GrepOptions{Pattern: "a"})
	require.NoError(t, err)
	require.True(t, got.Limited)
	require.LessOrEqual(t, len(got.Matches), MaxMatchBytes/matchSize)
}
