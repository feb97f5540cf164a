package catalogue_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/workshop"
)

// W-30: replace_text says where it replaced, keeps encoding and line ends, and refuses
// what does not fit.
func TestW30ReplaceText(t *testing.T) {
	r := newRig(t)
	put := func(p, s string) {
		_, err := r.env.View.Put(ctx, workshop.Path(p), workshop.PutOptions{}, textOf(s))
		require.NoError(t, err)
	}
	put("a.txt", "\ufeffone\r\ntwo one\r\none")
	put("l.txt", "El ni\xf1o comi\xf3 pi\xf1as en M\xe1laga; \xbfqu\xe9 m\xe1s quer\xeda?\n")
	put("long.txt", strings.Repeat("x and y\n", 30))
	before := r.bytes("a.txt")
	for _, c := range []struct{ args, want string }{
		{`{"path":"a.txt","search":"none such","replace":"x"}`, `Error: "none such" was not found in a.txt; read the lines to see how they are written`},
		{`{"path":"a.txt","search":"one\\r?\\ntwo","replace":"x","regex":true}`, `was not found in a.txt; a regular expression is matched inside each line, so it finds no line end: search without regex for text of several lines`},
		{`{"path":"a.txt","search":"one","replace":"1","expect":2}`, `Error: "one" is in a.txt 3 times, on lines 1, 2, 3, not 2 times; nothing was changed`},
		{`{"path":"a.txt","search":"(","replace":"1","regex":true}`, "Error: search is not a regular expression: error parsing regexp: missing closing ): `(`"},
		{`{"path":"a.txt","search":"","replace":"1"}`, "Error: Search string cannot be empty"},
		{`{"path":"a.txt","search":"one","replace":"[page 3 has no text; it is empty]"}`, "literal: true writes it as it is"},
		{`{"path":"l.txt","search":"piñas","replace":"日本"}`, "Error: l.txt is stored as windows-1252, which lacks a character of the new text"},
		{`{"path":"contrato.docx","search":"a","replace":"b"}`, "Error: contrato.docx is a docx file and cannot be written as text; use docx_operations"},
		{`{"path":"sales.xlsx","search":"a","replace":"b"}`, "Error: sales.xlsx is an xlsx file and cannot be written as text; use xlsx_operations"},
		{`{"path":"none.txt","search":"a","replace":"b"}`, "Error: file not found: none.txt"},
	} {
		res := r.call("replace_text", c.args)
		require.False(t, res.Success, c.args)
		require.Contains(t, res.Text, c.want, c.args)
	}
	require.Equal(t, before, r.bytes("a.txt"))

	require.Equal(t, "Nothing was changed in a.txt: the new text is the same in 3 places, on lines 1, 2, 3", r.ok("replace_text", `{"path":"a.txt","search":"one","replace":"one"}`))
	require.Equal(t, "Replaced text in 1 place of a.txt, on line 1", r.ok("replace_text", `{"path":"a.txt","search":"one\ntwo","replace":"1\n2","expect":"1"}`))
	require.Equal(t, "Replaced text in 2 places of a.txt, on lines 2, 3\nignored arguments: all", r.ok("replace_text", `{"path":"a.txt","search":"o(n)e","replace":"<$1>","regex":true,"all":true}`))
	require.Equal(t, "\ufeff1\r\n2 <n>\r\n<n>", string(r.bytes("a.txt")))
	require.Contains(t, r.ok("replace_text", `{"path":"long.txt","search":"y","replace":"z"}`), "30 places of long.txt, on lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and further ones")
	r.ok("replace_text", `{"path":"l.txt","search":"piñas","replace":"años"}`)
	require.Equal(t, "El ni\xf1o comi\xf3 a\xf1os en M\xe1laga; \xbfqu\xe9 m\xe1s quer\xeda?\n", string(r.bytes("l.txt")))
	put("m.txt", "[page 3 has no text; it is empty]\nx\n")
	r.ok("replace_text", `{"path":"m.txt","search":"x","replace":"[page 3 has no text; it is empty]"}`)
}

