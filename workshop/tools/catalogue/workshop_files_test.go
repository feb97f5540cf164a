package catalogue_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/all"
	"atelier/workshop"
	"atelier/workshop/review"
	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
)

// changes lists the changes of the draft as a review tells them.
func (r *rig) changes() (out []string) {
	r.t.Helper()
	cs, err := review.ChangeSet(ctx, r.wb, r.env.Formats)
	require.NoError(r.t, err)
	for _, c := range cs {
		out = append(out, c.ChangeType+" "+c.Path+": "+c.Summary)
	}
	return out
}

const inDraft = ". This is in the draft: it can be undone, and the user's files change only when they publish it"

// W-30: the tools that move, copy and delete files work on the draft, say what
// they did, and a review tells it as what it is.
func TestW30FileTools(t *testing.T) {
	r := newRig(t)
	for _, c := range []struct{ tool, args, want string }{
		{"make_folder", `{"path":"archive/2026"}`, "Made the folder archive/2026"},
		{"make_folder", `{"path":"archive"}`, "Nothing was changed: the folder archive exists already"},
		{"make_folder", `{"path":"empty/inner"}`, "Made the folder empty/inner"},
		{"move", `{"from":"notas.md","to":"archive/2026"}`, "Moved notas.md to archive/2026/notas.md"},
		{"move", `{"from":"archive/2026/notas.md","to":"archive/2026/Notas.md"}`, "Moved archive/2026/notas.md to archive/2026/Notas.md"},
		{"copy", `{"from":"sales.xlsx","to":"new/place/"}`, "Copied sales.xlsx to new/place/sales.xlsx"},
		{"copy", `{"from":"archive","to":"backup"}`, "Copied the folder archive with 1 file to backup"},
		{"copy", `{"from":"backup/2026/Notas.md","to":".","why":"x"}`, "Copied backup/2026/Notas.md to Notas.md\nignored arguments: why"},
		{"move", `{"from":"new","to":"backup"}`, "Moved the folder new with 1 file to backup/new"},
		{"delete", `{"path":"Notas.md"}`, "Deleted Notas.md" + inDraft},
	} {
		require.Equal(t, c.want, r.ok(c.tool, c.args), c.args)
	}
	require.True(t, r.call("make_folder", `{"path":"archive"}`).Unchanged)
	require.Equal(t, []string{
		"renamed archive/2026/Notas.md: renamed from notas.md; the content is the same",
		"added backup/2026/Notas.md: copy of archive/2026/Notas.md, unchanged",
		"added backup/new/place/sales.xlsx: copy of sales.xlsx, unchanged",
		"added empty/inner: a new folder, empty",
	}, r.changes())

	require.Equal(t, "Deleted the folder backup with 2 files: backup/2026/Notas.md, backup/new/place/sales.xlsx"+inDraft, r.ok("delete", `{"path":"backup"}`))
	require.Contains(t, r.ok("delete", `{"path":"bad"}`), "and ")
	require.Equal(t, "Deleted the folder empty, which had no files"+inDraft, r.ok("delete", `{"path":"empty"}`))
	require.FileExists(t, r.wb.Root()+"/notas.md")
	r.ok("write_text_file", `{"path":"a.txt","content":"a"}`)
	r.ok("write_text_file", `{"path":"b.txt","content":"b"}`)
	require.Equal(t, "Moved a.txt to b.txt, in place of the file that was there", r.ok("move", `{"from":"a.txt","to":"b.txt","overwrite":true}`))
	require.Equal(t, "a", string(r.bytes("b.txt")))
}

// W-20: what file tools refuse, they refuse with what is in the way; nothing changes.
func TestW20FileToolsRefuse(t *testing.T) {
	r := newRig(t)
	r.ok("write_text_file", `{"path":"d/e/a.txt","content":"abc"}`)
	r.ok("write_text_file", `{"path":"b.txt","content":"b"}`)
	before := r.changes()
	for _, c := range []struct{ tool, args, want string }{
		{"move", `{"from":"b.txt","to":"d/e/a.txt"}`, "Error: d/e/a.txt exists already: a text file of 3 bytes (overwrite: true replaces it)"},
		{"copy", `{"from":"d","to":"b.txt","overwrite":true}`, "Error: b.txt exists already: a text file of 1 bytes (a folder does not replace a file; give another path)"},
		{"copy", `{"from":"b.txt","to":"b.txt","overwrite":true}`, "Error: b.txt is there already"},
		{"move", `{"from":"d","to":"d/e/f"}`, "Error: Cannot move a folder into itself or a subfolder."},
		{"copy", `{"from":"d","to":"d/e/g"}`, "Error: Cannot copy a folder into itself or a subfolder."},
		{"copy", `{"from":"d/e","to":"d"}`, "Error: d/e is there already"},
		{"move", `{"from":"none","to":"x"}`, "Error: file not found: none"},
		{"move", `{"from":"b.txt","to":"../x"}`, "Error: SANDBOX_VIOLATION"},
		{"move", `{"from":".","to":"x"}`, "Error: the workbench itself cannot be moved"},
		{"copy", `{"from":"d","to":"b.txt/x"}`, "Error: b.txt/x cannot hold files: b.txt is a file"},
		{"move", `{"from":"d","to":""}`, "Error: to is required"},
		{"delete", `{"path":"."}`, "Error: the workbench itself cannot be removed"},
		{"delete", `{"path":"none"}`, "Error: file not found: none"},
		{"make_folder", `{"path":"b.txt"}`, "Error: b.txt exists already: a text file of 1 bytes"},
		{"make_folder", `{"path":"b.txt/x"}`, "Error: b.txt is a file"},
	} {
		res := r.call(c.tool, c.args)
		require.False(t, res.Success, c.args)
		require.Contains(t, res.Text, c.want, c.args)
	}
	require.Equal(t, before, r.changes())
}

// M-02: none of them works in plan mode.
func TestM02FileToolsInPlanMode(t *testing.T) {
	home, err := workshop.OpenHome(t.TempDir(), workshop.Options{})
	require.NoError(t, err)
	defer home.Close()
	wb, err := home.OpenFolder(ctx, t.TempDir())
	require.NoError(t, err)
	env := &tools.Env{View: wb.DraftView(workshop.Cause{}), Formats: all.Formats(all.Options{})}
	r := &rig{t: t, wb: wb, cat: catalogue.Workshop(), env: env}
	r.ok("write_text_file", `{"path":"a.txt","content":"a"}`)
	env.Mode = tools.ModePlan
	for tool, args := range map[string]string{"move": `{"from":"a.txt","to":"b.txt"}`, "copy": `{"from":"a.txt","to":"b.txt"}`, "delete": `{"path":"a.txt"}`, "make_folder": `{"path":"f"}`} {
		res := r.cat.Call(ctx, env, tool, json.RawMessage(args))
		require.False(t, res.Success, tool)
		require.Contains(t, res.Text, "Plan Mode", tool)
	}
	e, err := env.View.Stat(ctx, "a.txt")
	require.NoError(t, err)
	require.Equal(t, formats.KindText, e.Kind)
}
