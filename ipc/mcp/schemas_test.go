package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/internal/campaign"
	"atelier/internal/need"
	"atelier/workshop/tools/catalogue"
)

// outputSchemas returns the output schemas of a session's tools.
func outputSchemas(t *testing.T, s *mcp.ClientSession) map[string]*jsonschema.Resolved {
	t.Helper()
	out := map[string]*jsonschema.Resolved{}
	for tool, err := range s.Tools(t.Context(), nil) {
		require.NoError(t, err)
		if tool.OutputSchema == nil {
			continue
		}
		text := mustJSON(t, tool.OutputSchema)
		var sch jsonschema.Schema
		require.NoError(t, json.Unmarshal([]byte(text), &sch))
		require.Equal(t, "object", sch.Type, tool.Name)
		for _, refused := range []string{`:true,`, `:true}`, `"$ref"`, `"$defs"`} { // by some clients
			require.NotContains(t, text, refused, tool.Name)
		}
		res, err := sch.Resolve(nil)
		require.NoError(t, err)
		out[tool.Name] = res
	}
	return out
}

// The output schemas of every catalogue are ones that clients take.
func TestOutputSchemas(t *testing.T) {
	for name, n := range map[string]int{"workshop": 17, "sila": 5, "buildscale": 6, "aptix": 5} {
		c, err := catalogue.Named(name)
		require.NoError(t, err)
		r := newRig(t, func(o *Options, _ *engine.Options) { o.Catalogue = c })
		require.Len(t, outputSchemas(t, r.connect("", yes(nil))), n, name)
	}
}

// calls are real calls of tools with an output schema: of each kind of file, whole and
// in part, and with ignored arguments.
func schemaCalls() (out []struct {
	tool string
	args args
}) {
	add := func(tool string, a args) {
		out = append(out, struct {
			tool string
			args args
		}{tool, a})
	}
	for _, path := range []string{"clientes.csv", "sales.xlsx", "wide.csv"} {
		add("table_describe", args{"path": path})
		add("table_describe", args{"path": path, "no_such_argument": 1})
		add("table_stats", args{"path": path})
		add("table_read_rows", args{"path": path})
		add("table_query", args{"path": path, "query": "SELECT * FROM data"})
		add("table_export", args{"path": path, "query": "SELECT * FROM data LIMIT 3", "target_path": "out-" + path})
	}
	add("table_update_from_export", args{"path": "clientes.csv", "query": "SELECT * FROM data LIMIT 2", "target_path": "sales.xlsx", "sheet": "New", "create_sheet_if_missing": true})
	for _, path := range []string{"clientes.csv", "contrato.docx", "notas.md", "presentacion.pptx", "sales.xlsx", "wide.csv", "wide.xlsx", "pixel.png"} {
		add("get_file_info", args{"path": path})
		add("get_file_info", args{"path": path, "detail": true, "no_such_argument": 1})
	}
	for _, path := range []string{"sales.xlsx", "contrato.docx", "presentacion.pptx"} {
		add("audit", args{"path": path})
		add("audit", args{"path": path, "limit": 1, "no_such_argument": 1})
		add("get_segments", args{"path": path, "limit": 3})
	}
	add("audit", args{"path": "sales.xlsx", "kinds": []any{"map"}})
	add("audit", args{"path": "presentacion.pptx", "kinds": []any{"map"}})
	add("audit", args{"path": "sales.xlsx", "cell": "Sales!B2"})
	add("calculate", args{"path": "sales.xlsx", "set": args{"Sales!B2": 5}})
	add("calculate", args{"path": "sales.xlsx", "read": []any{"Sales!A1:E9"}, "scenarios": []any{args{"name": "low", "set": args{"Sales!B2": 5}}, args{"name": "high", "set": args{"Sales!B2": "=1/0"}}}})
	add("calculate", args{"path": "calc.xlsx", "goal": args{"cell": "S!A2", "value": 10, "by_changing": "S!A1"}})
	add("get_segments", args{"path": "notas.md"})
	add("put_translations", args{"path": "notas.md", "to_path": "notes.md", "translations": []any{args{"id": "no-such-id", "text": "x"}}})
	add("ask_user", args{"questions": []any{args{"name": "publish", "question": "Sure?", "schema": args{"type": "boolean"}}}})
	add("review", args{})
	add("review", args{"path": "sales.xlsx"})
	add("review", args{"path": "sales.xlsx", "text": true})
	add("translate", args{"to": "en", "paths": []any{"notas.md"}})
	add("undo", args{})
	add("publish", args{"paths": []any{"out-sales.xlsx"}})
	add("discard", args{})
	return out
}

