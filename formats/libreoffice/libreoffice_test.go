package libreoffice

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/internal/need"
)

func TestConvert(t *testing.T) {
	need.Program(t, "soffice", need.LibreOffice)
	in := filepath.Join(formatstest.Root(t), "testdata", "documents", "contrato.docx")
	first := t.TempDir()
	out, err := Convert(context.Background(), in, "pdf", first)
	require.NoError(t, err)
	b, err := os.ReadFile(out)
	require.NoError(t, err)
	require.True(t, bytes.HasPrefix(b, []byte("%PDF-")))
	// It does not test how it draws, which takes far longer than the conversion.
	require.FileExists(t, filepath.Join(first, "profile", "user", "registrymodifications.xcu"))
	require.NoFileExists(t, filepath.Join(first, "profile", "user", "GraphicsRenderTests.log"))

	// Nothing is left outside the folder, even if it is killed in the middle.
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	dir, err := os.MkdirTemp(t.TempDir(), "")
	require.NoError(t, err)
	soon, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	_, _ = Convert(soon, in, "pdf", dir)
	left, err := os.ReadDir(temp)
	require.NoError(t, err)
	require.Empty(t, left)

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = Convert(ctx, in, "pdf", t.TempDir())
	require.ErrorIs(t, err, context.Canceled)
	_, err = Convert(context.Background(), filepath.Join(t.TempDir(), "none.docx"), "pdf", t.TempDir())
	require.Equal(t, formats.CodeUnsupported, formats.CodeOf(err))
}
