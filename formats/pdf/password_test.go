//go:build !purepdf

package pdf

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/password"
)

// A PDF that LibreOffice encrypted opens with its password, for reading and for
// drawing, and with no other.
func TestPassword(t *testing.T) {
	txt := filepath.Join(t.TempDir(), "letter.txt")
	require.NoError(t, os.WriteFile(txt, []byte("xyzzyplugh\n"), 0o600))
	made := formatstest.LibreOffice(t, txt, `pdf:writer_pdf_Export:{"EncryptFile":{"type":"boolean","value":"true"},"DocumentOpenPassword":{"type":"string","value":"geheim"}}`)
	src, err := formats.OpenFile(made)
	require.NoError(t, err)
	defer src.Close()
	f := Format(Options{CacheDir: formatstest.Cache})
	read := func(pws ...string) (formats.Text, *password.Watched, error) {
		k := password.NewKeeper()
		require.NoError(t, k.Add(pws...))
		ctx, opened := password.Watch(password.With(context.Background(), k))
		text, err := f.Reader.Read(ctx, src, formats.Selector{})
		return text, opened, err
	}
	_, _, err = read()
	require.Equal(t, formats.CodeEncrypted, formats.CodeOf(err), "%v", err)
	_, opened, err := read("Geheim")
	require.Equal(t, formats.CodeWrongPassword, formats.CodeOf(err), "%v", err)
	require.False(t, opened.Any())
	text, opened, err := read("Geheim", "geheim")
	require.NoError(t, err)
	require.Contains(t, text.Text, "xyzzyplugh")
	require.True(t, opened.Any())
	require.Zero(t, f.Reader.(*format).reading(src).count, "its text is not kept")
	_, _, err = read()
	require.Equal(t, formats.CodeEncrypted, formats.CodeOf(err), "%v", err)
	k := password.NewKeeper()
	require.NoError(t, k.Add("geheim"))
	pic, err := Render(password.With(context.Background(), k), f, src, 1, 1)
	require.NoError(t, err)
	require.NotEmpty(t, pic.PNG)
}
