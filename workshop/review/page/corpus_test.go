package page_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/all"
	"atelier/formats/formatstest"
	"atelier/internal/campaign"
	"atelier/workshop"
	"atelier/workshop/review"
	"atelier/workshop/review/page"
)

// RV-01, RV-03, RV-06: every real document can be edited and reviewed. The
// summary has the change, claims no loss, and the page shows it.
func TestRV06Corpus(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the whole corpus: left out with -short")
	}
	ctx := context.Background()
	set := all.Formats(all.Options{CacheDir: formatstest.Cache})
	home, err := workshop.OpenHome(t.TempDir(), workshop.Options{})
	require.NoError(t, err)
	defer home.Close()
	ops := map[string]string{
		"docx": `{"op":"append_paragraph","text":"marked <b>by</b> the test"}`,
		"pptx": `{"op":"add_text_box","index":0,"text":"marked <b>by</b> the test"}`,
	}
	done := 0
	for _, kind := range []string{"docx", "xlsx", "pptx"} {
		for _, path := range formatstest.Sample(t, kind) {
			dir := t.TempDir()
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			name := "a." + kind
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), b, 0o644))
			f := set.Kind(formats.KindOfName(name))
			op := ops[kind]
			if kind == "xlsx" {
				op = sheetOp(t, f, b)
			}
			var out bytes.Buffer
			if _, err := f.Editor.Apply(ctx, formats.FromBytes(name, b), &out, []json.RawMessage{json.RawMessage(op)}, formats.ApplyOptions{}); err != nil {
				continue // damaged or encrypted, or a kind of sheet that cannot be edited
			}
			wb, err := home.OpenFolder(ctx, dir)
			require.NoError(t, err)
			_, err = wb.DraftView(workshop.Cause{}).Put(ctx, workshop.Path(name), workshop.PutOptions{}, func(w io.Writer) error {
				_, err := w.Write(out.Bytes())
				return err
			})
			require.NoError(t, err)
			changes, err := review.ChangeSet(ctx, wb, set)
			require.NoError(t, err, path)
			require.Len(t, changes, 1, path)
			require.Empty(t, changes[0].Warnings, path)
			d, err := review.Content(ctx, wb, set, workshop.Path(name), review.ContentOptions{})
			require.NoError(t, err, path)
			require.Empty(t, d.Message, path)
			require.Len(t, d.Groups, 1, "%s: %+v", path, d.Groups)
			var html bytes.Buffer
			require.NoError(t, page.Write(&html, page.Report{Title: path, Files: []page.File{{Change: changes[0], Content: &d}}}))
			require.Contains(t, html.String(), "marked &lt;b&gt;by", path)
			require.NotContains(t, html.String(), "marked <b>")
			require.NoError(t, wb.Close())
			done++
		}
	}
	require.Greater(t, done, campaign.Of(20, 90))
	formatstest.Report(t, "review: %d real documents edited and reviewed, each with its one change and no false warning", done)
}

// sheetOp edits the first sheet, whatever its name is.
func sheetOp(t *testing.T, f *formats.Format, b []byte) string {
	t.Helper()
	m, err := f.Mapper.Map(context.Background(), formats.FromBytes("a.xlsx", b), formats.MapOptions{})
	if err != nil {
		return `{"op":"none"}`
	}
	raw, err := json.Marshal(m)
	require.NoError(t, err)
	var book struct {
		Sheets []struct {
			Name string `json:"name"`
		} `json:"sheets"`
	}
	require.NoError(t, json.Unmarshal(raw, &book))
	if len(book.Sheets) == 0 {
		return `{"op":"none"}`
	}
	name, err := json.Marshal(book.Sheets[0].Name)
	require.NoError(t, err)
	return strings.Replace(`{"op":"set_cells","sheet":NAME,"cells":[{"cell":"XEA7","value":"marked <b>by</b> the test"}]}`, "NAME", string(name), 1)
}
