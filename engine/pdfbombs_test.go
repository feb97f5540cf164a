package engine_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/formats/formatstest"
	"atelier/internal/campaign"
	"atelier/internal/need"
	"atelier/workshop/agent"
)

var sharedCode = filepath.Join(os.TempDir(), "atelier-test-pdfium", "pdfium")

// Whatever is asked of a PDF that is made to exhaust programs ends within the
// time of a tool call, with a result or an error that a person understands,
// and other documents are read as before.
func TestPDFBombsObeyTheToolTimeout(t *testing.T) {
	campaign.Slow(t)
	if campaign.Race {
		t.Skip("the race detector slows documents beyond the limit that this test sets")
	}
	const timeout = time.Second
	e := newEngine(t, func(o *engine.Options) {
		o.Limits = agent.Limits{ToolTimeout: timeout}
		// Compiled code that other tests have left; without it the test is slow.
		require.NoError(t, os.MkdirAll(sharedCode, 0o700))
		require.NoError(t, os.MkdirAll(filepath.Join(o.Home, "cache"), 0o700))
		need.Symlink(t, sharedCode, filepath.Join(o.Home, "cache", "pdfium"))
	})
	files := map[string]string{"good.pdf": string(formatstest.PDFPage("", "BT /F1 12 Tf 20 500 Td (Dear sir) Tj ET", ""))}
	for _, b := range formatstest.PDFBombs {
		switch b.Name {
		case "nested forms", "tiles":
			files[b.Name+".pdf"] = string(b.Bytes())
		}
	}
	id, _ := folder(t, e, files)
	tool := func(tool, catalogue string, args obj) (failed string) {
		r, info := call(t, e, "ToolCall", obj{"workbench_id": id, "tool": tool, "args": args, "catalogue": catalogue})
		if info != nil {
			return info.Detail
		}
		if r["success"] != true {
			return r["error"].(obj)["detail"].(string)
		}
		return ""
	}
	preview := func(path string) string {
		if _, info := call(t, e, "ReviewGetPreview", obj{"workbench_id": id, "path": path, "version": "published", "page": 0, "scale": 2}); info != nil {
			return info.Detail
		}
		return ""
	}
	// The first worker may have PDFium to compile, which a call waits for no
	// longer than for anything else; it is for the next one then.
	require.Eventually(t, func() bool { return tool("read_file", "workshop", obj{"path": "good.pdf"}) == "" }, 3*time.Minute, 10*time.Millisecond)
	for name := range files {
		for what, do := range map[string]func() string{
			"read":    func() string { return tool("read_file", "workshop", obj{"path": name}) },
			"map":     func() string { return tool("get_file_info", "workshop", obj{"path": name}) },
			"search":  func() string { return tool("grep", "buildscale", obj{"pattern": "sir", "path_pattern": name}) },
			"preview": func() string { return preview(name) },
		} {
			start := time.Now()
			failed := do()
			require.Less(t, time.Since(start), 2*(timeout+2*time.Second), "%s of %s", what, name)
			require.NotContains(t, failed, "wasm")
			require.NotContains(t, failed, "internal")
			if name == "good.pdf" {
				require.Empty(t, failed, what)
			}
			if name == "tiles.pdf" && what == "preview" || name == "nested forms.pdf" && what != "search" {
				require.Regexp(t, "needs more memory than a PDF may take|was given up after 1s|timed out after 1s", failed, what)
			}
		}
	}
}
