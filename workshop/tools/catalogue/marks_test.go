package catalogue_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
	"atelier/workshop/tools/files"
	"atelier/workshop/tools/marks"
)

// What a model can have read, made by what makes it: none of it goes into a
// file, but for a file that has it.
func TestMarksAreNotWrittenBack(t *testing.T) {
	r := newRig(t)
	receipt, ok := tools.Receipt(strings.Repeat("a line of text\n", 400), 7)
	require.True(t, ok)
	wide := ""
	for i := range 60 {
		wide += fmt.Sprintf(",%d", i)
	}
	r.ok("xlsx_operations", `{"path":"wide.xlsx","create_new":true,"operations":[{"op":"set_range","sheet":"S","start":"A1","values":[[`+wide[1:]+`]]}]}`)
	sheet := r.whole(t, "wide.xlsx", formats.Selector{})
	require.Contains(t, sheet, "\n... (truncated at 50 columns)")
	envelope := r.ok("read_file", `{"path":"notas.md","line_start":2,"line_count":1}`)
	for name, text := range map[string]string{
		"draft":    "[" + files.ChangedOutside + "]",
		"receipt":  receipt,
		"sheet":    sheet,
		"envelope": envelope,
		"page":     "Contract\n[page 3 has no text; it is a picture]\nSigned",
		"old part": "[part 1 of 3: 1-200; next: line_start=201]\r\nfirst",
		"old cut":  "first\n... (178 of 279 bytes left out; for the rest call recall_tool_result {\"entry_id\":1,\"offset\":100} or read a smaller part)\n",
		"old page": "first\n... (characters 0 to 80 of 187; go on with offset 80)",
	} {
		n, line, what := marks.InText(text, "")
		require.NotZero(t, n, name)
		require.NotEmpty(t, what)
		require.Contains(t, text, line)
		args := func(m map[string]any) string {
			b, err := json.Marshal(m)
			require.NoError(t, err)
			return string(b)
		}
		write := args(map[string]any{"path": "a.txt", "content": text})
		res := r.call("write_text_file", write)
		require.False(t, res.Success, "%s: %s", name, res.Text)
		require.Contains(t, res.Text, fmt.Sprintf("line %d of content is ", n), name)
		require.Contains(t, res.Text, "literal: true", name)
		for _, c := range []struct{ cat, tool, args string }{
			{"buildscale", "write", args(map[string]any{"path": "/b.txt", "content": text})},
			{"buildscale", "edit", args(map[string]any{"path": "/notas.md", "insert_line": 0, "insert_content": text})},
			{"buildscale", "plan_write", args(map[string]any{"title": "T", "content": text})},
			{"sila", "write_to_file", args(map[string]any{"path": "file:///c.txt", "content": text})},
			{"aptix", "workspace_create_file", args(map[string]any{"path": "d.txt", "content": text})},
		} {
			cat, err := catalogue.Named(c.cat)
			require.NoError(t, err)
			res := cat.Call(ctx, r.env, c.tool, json.RawMessage(c.args))
			require.False(t, res.Success, "%s %s: %s", name, c.tool, res.Text)
			require.Contains(t, res.Text, "no part of the file", c.tool)
		}
		res = r.call("docx_operations", args(map[string]any{"path": "contrato.docx", "operations": []any{map[string]any{"op": "append_paragraph", "text": text}}}))
		require.False(t, res.Success, name)
		require.Contains(t, res.Text, "no part of the document")

		r.ok("write_text_file", args(map[string]any{"path": "a.txt", "content": text, "literal": true}))
		require.Equal(t, text, string(r.bytes("a.txt")))
		r.ok("write_text_file", args(map[string]any{"path": "a.txt", "content": text}))
		if !strings.HasPrefix(text, "{") {
			r.ok("write_text_file", args(map[string]any{"path": "a.txt", "content": "Before\n" + text}))
		}
		r.env.View.Remove(ctx, "a.txt")
	}
	cs, err := r.wb.Changes(ctx)
	require.NoError(t, err)
	for _, c := range cs {
		require.NotContains(t, []string{"b.txt", "c.txt", "d.txt", "contrato.docx", "notas.md"}, string(c.Path))
	}
}

// What reads put before paragraphs, shapes and sheets is refused in office
// files, unless literal says that it is meant.
func TestHeadsAreNotWrittenBack(t *testing.T) {
	r := newRig(t)
	address := strings.SplitN(r.whole(t, "contrato.docx", formats.Selector{Include: []string{"addresses"}}), "\n", 2)[0]
	shape := strings.Join(strings.SplitN(r.whole(t, "presentacion.pptx", formats.Selector{Include: []string{"addresses"}}), "\n", 3)[1:2], "")
	sheet := r.whole(t, "sales.xlsx", formats.Selector{Sheet: "Sales"})
	slide := strings.SplitN(r.whole(t, "presentacion.pptx", formats.Selector{}), "\n", 3)
	for _, text := range []string{address, "[p41 Heading 2] Scope", "[p41 d) List Paragraph] to deliver", shape + "\nTitle", sheet, slide[0] + "\n" + slide[1]} {
		for _, c := range []struct{ path, op string }{
			{"contrato.docx", `{"op":"append_paragraph","text":%s}`},
			{"contrato.docx", `{"op":"append_paragraph","runs":[{"text":%s}]}`},
			{"presentacion.pptx", `{"op":"set_slide_text","index":0,"title":%s}`},
			{"sales.xlsx", `{"op":"set_cells","sheet":"Sales","cells":[{"cell":"A30","value":%s}]}`},
		} {
			b, err := json.Marshal(text)
			require.NoError(t, err)
			tool := strings.TrimPrefix(filepath.Ext(c.path), ".") + "_operations"
			call := func(more string) tools.Result {
				return r.call(tool, fmt.Sprintf(`{"path":%q,"dry_run":true,"operations":[%s]%s}`, c.path, fmt.Sprintf(c.op, b), more))
			}
			res := call("")
			require.False(t, res.Success, "%.60q %s", text, c.path)
			require.Contains(t, res.Text, "operation 1: a text holds the ")
			res = call(`,"literal":true`)
			require.True(t, res.Success, res.Text)
		}
	}
	for _, text := range []string{"[1] See page 4", "[p. 41] Smith", "Sheet: Sales", "# Slide 3", "[Draft] Contract", "... (and so on)", "[first of 3 items]", `{"text":"a"}`, "[page 3]"} {
		b, err := json.Marshal(text)
		require.NoError(t, err)
		require.NoError(t, marks.RefuseOp(json.RawMessage(`{"op":"append_paragraph","text":`+string(b)+`}`), 0, ""), text)
	}
	require.NoError(t, marks.RefuseOp(json.RawMessage(`{"op":"replace_text","search":"[p41] x","replace":""}`), 0, ""), "what is looked for is not written")
}

// Honest texts pass: the pages of this repository and its documents.
func TestHonestTextsHaveNoMarks(t *testing.T) {
	root := formatstest.Root(t)
	n := 0
	for _, glob := range []string{"*.md", "docs/*.md", "docs/decisions/*.md", "testdata/documents/*.md", "testdata/documents/*.csv", "testdata/texts/*"} {
		list, err := filepath.Glob(filepath.Join(root, glob))
		require.NoError(t, err)
		for _, path := range list {
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			_, line, what := marks.InText(string(b), "")
			require.Empty(t, what, "%s: %s", path, line)
			n++
		}
	}
	require.Greater(t, n, 30)
}
