package httpapi

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// numbered returns n lines with their index from 0.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

// TestGuide makes the calls shown in the tools API guide (TOOLS-API), in an
// order in which each has what it needs, and checks the documented results.
func TestGuide(t *testing.T) {
	r := newLiveRig(t)
	for path, text := range map[string]string{
		"/documents/report.md": "# Report\n", "/documents/old-report.md": "old", "/documents/old-name.md": "name", "/documents/existing-file.txt": "here",
		"/src/main.rs": "fn main() {\n\t// TODO: Implement error handling\n}\n" + numbered(200), "/src/lib.rs": "pub fn lib() {}\n",
		"/logs/error.log": numbered(300), "/large.log": numbered(5000), "/file.txt": "file", "/config.json": "{\n  \"key\": \"value\"\n}", "/README.md": "# Project\n",
	} {
		r.result("write", jsonText(map[string]any{"path": path, "content": text}))
	}
	r.result("mkdir", `{"path":"/archive"}`)

	for _, c := range []struct {
		tool, args string
		status     int
		want       string // of the result, or of the body of an error: these members and values, among others
	}{
		{"ls", `{"path":"/documents","recursive":false,"limit":100}`, 200, `{"path":"/documents","entries.#":4,"entries.0.name":"existing-file.txt","entries.0.synced":true,"entries.0.is_virtual":false}`},
		{"read", `{"path":"/documents/report.md"}`, 200, `{"content":"# Report\n","total_lines":1,"truncated":false,"offset":0,"limit":500,"synced":true}`},
		{"read", `{"path":"/src/main.rs","offset":100,"limit":50}`, 200, `{"offset":100,"limit":50,"truncated":true,"total_lines":203}`},
		{"read", `{"path":"/logs/error.log","offset":-100}`, 200, `{"offset":200,"total_lines":300,"truncated":false}`},
		{"read", `{"path":"/large.log","offset":-1000,"limit":50}`, 200, `{"offset":4000,"total_lines":5000,"truncated":true}`},
		{"write", `{"path":"/documents/notes.md","content":"# My Notes\n\nCreated via Tools API","file_type":"document"}`, 200, `{"path":"/documents/notes.md"}`},
		{"write", `{"path":"/dashboards/main.canvas","content":{"elements":[],"version":1},"file_type":"canvas"}`, 200, `{"path":"/dashboards/main.canvas"}`},
		{"read", `{"path":"/dashboards/main.canvas"}`, 200, `{"content":{"elements":[],"version":1},"total_lines":null}`},
		{"write", `{"path":"/documents/notes.md","content":"# Completely Replaced Content\n\nThis replaces the entire file","overwrite":true}`, 200, `{"path":"/documents/notes.md"}`},
		{"mkdir", `{"path":"/docs/v1/api"}`, 200, `{"path":"/docs/v1/api"}`},
		{"rm", `{"path":"/documents/old-report.md"}`, 200, `{"path":"/documents/old-report.md"}`},
		{"mv", `{"source":"/documents/old-name.md","destination":"/documents/new-name.md"}`, 200, `{"from_path":"/documents/old-name.md","to_path":"/documents/new-name.md"}`},
		{"mv", `{"source":"/file.txt","destination":"/archive/"}`, 200, `{"from_path":"/file.txt","to_path":"/archive/file.txt"}`},
		{"touch", `{"path":"/documents/placeholder.txt"}`, 200, `{"path":"/documents/placeholder.txt"}`},
		{"touch", `{"path":"/documents/existing-file.txt"}`, 200, `{"path":"/documents/existing-file.txt"}`},
		{"grep", `{"pattern":"TODO:","case_sensitive":true}`, 200, `{"matches.#":1,"matches.0.path":"/src/main.rs","matches.0.line_number":2,"matches.0.line_text":"\t// TODO: Implement error handling"}`},
		{"glob", `{"pattern":"*.rs"}`, 200, `{"pattern":"*.rs","base_path":"/","matches.#":2,"matches.0.path":"/src/lib.rs","matches.1.path":"/src/main.rs"}`},
		{"cat", `{"paths":["/src/main.rs","/src/lib.rs"],"show_ends":true,"show_tabs":true}`, 200, `{"files.#":2,"files.0.synced":true}`},
		{"cat", `{"paths":["/src/main.rs"],"offset":100,"limit":50,"number_lines":true,"show_tabs":true}`, 200, `{"files.0.line_count":50,"files.0.offset":100,"files.0.total_lines":203}`},
		{"cat", `{"paths":["/logs/error.log"],"offset":-100,"show_ends":true}`, 200, `{"files.0.line_count":100,"files.0.offset":200}`},
		{"file_info", `{"path":"/config.json"}`, 200, `{"path":"/config.json","file_type":"document","size":20,"line_count":3,"synced":true}`},
		{"find", `{"name":"*.rs","path":"/src"}`, 200, `{"matches.#":2,"matches.0.path":"/src/lib.rs","matches.0.file_type":"document"}`},
		{"read_multiple_files", `{"paths":["/config.json","/nonexistent.txt"],"limit":100}`, 200, `{"files.0.success":true,"files.0.total_lines":3,"files.1.success":false,"files.1.error":"File not found: /nonexistent.txt","files.1.content":null}`},
		{"write", `{"path":"/plans/fearless-ember-invention.plan","content":"# Implementation Plan\n\n## Task 1\n...","file_type":"plan"}`, 200, `{"path":"/plans/fearless-ember-invention.plan"}`},
		{"exit_plan_mode", `{"plan_file_path":"/plans/fearless-ember-invention.plan"}`, 200, `{"mode":"build","plan_file":"/plans/fearless-ember-invention.plan"}`},
		{"ask_user", frameworkQuestion, 200, `{"status":"question_pending","questions.0.schema.enum.1":"Vitest","questions.0.buttons.0.value":"Jest"}`},
		{"write", `{"path":"/notes/thoughts.md","content":"# My Thoughts\n\nThis is a new file."}`, 200, `{"path":"/notes/thoughts.md"}`},
		{"write", `{"path":"/notes/thoughts.md","content":"# Updated Thoughts"}`, 400, `{"success":false,"error":"Validation failed","code":"VALIDATION_ERROR"}`},
		{"mv", `{"source":"/notes/thoughts.md","destination":"/docs/thoughts.md"}`, 200, `{"to_path":"/docs/thoughts.md"}`},
		{"rm", `{"path":"/notes/thoughts.md"}`, 404, `{"error":"File not found: /notes/thoughts.md","code":"NOT_FOUND"}`},
		{"git_commit", `{}`, 404, `{"error":"Tool 'git_commit' not found","code":"NOT_FOUND"}`},
	} {
		name := c.tool + " " + c.args
		a := r.tool(`{"tool":"` + c.tool + `","args":` + c.args + `}`)
		require.Equal(t, c.status, a.Status, "%s: %s", name, a.Body)
		var body, want map[string]any
		require.NoError(t, json.Unmarshal([]byte(a.Body), &body))
		require.NoError(t, json.Unmarshal([]byte(c.want), &want))
		var in any = body
		if c.status == 200 {
			in = body["result"]
		}
		for path, v := range want {
			assert.Equal(t, v, member(in, path), "%s: %s in %s", name, path, a.Body[:min(len(a.Body), 600)])
		}
	}
}

