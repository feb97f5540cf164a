package agent

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/workshop"
	"atelier/workshop/approvals"
	"atelier/workshop/doctext"
	"atelier/workshop/openfiles"
	"atelier/workshop/retrieval"
	"atelier/workshop/secrets"
	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
	"atelier/workshop/tools/uris"
)

// canary is what no request may carry.
const canary = "xyzzyplugh"

// secretRig is a folder with secrets of every kind that tools read: .env by the
// table, hr/ by the list of the folder, memo.md open to all.
func secretRig(t *testing.T, cat string) *rig {
	t.Helper()
	r := newRig(t, map[string]string{".env": "PASSWORD=" + canary + "\n", "deploy/server.pem": canary, "memo.md": "Nothing of interest.\n",
		"hr/pay.csv": "name,pay\n" + canary + ",100\n", "hr/notes.txt": "about " + canary + "\n", ".atelier/ignore": "hr/\n"})
	person := &tools.Env{View: r.wb.LiveView(workshop.Cause{Author: "user"}), Formats: r.cfg.Formats}
	for tool, args := range map[string]string{
		"docx_operations": `{"path":"hr/text.docx","create_new":true,"operations":[{"op":"append_paragraph","text":"about ` + canary + `"}]}`,
		"xlsx_operations": `{"path":"hr/book.xlsx","create_new":true,"operations":[{"op":"set_cells","sheet":"Sheet1","cells":[{"cell":"A1","value":"` + canary + `"},{"cell":"A2","value":"x"}]}]}`,
		"pptx_operations": `{"path":"hr/deck.pptx","create_new":true,"operations":[{"op":"add_slide","title":"about ` + canary + `"}]}`,
	} {
		res := catalogue.Workshop().Call(t.Context(), person, tool, json.RawMessage(args))
		require.True(t, res.Success, res.Text)
	}
	c, err := catalogue.Named(cat)
	require.NoError(t, err)
	r.cfg.Catalogue, r.cfg.Window = c, 0
	r.cfg.Limits.CallsPerTurn, r.cfg.Limits.Turns = 1000, 50
	texts := doctext.NewCache(r.cfg.Formats, doctext.CacheOptions{})
	ix, err := retrieval.Open(filepath.Join(r.wb.Dir(), "index.db"), texts, retrieval.Options{Names: r.wb})
	require.NoError(t, err)
	t.Cleanup(func() { ix.Close() })
	r.cfg.Texts = texts
	r.cfg.Session = &tools.Session{ID: r.wb.ID(), Conversation: r.wb.ID(), Docs: r.wb, Index: ix}
	return r
}

var secretFiles = []string{".env", "deploy/server.pem", "hr/pay.csv", "hr/notes.txt", "hr/text.docx", "hr/book.xlsx", "hr/deck.pptx"}

