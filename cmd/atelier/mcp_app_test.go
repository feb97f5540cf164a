package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/need"
)

// The SDK of MCP Apps and what bundles a host with it for the browser.
var appHostModules = []string{"@modelcontextprotocol/ext-apps@2.0.4", "@modelcontextprotocol/client@2.4.0", "@modelcontextprotocol/core@2.4.0", "zod@4.6.7", "esbuild@0.28.2"}

// appHost returns the script of testdata/mcp/host.mjs for a browser.
func appHost(t *testing.T) []byte {
	t.Helper()
	node, dir := need.Program(t, "node", "nodejs"), need.Modules(t, appHostModules...)
	b, err := os.ReadFile("testdata/mcp/host.mjs")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "host.mjs"), b, 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, "node_modules/esbuild/bin/esbuild", "host.mjs", "--bundle", "--format=esm", "--outfile=out.js")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	script, err := os.ReadFile(filepath.Join(dir, "out.js"))
	require.NoError(t, err)
	return script
}

// appFrame is the host page with the review app in its frame.
type appFrame struct {
	*uiPage
	address string // of the host
}

func openAppFrame(t *testing.T, c *mcpClient, script []byte, theme, axe string) *appFrame {
	t.Helper()
	res, err := c.s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "ui://atelier/review.html"})
	require.NoError(t, err)
	require.Equal(t, "text/html;profile=mcp-app", res.Contents[0].MIMEType)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!doctype html><html lang="en"><title>host</title><link rel="icon" href="data:,"><body style="margin:0"><iframe id="frame" title="app" sandbox="allow-scripts" style="width:100%;border:0;height:300px"></iframe><script type="module" src="/host.js"></script>`)
	})
	mux.HandleFunc("GET /host.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		w.Write(script)
	})
	mux.HandleFunc("GET /axe.js", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, axe) })
	mux.HandleFunc("GET /app", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, res.Contents[0].Text) })
	mux.HandleFunc("POST /call", func(w http.ResponseWriter, r *http.Request) {
		var p mcp.CallToolParams
		if err := json.NewDecoder(r.Body).Decode(&p); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		res, err := c.s.CallTool(r.Context(), &p)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		json.NewEncoder(w).Encode(res)
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	page := (&uiProgram{t: t}).open(srv.URL + "/?theme=" + theme)
	page.waitFor("window.ready", "the app's word that it is ready")
	return &appFrame{page, srv.URL}
}

// ask asks the frame.
func ask[T any](f *appFrame, what, name string) T {
	f.t.Helper()
	v, err := chromedp.Run(f.ctx, chromedp.Evaluate[T](fmt.Sprintf("window.ask(%q, %q)", what, name), chromedp.EvalAwaitPromise))
	require.NoError(f.t, err)
	return v
}

func (f *appFrame) shows(text string) {
	f.t.Helper()
	require.Eventually(f.t, func() bool { return strings.Contains(ask[string](f, "text", ""), text) }, uiPatience, uiEvery, text)
}

// press clicks the button or line of that name in the frame, with the mouse, once it is
// where it was a moment ago: what is drawn above may move it.
func (f *appFrame) press(name string) {
	f.t.Helper()
	var at []float64
	require.Eventually(f.t, func() bool {
		before := at
		at = ask[[]float64](f, "at", name)
		return len(at) == 2 && slices.Equal(at, before)
	}, uiPatience, uiEvery, name)
	require.NoError(f.t, chromedp.Do(f.ctx, chromedp.MouseClickXY(at[0], at[1])))
}

// pressUntil presses what has that name until done says so of the frame's text: what is drawn
// between the question where it is and the click moves it away from under the mouse.
func (f *appFrame) pressUntil(name string, done func(text string) bool) {
	f.t.Helper()
	for wait := 5 * time.Second; ; wait *= 2 {
		f.press(name)
		for end := time.Now().Add(wait); time.Now().Before(end); time.Sleep(uiEvery) {
			if done(ask[string](f, "text", "")) {
				return
			}
		}
		require.Less(f.t, wait, uiPatience, "nothing happened after %q was pressed", name)
	}
}

// pressFor presses what has that name until the frame shows text.
func (f *appFrame) pressFor(name, text string) {
	f.t.Helper()
	f.pressUntil(name, func(all string) bool { return strings.Contains(all, text) })
}

// The person walks through the changes in the conversation of another agent, rejects one
// and publishes the rest; no request leaves the frame, and the model is told.
func TestMCPReviewApp(t *testing.T) {
	campaign.Slow(t)
	script := appHost(t)
	home, dir := t.TempDir(), docsFolder(t)
	c := startMCPWith(t, home, dir, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{Extensions: map[string]any{"io.modelcontextprotocol/ui": map[string]any{"mimeTypes": []string{"text/html;profile=mcp-app"}}}}})
	text, failed := c.call("review_app", obj{"key": "guessed", "method": "DraftPublish"})
	require.True(t, failed)
	require.Contains(t, text, "only the review page")
	for _, call := range []obj{
		{"tool": "xlsx_operations", "args": obj{"path": "sales.xlsx", "operations": []any{obj{"op": "set_cells", "sheet": "Sales", "cells": []any{obj{"cell": "A1", "value": "First change"}, obj{"cell": "B2", "value": "Second change"}}}}}},
		{"tool": "write_text_file", "args": obj{"path": "hello.txt", "content": "hello\n"}},
	} {
		text, failed = c.call(call["tool"].(string), call["args"].(obj))
		require.False(t, failed, text)
	}
	f := openAppFrame(t, c, script, "dark", "")
	require.Equal(t, "#131519", strings.TrimSpace(ask[string](f, "style", "--bg")), "the theme of the host")
	f.size(900, 1600)
	f.shows("What the draft changes")
	f.pressFor("sales.xlsx", "First change")
	f.size(900, 530)
	f.picture("mcp-app-dark")
	f.size(900, 1600)
	f.pressFor("Pages", "1 of ")
	f.pressUntil("Reject A1", func(text string) bool { return !strings.Contains(text, "First change") })
	f.shows("Second change")
	f.waitFor(`window.told.some((t) => t.includes("rejected 1 change of sales.xlsx"))`, "the word to the model")
	f.pressFor("Publish all", "Published")
	require.FileExists(t, filepath.Join(dir, "hello.txt"))
	f.waitFor(`window.told.some((t) => t.includes("published the whole draft"))`, "the word to the model")
	f.shows("The draft changes nothing")
	f.picture("mcp-app-published")
	for _, what := range f.reported() { // the host asks its server, and the SDK writes what it does
		require.True(t, strings.HasPrefix(what, "request: "+f.address) || what == "console: debug", "no request leaves the frame, and nothing fails in it: %s", what)
	}

	light := openAppFrame(t, c, script, "light", "")
	light.size(380, 800)
	light.shows("The draft changes nothing")
	light.picture("mcp-app-light-phone")
}
