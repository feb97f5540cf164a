package main

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
)

// axe-core finds no violation in the review app in the frame of a host, light and dark,
// wide and narrow: closed, with each kind of file open, and when all is published.
func TestMCPReviewAppAxe(t *testing.T) {
	campaign.Slow(t)
	script, axe := appHost(t), axeCore(t)
	for _, theme := range []string{"light", "dark"} {
		t.Run(theme, func(t *testing.T) {
			c := startMCPWith(t, t.TempDir(), docsFolder(t), &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{Extensions: map[string]any{"io.modelcontextprotocol/ui": map[string]any{"mimeTypes": []string{"text/html;profile=mcp-app"}}}}})
			for tool, args := range map[string]obj{
				"xlsx_operations": {"path": "sales.xlsx", "operations": []any{obj{"op": "set_cells", "sheet": "Sales", "cells": []any{obj{"cell": "A1", "value": "First change"}, obj{"cell": "B2", "value": "Second change"}}}}},
				"docx_operations": {"path": "contrato.docx", "operations": []any{obj{"op": "replace_text", "find": "Olivares", "replace": "Robles"}}},
				"write_text_file": {"path": "hello.txt", "content": "hello\nagain\n"},
				"delete":          {"path": "clientes.csv"},
				"edit_lines":      {"path": "notas.md", "edits": []any{obj{"op": "replace", "start": 8, "end": 8, "lines": []any{"another line"}}}},
			} {
				text, failed := c.call(tool, args)
				require.False(t, failed, "%s: %s", tool, text)
			}
			f := openAppFrame(t, c, script, theme, axe)
			conforms := func(screen string) {
				t.Helper()
				for _, width := range []int{900, 320} {
					f.size(int64(width), 1600)
					require.Empty(t, ask[[]string](f, "axe", ""), "%s, %d pixels wide", screen, width)
				}
				f.picture("mcp-app-axe-" + theme + "-" + strings.ReplaceAll(screen, " ", "-"))
				f.size(900, 4000)
			}
			f.shows("What the draft changes")
			conforms("closed")
			for _, open := range []struct{ file, shows string }{{"sales.xlsx", "Second change"}, {"contrato.docx", "Robles"}, {"hello.txt", "again"}, {"notas.md", "another line"}, {"clientes.csv", "Bilbao"}} {
				f.pressFor(open.file, open.shows)
				conforms(open.file) // with those before it
			}
			f.pressFor("Publish all", "The draft changes nothing")
			conforms("published")
		})
	}
}
