package pdf

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/internal/campaign"
)

// countedSource counts the bytes that are read of a file.
type countedSource struct {
	formats.Source
	bytes atomic.Int64
}

func (c *countedSource) ReadAt(b []byte, off int64) (int, error) {
	c.bytes.Add(int64(len(b)))
	return c.Source.ReadAt(b, off)
}

// Every real PDF reads the same in one, page by page and again, whatever was
// read before; and the map of a document that is open is that of a new one.
func TestReadsInAnyOrder(t *testing.T) {
	fresh := func() *formats.Format { return Format(Options{CacheDir: formatstest.Cache}) }
	f, alone := fresh(), fresh()
	t.Cleanup(func() { endIdle(f); endIdle(alone) })
	paths := formatstest.Corpus(t, "pdf")
	if testing.Short() {
		paths = paths[:min(len(paths), 8)]
	}
	seen := 0
	for i, path := range paths {
		if campaign.Leaves(i, 3) {
			continue
		}
		b, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		src := formats.FromBytes(filepath.Base(path), b)
		whole, err := alone.Reader.Read(t.Context(), src, formats.Selector{AsShown: true})
		if err != nil {
			continue
		}
		count := pagesKept(alone, src)
		if count > 30 {
			continue
		}
		order := make([]int, count)
		for p := range order {
			order[p] = p
			if i%2 == 1 { // the last page first
				order[p] = count - 1 - p
			}
		}
		got := make([]string, count)
		for _, p := range order {
			text, err := f.Reader.Read(t.Context(), src, formats.Selector{Pages: fmt.Sprint(p + 1), AsShown: true})
			require.NoError(t, err, path)
			got[p] = text.Text
		}
		require.Equal(t, whole.Text, strings.Join(got, "\n"), path)
		again, err := f.Reader.Read(t.Context(), src, formats.Selector{AsShown: true})
		require.NoError(t, err)
		require.Equal(t, whole, again, path)
		open, err := f.Mapper.Map(t.Context(), src, formats.MapOptions{})
		require.NoError(t, err)
		endIdle(alone)
		other, err := alone.Mapper.Map(t.Context(), src, formats.MapOptions{})
		require.NoError(t, err)
		require.Equal(t, other, open, path)
		seen++
	}
	require.Greater(t, seen, 5)
}

func pagesKept(f *formats.Format, src formats.Source) int {
	r := f.Reader.(*format).reading(src)
	return r.count
}

// What a search has read, a read does not read again, and the other way round.
func TestSearchAndReadShareTheirPages(t *testing.T) {
	f := limited(t, time.Minute)
	src := &countedSource{Source: formats.FromBytes("a.pdf", numbered(12))}
	search := func() (parts []string) {
		require.NoError(t, f.Reader.(formats.Parter).Parts(t.Context(), src, func(p formats.Part) error {
			parts = append(parts, p.Name+" "+p.Text)
			return nil
		}))
		return parts
	}
	text, err := f.Reader.Read(t.Context(), src, formats.Selector{Pages: "3-4"})
	require.NoError(t, err)
	first := search()
	require.Len(t, first, 12)
	endIdle(f)
	before := src.bytes.Load()
	again, err := f.Reader.Read(t.Context(), src, formats.Selector{Pages: "3-4"})
	require.NoError(t, err)
	require.Equal(t, text, again)
	require.Equal(t, first, search())
	_, err = f.Reader.Read(t.Context(), src, formats.Selector{})
	require.NoError(t, err)
	require.Equal(t, before, src.bytes.Load(), "nothing is read of the file")
	_, err = f.Reader.Read(t.Context(), src, formats.Selector{Pages: "13"})
	require.Equal(t, formats.CodeInvalid, formats.CodeOf(err))
	_, err = f.Reader.Read(t.Context(), &countedSource{Source: formats.FromBytes("a.pdf", numbered(13))}, formats.Selector{Pages: "13"})
	require.NoError(t, err, "other content")
}

// A read of some pages does not read the rest.
func TestOnePageWithoutTheRest(t *testing.T) {
	f := limited(t, time.Minute)
	src := formats.FromBytes("a.pdf", numbered(50))
	text, err := formats.ReadFitting(t.Context(), f.Reader, src, formats.Selector{Pages: "40-50", Limit: formats.TextLimit{Whole: 60, Part: 60}})
	require.NoError(t, err)
	require.NotNil(t, text.Chunk)
	require.True(t, text.Chunk.HasMore)
	r := f.Reader.(*format).reading(src)
	require.Equal(t, 50, r.count)
	kept := 0
	for p := range r.count {
		if r.kept(p) != nil {
			kept++
		}
	}
	require.InDelta(t, 4, kept, 3)
}

// What is kept has a limit: the least recently used document goes first, and a
// document longer than the limit is kept in part.
func TestPagesKeptAreBounded(t *testing.T) {
	c := newPageCache()
	c.max = 10_000
	page := func(n int) *pageRead { return &pageRead{Page: n, Text: strings.Repeat("x", 800)} }
	for doc := range 5 {
		for n := range 4 {
			c.add(fmt.Sprint("doc", doc), 4, page(n))
			require.LessOrEqual(t, c.bytes, c.max)
		}
	}
	count, p := c.find("doc4", 3)
	require.Equal(t, 4, count)
	require.NotNil(t, p)
	_, p = c.find("doc0", 3)
	require.Nil(t, p)
	for n := range 50 {
		c.add("long", 50, page(n))
		require.LessOrEqual(t, c.bytes, c.max)
	}
	_, p = c.find("long", 0)
	require.NotNil(t, p)
	_, p = c.find("long", 49)
	require.Nil(t, p)
	require.Len(t, c.docs, 1)
	require.Equal(t, 1, c.used.Len())
}
