package formats_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"

	"atelier/formats"
)

// W-32: content that is plain text is text under every name that does not promise
// another kind.
func TestW32TextByContent(t *testing.T) {
	names := strings.Fields(`a.cs a.tsx a.jsx a.kt a.swift a.scala a.php a.pl a.lua a.r a.m a.mm a.vb a.fs a.clj a.ex a.erl a.hs a.dart a.zig
		a.vue a.svelte a.scss a.less a.tex a.bib a.rst a.adoc a.org a.rtf a.eml a.ics a.vcf a.tf a.proto a.graphql a.gradle a.cmake a.mk a.bat a.ps1
		a.diff a.patch a.lock a.cfg a.conf a.env a.svelte a.hpp a.cc a.cxx a.asm a.s a.v a.sol a.ipynb a.geojson a.kml a.gpx a.plist a.xsl a.wsdl
		a.ndjson a.psv a.dat a.out a.err a.1 a.bak a.orig a.unheard-of a.bin Makefile Dockerfile LICENSE README .env .gitignore .editorconfig .npmrc`)
	for _, name := range names {
		for _, content := range []string{"line one\nline two\n", "", "Größe: ≤ 5 µm – 日本語\n", "\ufeffwith a mark\r\n"} {
			k, err := formats.KindOf(bytes.NewReader([]byte(content)), int64(len(content)), name)
			require.NoError(t, err)
			require.Equal(t, formats.KindText, k, "%s %q", name, content)
		}
	}
	for name, want := range map[string]formats.Kind{"a.docx": formats.KindDocx, "a.pdf": formats.KindPDF, "a.svg": formats.KindImage, "a.xlsx": formats.KindXlsx} {
		k, err := formats.KindOf(strings.NewReader("plain"), 5, name)
		require.NoError(t, err)
		require.Equal(t, want, k, "the name promises it")
	}
}

func TestW32TextInOtherEncodings(t *testing.T) {
	for name, c := range map[string]struct {
		enc  encoding.Encoding
		text string
	}{
		"windows-1252": {charmap.Windows1252, "Übergröße für Mädchen, naïve façade\n"},
		"windows-1251": {charmap.Windows1251, "Съешь же ещё этих мягких французских булок\n"},
		"koi8-r":       {charmap.KOI8R, "Съешь же ещё этих мягких французских булок\n"},
		"shift_jis":    {japanese.ShiftJIS, "これは日本語の文章です。\n"},
		"gbk":          {simplifiedchinese.GBK, "这是一个中文句子。\n"},
		"utf-16le":     {unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "Привет, world\r\n"},
		"utf-16be":     {unicode.UTF16(unicode.BigEndian, unicode.UseBOM), "日本語 and more\r\n"},
	} {
		for _, n := range []int{1, 1000} {
			b, err := c.enc.NewEncoder().Bytes([]byte(strings.Repeat(c.text, n)))
			require.NoError(t, err)
			k, err := formats.KindOf(bytes.NewReader(b), int64(len(b)), "x")
			require.NoError(t, err)
			require.Equal(t, formats.KindText, k, "%s × %d", name, n)
		}
	}
}

// What is not text stays binary, also where only its beginning is text.
func TestW32BinaryByContent(t *testing.T) {
	r := rand.NewChaCha8([32]byte{1})
	random := make([]byte, 100_000)
	_, _ = r.Read(random)
	self, err := os.ReadFile(os.Args[0])
	require.NoError(t, err)
	text := []byte(strings.Repeat("#!/bin/sh\necho hello\n", 5000))
	for name, b := range map[string][]byte{
		"zip": []byte("PK\x03\x04\x14\x00\x08\x00"), "gzip": []byte("\x1f\x8b\x08\x00\x00\x00"), "program": self, "random": random,
		"a small key": random[:64], "sqlite": append([]byte("SQLite format 3\x00"), text...), "nul": []byte("a\x00b"),
		"utf-16 with nul": []byte("\xff\xfea\x00\x00\x00b\x00"), "archive behind a script": append(bytes.Clone(text), random...),
		"middle": append(append(bytes.Clone(text), bytes.Repeat([]byte{0}, 50_000)...), text...), "controls": []byte("\x01\x02\x03\x04abc"),
	} {
		k, err := formats.KindOf(bytes.NewReader(b), int64(len(b)), "x.unknown")
		require.NoError(t, err)
		require.Equal(t, formats.KindBinary, k, name)
	}
	for at := range 4 { // a block may begin and end within a character
		b := append(bytes.Repeat([]byte("x"), at), strings.Repeat("漢字\x01"+strings.Repeat("テキスト", 50), 2000)...)
		k, err := formats.KindOf(bytes.NewReader(b), int64(len(b)), "x")
		require.NoError(t, err)
		require.Equal(t, formats.KindText, k, at)
	}
}

// What a name promises and the content is not is said.
func TestW32NameAgainstContent(t *testing.T) {
	require.Equal(t, "; its content is plain text", formats.ButText(formats.FromBytes("a.docx", []byte("hello"))))
	require.Equal(t, "", formats.ButText(formats.FromBytes("a.docx", []byte("\x00\x01"))))
	for name, want := range map[string]bool{"a.cs": true, "Makefile": true, ".env": true, "server.key": true, "a.txt": true,
		"a.docx": false, "a.odt": false, "a.pdf": false, "a.png": false, "a.doc": false, "a.zip": false, "a.ods": false} {
		require.Equal(t, want, formats.NameTakesText(name), name)
	}
}

// Kinds do not depend on reading more than a few blocks.
func TestW32KindReadsLittle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	require.NoError(t, os.WriteFile(path, bytes.Repeat([]byte("text\n"), 1<<20), 0o600))
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	c := &counted{r: f}
	k, err := formats.KindOf(c, 5<<20, "x")
	require.NoError(t, err)
	require.Equal(t, formats.KindText, k)
	require.LessOrEqual(t, c.n, 16<<10)
}

type counted struct {
	r *os.File
	n int
}

func (c *counted) ReadAt(b []byte, off int64) (int, error) {
	n, err := c.r.ReadAt(b, off)
	c.n += n
	return n, err
}