// member returns the value at a path such as files.0.path; # is the length of
// an array.
func member(v any, path string) any {
	for _, name := range strings.Split(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[name]
		case []any:
			var i int
			if name == "#" {
				v = float64(len(x))
			} else if _, err := fmt.Sscan(name, &i); err == nil && i < len(x) {
				v = x[i]
			} else {
				v = nil
			}
		default:
			return nil
		}
	}
	return v
}

// TestGuidePlans makes the guide's calls for plans, each with the path or
// hash from the call before.
func TestGuidePlans(t *testing.T) {
	r := newLiveRig(t)
	made := r.result("plan_write", `{"title":"Feature Implementation Plan","content":"# Overview\n\n## Goals\n- Goal 1\n- Goal 2","status":"draft"}`)
	path := made["path"].(string)
	assert.Regexp(t, `^/plans/[a-z]+-[a-z]+-[a-z]+\.plan$`, path)
	assert.Equal(t, "draft", member(made, "metadata.status"))
	name := strings.TrimSuffix(strings.TrimPrefix(path, "/plans/"), ".plan")
	read := r.result("plan_read", jsonText(map[string]any{"name": name}))
	assert.Equal(t, "# Overview\n\n## Goals\n- Goal 1\n- Goal 2", read["content"])
	assert.Equal(t, made["hash"], read["hash"])
	assert.Equal(t, "Feature Implementation Plan", member(read, "metadata.title"))
	edited := r.result("plan_edit", jsonText(map[string]any{"path": path, "old_string": "- Goal 1", "new_string": "- Goal 1 (completed)", "last_read_hash": read["hash"]}))
	assert.Equal(t, made["file_id"], edited["file_id"])
	assert.NotEqual(t, made["version_id"], edited["version_id"])
	list := r.result("plan_list", `{"status":"approved","limit":10}`)
	assert.Equal(t, float64(0), list["total"])
	list = r.result("plan_list", `{}`)
	assert.Equal(t, name, member(list, "plans.0.name"))
	assert.Equal(t, float64(1), list["total"])
	// Plans can be written in plan mode (M-03).
	a := r.tool(`{"tool":"plan_write","args":{"title":"More","content":"x"},"plan_mode":true}`)
	assert.Equal(t, 200, a.Status, a.Body)
}
