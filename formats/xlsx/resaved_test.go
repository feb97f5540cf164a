package xlsx

import (
	"archive/zip"
	"bytes"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
)

// resaved packs a workbook anew: its parts in another order and not compressed,
// so that none is stored as the same bytes.
func resaved(t testing.TB, b []byte) []byte {
	t.Helper()
	parts := formatstest.Parts(t, b)
	var out bytes.Buffer
	zw := zip.NewWriter(&out)
	names := slices.Sorted(maps.Keys(parts))
	slices.Reverse(names)
	for _, name := range names {
		w, err := zw.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		require.NoError(t, err)
		_, err = w.Write(parts[name])
		require.NoError(t, err)
	}
	require.NoError(t, zw.Close())
	return out.Bytes()
}
