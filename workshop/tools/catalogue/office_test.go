package catalogue_test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/workshop"
)

// dry_run reports what would happen and writes nothing, not even a draft.
func TestDryRunWritesNothing(t *testing.T) {
	r := newRig(t)
	before, err := r.wb.DraftView(workshop.Cause{}).List(ctx, "", workshop.ListOptions{})
	require.NoError(t, err)
	out := r.ok("docx_operations", `{"path":"contrato.docx","dry_run":true,"operations":[{"op":"replace_text","search":"el","replace":"EL"}]}`)
	require.Regexp(t, `^Dry run: 1 operations would succeed on contrato.docx; nothing was written\noperation 1 \(replace_text\): \d+ replaced$`, out)
	out = r.ok("xlsx_operations", `{"path":"new.xlsx","create_if_missing":true,"dry_run":"true","operations":[{"op":"set_cells","sheet":"A","cells":[{"cell":"A1","value":1}]}]}`)
	require.Contains(t, out, "1 cells")
	require.False(t, r.call("docx_operations", `{"path":"contrato.docx","dry_run":true,"operations":[{"op":"set_paragraph","at":"p9999","text":"x"}]}`).Success)
	after, err := r.wb.DraftView(workshop.Cause{}).List(ctx, "", workshop.ListOptions{})
	require.NoError(t, err)
	require.Equal(t, before, after)
}

// An operation may name another file of the workbench, and no other.
func TestOperationsUseOtherFiles(t *testing.T) {
	r := newRig(t)
	var pic bytes.Buffer
	require.NoError(t, png.Encode(&pic, image.NewGray(image.Rect(0, 0, 10, 10))))
	_, err := r.env.View.Put(ctx, "pics/logo.png", workshop.PutOptions{CreateOnly: true}, func(w io.Writer) error { _, err := w.Write(pic.Bytes()); return err })
	require.NoError(t, err)
	require.Contains(t, r.ok("docx_operations", `{"path":"contrato.docx","operations":[{"op":"add_image","path":"pics/logo.png"}]}`), "made p")
	for _, path := range []string{"../../etc/passwd", "/etc/passwd", "pics/none.png"} {
		op, _ := json.Marshal(map[string]any{"path": "contrato.docx", "operations": []any{map[string]any{"op": "add_image", "path": path}}})
		require.False(t, r.call("docx_operations", string(op)).Success, path)
	}
}

// track_changes of a call holds for all its operations; readers see them on
// request.
func TestTrackChangesOfACall(t *testing.T) {
	r := newRig(t)
	r.env.Author = "Model M"
	r.ok("docx_operations", `{"path":"contrato.docx","track_changes":true,"operations":[{"op":"insert_paragraph","at":"p0","text":"Nuevo"}]}`)
	require.Contains(t, r.ok("read_file", `{"path":"contrato.docx","include":["changes"]}`), "{+Nuevo+}")
	require.Contains(t, r.ok("get_file_info", `{"path":"contrato.docx"}`), `"authors":["Model M"]`)
	read := r.ok("read_file", `{"path":"contrato.docx","include":["addresses"]}`)
	require.Contains(t, read, `"text":"[p0`)
	require.Contains(t, read, `"total_chunks":`, "a long document comes in chunks (W-42)")
}

// TestW45Operations: docx_operations and pptx_operations make a missing file
// only when they are told to, then go on with it, and need operations.
func TestW45Operations(t *testing.T) {
	r := newRig(t)
	for tool, tc := range map[string]struct{ path, op, shows string }{
		"docx_operations": {"n.docx", `{"op":"append_paragraph","text":"Kept words"}`, "Kept words"},
		"pptx_operations": {"n.pptx", `{"op":"add_slide","layout":"title_only","title":"Kept words"}`, "Kept words"},
	} {
		args := func(more string) string {
			return `{"path":"` + tc.path + `"` + more + `,"operations":[` + tc.op + `]}`
		}
		require.False(t, r.call(tool, args("")).Success, "%s: there is no file", tool)
		require.False(t, r.call(tool, `{"path":"`+tc.path+`","create_if_missing":true,"operations":[]}`).Success, tool)
		require.False(t, r.call("read_file", `{"path":"`+tc.path+`"}`).Success, "%s: nothing was made", tool)
		r.ok(tool, args(`,"create_if_missing":true`))
		r.ok(tool, args(`,"create_if_missing":true`))
		require.Equal(t, 2, strings.Count(r.ok("read_file", `{"path":"`+tc.path+`"}`), tc.shows), "%s: the second call went on with the file", tool)
	}
}