// attacks are calls of a tool that would tell what is in a file: each of its
// members that can name a file names it.
func attacks(r *rig, cat, tool string, params json.RawMessage, file string) []string {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	_ = json.Unmarshal(params, &schema)
	name, root, folder := file, "", filepath.Dir(file)
	switch cat {
	case "buildscale":
		name, root, folder = "/"+file, "/", "/"+folder
	case "sila":
		name, root, folder = uris.URI(workshop.Path(file)), "file:///", uris.URI(workshop.Path(folder))
	case "aptix":
		name = string(r.wb.DefaultDocPath(workshop.Path(file)))
	}
	ext := filepath.Ext(file)
	values := map[string]any{
		"path": name, "uri": name, "docPath": name, "source": name, "paths": []string{name}, "docPaths": []string{name}, "copy_from": name,
		"plan_file_path": name, "name": name,
		"destination": strings.TrimSuffix(root, "/") + "/out" + ext, "target_path": "out.csv", "to_path": "out" + ext,
		"pattern": "xyzzy[p]lugh", "query": "SELECT * FROM data", "patterns": []string{"**/*"}, "content": "x", "format": "csv", "sheet": "Sheet1",
		"old_string": "a", "new_string": "a", "title": "t", "include": []string{"all"}, "recursive": true, "overwrite": true, "limit": 100,
		"translations": []any{map[string]string{"id": "p1", "text": "y"}}, "entry_id": 1, "maxBytes": 1000,
		"operations": []any{map[string]any{"op": "replace_text", "find": "about", "replace": "on"}},
		"questions":  []any{map[string]any{"question": "?", "name": "q"}},
		"files": []any{map[string]any{"docPath": name, "originalSha256": strings.Repeat("0", 64), "fileKey": "k", "fileLabel": "l",
			"changes": []any{map[string]any{"operation": "replace", "changeKey": "c", "description": "d", "startLine": 1, "endLine": 1, "expectedOriginalLines": []string{"a"}, "newLines": []string{"b"}}}}},
	}
	args := map[string]any{}
	for p := range schema.Properties {
		if v, ok := values[p]; ok {
			args[p] = v
		}
	}
	with := func(more map[string]any, without ...string) string {
		m := maps.Clone(args)
		maps.Copy(m, more)
		for _, w := range without {
			delete(m, w)
		}
		b, _ := json.Marshal(m)
		return string(b)
	}
	out := []string{with(nil), with(nil, "copy_from"), with(nil, "copy_from", "sheet", "format", "name", "old_string", "new_string", "include", "to_path", "target_path")}
	if strings.Contains(tool, "search") {
		out = append(out, with(map[string]any{"query": canary}), with(map[string]any{"query": canary}, "docPaths"))
	}
	if tool == "search_files" {
		out = append(out, with(map[string]any{"query": "[p]lugh", "regex": true, "path": "**"}), with(map[string]any{"query": canary, "ranked": true}, "path"))
	}
	if tool == "convert" {
		for _, to := range []string{"docx", "xlsx", "csv"} {
			out = append(out, with(map[string]any{"format": to, "target_path": "out." + to}, "sheet"))
		}
	}
	if tool == "grep" {
		out = append(out, with(map[string]any{"path_pattern": folder + "/**"}), with(nil, "path", "path_pattern"))
	}
	if strings.HasSuffix(tool, "_operations") { // a new document from or with the secret one
		out = append(out, with(map[string]any{"path": "out" + ext, "copy_from": file, "create_new": true}), with(map[string]any{"path": "out" + ext, "copy_from": file}),
			with(map[string]any{"path": "new" + ext, "create_new": true, "operations": []any{map[string]any{"op": "copy_sheet_from", "path": file, "sheet": "Sheet1"}}}, "copy_from"),
			with(map[string]any{"path": "pic" + ext, "create_new": true, "operations": []any{map[string]any{"op": "add_image", "path": file}}}, "copy_from"))
	}
	if tool == "table_query" || tool == "table_export" || tool == "table_update_from_export" {
		out = append(out, with(map[string]any{"path": "memo.csv", "tables": map[string]any{"other": file}, "query": "SELECT * FROM other"}))
	}
	if cat == "sila" && (tool == "move" || tool == "write_to_file") {
		out = append(out, with(map[string]any{"source": folder, "destination": root + "moved"}))
	}
	return out
}

// harm orders tools: those that remove or replace the secrets come last.
func harm(r *rig, t llm.Tool) int {
	effect, _ := r.cfg.Catalogue.Effect(t.Function.Name)
	switch {
	case effect == tools.Read:
		return 0
	case slices.Contains([]string{"rm", "mv", "move", "write", "write_text_file", "write_to_file", "workspace_create_file"}, t.Function.Name):
		return 2
	}
	return 1
}

// attack plays every attack of every tool of a catalogue in one run and returns what the model
// was sent, and which tools told the secret.
func attack(t *testing.T, r *rig, cat string) (requests string, told map[string]bool) {
	t.Helper()
	var replies []reply
	seen := map[string]bool{} // the same call again and again would end the run
	ts := r.cfg.Catalogue.Tools()
	slices.SortStableFunc(ts, func(a, b llm.Tool) int { return cmp.Compare(harm(r, a), harm(r, b)) })
	for _, tool := range ts {
		name := tool.Function.Name
		if name == "ask_user" || name == "exit_plan_mode" {
			continue // they wait for a person
		}
		var all []string
		for _, f := range secretFiles {
			for _, args := range attacks(r, cat, name, tool.Function.Parameters, f) {
				if !seen[name+args] {
					all, seen[name+args] = append(all, name, args), true
				}
			}
		}
		replies = append(replies, calls(all...))
	}
	s := play(append(replies, says("Done."))...)
	_, err := r.run(s, "Go.")
	require.NoError(t, err)
	told = map[string]bool{}
	for _, rec := range r.records() {
		if rec.Type == workshop.TypeToolResult && strings.Contains(rec.Content, canary) {
			told[rec.ToolName] = true
		}
	}
	b, err := json.Marshal(s.requests)
	require.NoError(t, err)
	return string(b), told
}

