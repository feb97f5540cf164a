package review_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"atelier/internal/campaign"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/all"
	"atelier/formats/formatstest"
	"atelier/workshop"
	"atelier/workshop/review"
	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
)

var ctx = context.Background()

// bench returns a workbench on a folder with generated documents.
func bench(t *testing.T) (*workshop.Workbench, *formats.Set, func(tool, args string) string) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(formatstest.Root(t), "testdata", "documents"))))
	home, err := workshop.OpenHome(t.TempDir(), workshop.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { home.Close() })
	wb, err := home.OpenFolder(ctx, dir)
	require.NoError(t, err)
	set := all.Formats(all.Options{CacheDir: formatstest.Cache})
	cat := catalogue.Workshop()
	call := func(tool, args string) string {
		r := cat.Call(ctx, &tools.Env{View: wb.DraftView(workshop.Cause{}), Formats: set}, tool, json.RawMessage(args))
		require.True(t, r.Success, r.Text)
		return r.Text
	}
	return wb, set, call
}

// The draft may change while its changes are listed: a file that is gone by then is no error.
func TestRV01ChangeSetWhileTheDraftChanges(t *testing.T) {
	wb, set, call := bench(t)
	call("write_text_file", `{"path":"a.md","content":"one\n"}`)
	var done atomic.Bool
	var writing sync.WaitGroup
	writing.Go(func() {
		defer done.Store(true)
		for i := range 150 {
			name := fmt.Sprintf("sub/z%d.md", i%3)
			call("write_text_file", `{"path":"`+name+`","content":"two\n"}`)
			assert.NoError(t, wb.DraftView(workshop.Cause{}).Remove(ctx, workshop.Path(name)))
		}
	})
	t.Cleanup(writing.Wait)
	for !done.Load() {
		list, err := review.ChangeSet(ctx, wb, set)
		require.NoError(t, err)
		require.NotEmpty(t, list)
	}
}

// RV-01, RV-02: each changed path has its kind and a summary; hunks have the
// line numbers of both sides.
func TestRV01ChangeSet(t *testing.T) {
	wb, set, call := bench(t)
	none, err := review.ChangeSet(ctx, wb, set)
	require.NoError(t, err)
	require.Empty(t, none)
	call("write_text_file", `{"path":"new.md","content":"one\ntwo\n"}`)
	call("xlsx_operations", `{"path":"sales.xlsx","operations":[{"op":"set_cells","sheet":"Resumen","cells":[{"cell":"A1","value":"Summary"}]}]}`)
	call("docx_operations", `{"path":"contrato.docx","operations":[{"op":"append_paragraph","text":"Adenda."}]}`)
	require.NoError(t, wb.DraftView(workshop.Cause{}).Remove(ctx, "notas.md"))

	changes, err := review.ChangeSet(ctx, wb, set)
	require.NoError(t, err)
	got := map[string]review.Change{}
	for _, c := range changes {
		got[c.Path] = c
	}
	require.Len(t, got, 4)
	require.Equal(t, "added", got["new.md"].ChangeType)
	require.Equal(t, "2 lines of text added, 0 removed", got["new.md"].Summary)
	require.Equal(t, "deleted", got["notas.md"].ChangeType)
	require.Equal(t, "modified", got["contrato.docx"].ChangeType)
	require.Equal(t, "docx", got["contrato.docx"].FileKind)
	require.NotEqual(t, got["sales.xlsx"].OldHash, got["sales.xlsx"].NewHash)
	require.Equal(t, "1 cell in 1 sheet", got["sales.xlsx"].Summary)

	d, err := review.Diff(ctx, wb, set, "contrato.docx", review.TextOptions{})
	require.NoError(t, err)
	require.Equal(t, 1, d.Added)
	require.Equal(t, 0, d.Removed)
	last := d.Hunks[len(d.Hunks)-1].Lines
	require.Equal(t, "Adenda.", last[len(last)-1].Text)
	require.Positive(t, last[len(last)-1].NewLine)
	require.Zero(t, last[len(last)-1].OldLine)
	_, err = review.Diff(ctx, wb, set, "clientes.csv", review.TextOptions{})
	require.True(t, workshop.IsFault(err, workshop.NotFound))
}

