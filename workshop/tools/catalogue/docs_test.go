package catalogue_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
	"atelier/workshop"
	"atelier/workshop/openfiles"
	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
	"atelier/workshop/tools/virtual"
)

// example is a call that docs/tools.md shows with its answer.
type example struct{ tool, args string }

// examples are made one after the other on one folder.
var examples = map[string][]example{
	"buildscale": {
		{"ls", `{"path":"/"}`},
		{"write", `{"path":"/notes/thoughts.md","content":"# Thoughts\n\nA first draft.\n"}`},
		{"write", `{"path":"/notes/thoughts.md","content":"x"}`},
		{"write", `{"path":"/boards/main.canvas","content":{"version":1,"elements":[]},"file_type":"canvas"}`},
		{"read", `{"path":"/server.log","offset":-2}`},
		{"read", `{"path":"/sales.xlsx","limit":2}`},
		{"read", `{"path":"/notes/thoughts.md"}`},
		{"edit", `{"path":"/notes/thoughts.md","old_string":"A first draft.","new_string":"A second draft.","last_read_hash":"HASH"}`},
		{"edit", `{"path":"/notes/thoughts.md","insert_line":0,"insert_content":"<!-- mine -->","last_read_hash":"HASH"}`},
		{"file_info", `{"path":"/notes/thoughts.md"}`},
		{"grep", `{"pattern":"draft|error","path_pattern":"*.md","context":1}`},
		{"glob", `{"pattern":"*.{md,log}"}`},
		{"find", `{"name":"*.log","min_size":10}`},
		{"read_multiple_files", `{"paths":["/server.log","/none.txt"],"limit":1}`},
		{"cat", `{"paths":["/server.log"],"offset":1,"limit":2,"number_lines":true,"show_ends":true}`},
		{"mkdir", `{"path":"/archive/2026"}`},
		{"mv", `{"source":"/notes/thoughts.md","destination":"/archive/2026/"}`},
		{"touch", `{"path":"/archive/empty.txt"}`},
		{"rm", `{"path":"/archive/empty.txt"}`},
		{"rm", `{"path":"/archive"}`},
		{"plan_write", `{"title":"Tidy the archive","content":"# Steps\n- look\n- move\n"}`},
		{"plan_read", `{"name":"NAME"}`},
		{"plan_edit", `{"path":"/plans/NAME.plan","old_string":"- look","new_string":"- look (done)"}`},
		{"plan_list", `{"status":"draft"}`},
		{"ask_user", `{"questions":[{"name":"approval","question":"Review the plan. Ready to build?","schema":"{\"type\":\"string\",\"enum\":[\"Accept\",\"Reject\"]}","buttons":[{"label":"Accept","value":"Accept"},{"label":"Reject","value":"Reject"}]}]}`},
		{"exit_plan_mode", `{"plan_file_path":"/plans/NAME.plan"}`},
	},
	"workshop": {
		{"list_files", `{}`},
		{"get_file_info", `{"path":"sales.xlsx"}`},
		{"read_file", `{"path":"sales.xlsx","sheet":"Sales","range":"A1:C3"}`},
		{"read_file", `{"path":"server.log","line_start":2,"line_count":1}`},
		{"read_skill", `{"name":"reconcile"}`},
		{"search_files", `{"query":"error","max":3}`},
		{"search_files", `{"query":"^\\d+$","regex":true,"path":"*.xlsx","max":2}`},
		{"write_text_file", `{"path":"notes/new.md","content":"# New\n"}`},
		{"write_text_file", `{"path":"../new.md","content":"# New\n"}`},
		{"replace_text", `{"path":"server.log","search":"error","replace":"ERROR"}`},
		{"replace_text", `{"path":"sales.xlsx","search":"a","replace":"b"}`},
		{"edit_lines", `{"path":"server.log","edits":[{"op":"replace","start":1,"lines":["started"]},{"op":"insert","after":3,"lines":["done"]}]}`},
		{"make_folder", `{"path":"archive/2026"}`},
		{"copy", `{"from":"notes/new.md","to":"archive/2026/"}`},
		{"move", `{"from":"notes/new.md","to":"server.log"}`},
		{"convert", `{"path":"sales.xlsx","format":"csv","target_path":"archive/sales.csv"}`},
		{"move", `{"from":"notes","to":"archive"}`},
		{"delete", `{"path":"archive"}`},
	},
	"aptix": {
		{"workspace_read_file", `{"path":"repo/server.log","maxBytes":8}`},
		{"workspace_read_file", `{"path":"repo/open.cs"}`},
		{"workspace_read_file", `{"path":"repo/none.cs"}`},
		{"active_file_sha256", `{"docPath":"repo/open.cs"}`},
		{"workspace_read_file", `{"path":"repo/server.log"}`},
		{"workspace_write_patch", `{"batchKey":"b1","files":[{"docPath":"repo/server.log","originalSha256":"HASH","changes":[{"operation":"replace","startLine":3,"endLine":3,"expectedOriginalLines":["retry"],"newLines":["retry 1","retry 2"]}]}]}`},
		{"workspace_write_patch", `{"files":[{"docPath":"repo/server.log","originalSha256":"0000000000000000000000000000000000000000000000000000000000000000","changes":[{"operation":"insert","afterLine":0,"newLines":["top"]}]}]}`},
		{"workspace_create_file", `{"path":"src/new.md","content":"# New\n"}`},
		{"code_hash_normalized", `{"content":"a\r\nb"}`},
	},
	"sila": {
		{"read", `{"uri":"file:///README.md"}`},
		{"read", `{"uri":"file:notes/plan.md"}`},
		{"read", `{"uri":"file:///sales.xlsx"}`},
		{"read", `{"uri":"https://example.com/"}`},
		{"write_to_file", `{"path":"notes/plan.md","content":"1. read\n"}`},
		{"ls", `{"uri":"file:notes"}`},
		{"move", `{"source":"file:notes/plan.md","destination":"file:///plan.md"}`},
		{"rm", `{"uri":"file:notes"}`},
	},
}

