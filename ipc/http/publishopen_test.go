package httpapi

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/engine"
)

// TestPublishOverAnOpenFile: the answer to a publish names exactly the
// replaced files that an office program seems to have open.
func TestPublishOverAnOpenFile(t *testing.T) {
	r := newRig(t)
	r.put("contract.md", "old\n")
	r.put("free.md", "old\n")
	opened, err := r.engine.Call(t.Context(), "WorkbenchOpen", json.RawMessage(`{"workbench_id":"`+r.ws+`"}`))
	require.NoError(t, err)
	root := opened.(engine.WorkbenchOpened).Workbench.Root
	require.NoError(t, os.WriteFile(filepath.Join(root, ".~lock.contract.md#"), []byte("me"), 0o600))
	for _, name := range []string{"contract.md", "free.md"} {
		_, err := r.engine.Call(t.Context(), "ToolCall", json.RawMessage(`{"workbench_id":"`+r.ws+`","tool":"write_text_file","args":{"path":"`+name+`","content":"new\n"}}`))
		require.NoError(t, err)
	}
	a := r.request("POST", "/api/v1/workspaces/"+r.ws+"/draft/publish", "")
	require.Equal(t, 200, a.Status, a.Body)
	var reply struct{ Result engine.DraftPublishResult }
	require.NoError(t, json.Unmarshal([]byte(a.Body), &reply))
	assert.Equal(t, []string{"contract.md", "free.md"}, reply.Result.Published)
	require.Len(t, reply.Result.Notes, 1)
	assert.Contains(t, reply.Result.Notes[0], "contract.md seems to be open in an office program (.~lock.contract.md# is beside it)")
}
