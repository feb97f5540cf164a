package engine_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
)

// RV-04: cells of both sides of a workbook over the protocol, for programs that draw
// them; what is asked wrongly is named.
func TestRV04SheetWindow(t *testing.T) {
	e := newEngine(t)
	book, err := os.ReadFile(filepath.Join(formatstest.Root(t), "testdata", "documents", "sales.xlsx"))
	require.NoError(t, err)
	id, _ := folder(t, e, map[string]string{"a.txt": "one\n", "sales.xlsx": string(book)})
	edit := func(value any) {
		require.Equal(t, true, must(t, e, "ToolCall", obj{"workbench_id": id, "tool": "xlsx_operations", "args": obj{"path": "sales.xlsx",
			"operations": []obj{{"op": "set_cells", "sheet": "Sales", "cells": []obj{{"cell": "E6", "value": value}}}}}})["success"])
	}
	window := func(version string) (text, hash string) {
		r := must(t, e, "ReviewGetSheetWindow", obj{"workbench_id": id, "path": "sales.xlsx", "version": version, "row": 6, "column": 5, "rows": 1, "columns": 1})
		for _, row := range r["rows"].([]any) {
			for _, c := range row.(obj)["cells"].([]any) {
				text, _ = c.(obj)["text"].(string)
			}
		}
		require.Equal(t, true, r["exact"])
		require.NotEmpty(t, r["sheets"])
		return text, r["hash"].(string)
	}
	before, published := window("published")
	require.NotEmpty(t, before)
	edit("first")
	text, draft := window("draft")
	require.Equal(t, "first", text)
	require.NotEqual(t, published, draft)
	text, hash := window("published")
	require.Equal(t, [2]string{before, published}, [2]string{text, hash}, "the published side stays")
	edit("second")
	text, _ = window("")
	require.Equal(t, "second", text, "a window is of the present draft")

	for _, bad := range []struct {
		params obj
		want   string
	}{
		{obj{"path": "a.txt"}, "sheets are shown of an xlsx"},
		{obj{"path": "none.xlsx"}, "none.xlsx"},
		{obj{"path": "sales.xlsx", "version": "old"}, "has no version old"},
		{obj{"path": "sales.xlsx", "sheet": "Nope"}, "unknown sheet: Nope"},
		{obj{"path": "sales.xlsx", "rows": 5000}, "rows is 5000; it is 1 to 1000"},
	} {
		bad.params["workbench_id"] = id
		_, info := call(t, e, "ReviewGetSheetWindow", bad.params)
		require.NotNil(t, info, bad.params)
		require.Contains(t, info.Detail, bad.want)
	}
}

// RV-04: blocks of both sides of a document over the protocol.
func TestRV04Blocks(t *testing.T) {
	e := newEngine(t)
	docx, err := os.ReadFile(filepath.Join(formatstest.Root(t), "testdata", "documents", "contrato.docx"))
	require.NoError(t, err)
	id, _ := folder(t, e, map[string]string{"a.txt": "one\n", "contrato.docx": string(docx)})
	last := func(version string) (obj, float64) {
		r := must(t, e, "ReviewGetBlocks", obj{"workbench_id": id, "path": "contrato.docx", "version": version})
		list := r["blocks"].([]any)
		require.Len(t, list, int(r["total"].(float64)))
		return list[len(list)-1].(obj), r["total"].(float64)
	}
	_, before := last("published")
	require.Equal(t, true, must(t, e, "ToolCall", obj{"workbench_id": id, "tool": "docx_operations", "args": obj{"path": "contrato.docx",
		"operations": []obj{{"op": "append_paragraph", "text": "Adenda."}}}})["success"])
	block, now := last("")
	require.Equal(t, before+1, now)
	require.Equal(t, "Adenda.", block["spans"].([]any)[0].(obj)["text"])
	require.Equal(t, "paragraph", block["kind"])
	_, published := last("published")
	require.Equal(t, before, published)
	for path, want := range map[string]string{"a.txt": "blocks are shown of a docx", "none.docx": "none.docx"} {
		_, info := call(t, e, "ReviewGetBlocks", obj{"workbench_id": id, "path": path})
		require.NotNil(t, info)
		require.Contains(t, info.Detail, want)
	}
	_, info := call(t, e, "ReviewGetBlocks", obj{"workbench_id": id, "path": "contrato.docx", "count": 9999})
	require.NotNil(t, info)
	require.Contains(t, info.Detail, "count is 9999; it is 1 to 2000")
}
