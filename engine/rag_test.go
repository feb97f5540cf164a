package engine_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// F-01, F-30…F-35, T-18: what a search finds leads to the file by its docPath,
// and is no base for a patch.
func TestF32SearchThenPatch(t *testing.T) {
	e := newEngine(t)
	id, dir := folder(t, e, map[string]string{"Guide.md": "# Start\n\nThe walrus signs the lease.\n\n# End\n\nNothing here.\n", "Main.go": "package main\n\nfunc Walrus() int {\n\treturn 1\n}\n"})
	tool := func(name string, args obj) obj {
		r := must(t, e, "ToolCall", obj{"workbench_id": id, "catalogue": "aptix", "tool": name, "args": args})
		return r["result"].(obj)
	}
	m := tool("rag_search_docs", obj{"query": "walrus lease"})
	require.Equal(t, true, m["success"], "%v", m)
	results := m["results"].([]any)
	require.NotEmpty(t, results)
	for _, r := range results {
		c := r.(obj)
		assert.Equal(t, "w/guide.md", c["docPath"], "F-03, F-06")
		assert.True(t, strings.HasPrefix(c["chunkPath"].(string), "w/guide.md"), "F-35")
		assert.Equal(t, c["isFullFile"], c["source"] == "rag-full", "F-30")
		assert.GreaterOrEqual(t, c["startLine"], 1.0)
		b, err := json.Marshal(c)
		require.NoError(t, err)
		assert.NotRegexp(t, `(?i)sha|hash`, string(b), "F-32")
	}
	code := tool("rag_search_code", obj{"query": "Walrus", "limit": "5"})
	require.NotEmpty(t, code["results"])
	first := code["results"].([]any)[0].(obj)
	assert.Equal(t, "w/main.go", first["docPath"])
	if first["chunkPath"] != first["docPath"] {
		assert.Equal(t, "NOT_FOUND", tool("workspace_read_file", obj{"path": first["chunkPath"]})["errorCode"], "T-18")
	}
	assert.Empty(t, tool("rag_search_docs", obj{"query": "walrus", "docPaths": []string{"w/none.md"}})["results"])

	read := tool("workspace_read_file", obj{"path": first["docPath"]})["file"].(obj)
	patch := func(sha any) obj {
		return tool("workspace_write_patch", obj{"files": []obj{{"docPath": first["docPath"], "originalSha256": sha, "changes": []obj{{"operation": "insert", "afterLine": 0, "newLines": []string{"// new"}}}}}})
	}
	assert.Equal(t, "SHA_MISMATCH", patch(strings.Repeat("ab", 32))["errorCode"])
	assert.Equal(t, true, patch(read["sha256"])["success"], "F-22")

	must(t, e, "WorkbenchSetDocPath", obj{"workbench_id": id, "path": "Guide.md", "doc_path": "KEY"})
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Guide.md"), []byte("The narwhal signs.\n"), 0o644))
	found := tool("rag_search_docs", obj{"query": "narwhal"})["results"].([]any)
	require.NotEmpty(t, found)
	assert.Equal(t, "key", found[0].(obj)["docPath"], "F-01")
	must(t, e, "SessionSetActiveFiles", obj{"session_id": id, "files": []obj{{"docPath": "key", "content": "newer"}}})
	found = tool("rag_search_docs", obj{"query": "narwhal"})["results"].([]any)
	assert.Equal(t, true, found[0].(obj)["isActive"])

	for _, args := range []obj{{}, {"query": " "}, {"query": "x", "limit": 0}, {"query": "x", "docPaths": []string{""}}} {
		assert.Equal(t, "INVALID_ARGUMENT", tool("rag_search_docs", args)["errorCode"], "%v", args)
	}
	for _, q := range []string{`"`, `AND OR NOT`, `*`, `(`, `a:b`, "'; DROP"} {
		assert.Equal(t, true, tool("rag_search_docs", obj{"query": q})["success"], q)
	}
}
