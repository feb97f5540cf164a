package review_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/workshop"
	"atelier/workshop/review"
	"atelier/workshop/review/page"
)

const cell = `"operations":[{"op":"set_cells","sheet":"Resumen","cells":[{"cell":"A1","value":"Summary"}]}]`

// RV-01, RV-03: a file that was made by copying is compared with the content
// it was copied from, even if the source has changed or was deleted since.
func TestRV03Copies(t *testing.T) {
	wb, set, call := bench(t)
	check := func(path, summary string, items int) review.ContentDiff {
		t.Helper()
		changes, err := review.ChangeSet(ctx, wb, set)
		require.NoError(t, err)
		var row review.Change
		for _, c := range changes {
			if c.Path == path {
				row = c
			}
		}
		require.Equal(t, "added", row.ChangeType)
		require.Equal(t, "sales.xlsx", row.CopiedFrom)
		require.Equal(t, summary, row.Summary)
		d, err := review.Content(ctx, wb, set, workshop.Path(path), review.ContentOptions{})
		require.NoError(t, err)
		require.Empty(t, d.Message)
		require.True(t, d.Missing)
		require.Equal(t, "sales.xlsx", d.CopiedFrom)
		require.Equal(t, summary, d.Summary)
		n := 0
		for _, g := range d.Groups {
			n += len(g.Items)
		}
		require.Equal(t, items, n)
		var html bytes.Buffer
		require.NoError(t, page.Write(&html, page.Report{Title: "x", Made: time.Now(), Files: []page.File{{Change: row, Content: &d}}}))
		require.Contains(t, html.String(), summary)
		if items > 0 {
			require.Contains(t, html.String(), "Resumen por familia", "what was there before")
		}
		return d
	}
	view := wb.DraftView(workshop.Cause{})
	call("xlsx_operations", `{"path":"same.xlsx","create_new":true,"copy_from":"sales.xlsx","operations":[]}`)
	check("same.xlsx", "copy of sales.xlsx, unchanged", 0)
	call("xlsx_operations", `{"path":"copy.xlsx","create_new":true,"copy_from":"sales.xlsx",`+cell+`}`)
	const one = "copy of sales.xlsx: 1 cell in 1 sheet"
	check("copy.xlsx", one, 1)

	call("xlsx_operations", `{"path":"sales.xlsx","operations":[{"op":"set_cells","sheet":"Resumen","cells":[{"cell":"A1","value":"Other"},{"cell":"A10","value":"Other"}]}]}`)
	check("copy.xlsx", one, 1)
	require.NoError(t, view.Remove(ctx, "sales.xlsx"))
	check("copy.xlsx", one, 1)
	_, err := wb.Publish(ctx, workshop.PublishOptions{Paths: []workshop.Path{"sales.xlsx"}})
	require.NoError(t, err)
	require.NoError(t, view.Move(ctx, "copy.xlsx", "moved.xlsx"))
	check("moved.xlsx", one, 1)
	call("xlsx_operations", `{"path":"moved.xlsx","operations":[{"op":"set_cells","sheet":"Resumen","cells":[{"cell":"A10","value":"Note"}]}]}`)
	check("moved.xlsx", "copy of sales.xlsx: 2 cells in 1 sheet", 2)

	_, err = wb.Publish(ctx, workshop.PublishOptions{})
	require.NoError(t, err)
	call("xlsx_operations", `{"path":"moved.xlsx","operations":[{"op":"set_cells","sheet":"Resumen","cells":[{"cell":"A1","value":"Later"}]}]}`)
	d, err := review.Content(ctx, wb, set, "moved.xlsx", review.ContentOptions{})
	require.NoError(t, err)
	require.Equal(t, "1 cell in 1 sheet", d.Summary)
	require.Empty(t, d.CopiedFrom)
	require.False(t, d.Missing)
}
