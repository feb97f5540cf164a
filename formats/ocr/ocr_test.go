package ocr_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/all"
	"atelier/formats/formatstest"
	"atelier/formats/ocr"
	"atelier/formats/preview"
	"atelier/internal/need"
)

// page is a drawn page of text.
func page(t *testing.T, text string) []byte {
	t.Helper()
	m := preview.New(all.Formats(all.Options{CacheDir: formatstest.Cache}), preview.Options{})
	p, err := m.Page(t.Context(), formats.FromBytes("a.txt", []byte(text)), preview.Request{Scale: 2})
	require.NoError(t, err)
	return p.PNG
}

// The words of a picture are recognised.
func TestRead(t *testing.T) {
	need.Program(t, "tesseract", "tesseract-ocr")
	r, err := ocr.Read(t.Context(), page(t, "Invoice number 4711\n\nTotal 1250 euros\n"))
	require.NoError(t, err)
	require.Contains(t, r.Text, "Invoice number 4711")
	require.Contains(t, r.Text, "Total 1250 euros")
	require.Contains(t, r.Languages, "eng")
	require.False(t, r.Cut)
	_, err = ocr.Read(t.Context(), []byte("no picture"))
	require.Equal(t, formats.CodeUnsupported, formats.CodeOf(err))
	require.Contains(t, err.Error(), "tesseract could not read the picture")
}

// fake puts a program in the place of tesseract.
func fake(t *testing.T, script string) (dir string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the program in the place of tesseract is a shell script, which Windows does not run")
	}
	dir = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tesseract"), []byte("#!/bin/sh\nif [ \"$1\" = --list-langs ]; then printf 'List of languages in \"/x/\" (4):\\ndeu\\neng\\nfra\\nosd\\nspa\\nita\\n'; exit; fi\n"+script), 0o755))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("TMPDIR", dir)
	return dir
}

// The program ends with the context, and so do those that it started.
func TestReadEndsWithItsContext(t *testing.T) {
	dir := fake(t, `sleep 1000 & echo $! > "$TMPDIR/pid.tmp"; mv "$TMPDIR/pid.tmp" "$TMPDIR/pid"; wait`)
	ctx, cancel := context.WithCancel(t.Context())
	var child int
	go func() {
		for ctx.Err() == nil {
			if b, err := os.ReadFile(filepath.Join(dir, "pid")); err == nil {
				child, _ = strconv.Atoi(strings.TrimSpace(string(b)))
				cancel()
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	_, err := ocr.Read(ctx, []byte("x"))
	require.ErrorIs(t, err, context.Canceled)
	require.Positive(t, child)
	require.Eventually(t, func() bool {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", child))
		return err != nil || strings.Contains(string(b), ") Z ")
	}, 10*time.Second, 10*time.Millisecond, "the child of the program lives on")
}

// What the program writes is bounded, it gets no keys, and English comes first of at
// most four languages.
func TestReadIsBounded(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "secret")
	fake(t, `echo "$4 [$OPENAI_API_KEY]"; yes text`+" | head -c 10000000")
	r, err := ocr.Read(t.Context(), []byte("x"))
	require.NoError(t, err)
	require.True(t, r.Cut)
	require.Len(t, r.Text, ocr.MaxText)
	require.True(t, strings.HasPrefix(r.Text, "eng+deu+fra+spa []\n"), r.Text[:40])
}

// A machine without the program is told what to install.
func TestReadWithoutProgram(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	require.False(t, ocr.Installed())
	_, err := ocr.Read(t.Context(), []byte("x"))
	require.Equal(t, formats.CodeUnsupported, formats.CodeOf(err))
	require.Contains(t, err.Error(), "install tesseract")
}
