package stdio

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine/enginetest"
)

// wire is an app at the other end of Serve, with one workbench.
type wire struct {
	t     *testing.T
	in    io.Writer
	lines *bufio.Scanner
	id    int
	wb    string
	root  string
	ended map[string]any // the last TranslateComplete
}

func newWire(t *testing.T) *wire {
	e := newEngine(t)
	in, out := io.Pipe()
	answers, serve := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- Serve(context.Background(), e, in, serve, Options{}); serve.Close() }()
	w := &wire{t: t, in: out, lines: bufio.NewScanner(answers), root: t.TempDir()}
	w.lines.Buffer(nil, MaxLine)
	t.Cleanup(func() {
		out.Close()
		for w.lines.Scan() {
		}
		require.NoError(t, <-done)
	})
	w.wb = w.call("WorkbenchCreate", map[string]any{"name": "w", "root": w.root})["workbench_id"].(string)
	return w
}

// read is the next message; a TranslateComplete is kept too.
func (w *wire) read() map[string]any {
	require.True(w.t, w.lines.Scan(), "the server has ended")
	var m map[string]any
	require.NoError(w.t, json.Unmarshal(w.lines.Bytes(), &m))
	if m["method"] == "TranslateComplete" {
		w.ended = m["params"].(map[string]any)
	}
	return m
}

// send makes a call and returns the answer.
func (w *wire) send(method string, params map[string]any) map[string]any {
	w.id++
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": w.id, "method": method, "params": params})
	require.NoError(w.t, err)
	_, err = fmt.Fprintf(w.in, "%s\n", b)
	require.NoError(w.t, err)
	for {
		if m := w.read(); m["id"] == float64(w.id) {
			return m
		}
	}
}

func (w *wire) call(method string, params map[string]any) map[string]any {
	if w.wb != "" {
		params["workbench_id"] = w.wb
	}
	m := w.send(method, params)
	require.Nil(w.t, m["error"], "%s: %v", method, m["error"])
	return m["result"].(map[string]any)
}

// Put implements enginetest.App.
func (w *wire) Put(path, content string) {
	file := filepath.Join(w.root, filepath.FromSlash(path))
	require.NoError(w.t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(w.t, os.WriteFile(file, []byte(content), 0o644))
}

// Translate implements enginetest.App.
func (w *wire) Translate(params map[string]any) map[string]any {
	w.ended = nil
	id := w.call("TranslateStart", params)["job_id"]
	for w.ended == nil || w.ended["job_id"] != id {
		w.read()
	}
	return w.call("TranslateStatus", map[string]any{"job_id": id})
}

// Refused implements enginetest.App.
func (w *wire) Refused(params map[string]any) string {
	params["workbench_id"] = w.wb
	m := w.send("TranslateStart", params)
	require.NotNil(w.t, m["error"], "%v", params)
	return m["error"].(map[string]any)["message"].(string)
}

// Draft implements enginetest.App.
func (w *wire) Draft(path string) string {
	out := w.call("ToolCall", map[string]any{"tool": "read_file", "args": map[string]any{"path": path}})
	if result, ok := out["result"].(map[string]any); ok {
		return result["text"].(string)
	}
	return ""
}

// Discard implements enginetest.App.
func (w *wire) Discard() { w.call("DraftDiscard", map[string]any{}) }

// TR-05, TR-06, TR-10: all that a translation can is in the protocol.
func TestTranslation(t *testing.T) { enginetest.Translation(t, newWire(t)) }
