package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
)

// withPDFReader gives a new data folder the PDF reader that an earlier test has compiled:
// each server would compile it again after 3 seconds without a call, with 3 seconds of
// processor time that others lack.
func withPDFReader(t testing.TB, home string) {
	t.Helper()
	shared := filepath.Join(formatstest.Cache, "pdfium")
	require.NoError(t, os.MkdirAll(shared, 0o700))
	require.NoError(t, os.MkdirAll(filepath.Join(home, "cache"), 0o700))
	_ = os.Symlink(shared, filepath.Join(home, "cache", "pdfium")) // it is there already, or Windows has none
}
