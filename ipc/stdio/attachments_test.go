package stdio

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
)

// TestAttachmentsOverStdio: an app sends files with a message, by content or
// by path; the answer, a notification and the conversation have the list
// (C-41, S-03), and an error names the limit.
func TestAttachmentsOverStdio(t *testing.T) {
	e := newEngine(t)
	made, err := e.Call(context.Background(), "WorkbenchCreate", json.RawMessage(`{"name":"w"}`))
	require.NoError(t, err)
	id := made.(engine.WorkbenchCreated).WorkbenchID
	dir := t.TempDir()
	path := filepath.Join(dir, "terms.txt")
	require.NoError(t, os.WriteFile(path, []byte("Thirty days."), 0o600))
	large := filepath.Join(dir, "large.bin")
	require.NoError(t, os.WriteFile(large, nil, 0o600))
	require.NoError(t, os.Truncate(large, 1<<30))
	request := func(n int, method string, params map[string]any) string {
		params["workbench_id"] = id
		b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": n, "method": method, "params": params})
		require.NoError(t, err)
		return string(b) + "\n"
	}
	serve := func(in ...string) map[string]string {
		var out bytes.Buffer
		require.NoError(t, Serve(context.Background(), e, strings.NewReader(strings.Join(in, "")), &out, Options{}))
		got := map[string]string{}
		for line := range strings.Lines(out.String()) {
			var m struct {
				ID     json.RawMessage
				Method string
			}
			require.NoError(t, json.Unmarshal([]byte(line), &m))
			got[string(m.ID)+m.Method] = line
		}
		return got
	}
	got := serve(request(1, "WorkshopSendUserMessage", map[string]any{"text": "Look.", "attachments": []map[string]any{{"name": "a.md", "content": "aGk="}, {"path": path}}}))
	require.Contains(t, got["1"], `"uri":"file:a.md"`)
	require.Contains(t, got["1"], `"uri":"file:terms.txt","path":"files/terms.txt"`)
	require.Contains(t, got["WorkshopMessageAttached"], `"name":"terms.txt"`)
	got = serve(request(2, "ToolCall", map[string]any{"catalogue": "sila", "tool": "read", "args": map[string]any{"uri": "file:terms.txt"}}))
	require.Contains(t, got["2"], "Thirty days.")
	got = serve(request(3, "WorkshopGetConversation", map[string]any{}))
	require.Contains(t, got["3"], `"attachments":[{`)
	got = serve(request(4, "WorkshopSendUserMessage", map[string]any{"text": "Look.", "attachments": []map[string]any{{"path": large}}}))
	require.Contains(t, got["4"], `"error_code":"VALIDATION_FAILED"`)
	require.Contains(t, got["4"], "and the limit is 104857600")
}
