package toolservers

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/internal/textsafe"
)

// Any file gives servers or problems, and what is written of it is read the same.
func FuzzConfiguration(f *testing.F) {
	for _, s := range []string{`{"mcpServers":{"a":{"command":"x","args":["y"],"timeout":"3s"}}}`, `{"mcpServers":{"a":{"url":"https://e.com/${A:-b}"}}}`, "{", `[1]`, `{"mcpServers":{"a":{},"a":{}}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got := parse("mcp.json", b)
		for _, c := range got.entries {
			if len(c.hash) != 32 {
				t.Fatalf("hash %q", c.hash)
			}
			raw, err := merged(c.raw, c.entry)
			if err != nil {
				t.Fatal(err)
			}
			if c.err == nil {
				again, _, err := parseEntry(raw)
				if err != nil {
					t.Fatalf("%s: %v", raw, err)
				}
				x, _ := json.Marshal(c.entry)
				y, _ := json.Marshal(again)
				if string(x) != string(y) {
					t.Fatalf("%s became %s", x, y)
				}
			}
		}
	})
}

// Any tool is taken within bounds or left out, with a legal name.
func FuzzTool(f *testing.F) {
	f.Add("server", `{"name":"t","description":"d\u200b","inputSchema":{"type":"object","properties":{"a":[[[1]]]}}}`)
	f.Add("ä__", `{"name":"a b","inputSchema":{"type":["object"]}}`)
	f.Fuzz(func(t *testing.T, server, text string) {
		var in mcp.Tool
		if json.Unmarshal([]byte(text), &in) != nil {
			return
		}
		tool, err := toolOf(server, &in)
		if err != nil {
			return
		}
		var schema map[string]any
		if json.Unmarshal(tool.Schema, &schema) != nil || schema["type"] != "object" || len(tool.Schema) > MaxSchema+1024 {
			t.Fatalf("schema %s", tool.Schema)
		}
		if len(tool.Description) > MaxDescription || !utf8.ValidString(tool.Description) || textsafe.Text(tool.Description) != tool.Description {
			t.Fatalf("description %q", tool.Description)
		}
		name := legalName(server, tool.Tool)
		if len(name) == 0 || len(name) > maxToolName || legal(name) != name {
			t.Fatalf("name %q", name)
		}
	})
}