// RV-01: an empty file that is new or deleted has no text to compare.
func TestEmptyFilesAreSaid(t *testing.T) {
	wb, set, call := bench(t)
	require.NoError(t, os.WriteFile(filepath.Join(wb.Root(), "old.txt"), nil, 0o644))
	require.NoError(t, wb.DraftView(workshop.Cause{}).Remove(ctx, "old.txt"))
	call("write_text_file", `{"path":"new.txt","content":""}`)
	changes, err := review.ChangeSet(ctx, wb, set)
	require.NoError(t, err)
	require.Len(t, changes, 2)
	for _, c := range changes {
		require.Equal(t, "an empty file", c.Summary, c.Path)
	}
}

// A change that affects only formatting is reported as such.
func TestEqualTextIsSaid(t *testing.T) {
	wb, set, call := bench(t)
	call("xlsx_operations", `{"path":"sales.xlsx","operations":[{"op":"set_column_widths","sheet":"Resumen","columns":[{"column":"A","width":50}]}]}`)
	changes, err := review.ChangeSet(ctx, wb, set)
	require.NoError(t, err)
	require.Len(t, changes, 1)
	require.Equal(t, "column width changed", changes[0].Summary)
}

// A damaged file in the draft is reviewed with a message, not an error.
func TestDamagedFileIsReviewed(t *testing.T) {
	wb, set, _ := bench(t)
	require.NoError(t, os.WriteFile(filepath.Join(wb.Root(), "cut.docx"), []byte("PK\x03\x04 nonsense\x00\x01"), 0o644))
	require.NoError(t, wb.DraftView(workshop.Cause{}).Move(ctx, "cut.docx", "moved.docx"))
	_, err := wb.DraftView(workshop.Cause{}).Put(ctx, "moved.docx", workshop.PutOptions{}, func(w io.Writer) error {
		_, err := io.WriteString(w, "PK\x03\x04 other nonsense\x00\x01")
		return err
	})
	require.NoError(t, err)
	changes, err := review.ChangeSet(ctx, wb, set)
	require.NoError(t, err)
	require.Len(t, changes, 2)
	require.Contains(t, changes[1].Summary, "no text to compare")
}

// RV-03: office files are compared in their own terms; other files have a
// message that says why not.
func TestRV03ContentDiff(t *testing.T) {
	wb, set, call := bench(t)
	call("xlsx_operations", `{"path":"sales.xlsx","operations":[{"op":"set_cells","sheet":"Sales","cells":[{"cell":"E5","value":421}]},{"op":"set_hyperlink","sheet":"Sales","cell":"A30","url":"https://x.example","text":"go"}]}`)
	call("docx_operations", `{"path":"contrato.docx","operations":[{"op":"set_paragraph","at":"p3","text":"En Jaén, a 3 de marzo de 2026."}]}`)
	call("write_text_file", `{"path":"notas.md","content":"x"}`)
	call("write_text_file", `{"path":"new.md","content":"x"}`)
	d, err := review.Content(ctx, wb, set, "sales.xlsx", review.ContentOptions{})
	require.NoError(t, err)
	require.Equal(t, "Sales", d.Groups[0].Name)
	require.Equal(t, formats.DiffItem{ID: d.Groups[0].Items[0].ID, Change: formats.Modified, At: "E5", Old: "420", New: "421"}, d.Groups[0].Items[0])
	require.Equal(t, []string{"new external hyperlink: https://x.example"}, d.Warnings)
	d, err = review.Content(ctx, wb, set, "contrato.docx", review.ContentOptions{})
	require.NoError(t, err)
	require.Equal(t, "1 paragraph", d.Summary)
	d, err = review.Content(ctx, wb, set, "notas.md", review.ContentOptions{})
	require.NoError(t, err)
	require.NotEmpty(t, d.Message)
	d, err = review.Content(ctx, wb, set, "new.md", review.ContentOptions{})
	require.NoError(t, err)
	require.True(t, d.Missing)
	_, err = review.Content(ctx, wb, set, "clientes.csv", review.ContentOptions{})
	require.True(t, workshop.IsFault(err, workshop.NotFound))
	changes, err := review.ChangeSet(ctx, wb, set)
	require.NoError(t, err)
	for _, c := range changes {
		if c.Path == "sales.xlsx" {
			require.Equal(t, "1 cell in 1 sheet, 1 row filled or emptied, 12 dependants changed (Sales!H5 3,738.00 € → 3,746.90 €), link added, format changed, property added", c.Summary)
			require.NotEmpty(t, c.Warnings)
		}
	}
}

