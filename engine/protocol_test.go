package engine_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
)

var update = flag.Bool("update", false, "rewrite golden files")

// TestProtocolIsDocumented: a change of any method, notification or tool shows
// as a change of docs/protocol.md and docs/openrpc.json.
func TestProtocolIsDocumented(t *testing.T) {
	docs := filepath.Join("..", "docs")
	head, err := os.ReadFile(filepath.Join(docs, "protocol.head.md"))
	require.NoError(t, err)
	rpc, err := engine.OpenRPC()
	require.NoError(t, err)
	schema, err := json.MarshalIndent(rpc, "", "  ")
	require.NoError(t, err)
	for name, want := range map[string][]byte{
		"protocol.md":  engine.ProtocolMarkdown(head),
		"openrpc.json": append(schema, '\n'),
	} {
		path := filepath.Join(docs, name)
		if *update {
			require.NoError(t, os.WriteFile(path, want, 0o644))
		}
		have, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(want), string(have), "%s is out of date: go test ./engine -run Protocol -update", name)
	}
}

// I-09: the methods the requirement names are all there.
func TestI09MethodsExist(t *testing.T) {
	for _, name := range []string{"EngineGetInfo", "WorkbenchCreate", "WorkbenchList", "WorkbenchOpen", "WorkbenchDelete",
		"WorkbenchFilesAdd", "WorkbenchFilesList", "WorkbenchFilesRemove", "WorkshopGetState", "WorkshopGetConversation",
		"WorkshopSendUserMessage", "WorkshopRunAgent", "WorkshopCancelRun", "DraftGetState", "DraftPublish", "DraftDiscard",
		"ReviewGetChangeSet", "ProvidersSetApiKey", "ToolCall"} {
		require.True(t, engine.HasMethod(name), name)
	}
	require.False(t, engine.HasMethod("Nope"))
}
