package formats_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

var ctx = context.Background()

func TestKindOfNameW32(t *testing.T) {
	for name, want := range map[string]formats.Kind{
		"a.txt": formats.KindText, "a.CSV": formats.KindText, "a.b.Md": formats.KindText, "x.go": formats.KindText, "x.sql": formats.KindText,
		"a.docx": formats.KindDocx, "a.odt": formats.KindODT, "a.XLSX": formats.KindXlsx, "a.pptx": formats.KindPptx, "a.pdf": formats.KindPDF,
		"a.png": formats.KindImage, "a.jpeg": formats.KindImage, "a.svg": formats.KindImage, "a.webp": formats.KindImage,
		"a": formats.KindBinary, "a.zip": formats.KindBinary, "docx": formats.KindBinary, "": formats.KindBinary, "a.docx.exe": formats.KindBinary,
	} {
		require.Equal(t, want, formats.KindOfName(name), name)
	}
	exts := formats.Extensions()
	require.True(t, slices.IsSorted(exts))
	for _, e := range exts {
		require.NotEqual(t, formats.KindBinary, formats.KindOfName("x"+e))
		require.NotEqual(t, "application/octet-stream", formats.MIMEOf("x"+e, formats.KindOfName("x"+e)), "%s has a media type", e)
	}
}

func TestMIMEOf(t *testing.T) {
	require.Equal(t, "text/csv", formats.MIMEOf("A.CSV", formats.KindText))
	require.Equal(t, "text/plain", formats.MIMEOf("a.py", formats.KindText))
	require.Equal(t, "application/octet-stream", formats.MIMEOf("a.zip", formats.KindBinary))
}

func TestDetect(t *testing.T) {
	set := formats.NewSet(&formats.Format{Kind: formats.KindText}, &formats.Format{Kind: formats.KindPDF})
	for _, c := range []struct {
		name, content string
		want          formats.Kind
	}{
		{"a.txt", "hello", formats.KindText}, {"a.txt", "%PDF-1.7", formats.KindPDF}, {"a", "%PDF-1.7", formats.KindPDF},
		{"a", "\x89PNG\r\n\x1a\n", formats.KindImage}, {"a", "\xff\xd8\xff\xe0", formats.KindImage}, {"a.bin", "GIF89a", formats.KindImage},
		{"a", "", formats.KindText}, {"a", "x", formats.KindText}, {"a", "x\x00", formats.KindBinary},
		// What a name claims and the content is not keeps the claim, so that
		// reading says what is wrong.
		{"a.docx", "hello", formats.KindDocx}, {"a.xlsx", "%PDF-1.7", formats.KindXlsx}, {"a.pdf", "", formats.KindPDF},
	} {
		f, err := set.Detect(ctx, formats.FromBytes(c.name, []byte(c.content)))
		require.NoError(t, err)
		require.Equal(t, c.want, f.Kind, "%s %q", c.name, c.content)
	}
	none := set.Kind(formats.KindXlsx)
	require.Nil(t, none.Mapper)
	require.Equal(t, formats.KindXlsx, none.Kind, "a kind the set lacks can do nothing")
}

func TestSourcesA12(t *testing.T) {
	const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	path := filepath.Join(t.TempDir(), "a b.txt")
	require.NoError(t, os.WriteFile(path, []byte("abc"), 0o600))
	file, err := formats.OpenFile(path)
	require.NoError(t, err)
	defer file.Close()
	for _, src := range []formats.Source{file, formats.FromBytes("a b.txt", []byte("abc")), formats.NewFileSource(file.File, 3, abc)} {
		require.Equal(t, abc, src.Hash())
		require.EqualValues(t, 3, src.Size())
		require.Equal(t, "a b.txt", src.Name())
		b, err := formats.ReadAll(src, 3)
		require.NoError(t, err)
		require.Equal(t, "abc", string(b))
		_, err = formats.ReadAll(src, 2)
		require.Equal(t, formats.CodeTooLarge, formats.CodeOf(err))
	}
	_, err = formats.OpenFile(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestErrors(t *testing.T) {
	err := formats.Errorf(formats.CodeCorrupt, "the part is cut: %w", io.ErrUnexpectedEOF)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Equal(t, "the part is cut: unexpected EOF", err.Error())
	wrapped := fmt.Errorf("reading: %w", err)
	require.Equal(t, formats.CodeCorrupt, formats.CodeOf(wrapped))
	require.Equal(t, formats.Code(""), formats.CodeOf(errors.New("other")))
	op := formats.InOp(wrapped, 1, "set_cells")
	require.Equal(t, "operation 2 (set_cells): the part is cut: unexpected EOF", op.Error())
	require.Equal(t, formats.CodeCorrupt, formats.CodeOf(op))
	require.Zero(t, err.Op, "the original stays")
	require.ErrorContains(t, formats.InOp(errors.New("other"), 0, "x"), "operation 1 (x): other")
}
