package doctext

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats"
	"atelier/formats/all"
	"atelier/formats/formatstest"
	"atelier/formats/pptx"
)

var ctx = context.Background()

var set = sync.OnceValue(func() *formats.Set { return all.Formats(all.Options{CacheDir: formatstest.Cache}) })

// check asserts the promises of Doc: parts are in order, without gaps, and
// cover every line.
func check(t *testing.T, d Doc) {
	t.Helper()
	lines := strings.Count(d.Text, "\n")
	next := 1
	for _, p := range d.Parts {
		require.Equal(t, next, p.Start, "%+v", d.Parts)
		require.GreaterOrEqual(t, p.End, p.Start)
		next = p.End + 1
	}
	if len(d.Parts) > 0 {
		require.Equal(t, lines, next-1)
	}
}

// B9-05, F-30: every document of testdata and the corpus gives text with
// valid parts, or a typed error.
func TestDocumentsOfAllKinds(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../../testdata/documents/*", "../../testdata/bad/*"} {
		m, err := filepath.Glob(pattern)
		require.NoError(t, err)
		files = append(files, m...)
	}
	files = append(files, formatstest.CorpusFiles(t, "*/*")...)
	good := 0 // files that are not meant to fail
	if testing.Short() {
		files = files[:min(len(files), 40)]
	}
	withText := 0
	for _, path := range files {
		if !strings.Contains(path, "bad") {
			good++
		}
		src, err := formats.OpenFile(path)
		require.NoError(t, err)
		d, err := Document(ctx, set(), src)
		src.Close()
		if err != nil {
			require.NotEmpty(t, formats.CodeOf(err), "%s: %v", path, err)
			continue
		}
		check(t, d)
		if d.Text != "" {
			withText++
		}
		if d.Kind != formats.KindText && d.Text != "" {
			require.NotEmpty(t, d.Parts, path)
		}
	}
	require.Greater(t, withText, good/2)
}

func TestDocumentParts(t *testing.T) {
	read := func(name string) Doc {
		src, err := formats.OpenFile("../../testdata/documents/" + name)
		require.NoError(t, err)
		defer src.Close()
		d, err := Document(ctx, set(), src)
		require.NoError(t, err)
		check(t, d)
		return d
	}
	deck := read("presentacion.pptx")
	require.Equal(t, "slide", deck.Parts[0].Kind)
	require.Equal(t, "1", deck.Parts[0].Name)
	require.Contains(t, strings.Split(deck.Text, "\n")[deck.Parts[1].Start-1], "# Slide 2")
	book := read("sales.xlsx")
	require.Equal(t, "sheet", book.Parts[0].Kind)
	require.True(t, strings.HasPrefix(book.Text, "Sheet: "+book.Parts[0].Name+"\n"))
	require.Equal(t, "section", read("contrato.docx").Parts[0].Kind)
	require.Empty(t, read("notas.md").Parts)
}

// A deck is read to its last slide, although its reader has no windows.
func TestDocumentOfALongDeck(t *testing.T) {
	const slides = 120
	var ops []json.RawMessage
	for i := 1; i <= slides; i++ {
		ops = append(ops, json.RawMessage(fmt.Sprintf(`{"op":"add_slide","title":"slide-%d","body":%q}`, i, strings.Repeat("words of a long body ", 100))))
	}
	var buf bytes.Buffer
	_, err := pptx.Format().Editor.Apply(ctx, nil, &buf, ops, formats.ApplyOptions{})
	require.NoError(t, err)
	d, err := Document(ctx, set(), formats.FromBytes("long.pptx", buf.Bytes()))
	require.NoError(t, err)
	check(t, d)
	require.False(t, d.Cut)
	require.Len(t, d.Parts, slides)
	for i, p := range d.Parts {
		require.Equal(t, fmt.Sprintf("slide-%d", i+1), strings.Split(d.Text, "\n")[p.Start])
	}
}

// A workbook longer than one read is read to its end, each row once.
func TestDocumentOfALongWorkbook(t *testing.T) {
	f := excelize.NewFile()
	require.NoError(t, f.SetSheetName("Sheet1", "It's long"))
	w, err := f.NewStreamWriter("It's long")
	require.NoError(t, err)
	const rows = 60_000
	for i := 1; i <= rows; i++ {
		require.NoError(t, w.SetRow(fmt.Sprintf("A%d", i), []any{fmt.Sprintf("row-%d", i), "some words to make it longer, " + strings.Repeat("x", 60), i}))
	}
	require.NoError(t, w.Flush())
	_, err = f.NewSheet("Next")
	require.NoError(t, err)
	require.NoError(t, f.SetCellValue("Next", "A1", "behind"))
	var buf bytes.Buffer
	require.NoError(t, f.Write(&buf))
	d, err := Document(ctx, set(), formats.FromBytes("long.xlsx", buf.Bytes()))
	require.NoError(t, err)
	check(t, d)
	require.False(t, d.Cut)
	for _, i := range []int{1, 2, rows / 2, rows - 1, rows} {
		require.Equal(t, 1, strings.Count(d.Text, fmt.Sprintf("\nA%d: row-%d,", i, i)), i)
	}
	require.Equal(t, rows, strings.Count(d.Text, "row-"))
	require.True(t, strings.HasSuffix(d.Text, "\nSheet: Next\nA1: behind\n"))
}