// RV-02: a large text is compared in windows that have their range and a
// cursor for the next one; the cursor of a draft that changed is refused.
func TestRV02Windows(t *testing.T) {
	wb, set, call := bench(t)
	var sb strings.Builder
	for i := 0; sb.Len() < 9<<20; i++ {
		fmt.Fprintln(&sb, "line", i)
	}
	write := func(path, text string) {
		b, err := json.Marshal(map[string]string{"path": path, "content": text})
		require.NoError(t, err)
		call("write_text_file", string(b))
	}
	write("big.txt", sb.String())
	d, err := review.Diff(ctx, wb, set, "big.txt", review.TextOptions{})
	require.NoError(t, err)
	require.False(t, d.TooLarge)
	require.Equal(t, 2000, d.Added)
	require.Equal(t, &review.TextWindow{OldFrom: 1, NewFrom: 1, NewTo: 2000}, d.Window)
	require.NotEmpty(t, d.Next)
	next, err := review.Diff(ctx, wb, set, "big.txt", review.TextOptions{Start: d.Next, MaxLines: 20000})
	require.NoError(t, err)
	require.Equal(t, 2001, next.Window.NewFrom)
	require.Equal(t, 2001, next.Hunks[0].Lines[0].NewLine)
	require.Equal(t, "line 2000", next.Hunks[0].Lines[0].Text)

	changes, err := review.ChangeSet(ctx, wb, set)
	require.NoError(t, err)
	require.Equal(t, "more than 20000 lines of text added, 0 removed", changes[0].Summary)

	for _, bad := range []string{"x", "a.b.c", d.Next + "9", strings.Replace(d.Next, ".0.", ".-1.", 1), d.Next[:18] + "9.9.99999999999.9.0.0"} {
		_, err := review.Diff(ctx, wb, set, "big.txt", review.TextOptions{Start: bad})
		require.Error(t, err, bad)
		require.NotEqual(t, workshop.Internal, workshop.AsFault(err).Code, "%s: %v", bad, err)
	}
	_, err = review.Diff(ctx, wb, set, "big.txt", review.TextOptions{MaxLines: -1})
	require.True(t, workshop.IsFault(err, workshop.Invalid))
	write("big.txt", "other")
	_, err = review.Diff(ctx, wb, set, "big.txt", review.TextOptions{Start: d.Next})
	require.True(t, workshop.IsFault(err, workshop.Conflict), "%v", err)
}

// RV-02: texts are compared as text in any encoding; a change of the encoding
// is noted.
func TestRV02Encodings(t *testing.T) {
	wb, set, _ := bench(t)
	latin := "a\xf1o uno, ma\xf1ana, espa\xf1ol, informaci\xf3n\n"
	require.NoError(t, os.WriteFile(filepath.Join(wb.Root(), "a.txt"), []byte(latin), 0o644))
	_, err := wb.DraftView(workshop.Cause{}).Put(ctx, "a.txt", workshop.PutOptions{}, func(w io.Writer) error {
		_, err := io.WriteString(w, "año uno, mañana, español, información\nmás\n")
		return err
	})
	require.NoError(t, err)
	d, err := review.Diff(ctx, wb, set, "a.txt", review.TextOptions{})
	require.NoError(t, err)
	require.Equal(t, "encoding windows-1252 → utf-8", d.Note)
	require.Equal(t, []int{1, 0}, []int{d.Added, d.Removed})
	require.Equal(t, "año uno, mañana, español, información", d.Hunks[0].Lines[0].Text)
}

