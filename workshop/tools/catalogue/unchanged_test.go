package catalogue_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/workshop"
)

// A call that changes nothing says so and why, and leaves no draft; beside
// operations with an effect the one without is named.
func TestNothingChangedIsSaid(t *testing.T) {
	r := newRig(t)
	same := func(tool, args, want string) {
		t.Helper()
		res := r.call(tool, args)
		require.True(t, res.Success, res.Text)
		require.Equal(t, want, res.Text)
		require.True(t, res.Unchanged)
		changes, err := r.wb.Changes(ctx)
		require.NoError(t, err)
		require.Empty(t, changes)
		draft, err := r.wb.Draft(ctx)
		require.NoError(t, err)
		require.False(t, draft.HasDraft)
	}
	for tool, path := range map[string]string{"xlsx_operations": "sales.xlsx", "docx_operations": "contrato.docx", "pptx_operations": "presentacion.pptx"} {
		op := `{"op":"replace_text","search":"zebra","replace":"x"}`
		line := "\noperation 1 (replace_text): \"zebra\" was not found; nothing was replaced"
		same(tool, `{"path":"`+path+`","operations":[`+op+`]}`, "Nothing was changed in "+path+line)
		same(tool, `{"path":"`+path+`","dry_run":true,"operations":[`+op+`]}`, "Dry run: nothing would change in "+path+"; nothing was written"+line)
	}
	same("docx_operations", `{"path":"contrato.docx","operations":[{"op":"accept_changes"}]}`,
		"Nothing was changed in contrato.docx\noperation 1 (accept_changes): there are no tracked changes")
	same("xlsx_operations", `{"path":"sales.xlsx","operations":[{"op":"unhide_sheet","sheet":"Sales"},{"op":"ensure_sheet","sheet":"Sales"}]}`,
		"Nothing was changed in sales.xlsx\noperation 1 (unhide_sheet): the sheet \"Sales\" is shown already; nothing was changed\noperation 2 (ensure_sheet): it changed nothing")
	same("pptx_operations", `{"path":"presentacion.pptx","operations":[{"op":"hide_slide","index":0,"hidden":false}]}`,
		"Nothing was changed in presentacion.pptx\noperation 1 (hide_slide): it was so already")
	same("write_text_file", `{"path":"notas.md","content":`+string(must(json.Marshal(string(r.bytes("notas.md")))))+`}`,
		"Nothing was changed in notas.md: it holds exactly this already")

	out := r.ok("docx_operations", `{"path":"contrato.docx","operations":[{"op":"append_paragraph","text":"x"},{"op":"replace_text","search":"zebra","replace":"x"}]}`)
	require.Contains(t, out, "Successfully updated contrato.docx (2 operations)")
	require.Contains(t, out, "\noperation 2 (replace_text): \"zebra\" was not found; nothing was replaced")
	changes, err := r.wb.Changes(ctx)
	require.NoError(t, err)
	require.Len(t, changes, 1)

	// In a draft that there is, a call without an effect is no revision either.
	before, err := r.env.View.Stat(ctx, "contrato.docx")
	require.NoError(t, err)
	res := r.call("docx_operations", `{"path":"contrato.docx","operations":[{"op":"replace_text","search":"zebra","replace":"x"}]}`)
	require.True(t, res.Unchanged)
	after, err := r.env.View.Stat(ctx, "contrato.docx")
	require.NoError(t, err)
	require.Equal(t, before, after)
}

// Cells that are written as they are leave the workbook as it is, also though
// it would be packed anew; a version is not made of it either.
func TestSameContentIsNoChange(t *testing.T) {
	r := newRig(t)
	r.ok("xlsx_operations", `{"path":"n.xlsx","create_if_missing":true,"operations":[{"op":"set_cells","sheet":"A","cells":[{"cell":"A1","value":1},{"cell":"A2","value":"x"}]}]}`)
	_, err := r.wb.Publish(ctx, workshop.PublishOptions{})
	require.NoError(t, err)
	res := r.call("xlsx_operations", `{"path":"n.xlsx","operations":[{"op":"set_cells","sheet":"A","cells":[{"cell":"A1","value":1}]},{"op":"hide_rows","sheet":"A","row":1,"hidden":false}]}`)
	require.Equal(t, "Nothing was changed in n.xlsx: it already is what the operations would make of it\noperation 1 (set_cells): it was so already\noperation 2 (hide_rows): nothing in 1:1 is hidden; nothing was changed", res.Text)
	require.True(t, res.Unchanged)
	draft, err := r.wb.Draft(ctx)
	require.NoError(t, err)
	require.False(t, draft.HasDraft)
	r.env.View = r.wb.LiveView(workshop.Cause{})
	was, err := r.env.View.Stat(ctx, "n.xlsx")
	require.NoError(t, err)
	require.True(t, r.call("xlsx_operations", `{"path":"n.xlsx","operations":[{"op":"set_cells","sheet":"A","cells":[{"cell":"A1","value":1}]}]}`).Unchanged)
	is, err := r.env.View.Stat(ctx, "n.xlsx")
	require.NoError(t, err)
	require.Equal(t, was, is)
	require.False(t, r.call("xlsx_operations", `{"path":"n.xlsx","operations":[{"op":"set_cells","sheet":"A","cells":[{"cell":"A1","value":2}]}]}`).Unchanged)
}
