package preview_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/campaign"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/all"
	"atelier/formats/formatstest"
	"atelier/formats/preview"
	"atelier/internal/need"
)

var (
	ctx = context.Background()
	set = all.Formats(all.Options{CacheDir: formatstest.Cache})
)

func document(t *testing.T, name string) formats.Source {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(formatstest.Root(t), "testdata", "documents", name))
	require.NoError(t, err)
	return formats.FromBytes(name, b)
}

func picture(t *testing.T, b []byte) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(b))
	require.NoError(t, err)
	return img
}

// dark counts the pixels that are written on.
func dark(img image.Image) (n int) {
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if color.GrayModel.Convert(img.At(x, y)).(color.Gray).Y < 128 {
				n++
			}
		}
	}
	return n
}

// RV-04: office files come through LibreOffice, once for each content.
func TestRV04Office(t *testing.T) {
	campaign.Slow(t)
	need.Program(t, "soffice", need.LibreOffice)
	dir := t.TempDir()
	m := preview.New(set, preview.Options{CacheDir: dir})
	for _, name := range []string{"contrato.docx", "sales.xlsx", "presentacion.pptx"} {
		src := document(t, name)
		p, err := m.Page(ctx, src, preview.Request{})
		require.NoError(t, err, name)
		require.Equal(t, preview.ByLibreOffice, p.Rendering, p.Note)
		require.Positive(t, p.Count)
		require.Greater(t, dark(picture(t, p.PNG)), 100, "%s: the page is blank", name)
		_, err = m.Page(ctx, src, preview.Request{Page: p.Count})
		require.Equal(t, formats.CodeNotFound, formats.CodeOf(err))
	}
	kept, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Len(t, kept, 3, "one pdf each and nothing of the conversions")

	// Cached files are used: a Maker that may not convert finds them.
	old, err := os.Stat(kept[0])
	require.NoError(t, err)
	_, err = m.Page(ctx, document(t, "contrato.docx"), preview.Request{Scale: 0.25})
	require.NoError(t, err)
	again, err := os.Stat(kept[0])
	require.NoError(t, err)
	require.True(t, os.SameFile(old, again))

	n, size, err := m.Clear(true)
	require.NoError(t, err)
	require.Equal(t, 3, n)
	require.Positive(t, size)
	n, _, err = m.Clear(false)
	require.NoError(t, err)
	require.Equal(t, 3, n)
	left, _, err := m.Clear(true)
	require.NoError(t, err)
	require.Zero(t, left)
}