// W-32: a file whose content is plain text has a text diff, whatever its
// extension is.
func TestW32TextIsShown(t *testing.T) {
	dir := t.TempDir()
	names := []string{"drawing.svg", "really-a-table.xlsx", "note.docx", "picture.png", "Makefile", "a.tsx"}
	for _, n := range names {
		require.NoError(t, os.WriteFile(filepath.Join(dir, n), []byte("<a>\nold\n</a>\n"), 0o600))
	}
	home, err := workshop.OpenHome(t.TempDir(), workshop.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { home.Close() })
	wb, err := home.OpenFolder(ctx, dir)
	require.NoError(t, err)
	for _, n := range names {
		_, err := wb.DraftView(workshop.Cause{}).Put(ctx, workshop.Path(n), workshop.PutOptions{}, func(w io.Writer) error {
			_, err := io.WriteString(w, "<a>\nnew\n</a>\n")
			return err
		})
		require.NoError(t, err)
	}
	changes, err := review.ChangeSet(ctx, wb, all.Formats(all.Options{CacheDir: formatstest.Cache}))
	require.NoError(t, err)
	require.Len(t, changes, len(names))
	for _, c := range changes {
		require.Equal(t, "1 line of text added, 1 removed", c.Summary, c.Path)
	}
}

// A PDF that cannot be read within the limits gets a message; the rest of the
// review is complete.
func TestReviewOfPDFBombs(t *testing.T) {
	campaign.Slow(t)
	dir := t.TempDir()
	good := formatstest.PDFPage("", "BT /F1 12 Tf 20 500 Td (Dear sir) Tj ET", "")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.pdf"), good, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.txt"), []byte("one\n"), 0o600))
	home, err := workshop.OpenHome(t.TempDir(), workshop.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { home.Close() })
	wb, err := home.OpenFolder(ctx, dir)
	require.NoError(t, err)
	write := func(path workshop.Path, content []byte) {
		_, err := wb.DraftView(workshop.Cause{}).Put(ctx, path, workshop.PutOptions{}, func(w io.Writer) error { _, err := w.Write(content); return err })
		require.NoError(t, err)
	}
	for _, b := range formatstest.PDFBombs {
		if b.Name == "nested forms" {
			write("a.pdf", b.Bytes())
		}
	}
	write("b.txt", []byte("two\n"))
	set := all.Formats(all.Options{CacheDir: formatstest.Cache, Timeout: 5 * time.Second})
	changes, err := review.ChangeSet(ctx, wb, set)
	require.NoError(t, err)
	require.Len(t, changes, 2)
	d, err := review.Diff(ctx, wb, set, "a.pdf", review.TextOptions{})
	require.NoError(t, err)
	require.Regexp(t, `a\.pdf (needs more memory than a PDF may take|was given up after 5s)`, d.Message)
	require.NotContains(t, d.Message, "wasm")
	d, err = review.Diff(ctx, wb, set, "b.txt", review.TextOptions{})
	require.NoError(t, err)
	require.Equal(t, 1, d.Added)
}

// A file whose comparison takes too long is named in the review and holds up
// nothing; a review that is cancelled ends with its own error.
func TestReviewLimitsTheTimeOfAFile(t *testing.T) {
	wb, set, call := bench(t)
	call("xlsx_operations", `{"path":"sales.xlsx","operations":[{"op":"set_cells","sheet":"Resumen","cells":[{"cell":"A1","value":"Summary"}]}]}`)
	call("write_text_file", `{"path":"notas.md","content":"one"}`)
	review.SetFileTime(t, time.Nanosecond)
	changes, err := review.ChangeSet(ctx, wb, set)
	require.NoError(t, err)
	require.Len(t, changes, 2)
	for _, c := range changes {
		require.Contains(t, c.Summary, c.Path+" was not compared: that takes longer than 1ns")
		require.Equal(t, []string{c.Summary}, c.Warnings)
	}
	content, err := review.Content(ctx, wb, set, "sales.xlsx", review.ContentOptions{})
	require.NoError(t, err)
	require.Contains(t, content.Message, "was not compared")
	require.Equal(t, []string{content.Message}, content.Warnings)
	require.Equal(t, "xlsx", content.FileKind)
	text, err := review.Diff(ctx, wb, set, "notas.md", review.TextOptions{})
	require.NoError(t, err)
	require.Contains(t, text.Message, "was not compared")

	gone, cancel := context.WithCancel(ctx)
	cancel()
	_, err = review.ChangeSet(gone, wb, set)
	require.ErrorIs(t, err, context.Canceled)
}
