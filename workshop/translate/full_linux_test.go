package translate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/all"
	"atelier/formats/formatstest"
	"atelier/internal/need"
	"atelier/workshop/translate/translator"
)

// A document that failed since the disk of the records is full may succeed when there is
// room: who translates it again is told.
func TestFullDiskIsRetryable(t *testing.T) {
	out := need.Mount(t, "-t", "tmpfs", "-o", "size=400k", "tmpfs")
	var text strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&text, "Paragraph %d of a document that is long.\n\n", i)
	}
	file := filepath.Join(t.TempDir(), "a.md")
	require.NoError(t, os.WriteFile(file, []byte(text.String()), 0o600))
	rep, err := Run(ctx, Options{To: []string{"es"}, Out: out, Formats: all.Formats(all.Options{CacheDir: formatstest.Cache}), Engine: translator.Pseudo{}}, []string{file})
	require.NoError(t, err)
	require.Len(t, rep.Files, 1)
	require.Equal(t, StatusFailed, rep.Files[0].Status)
	require.Contains(t, rep.Files[0].Error, "the records of the translations cannot be used")
	require.True(t, rep.Files[0].Retryable)
}