// W-32: no tool of any catalogue gives what is in a secret to the model, nor
// takes it to where the next call could read it; with a rule that allows the
// paths, the very same calls do, so that this test can fail.
func TestW32SecretsInEveryCatalogue(t *testing.T) {
	tell := map[string][]string{
		"workshop":   {"read_file", "table_describe", "table_read_rows", "table_query", "get_segments", "search_files"},
		"buildscale": {"read", "cat", "grep", "read_multiple_files"},
		"aptix":      {"workspace_read_file", "rag_search_docs"},
		"sila":       {"read"},
	}
	require.Equal(t, slices.Sorted(maps.Keys(tell)), slices.Sorted(slices.Values(catalogue.Names())), "every catalogue")
	for _, cat := range catalogue.Names() {
		t.Run(cat, func(t *testing.T) {
			r := secretRig(t, cat)
			before := secretRig(t, cat) // the same with the paths unlocked
			sent, told := attack(t, r, cat)
			// The calls themselves carry the word that is searched for.
			sent = strings.ReplaceAll(sent, jsonTwice(`"query":"`+canary+`"`), "")
			if i := strings.Index(sent, canary); i >= 0 {
				t.Fatalf("a request carries the secret: …%s…", sent[max(0, i-300):min(len(sent), i+100)])
			}
			require.Empty(t, told)
			require.Contains(t, sent, "not given to the model")
			// Nothing that can be read now holds it either.
			v := r.wb.DraftView(workshop.Cause{})
			g, err := secrets.Load(t.Context(), r.wb, nil)
			require.NoError(t, err)
			for _, f := range secretFiles {
				require.Error(t, g.Check(workshop.Path(f)))
			}
			list, err := v.List(t.Context(), "", workshop.ListOptions{Recursive: true})
			require.NoError(t, err)
			for _, e := range list {
				if e.IsDir || g.Check(e.Path) != nil {
					continue
				}
				src, err := v.Open(t.Context(), e.Path)
				require.NoError(t, err)
				doc, err := doctext.Document(t.Context(), r.cfg.Formats, src)
				src.Close()
				if err == nil {
					require.NotContains(t, doc.Text, canary, e.Path)
				}
			}
			before.cfg.Approvals = approvals.NewStore(before.wb, approvals.Policy{{Path: "**/.env", Action: "allow"}, {Path: "**/*.pem", Action: "allow"}, {Path: "hr/**", Action: "allow"}})
			_, told = attack(t, before, cat)
			for _, tool := range tell[cat] {
				require.True(t, told[tool], "%s tells what it reads: %v", tool, told)
			}
		})
	}
}

// jsonTwice is a piece of arguments as it stands in an encoded request.
func jsonTwice(s string) string {
	b, _ := json.Marshal(s)
	return strings.Trim(string(b), `"`)
}

