package catalogue_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/all"
	"atelier/formats/formatstest"
	"atelier/workshop/tools/catalogue"
)

// arguments that a tool does not take are ignored and named: on a line of
// its own in a sentence, as a member of an object, and beside a text that is
// content, which stays as it is.
func TestIgnoredArgumentsAreNamed(t *testing.T) {
	r := newRig(t)
	require.Equal(t, "Successfully wrote 2 bytes to n.txt\nignored arguments: encoding, mode",
		r.ok("write_text_file", `{"path":"n.txt","content":"hi","encoding":"utf-8","mode":7,"other":null}`))
	require.Equal(t, "hi", r.ok("read_file", `{"path":"n.txt","page_start":1}`), "an old name is no unknown one")
	require.JSONEq(t, `{"ignored":["lines"],"text":"hi"}`, r.ok("read_file", `{"path":"n.txt","lines":"1-2"}`))
	var info struct {
		Ignored []string `json:"ignored"`
		Kind    string   `json:"kind"`
	}
	require.NoError(t, json.Unmarshal([]byte(r.ok("get_file_info", `{"path":"n.txt","slide":3}`)), &info))
	require.Equal(t, []string{"slide"}, info.Ignored)
	require.Equal(t, "text", info.Kind)
	require.NotContains(t, r.ok("get_file_info", `{"path":"n.txt"}`), "ignored")
	list := r.call("list_files", `{"folder":"x"}`)
	require.True(t, strings.HasPrefix(list.Text, "ignored arguments: folder\n[{"), list.Text)
	require.False(t, strings.Contains(r.call("write_text_file", `{"path":"n.txt","contents":"hi"}`).Text, "Successfully"))
}

// The other catalogues name them in their objects.
func TestIgnoredArgumentsElsewhere(t *testing.T) {
	onBothViews(t, nil, func(s *scale) {
		o := s.ok("write", args("path", "/a.txt", "content", "hi", "zzz", 1))
		require.Equal(t, []any{"zzz"}, o["ignored"])
		require.NotContains(t, s.ok("read", args("path", "/a.txt")), "ignored")
		require.Equal(t, []any{"start"}, s.ok("edit", `{"path":"/a.txt","old_string":"hi","new_string":"ho","start":1}`)["ignored"])
		require.Equal(t, "ho", s.ok("read", args("path", "/a.txt", "zzz", 1))["content"])
	})
	p := newProfile(t, "aptix", false, map[string]string{"a.md": "one\n"})
	var o object
	require.NoError(t, json.Unmarshal([]byte(p.call("workspace_read_file", `{"path":"repo/a.md","zzz":1}`).Text), &o))
	require.Equal(t, []any{"zzz"}, o["ignored"])
}

// An operation's members that it does not take are named in its line, also of a
// dry run.
func TestIgnoredMembersAreNamed(t *testing.T) {
	r := newRig(t)
	for _, dry := range []string{"", `,"dry_run":true`} {
		out := r.ok("docx_operations", `{"path":"contrato.docx"`+dry+`,"operations":[{"op":"append_paragraph","text":"a","bold":true},{"op":"append_paragraph","text":"b"},{"op":"add_table","rows":[["a"]],"bold":true,"width":3}]}`)
		require.Contains(t, out, "\noperation 3 (add_table): ")
		require.Contains(t, out, "; ignored bold, width")
		require.NotContains(t, out, "operation 1 (append_paragraph): ignored")
	}
	out := r.ok("xlsx_operations", `{"path":"n.xlsx","create_if_missing":true,"track_changes":true,"operations":[{"op":"set_cells","sheet":"A","cells":[{"cell":"A1","value":1,"bold":true}]}]}`)
	require.Equal(t, "Successfully created n.xlsx\noperation 1 (set_cells): ignored bold in cells; it is set in cells.style.font_bold\nignored track_changes: only docx files have tracked changes", out)
}

// What models are shown of the operations names members that exist only, and
// all of them, and each description speaks of operations that take the member.
func TestSignaturesAndSchemasAgree(t *testing.T) {
	set := all.Formats(all.Options{CacheDir: formatstest.Cache})
	word := regexp.MustCompile(`[a-z][a-z0-9_]*`)
	for _, kind := range []formats.Kind{formats.KindXlsx, formats.KindDocx, formats.KindPptx} {
		editor := set.Kind(kind).Editor
		_, names := editor.Operation()
		var schema jsonschema.Schema
		for _, tool := range catalogue.Workshop().Tools() {
			if tool.Function.Name == string(kind)+"_operations" {
				require.NoError(t, json.Unmarshal(tool.Function.Parameters, &schema))
			}
		}
		props := schema.Properties["operations"].Items.Properties
		takes := map[string][]string{}
		shown := map[string]bool{"op": true}
		for _, op := range names {
			line := regexp.MustCompile(`\([^)]*\)`).ReplaceAllString(editor.Usage(op), "")
			for _, m := range word.FindAllString(line, -1) {
				if m != "or" && m != "and" {
					require.Contains(t, props, m, "%s: %s", op, line)
					takes[op], shown[m] = append(takes[op], m), true
				}
			}
		}
		for m, p := range props {
			require.True(t, shown[m], "no %s operation takes %s", kind, m)
			for _, op := range word.FindAllString(p.Description, -1) {
				if m != "op" && slices.Contains(names, op) && strings.Contains(op, "_") {
					require.Contains(t, takes[op], m, "the description of %s speaks of %s: %s", m, op, p.Description)
				}
			}
		}
	}
}

// A result that is given in part names them in that part, which stays valid and
// within its bound.
func TestIgnoredArgumentsOfAPart(t *testing.T) {
	r := newRig(t)
	r.ok("write_text_file", `{"path":"long.txt","content":`+string(must(json.Marshal(strings.Repeat("a line of text\n", 3000))))+`}`)
	for _, tool := range []string{"read_file", "get_segments"} {
		res := r.call(tool, `{"path":"long.txt","zzz":1,"`+strings.Repeat("y", 5000)+`":2}`)
		require.True(t, res.Success, res.Text)
		require.LessOrEqual(t, len(res.Text), r.env.Max())
		var part struct {
			Ignored []string `json:"ignored"`
		}
		require.NoError(t, json.Unmarshal([]byte(res.Text), &part), "%.200s", res.Text)
		require.Len(t, part.Ignored, 2)
		require.Equal(t, "zzz", part.Ignored[0])
	}
}