// Memory is bounded: Cut is set for a document with more than MaxText.
func TestDocumentIsBounded(t *testing.T) {
	d, err := Document(ctx, set(), formats.FromBytes("big.txt", bytes.Repeat([]byte("one line of text\n"), MaxText/10)))
	require.NoError(t, err)
	require.True(t, d.Cut)
	require.LessOrEqual(t, len(d.Text), MaxText)
	require.True(t, strings.HasSuffix(d.Text, "text\n"))
}

// countingSource counts reads.
type countingSource struct {
	formats.Source
	reads *atomic.Int64
}

func (s countingSource) ReadAt(b []byte, off int64) (int, error) {
	s.reads.Add(1)
	return s.Source.ReadAt(b, off)
}

// C-24: the same content is extracted once for any number of concurrent
// requests.
func TestCacheExtractsOnce(t *testing.T) {
	b, err := os.ReadFile("../../testdata/documents/contrato.docx")
	require.NoError(t, err)
	c := NewCache(set(), CacheOptions{})
	var reads atomic.Int64
	src := countingSource{formats.FromBytes("a.docx", b), &reads}
	first, err := c.Text(ctx, src)
	require.NoError(t, err)
	once := reads.Load()
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			again, err := c.Text(ctx, src)
			if err != nil || again != first {
				t.Errorf("different: %v", err)
			}
		})
	}
	wg.Wait()
	require.Equal(t, once, reads.Load())

	// An error of the document is cached, a cancelled extraction is not.
	bad := countingSource{formats.FromBytes("bad.docx", []byte("no zip")), &reads}
	_, err = c.Text(ctx, bad)
	require.Error(t, err)
	once = reads.Load()
	_, err = c.Text(ctx, bad)
	require.Error(t, err)
	require.Equal(t, once, reads.Load())
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	other := formats.FromBytes("b.docx", append(bytes.Clone(b), 0))
	_, err = c.Text(cancelled, other)
	require.Error(t, err)
	_, err = c.Text(ctx, other)
	require.NoError(t, err)
}

// The cache stays within its limit and keeps the most recent texts.
func TestCacheIsBounded(t *testing.T) {
	c := NewCache(set(), CacheOptions{Bytes: 10_000})
	for i := range 50 { // text under an unknown extension is cached too
		_, err := c.Text(ctx, formats.FromBytes("a.unknown", fmt.Appendf(nil, "%d %s", i, strings.Repeat("x", 1000))))
		require.NoError(t, err)
	}
	require.LessOrEqual(t, c.bytes, 10_000)
	require.Equal(t, c.used.Len(), len(c.byKey))
	require.Less(t, c.used.Len(), 10)
	require.NotZero(t, c.used.Len())
}

// Texts survive the process; a damaged file is extracted again.
func TestCacheOnDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "texts")
	b, err := os.ReadFile("../../testdata/documents/contrato.docx")
	require.NoError(t, err)
	var reads atomic.Int64
	src := countingSource{formats.FromBytes("a.docx", b), &reads}
	first, err := NewCache(set(), CacheOptions{Dir: dir}).Document(ctx, src)
	require.NoError(t, err)
	once := reads.Load()
	again, err := NewCache(set(), CacheOptions{Dir: dir}).Document(ctx, src)
	require.NoError(t, err)
	require.Equal(t, first, again)
	require.Equal(t, once, reads.Load(), "read from the cache, not from the document")
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	for _, damaged := range [][]byte{{}, []byte("garbage"), bytes.Repeat([]byte{0}, 1000)} {
		require.NoError(t, os.WriteFile(files[0], damaged, 0o600))
		again, err = NewCache(set(), CacheOptions{Dir: dir}).Document(ctx, src)
		require.NoError(t, err)
		require.Equal(t, first, again)
	}
}

// The folder stays within its limit.
func TestCacheOnDiskIsBounded(t *testing.T) {
	dir := t.TempDir()
	c := NewCache(set(), CacheOptions{Dir: dir, DirBytes: 20_000})
	for i := range 100 {
		noise := make([]byte, 500)
		for j := range noise { // does not compress
			noise[j] = byte('!' + (i*7919+j*j*31)%90)
		}
		_, err := c.Text(ctx, formats.FromBytes("a.unknown", append(noise, fmt.Sprint(i)...)))
		require.NoError(t, err)
	}
	var size int64
	require.NoError(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if st, serr := e.Info(); err == nil && serr == nil && !e.IsDir() {
			size += st.Size()
		}
		return err
	}))
	require.LessOrEqual(t, size, int64(20_000))
	require.NotZero(t, size)
}

// A search with a deadline gets the cached texts and gets further the next
// time.
func TestCacheWithin(t *testing.T) {
	b, err := os.ReadFile("../../testdata/documents/contrato.docx")
	require.NoError(t, err)
	c := NewCache(set(), CacheOptions{})
	src := formats.FromBytes("a.docx", b)
	_, err = c.Within(-time.Second)(ctx, src)
	require.ErrorContains(t, err, "search again")
	_, err = c.Within(time.Minute)(ctx, src)
	require.NoError(t, err)
	_, err = c.Within(-time.Second)(ctx, src)
	require.NoError(t, err, "kept")
}
