package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
)

// The peer's Context methods (peer-protocol.md) over .atelier/context.
func TestStandingContextOverTheAPI(t *testing.T) {
	e := newEngine(t)
	id, dir := folder(t, e, map[string]string{"a.txt": "x"})
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".atelier", "context"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".atelier", "context", "Tone.md"), []byte("# Be brief\n"), 0o644))
	var told []string
	defer e.Subscribe(func(n engine.Notification) {
		switch p := n.Params.(type) {
		case engine.ContextChanged:
			require.Equal(t, "ContextChanged", n.Method)
			told = append(told, p.Category+" "+p.Action)
		case engine.WindowFillChanged:
			told = append(told, "window fill")
		}
	})()
	get := func(category string) obj {
		return must(t, e, "ContextGet", obj{"workbench_id": id, "category": category})["item"].(obj)
	}
	require.Equal(t, obj{"category": "company-context", "status": "empty", "summary": "", "has_direct_edits": false, "files": []any{}}, get("company-context"))

	item := must(t, e, "ContextUpdateDirect", obj{"workbench_id": id, "category": "company-context", "files": []obj{{"content": "\n## We bind books.\nBy hand."}}})["item"].(obj)
	require.NotEmpty(t, item["updated_at"])
	delete(item, "updated_at")
	require.Equal(t, obj{"category": "company-context", "status": "ready", "summary": "We bind books.", "has_direct_edits": true,
		"files": []any{obj{"path": "company.md", "content": "\n## We bind books.\nBy hand."}}}, item)
	b, err := os.ReadFile(filepath.Join(dir, ".atelier", "context", "company.md"))
	require.NoError(t, err)
	require.Equal(t, "\n## We bind books.\nBy hand.", string(b))
	require.Positive(t, must(t, e, "WorkbenchGetClutter", obj{"workbench_id": id})["context_items_weight"])

	must(t, e, "ContextUpdateDirect", obj{"workbench_id": id, "category": "company-context", "files": []obj{{"path": "company-context.md", "content": "More."}, {"path": "company.md", "content": "We bind."}}})
	require.Len(t, get("company-context")["files"], 2)
	var categories []string
	for _, it := range must(t, e, "ContextList", obj{"workbench_id": id})["items"].([]any) {
		categories = append(categories, it.(obj)["category"].(string)+" "+it.(obj)["status"].(string))
		for _, f := range it.(obj)["files"].([]any) {
			require.NotContains(t, f, "content")
		}
	}
	require.Equal(t, []string{"company-context ready", "department-context empty", "situation empty", "document-style empty", "tone ready"}, categories)
	require.Equal(t, "Be brief", get("tone")["summary"])

	must(t, e, "ContextDelete", obj{"workbench_id": id, "category": "company-context"})
	must(t, e, "ContextDelete", obj{"workbench_id": id, "category": "company-context"})
	require.Equal(t, "empty", get("company-context")["status"])
	require.Equal(t, []string{"company-context updated", "window fill", "company-context updated", "window fill", "company-context deleted", "window fill"}, told)

	for want, c := range map[string]struct {
		method string
		params obj
	}{
		"no standing context of the category": {"ContextGet", obj{"category": "mood"}},
		"category is required":                {"ContextDelete", obj{}},
		"files is required":                   {"ContextUpdateDirect", obj{"category": "tone"}},
		"is no file of the category tone":     {"ContextUpdateDirect", obj{"category": "tone", "files": []obj{{"path": "company.md", "content": "x"}}}},
		"is no name of a file":                {"ContextUpdateDirect", obj{"category": "../x", "files": []obj{{"content": "x"}}}},
		"longer than":                         {"ContextUpdateDirect", obj{"category": "tone", "files": []obj{{"content": "new"}, {"content": strings.Repeat("x", 1<<20+1)}}}},
	} {
		c.params["workbench_id"] = id
		_, err := call(t, e, c.method, c.params)
		require.NotNil(t, err, want)
		require.Contains(t, err.Error(), want)
	}
	require.Equal(t, "# Be brief\n", get("tone")["files"].([]any)[0].(obj)["content"], "nothing is written when a file is refused")
}
