package engine_test

import (
	"bytes"
	"encoding/base64"
	"image/png"
	"os"
	"path/filepath"
	"testing"

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
		{obj{"path": "a.txt", "version": "old"}, "draft or published"},
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