// docs/tools.md says what every catalogue has and what its tools answer; it is
// made from them, so that it cannot be wrong.
func TestToolsReference(t *testing.T) {
	root := formatstest.Root(t)
	head, err := os.ReadFile(filepath.Join(root, "docs", "tools.head.md"))
	require.NoError(t, err)
	sb := bytes.NewBuffer(head)
	for _, name := range catalogue.Names() {
		cat, err := catalogue.Named(name)
		require.NoError(t, err)
		fmt.Fprintf(sb, "\n## The catalogue `%s`\n\n", name)
		toolTable(sb, cat)
		shown := showExamples(t, cat)
		for _, b := range cat.Bindings() {
			if text := shown[b.Name]; text != "" {
				fmt.Fprintf(sb, "\n### %s: `%s`\n%s", name, b.Name, text)
			}
		}
	}
	path := filepath.Join(root, "docs", "tools.md")
	if *update {
		require.NoError(t, os.WriteFile(path, sb.Bytes(), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.True(t, string(want) == sb.String(), "docs/tools.md is not what the tools say and do: go test ./workshop/tools/catalogue -update")
}

// toolTable lists the tools with their arguments; ? marks those that may be
// left out.
func toolTable(sb *bytes.Buffer, cat *tools.Catalogue) {
	sb.WriteString("| tool | | arguments | what it does |\n|---|---|---|---|\n")
	for _, b := range cat.Bindings() {
		var as []string
		for _, n := range order(b.Schema) {
			if !slices.Contains(b.Schema.Required, n) {
				n += "?"
			}
			as = append(as, "`"+n+"`")
		}
		fmt.Fprintf(sb, "| `%s` | %s | %s | %s |\n", b.Name, b.Tool.Effect, strings.Join(as, " "), strings.ReplaceAll(strings.ReplaceAll(b.Description, "|", `\|`), "\n", " "))
	}
}

// order is the arguments as the schema has them.
func order(s *jsonschema.Schema) []string {
	var names []string
	for _, n := range s.PropertyOrder {
		if s.Properties[n] != nil { // not one that is read but not advertised
			names = append(names, n)
		}
	}
	if len(names) > 0 {
		return names
	}
	for n := range s.Properties {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// showExamples runs the examples of a catalogue and gives them by tool.
func showExamples(t *testing.T, cat *tools.Catalogue) map[string]string {
	sales, err := os.ReadFile(filepath.Join(formatstest.Root(t), "testdata", "documents", "sales.xlsx"))
	require.NoError(t, err)
	s := newScale(t, map[string]string{"server.log": "start\nerror: no disk\nretry\nend\n", "README.md": "# A folder\n", "sales.xlsx": string(sales)}, true)
	s.env.Virtual = virtual.Chats(s.wb)
	s.env.Post = func(context.Context, tools.Asking) error { return nil }
	if name := cat.Name(); name == "aptix" || name == "sila" {
		s.env.Session = &tools.Session{ID: "s-1", Conversation: "c-1", Active: &openfiles.List{}, Docs: s.wb}
		require.NoError(t, s.wb.SetDocPath(ctx, "server.log", "repo/server.log"))
		require.NoError(t, s.env.Session.Active.Set([]openfiles.File{{DocPath: "repo/open.cs", Content: "class A {}\n", IsActive: true}}, false))
	}
	out := map[string]string{}
	hash, plan := "", ""
	for _, e := range examples[cat.Name()] {
		args := strings.NewReplacer("HASH", hash, "NAME", plan).Replace(e.args)
		r := cat.Call(ctx, s.env, e.tool, json.RawMessage(args))
		var answer string
		if r.Success {
			var o struct {
				Hash, Path string
				File       struct{ SHA256 string }
			}
			_ = json.Unmarshal([]byte(r.Full), &o)
			hash = o.Hash + o.File.SHA256
			if e.tool == "plan_write" {
				plan = strings.TrimSuffix(filepath.Base(o.Path), ".plan")
			}
			answer = r.Full
			if json.Valid([]byte(answer)) {
				answer = string(must(tools.Compact(json.RawMessage(answer))))
			}
		} else {
			answer = failure(r.Fault)
			if cat.Name() != "buildscale" {
				answer = r.Text
			}
		}
		out[e.tool] += fmt.Sprintf("\n```\n→ %s\n← %s\n```\n", steady(args, plan), steady(answer, plan))
	}
	return out
}

// failure is a fault as the HTTP API words it.
func failure(f *workshop.Fault) string {
	code := string(f.Code)
	if f.Code == workshop.Invalid {
		code = "VALIDATION_ERROR"
	}
	o := object{"error": f.Message, "code": code}
	if f.Field != "" {
		o = object{"error": "Validation failed", "code": code, "fields": object{f.Field: f.Message}}
	}
	return string(must(tools.Compact(o)))
}

var (
	ids    = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)
	times  = regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
	sums   = regexp.MustCompile(`[0-9a-f]{64}`)
	keys32 = regexp.MustCompile(`[0-9a-f]{32}`)
	folder = regexp.MustCompile(`"docPath":"\d+/`) // the name of a temporary folder
)

// steady leaves out of an answer what differs from run to run, and what is of
// no use to a reader.
func steady(s, plan string) string {
	s = ids.ReplaceAllString(s, "0199…")
	s = times.ReplaceAllString(s, "2026-01-24T10:30:00Z")
	s = strings.ReplaceAll(s, strings.Repeat("0", 64), "0000…")
	s = sums.ReplaceAllString(s, "e3b0…")
	s = keys32.ReplaceAllString(s, "5d41…")
	s = folder.ReplaceAllString(s, `"docPath":"repo/`)
	if plan != "" {
		s = strings.ReplaceAll(s, plan, "gleeful-tangerine-expedition")
	}
	return s
}
