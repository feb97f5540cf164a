package workshop

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOpenMarks(t *testing.T) {
	for name, mark := range map[string]string{
		"short.docx": "~$short.docx", "sevenab.docx": "~$evenab.docx", "contract.docx": "~$ntract.docx", "übergabe.docx": "~$ergabe.docx",
		"prices.xlsx": "~$prices.xlsx", "long prices.xlsx": "~$long prices.xlsx", "a.odt": ".~lock.a.odt#",
	} {
		require.Contains(t, openMarks(name), mark)
	}
}

// Publishing over a file that an office program holds open says so, once, and only
// of files that it replaces.
func TestPublishOverAnOpenFile(t *testing.T) {
	r := newRig(t, map[string]string{"contract.docx": "old", "sub/prices.xlsx": "old", "free.txt": "old"})
	for _, mark := range []string{"~$ntract.docx", "sub/.~lock.prices.xlsx#", "~$new.docx"} {
		require.NoError(t, os.WriteFile(filepath.Join(r.dir, mark), []byte("me"), 0o644))
	}
	for _, p := range []string{"contract.docx", "sub/prices.xlsx", "free.txt", "new.docx"} {
		r.put(p, "new content of "+p)
	}
	_, err := r.wb.Publish(t.Context(), PublishOptions{})
	require.NoError(t, err)
	told := r.wb.Told()
	require.Len(t, told, 2)
	require.Contains(t, told[0], "contract.docx seems to be open in an office program (~$ntract.docx is beside it)")
	require.Contains(t, told[1], "sub/prices.xlsx seems to be open")
	require.Empty(t, r.wb.Told())
}
