package engine_test

import (
	"bytes"
	"encoding/base64"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"atelier/internal/campaign"

	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/formats/formatstest"
)

// RV-04: pages of both sides over the protocol, with the peer's field names;
// what is asked wrongly is named.
func TestRV04Preview(t *testing.T) {
	e := newEngine(t)
	docx, err := os.ReadFile(filepath.Join(formatstest.Root(t), "testdata", "documents", "contrato.docx"))
	require.NoError(t, err)
	id, _ := folder(t, e, map[string]string{"a.txt": "one\n", "gone.txt": "x\n", "contrato.docx": string(docx)})
	for _, c := range []obj{
		{"tool": "write_text_file", "args": obj{"path": "a.txt", "content": "two\n"}},
		{"tool": "write_text_file", "args": obj{"path": "new.txt", "content": "three\n"}},
		{"tool": "docx_operations", "args": obj{"path": "contrato.docx", "operations": []obj{{"op": "append_paragraph", "text": "Adenda."}}}},
	} {
		c["workbench_id"] = id
		require.Equal(t, true, must(t, e, "ToolCall", c)["success"])
	}
	page := func(params obj) (obj, *engine.ErrorInfo) {
		params["workbench_id"] = id
		return call(t, e, "ReviewGetPreview", params)
	}
	var pictures []string
	for _, version := range []string{"draft", "published"} {
		r, info := page(obj{"path": "a.txt", "version": version, "page": 0, "scale": 0.5})
		require.Nil(t, info)
		require.Equal(t, "image/png", r["mime_type"])
		require.Equal(t, 1.0, r["page_count"])
		require.Equal(t, 0.0, r["page_index"])
		require.Equal(t, false, r["scaled_down"])
		require.Equal(t, "text", r["rendering"])
		b, err := base64.StdEncoding.DecodeString(r["bytes_base64"].(string))
		require.NoError(t, err)
		_, err = png.Decode(bytes.NewReader(b))
		require.NoError(t, err)
		pictures = append(pictures, string(b))
	}
	require.False(t, pictures[0] == pictures[1], "both sides look the same")
	r, info := page(obj{"path": "contrato.docx"})
	require.Nil(t, info)
	require.NotEmpty(t, r["bytes_base64"])
	if r["rendering"] != "libreoffice" {
		require.Contains(t, r["note"], "plain text view")
	}

	for _, bad := range []struct {
		params obj
		want   string
	}{
		{obj{"path": "new.txt", "version": "published"}, "new in the draft"},
		{obj{"path": "none.txt"}, "none.txt"},
		{obj{"path": "a.txt", "version": "old"}, "a.txt has no version old"},
		{obj{"path": "a.txt", "scale": 3}, "scale"},
		{obj{"path": "a.txt", "page": 7}, "pages 0 to 0"},
		{obj{"path": "../x"}, ""},
		{obj{}, ""},
	} {
		_, info := page(bad.params)
		require.NotNil(t, info, "%v", bad.params)
		require.Contains(t, info.Detail, bad.want)
	}
}

// RV-05: review calls no model and no network, whatever a document links to:
// neither the model's address nor that of a linked picture sees a connection.
func TestRV05NoModelNoNetwork(t *testing.T) {
	campaign.Slow(t)
	address, came := formatstest.Listener(t)
	address = "http://" + address
	e := newEngine(t, func(o *engine.Options) {
		o.BaseURL, o.APIKey, o.Model = address+"/v1", "key", "gpt-test"
	})
	docs := filepath.Join(formatstest.Root(t), "testdata", "documents")
	files := map[string]string{"page.html": "<img src='" + address + "/x.png'>"}
	for _, name := range []string{"contrato.docx", "sales.xlsx", "presentacion.pptx"} {
		b, err := os.ReadFile(filepath.Join(docs, name))
		require.NoError(t, err)
		files[name] = string(b)
	}
	id, _ := folder(t, e, files)
	for _, c := range []obj{
		{"tool": "write_text_file", "args": obj{"path": "page.html", "content": "<img src='" + address + "/y.png'>"}},
		{"tool": "docx_operations", "args": obj{"path": "contrato.docx", "operations": []obj{{"op": "add_hyperlink", "at": "p2", "text": "x", "url": address + "/h"}}}},
		{"tool": "xlsx_operations", "args": obj{"path": "sales.xlsx", "operations": []obj{{"op": "set_cells", "sheet": "Sales", "cells": []obj{{"cell": "A40", "value": `=WEBSERVICE("` + address + `/w")`}}}}}},
		{"tool": "pptx_operations", "args": obj{"path": "presentacion.pptx", "operations": []obj{{"op": "set_slide_text", "index": 0, "title": address}}}},
	} {
		c["workbench_id"] = id
		require.Equal(t, true, must(t, e, "ToolCall", c)["success"], c)
	}
	changes := must(t, e, "ReviewGetChangeSet", obj{"workbench_id": id})["changes"].([]any)
	require.Len(t, changes, 4)
	for _, c := range changes {
		path := c.(obj)["path"]
		must(t, e, "ReviewGetContentDiff", obj{"workbench_id": id, "path": path})
		must(t, e, "ReviewGetTextDiff", obj{"workbench_id": id, "path": path})
		for _, version := range []string{"draft", "published"} {
			must(t, e, "ReviewGetPreview", obj{"workbench_id": id, "path": path, "version": version})
		}
	}
	require.Zero(t, came.Load(), "connections")
}
