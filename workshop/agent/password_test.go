package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats/password"
	"atelier/workshop"
)

const bookPassword = "swordfish-2027"

// lockedBook is a workbook that another program encrypted.
func lockedBook(t *testing.T) string {
	t.Helper()
	f := excelize.NewFile()
	require.NoError(t, f.SetCellValue("Sheet1", "A1", canary))
	require.NoError(t, f.SetCellValue("Sheet1", "A2", 5))
	var out bytes.Buffer
	require.NoError(t, f.Write(&out, excelize.Options{Password: bookPassword}))
	return out.String()
}

func readCell(t *testing.T, b []byte, cell string) string {
	t.Helper()
	f, err := excelize.OpenReader(bytes.NewReader(b), excelize.Options{Password: bookPassword})
	require.NoError(t, err)
	defer f.Close()
	v, err := f.GetCellValue("Sheet1", cell)
	require.NoError(t, err)
	return v
}

// A model edits a workbook that the person gave the password of. Neither the
// password nor what only stands in the encrypted file is stored anywhere.
func TestEncryptedWorkbook(t *testing.T) {
	r := newRig(t, map[string]string{"pay.xlsx": lockedBook(t)})
	k := password.NewKeeper()
	require.NoError(t, k.Add("not this one", bookPassword))
	ctx := password.With(context.Background(), k)
	s := play(calls("read_file", `{"path":"pay.xlsx"}`, "get_file_info", `{"path":"pay.xlsx"}`, "search_files", `{"query":"`+canary[:5]+`"}`,
		"table_query", `{"path":"pay.xlsx","query":"SELECT * FROM data"}`),
		calls("xlsx_operations", `{"path":"pay.xlsx","operations":[{"op":"set_cells","sheet":"Sheet1","cells":[{"cell":"A2","value":6}]}]}`),
		calls("convert", `{"path":"pay.xlsx","format":"csv"}`, "table_export", `{"path":"pay.xlsx","query":"SELECT * FROM data","target_path":"out.csv"}`),
		says("Done."))
	_, err := r.runCtx(ctx, s, "Go.")
	require.NoError(t, err)
	sent, err := json.Marshal(s.requests)
	require.NoError(t, err)
	require.Contains(t, string(sent), canary, "the model reads the file")
	require.NotContains(t, string(sent), bookPassword)
	for i := range 5 {
		require.Contains(t, r.results()[i], "is not stored", "result %d", i)
	}
	require.Contains(t, string(sent), "pay.xlsx is encrypted with a password, and the new file would have its content without one")

	draft, err := r.wb.DraftView(workshop.Cause{}).Open(ctx, "pay.xlsx")
	require.NoError(t, err)
	defer draft.Close()
	b := make([]byte, draft.Size())
	_, err = draft.ReadAt(b, 0)
	require.NoError(t, err)
	require.Equal(t, "6", readCell(t, b, "A2"), "the draft opens with the same password")
	require.Equal(t, canary, readCell(t, b, "A1"))
	changes, err := r.wb.Changes(ctx)
	require.NoError(t, err)
	require.Len(t, changes, 1, "nothing was exported without the password")

	for _, dir := range []string{r.dir, r.root} {
		require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			b, err := os.ReadFile(path)
			require.NotContains(t, string(b), canary, path)
			require.NotContains(t, string(b), bookPassword, path)
			return err
		}))
	}
}

// Without the password the model is told what the person can do.
func TestEncryptedWithoutPassword(t *testing.T) {
	r := newRig(t, map[string]string{"pay.xlsx": lockedBook(t)})
	_, err := r.run(play(calls("read_file", `{"path":"pay.xlsx"}`), says("Done.")), "Go.")
	require.NoError(t, err)
	require.Contains(t, r.results()[0], "pay.xlsx is encrypted with a password, which was not given")
	require.Contains(t, r.results()[0], "--password-file")
	k := password.NewKeeper()
	require.NoError(t, k.Add("wrong"))
	_, err = r.runCtx(password.With(context.Background(), k), play(calls("read_file", `{"path":"pay.xlsx"}`), says("Done.")), "Go.")
	require.NoError(t, err)
	require.Contains(t, r.results()[1], "no password that was given opens it")
}
