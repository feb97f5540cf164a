package xlsx

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/libreoffice"
	"atelier/internal/need"
)

// libreCSV is what LibreOffice shows of the first sheet, as csv.
func libreCSV(t *testing.T, book []byte) string {
	t.Helper()
	need.Program(t, "soffice", need.LibreOffice)
	if testing.Short() {
		t.Skip("LibreOffice is slow: left out with -short")
	}
	dir := t.TempDir()
	in := filepath.Join(dir, "book.xlsx")
	require.NoError(t, os.WriteFile(in, book, 0o600))
	made, err := libreoffice.Convert(t.Context(), in, "csv", dir)
	require.NoError(t, err)
	return string(load(t, made))
}