// schemaFiles puts files into the rig's folder whose results are long or of other kinds.
func schemaFiles(r *rig, s *mcp.ClientSession) {
	r.t.Helper()
	wide := "id"
	for i := range 3000 {
		wide += fmt.Sprintf(",column_%d", i)
	}
	write(r.t, r.folder+"/wide.csv", wide+"\n1"+strings.Repeat(",2", 3000)+"\n")
	write(r.t, r.folder+"/pixel.png", string(decoded(r.t, onePixel)))
	r.must(s, "xlsx_operations", args{"path": "calc.xlsx", "create_new": true, "operations": []any{args{"op": "ensure_sheet", "sheet": "S"}, args{"op": "set_cells", "sheet": "S", "cells": []any{args{"cell": "A1", "value": 1}, args{"cell": "A2", "value": "=A1*2"}}}}})
	var sheets []any
	for i := range 200 {
		name := fmt.Sprintf("A sheet with a name %d", i)
		sheets = append(sheets, args{"op": "ensure_sheet", "sheet": name}, args{"op": "set_cells", "sheet": name, "cells": []any{args{"cell": "A1", "value": "a header that takes room"}, args{"cell": "B1", "value": "another header"}}})
	}
	r.must(s, "xlsx_operations", args{"path": "wide.xlsx", "create_new": true, "operations": sheets})
}

// schemaPair is a result with the schema of its tool.
type schemaPair struct {
	Tool   string          `json:"tool"`
	Schema any             `json:"schema"`
	Result json.RawMessage `json:"result"`
}

// schemaPairs makes the calls.
func schemaPairs(t *testing.T) (pairs []schemaPair) {
	t.Helper()
	r := newRig(t)
	s := r.connect("2025-11-25", yes(nil))
	schemaFiles(r, s)
	schemas := map[string]any{}
	for tool, err := range s.Tools(t.Context(), nil) {
		require.NoError(t, err)
		if tool.OutputSchema != nil {
			schemas[tool.Name] = tool.OutputSchema
		}
	}
	checked := map[string]int{}
	inPart := 0
	for _, c := range schemaCalls() {
		res := r.result(s, c.tool, c.args)
		require.False(t, res.IsError, "%s %v: %s", c.tool, c.args, mustJSON(t, res.Content))
		require.NotNil(t, schemas[c.tool], c.tool)
		require.NotNil(t, res.StructuredContent, "%s %v", c.tool, c.args)
		text := mustJSON(t, res.StructuredContent)
		if strings.Contains(text, `"chunk_info"`) {
			inPart++
		}
		pairs = append(pairs, schemaPair{c.tool, schemas[c.tool], json.RawMessage(text)})
		checked[c.tool]++
	}
	require.Positive(t, inPart, "results that are given in part")
	for name := range schemas {
		require.Positive(t, checked[name], name)
	}
	return pairs
}

// Results of tools with an output schema fit it.
func TestResultsFitTheirSchemas(t *testing.T) {
	for _, p := range schemaPairs(t) {
		var sch jsonschema.Schema
		require.NoError(t, json.Unmarshal([]byte(mustJSON(t, p.Schema)), &sch))
		res, err := sch.Resolve(nil)
		require.NoError(t, err)
		var v any
		require.NoError(t, json.Unmarshal(p.Result, &v))
		require.NoError(t, res.Validate(v), "%s: %.500s", p.Tool, p.Result)
		require.Error(t, res.Validate([]any{1.0}), p.Tool)
	}
}

// The validators of the TypeScript SDK agree.
func TestResultsFitTheirSchemasElsewhere(t *testing.T) {
	campaign.Slow(t)
	node := need.Program(t, "node", "nodejs")
	dir := need.Modules(t, "@modelcontextprotocol/sdk@1.32.2", "@cfworker/json-schema@4.1.1")
	script, err := os.ReadFile("testdata/schemas.mjs")
	require.NoError(t, err)
	write(t, dir+"/schemas.mjs", string(script))
	pairs := schemaPairs(t)
	write(t, dir+"/pairs.json", mustJSON(t, pairs))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, "schemas.mjs")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), fmt.Sprintf("all %d fit", len(pairs)))
}