// W-30, P-03…P-08: edit_lines follows the rules of line patches, with its own names.
func TestW30EditLines(t *testing.T) {
	r := newRig(t)
	r.ok("write_text_file", `{"path":"a.txt","content":"one\ntwo\nthree\nfour\nfive"}`)
	before := r.bytes("a.txt")
	for _, c := range []struct{ args, want string }{
		{`{"path":"a.txt","edits":[]}`, "Error: edits needs at least one edit"},
		{`{"path":"a.txt","edits":[{"op":"move"}]}`, "Error: edit 1: op must be replace, insert or delete"},
		{`{"path":"a.txt","edits":[{"op":"insert","lines":["x"]}]}`, "Error: edit 1: insert needs after"},
		{`{"path":"a.txt","edits":[{"op":"delete","start":6}]}`, "Error: edit 1: line 6 is outside the file, which has 5 lines"},
		{`{"path":"a.txt","edits":[{"op":"insert","after":5,"lines":["x"]},{"op":"replace","start":2,"lines":["2"],"expected":["Two"]}]}`, `Error: edit 2: line 2 is not as expected: expected "Two", found "two" (read the lines again; nothing was changed)`},
		{`{"path":"a.txt","edits":[{"op":"delete","start":1,"end":3},{"op":"delete","start":2}]}`, "Error: edit 2: changes must be sorted from top to bottom and must not overlap"},
		{`{"path":"a.txt","edits":[{"op":"replace","start":1}]}`, "Error: edit 1: replace needs at least one line in lines; use delete to remove lines"},
		{`{"path":"a.txt","edits":[{"op":"replace","start":1,"end":2,"expected":["one"],"lines":["x"]}]}`, "Error: edit 1: expected has 1 lines, but lines 1 to 2 are 2"},
		{`{"path":"a.txt","edits":[{"op":"insert","after":0,"lines":["[page 3 has no text; it is empty]"]}]}`, "literal: true writes it as it is"},
		{`{"path":"presentacion.pptx","edits":[{"op":"delete","start":1}]}`, "use pptx_operations"},
	} {
		res := r.call("edit_lines", c.args)
		require.False(t, res.Success, c.args)
		require.Contains(t, res.Text, c.want, c.args)
	}
	require.Equal(t, before, r.bytes("a.txt"))

	require.Equal(t, `Edited a.txt: it had 5 lines and has 6; lines 2-3 began with "two"`,
		r.ok("edit_lines", `{"path":"a.txt","edits":[{"op":"insert","after":5,"lines":["six\nseven"]},{"op":"INSERT","after":1,"lines":["one and a half"]},{"op":"delete","start":"2","end":3}]}`))
	require.Equal(t, "one\none and a half\nfour\nfive\nsix\nseven", string(r.bytes("a.txt")))
	require.Equal(t, "Edited a.txt: it had 6 lines and has 6", r.ok("edit_lines", `{"path":"a.txt","edits":[{"op":"replace","start":1,"lines":["1"],"expected":["one"]}]}`))
	require.Equal(t, "Nothing was changed in a.txt: the lines are the same already", r.ok("edit_lines", `{"path":"a.txt","edits":[{"op":"replace","start":1,"lines":["1"]}]}`))
}

func textOf(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

// changedMeanwhile changes a file once, just before it is put.
type changedMeanwhile struct {
	workshop.View
	text string
}

func (v *changedMeanwhile) Put(c context.Context, p workshop.Path, opt workshop.PutOptions, write func(io.Writer) error) (workshop.Entry, error) {
	if s := v.text; s != "" {
		v.text = ""
		if _, err := v.View.Put(c, p, workshop.PutOptions{}, textOf(s)); err != nil {
			return workshop.Entry{}, err
		}
	}
	return v.View.Put(c, p, opt, write)
}

// A file that somebody changes meanwhile is edited as it is now, with its line ends; a
// stored JSON value stays one; binary files are refused.
func TestEditsOfTextFiles(t *testing.T) {
	r := newRig(t)
	r.ok("write_text_file", `{"path":"a.txt","content":"a\r\nb\r\n"}`)
	plain := r.env.View
	r.env.View = &changedMeanwhile{plain, "x\na\nb\n"}
	require.Equal(t, "Replaced text in 1 place of a.txt, on line 2", r.ok("replace_text", `{"path":"a.txt","search":"a\nb","replace":"1\n2"}`))
	require.Equal(t, "x\n1\n2\n", string(r.bytes("a.txt")))
	r.env.View = &changedMeanwhile{plain, "other\n"}
	require.Contains(t, r.call("edit_lines", `{"path":"a.txt","edits":[{"op":"delete","start":1,"expected":["x"]}]}`).Text, `found "other"`)
	r.env.View = plain

	_, err := plain.Put(ctx, "v.json", workshop.PutOptions{JSON: true}, textOf(`{"k":"v"}`))
	require.NoError(t, err)
	require.Contains(t, r.call("replace_text", `{"path":"v.json","search":"v","replace":"\""}`).Text, "v.json holds a JSON value, which it would be no more")
	r.ok("replace_text", `{"path":"v.json","search":"v","replace":"w"}`)
	e, err := plain.Stat(ctx, "v.json")
	require.NoError(t, err)
	require.True(t, e.JSON)
	_, err = plain.Put(ctx, "b.dat", workshop.PutOptions{}, textOf("a\x00b"))
	require.NoError(t, err)
	for tool, args := range map[string]string{"replace_text": `{"path":"b.dat","search":"a","replace":"b"}`, "edit_lines": `{"path":"b.dat","edits":[{"op":"delete","start":1}]}`} {
		require.Contains(t, r.call(tool, args).Text, "b.dat is a binary file, which has no text to edit")
	}
}
