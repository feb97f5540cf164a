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

// TestPublishOverAnOpenFile: the answer to DraftPublish names exactly the
// replaced files that an office program seems to have open.
func TestPublishOverAnOpenFile(t *testing.T) {
	e, dir := newEngine(t), t.TempDir()
	for name, text := range map[string]string{"contract.md": "old", "free.md": "old", "~$ntract.md": "me"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	root, err := json.Marshal(dir)
	require.NoError(t, err)
	made, err := e.Call(context.Background(), "WorkbenchCreate", json.RawMessage(`{"name":"w","root":`+string(root)+`}`))
	require.NoError(t, err)
	id := made.(engine.WorkbenchCreated).WorkbenchID
	for _, name := range []string{"contract.md", "free.md"} {
		_, err := e.Call(context.Background(), "ToolCall", json.RawMessage(`{"workbench_id":"`+id+`","tool":"write_text_file","args":{"path":"`+name+`","content":"new\n"}}`))
		require.NoError(t, err)
	}
	var out bytes.Buffer
	require.NoError(t, Serve(context.Background(), e, strings.NewReader(`{"jsonrpc":"2.0","id":7,"method":"DraftPublish","params":{"workbench_id":"`+id+`"}}`+"\n"), &out, Options{}))
	var reply struct{ Result engine.DraftPublishResult }
	for line := range strings.Lines(out.String()) {
		if strings.Contains(line, `"id":7`) {
			require.NoError(t, json.Unmarshal([]byte(line), &reply))
		}
	}
	require.Equal(t, []string{"contract.md", "free.md"}, reply.Result.Published)
	require.Len(t, reply.Result.Notes, 1)
	require.Contains(t, reply.Result.Notes[0], "contract.md seems to be open in an office program (~$ntract.md is beside it)")
}
