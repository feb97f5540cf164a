package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
)

// I-24: every client learns when a run begins and how it ended, and that somebody
// stored a message, took the conversation back or restored a file.
func TestI24ActivitiesAreTold(t *testing.T) {
	e, _ := replayed(t, `
-- model-1 --
{"call":{"id":"tc-1","name":"write_text_file","arguments":{"path":"a.txt","content":"first"}}}
-- model-2 --
{"text":"One."}
-- model-3 --
{"status":400,"body":"{\"error\":{\"message\":\"no such thing\"}}"}
`)
	id, _ := folder(t, e, map[string]string{"b.txt": "b\n"})
	var told []any
	var failed *engine.ErrorInfo
	defer e.Subscribe(func(n engine.Notification) {
		switch p := n.Params.(type) {
		case engine.ActivityBegan:
			told = append(told, "began "+string(p.Activity))
		case engine.ActivityEnded:
			told = append(told, "ended "+string(p.Activity))
			failed = p.Error
		case engine.ConversationChanged:
			told = append(told, p.Change)
		}
	})()
	next := func(want ...any) {
		t.Helper()
		require.Equal(t, want, told)
		told = nil
	}
	say := func(text string) string {
		return must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": text})["message_id"].(string)
	}
	first := say("Write a.")
	next("message")
	must(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": first})
	next("began run", "ended run")
	require.Nil(t, failed)
	second := say("Write it again.")
	_, info := call(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": second})
	next("message", "began run", "ended run")
	require.Equal(t, info.Detail, failed.Detail)
	require.Contains(t, failed.Detail, "no such thing")
	_, info = call(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": "u-0"})
	next("began run", "ended run")
	require.Equal(t, info.Detail, failed.Detail)
	must(t, e, "WorkshopUndoToMessage", obj{"workbench_id": id, "message_id": first})
	next("began undo", "undo", "ended undo")
	require.False(t, must(t, e, "WorkshopGetState", obj{"workbench_id": id})["running"].(bool))
	must(t, e, "ToolCall", obj{"workbench_id": id, "tool": "write_text_file", "args": obj{"path": "b.txt", "content": "B\n"}})
	must(t, e, "DraftPublish", obj{"workbench_id": id})
	next("began publish", "ended publish")
	versions := must(t, e, "WorkbenchFileVersions", obj{"workbench_id": id, "path": "b.txt"})["versions"].([]any)
	oldest := versions[len(versions)-1].(obj)["version_id"]
	must(t, e, "WorkbenchRestoreFileVersion", obj{"workbench_id": id, "path": "b.txt", "version_id": oldest})
	next("began restore", "step", "ended restore")
}