// What is told beside results, open files, the standing context, the list of
// files and results of earlier calls, does not carry it either.
func TestW32SecretsBesideResults(t *testing.T) {
	r := secretRig(t, "aptix")
	list := &openfiles.List{}
	doc := string(r.wb.DefaultDocPath(".env"))
	require.NoError(t, list.Set([]openfiles.File{{DocPath: doc, Content: canary, IsActive: true}, {DocPath: "elsewhere/.netrc", Content: canary, IsActive: true}, {DocPath: "elsewhere/a.txt", Content: "fine", IsActive: true}}, false))
	r.cfg.Session.Active = list
	require.NoError(t, r.wb.SetStanding(t.Context(), "situation.md", "standing "+canary))
	require.NoError(t, os.WriteFile(filepath.Join(r.root, ".atelier", "ignore"), []byte("hr/\n.atelier/context/situation.md\n"), 0o600))
	s := play(calls("workspace_read_file", fmt.Sprintf(`{"path":%q}`, doc), "workspace_read_file", `{"path":"elsewhere/.netrc"}`, "workspace_read_file", `{"path":"elsewhere/a.txt"}`), says("Done."))
	_, err := r.run(s, "Go.")
	require.NoError(t, err)
	b, err := json.Marshal(s.requests)
	require.NoError(t, err)
	require.NotContains(t, string(b), canary)
	require.Contains(t, r.results()[0], "not given to the model")
	require.Contains(t, r.results()[1], "not given to the model")
	require.Contains(t, r.results()[2], "already present in activeFiles")
	require.Contains(t, string(b), ".env (text, 20 bytes), not readable by you")
}

// A result that was logged while a rule allowed it is not recalled once none does.
func TestW32RecallOfSecrets(t *testing.T) {
	r := secretRig(t, "workshop")
	r.cfg.Approvals = approvals.NewStore(r.wb, approvals.Policy{{Path: ".env", Action: "allow"}})
	_, err := r.run(play(calls("read_file", `{"path":".env"}`), says("Done.")), "Go.")
	require.NoError(t, err)
	require.Contains(t, r.results()[0], canary)
	entry := r.records()[len(r.records())-2]
	log, ok := entryOf(entry)
	require.True(t, ok)
	r.cfg.Approvals = nil
	_, err = r.run(play(calls("recall_tool_result", fmt.Sprintf(`{"entry_id":%d}`, log)), says("Done.")), "Again.")
	require.NoError(t, err)
	require.NotContains(t, r.results()[1], canary)
	require.Contains(t, r.results()[1], ".env is not given to the model")
}

// The list counts as it is now, and a list that cannot be read lets no tool work.
func TestW32ListIsReadAtEachCall(t *testing.T) {
	r := secretRig(t, "workshop")
	list := filepath.Join(r.root, ".atelier", "ignore")
	n := 0
	r.events.on = func(e Event) {
		if _, ok := e.Params.(ToolComplete); !ok {
			return
		}
		switch n++; n {
		case 1:
			require.NoError(t, os.WriteFile(list, []byte("memo.md\n"), 0o600))
		case 2:
			require.NoError(t, os.Remove(list))
			require.NoError(t, os.Mkdir(list, 0o700))
		}
	}
	_, err := r.run(play(calls("read_file", `{"path":"memo.md"}`), calls("read_file", `{"path":"memo.md"}`), calls("read_file", `{"path":"memo.md"}`), says("Done.")), "Go.")
	require.NoError(t, err)
	require.Equal(t, "Nothing of interest.\n", r.results()[0])
	require.Contains(t, r.results()[1], "the user's .atelier/ignore lists it (line 1: memo.md)")
	require.Contains(t, r.results()[2], "is a link or a special file")
}

// A rule that asks unlocks what it names for whom the person says yes to.
func TestW32AskingUnlocks(t *testing.T) {
	for answer, told := range map[string]bool{"once": true, "no: never": false} {
		r := secretRig(t, "workshop")
		asked := r.asks(approvals.Policy{{Path: ".env", Action: approvals.Ask}}, answer)
		_, err := r.run(play(calls("read_file", `{"path":".env"}`, "read_file", `{"path":"hr/notes.txt"}`), says("Done.")), "Go.")
		require.NoError(t, err)
		require.Len(t, *asked, 1)
		require.Equal(t, told, strings.Contains(r.results()[0], canary), r.results())
		require.Contains(t, r.results()[1], "not given to the model", "the rule is not about it")
	}
	// Nobody is asked about what is refused anyway.
	r := secretRig(t, "buildscale")
	asked := r.asks(approvals.Policy{{Action: approvals.Ask}}, "once", "once", "once")
	_, err := r.run(play(calls("read", `{"path":"/.env"}`), says("Done.")), "Go.")
	require.NoError(t, err)
	require.NotContains(t, strings.Join(r.results(), ""), canary)
	for _, q := range *asked {
		require.Empty(t, q.Uses)
	}
}
