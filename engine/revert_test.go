package engine_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/formats/formatstest"
)

// Changes of a review are taken back by their ids: in terms of the format and as lines.
func TestDraftRevertChanges(t *testing.T) {
	e := newEngine(t)
	doc, err := os.ReadFile(filepath.Join(formatstest.Root(t), "testdata", "documents", "contrato.docx"))
	require.NoError(t, err)
	id, _ := folder(t, e, map[string]string{"c.docx": string(doc), "a.txt": "1\n2\n3\n"})
	must(t, e, "ToolCall", obj{"workbench_id": id, "tool": "docx_operations", "args": obj{"path": "c.docx", "operations": []obj{
		{"op": "set_paragraph", "at": "p3", "text": "first"}, {"op": "add_cross_reference", "at": "p32", "to": "p19"}}}})
	must(t, e, "ToolCall", obj{"workbench_id": id, "tool": "replace_text", "args": obj{"path": "a.txt", "search": "2", "replace": "two"}})

	diff := must(t, e, "ReviewGetContentDiff", obj{"workbench_id": id, "path": "c.docx", "requires": true})
	items := diff["groups"].([]any)[0].(obj)["items"].([]any)
	first := items[0].(obj)
	require.Equal(t, true, first["revertible"])
	require.Nil(t, first["requires"])
	var bookmark obj
	for _, f := range diff["facts"].([]any) {
		if f.(obj)["kind"] == "bookmark" {
			bookmark = f.(obj)
		}
	}
	require.Equal(t, true, bookmark["revertible"])
	require.Nil(t, bookmark["reason"])
	needs := bookmark["requires"].([]any)
	require.NotEmpty(t, needs, "a field refers to the bookmark")

	_, info := call(t, e, "DraftRevertChanges", obj{"workbench_id": id, "path": "c.docx", "changes": []any{bookmark["id"]}})
	require.Equal(t, engine.CodeValidationFailed, info.ErrorCode)
	require.Len(t, info.Changes, len(needs))

	done := must(t, e, "DraftRevertChanges", obj{"workbench_id": id, "path": "c.docx", "changes": []any{first["id"]}})
	require.Equal(t, 1.0, done["reverted"])
	require.Equal(t, true, done["has_draft"])
	_, info = call(t, e, "DraftRevertChanges", obj{"workbench_id": id, "path": "c.docx", "changes": []any{first["id"]}})
	require.Contains(t, info.Detail, "review the file again")
	must(t, e, "DraftRevertChanges", obj{"workbench_id": id, "path": "c.docx", "changes": append(needs, bookmark["id"])})
	require.Len(t, must(t, e, "ReviewGetChangeSet", obj{"workbench_id": id})["changes"].([]any), 1, "nothing is left of the document's")
	must(t, e, "WorkshopUndoToMessage", obj{"workbench_id": id, "message_id": done["message_id"], "before": true})
	require.Len(t, must(t, e, "ReviewGetChangeSet", obj{"workbench_id": id})["changes"].([]any), 2)

	hunk := must(t, e, "ReviewGetTextDiff", obj{"workbench_id": id, "path": "a.txt"})["hunks"].([]any)[0].(obj)["id"]
	gone := must(t, e, "DraftRevertChanges", obj{"workbench_id": id, "path": "a.txt", "changes": []any{hunk}})
	require.Equal(t, true, gone["dropped"])
	for _, changes := range [][]any{{}, {"h1-2-3-4-x"}, {"no"}} {
		_, info = call(t, e, "DraftRevertChanges", obj{"workbench_id": id, "path": "c.docx", "changes": changes})
		require.NotNil(t, info, "%v", changes)
	}
}

// The changes of a csv file are cells and rows, and go back one by one.
func TestDraftRevertCells(t *testing.T) {
	e := newEngine(t)
	id, dir := folder(t, e, map[string]string{"a.csv": "name,n\r\nann,1\r\nbob,2\r\ncat,3\r\n"})
	must(t, e, "ToolCall", obj{"workbench_id": id, "tool": "write_text_file", "args": obj{"path": "a.csv", "content": "name,n\r\nann,10\r\nbob,2\r\nnew,5\r\ncat,30\r\n"}})
	diff := must(t, e, "ReviewGetContentDiff", obj{"workbench_id": id, "path": "a.csv"})
	require.NotContains(t, diff, "message")
	var at, ids []any
	for _, it := range diff["groups"].([]any)[0].(obj)["items"].([]any) {
		require.Equal(t, true, it.(obj)["revertible"])
		at, ids = append(at, it.(obj)["at"]), append(ids, it.(obj)["id"])
	}
	require.Equal(t, []any{"B2", "row 4", "B5"}, at)
	must(t, e, "DraftRevertChanges", obj{"workbench_id": id, "path": "a.csv", "changes": ids[:2]})
	_, info := call(t, e, "DraftRevertChanges", obj{"workbench_id": id, "path": "a.csv", "changes": ids[:1]})
	require.Contains(t, info.Detail, "review the file again")
	must(t, e, "DraftPublish", obj{"workbench_id": id})
	b, err := os.ReadFile(filepath.Join(dir, "a.csv"))
	require.NoError(t, err)
	require.Equal(t, "name,n\r\nann,1\r\nbob,2\r\ncat,30\r\n", string(b))
}

// A change that cannot be taken back alone says why.
func TestRevertReason(t *testing.T) {
	e := newEngine(t)
	book, err := os.ReadFile(filepath.Join(formatstest.Root(t), "testdata", "documents", "sales.xlsx"))
	require.NoError(t, err)
	id, _ := folder(t, e, map[string]string{"s.xlsx": string(book)})
	must(t, e, "ToolCall", obj{"workbench_id": id, "tool": "xlsx_operations", "args": obj{"path": "s.xlsx", "operations": []obj{
		{"op": "set_cells", "sheet": "Sales", "cells": []obj{{"cell": "E5", "value": 1000}}}}}})
	values := 0
	for _, f := range must(t, e, "ReviewGetContentDiff", obj{"workbench_id": id, "path": "s.xlsx", "requires": true})["facts"].([]any) {
		if f := f.(obj); f["kind"] == "calculated_value" {
			values++
			require.Equal(t, false, f["revertible"])
			require.Contains(t, f["reason"], "follows from other changes")
			_, info := call(t, e, "DraftRevertChanges", obj{"workbench_id": id, "path": "s.xlsx", "changes": []any{f["id"]}})
			require.Contains(t, info.Detail, "follow from other changes")
		}
	}
	require.NotZero(t, values)
}