// RV-04: a full cache removes the least recently used file; without a cache
// folder nothing is left.
func TestRV04CacheIsBounded(t *testing.T) {
	campaign.Slow(t)
	need.Program(t, "soffice", need.LibreOffice)
	dir := t.TempDir()
	m := preview.New(set, preview.Options{CacheDir: dir, CacheBytes: 1})
	for _, name := range []string{"contrato.docx", "sales.xlsx"} {
		_, err := m.Page(ctx, document(t, name), preview.Request{})
		require.NoError(t, err)
	}
	n, _, err := m.Clear(true)
	require.NoError(t, err)
	require.Equal(t, 1, n)

	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	m = preview.New(set, preview.Options{})
	p, err := m.Page(ctx, document(t, "presentacion.pptx"), preview.Request{})
	require.NoError(t, err)
	require.Equal(t, preview.ByLibreOffice, p.Rendering)
	left, err := filepath.Glob(filepath.Join(temp, "atelier-preview-*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// RV-04: without LibreOffice, and where it cannot read a file, the text is
// drawn and the note says why.
func TestRV04PlainText(t *testing.T) {
	m := preview.New(set, preview.Options{NoLibreOffice: true})
	for _, name := range []string{"contrato.docx", "sales.xlsx", "presentacion.pptx"} {
		p, err := m.Page(ctx, document(t, name), preview.Request{})
		require.NoError(t, err, name)
		require.Equal(t, preview.ByText, p.Rendering)
		require.Contains(t, p.Note, "plain text view: LibreOffice is not installed")
		require.Greater(t, dark(picture(t, p.PNG)), 100, name)
	}
	_, err := m.Page(ctx, formats.FromBytes("x.docx", []byte("PK nonsense")), preview.Request{})
	require.NotEmpty(t, formats.CodeOf(err))
	_, err = m.Page(ctx, formats.FromBytes("x.bin", []byte{0, 1, 2}), preview.Request{})
	require.Equal(t, formats.CodeUnsupported, formats.CodeOf(err))
	p, err := m.Page(ctx, formats.FromBytes("logo.svg", []byte(`<svg width="2" height="1"/>`)), preview.Request{})
	require.NoError(t, err)
	require.Equal(t, preview.ByText, p.Rendering)
}

// RV-04: text files fill as many pages as they need; long lines wrap; what the
// font lacks is counted.
func TestRV04TextPages(t *testing.T) {
	m := preview.New(set, preview.Options{})
	long := formats.FromBytes("long.txt", []byte(strings.Repeat("word ", 4000)+"\n"+strings.Repeat("x", 5000)))
	p, err := m.Page(ctx, long, preview.Request{Scale: 0.5})
	require.NoError(t, err)
	require.Greater(t, p.Count, 3)
	require.Empty(t, p.Note, "a text file is text; there is nothing to say")
	require.Equal(t, image.Pt(297, 421), picture(t, p.PNG).Bounds().Size())
	last, err := m.Page(ctx, long, preview.Request{Page: p.Count - 1})
	require.NoError(t, err)
	require.Equal(t, p.Count-1, last.Index)
	require.Positive(t, dark(picture(t, last.PNG)))
	_, err = m.Page(ctx, long, preview.Request{Page: p.Count})
	require.Equal(t, formats.CodeNotFound, formats.CodeOf(err))
	p, err = m.Page(ctx, formats.FromBytes("cjk.txt", []byte("文書")), preview.Request{})
	require.NoError(t, err)
	require.Contains(t, p.Note, "2 characters")
	p, err = m.Page(ctx, formats.FromBytes("none.txt", nil), preview.Request{})
	require.NoError(t, err)
	require.Equal(t, 1, p.Count)
	big, err := m.Page(ctx, formats.FromBytes("big.txt", bytes.Repeat([]byte("line\n"), 1<<20)), preview.Request{})
	require.NoError(t, err)
	require.Contains(t, big.Note, "first 2 MiB")
}

// RV-04: images are scaled; one too large to be decoded is refused before it
// takes memory.
func TestRV04Images(t *testing.T) {
	m := preview.New(set, preview.Options{})
	img := image.NewPaletted(image.Rect(0, 0, 400, 100), color.Palette{color.White, color.Black})
	var b bytes.Buffer
	require.NoError(t, gif.Encode(&b, img, nil))
	p, err := m.Page(ctx, formats.FromBytes("a.gif", b.Bytes()), preview.Request{Scale: 0.25})
	require.NoError(t, err)
	require.Equal(t, image.Pt(100, 25), picture(t, p.PNG).Bounds().Size())
	require.False(t, p.ScaledDown)
	b.Reset()
	require.NoError(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 4000, 3000))))
	p, err = m.Page(ctx, formats.FromBytes("b.png", b.Bytes()), preview.Request{Scale: 2})
	require.NoError(t, err)
	require.True(t, p.ScaledDown)
	_, err = m.Page(ctx, formats.FromBytes("b.png", b.Bytes()), preview.Request{Page: 1})
	require.Equal(t, formats.CodeNotFound, formats.CodeOf(err))
	huge := append([]byte(nil), b.Bytes()[:33]...)
	copy(huge[16:], []byte{0, 1, 0x86, 0xa0, 0, 1, 0x86, 0xa0}) // 100,000 × 100,000
	binary.BigEndian.PutUint32(huge[29:], crc32.ChecksumIEEE(huge[12:29]))
	_, err = m.Page(ctx, formats.FromBytes("c.png", huge), preview.Request{})
	require.Equal(t, formats.CodeTooLarge, formats.CodeOf(err), "%v", err)
}

// RV-04: wrong pages and scales are named.
func TestRV04BadRequests(t *testing.T) {
	m := preview.New(set, preview.Options{})
	src := formats.FromBytes("a.txt", []byte("x"))
	for _, r := range []preview.Request{{Scale: 0.1}, {Scale: 3}, {Scale: -1}, {Page: -1}, {Page: 1}} {
		_, err := m.Page(ctx, src, r)
		require.NotEmpty(t, formats.CodeOf(err), "%+v", r)
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	_, err := m.Page(done, document(t, "contrato.docx"), preview.Request{})
	require.ErrorIs(t, err, context.Canceled)
}

// LibreOffice that the system has killed says nothing about the document: the next call
// draws it.
func TestKilledLibreOfficeIsTriedAgain(t *testing.T) {
	office := need.Program(t, "soffice", need.LibreOffice)
	bin := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\nif mkdir %[1]s/once 2>/dev/null; then sh -c 'kill -9 $$'; exit $?; fi\nexec %[2]s \"$@\"\n", bin, office)
	require.NoError(t, os.WriteFile(filepath.Join(bin, "soffice"), []byte(script), 0o755))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	src, err := formats.OpenFile("../../testdata/documents/contrato.docx")
	require.NoError(t, err)
	defer src.Close()
	m := preview.New(set, preview.Options{CacheDir: t.TempDir()})
	page, err := m.Page(t.Context(), src, preview.Request{})
	require.NoError(t, err)
	require.Contains(t, page.Note, "plain text view: LibreOffice was killed, as the system does when memory is short")
	page, err = m.Page(t.Context(), src, preview.Request{})
	require.NoError(t, err)
	require.Equal(t, "libreoffice", page.Rendering)
}
