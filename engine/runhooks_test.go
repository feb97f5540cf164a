package engine_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A run with read_only has no tools that change files, is told so, and refuses calls
// of them; a run in phases, which writes, refuses it.
func TestReadOnlyRun(t *testing.T) {
	e, srv := replayed(t, `
-- model-1 --
{"call":{"id":"tc-1","name":"write_text_file","arguments":{"path":"a.md","content":"x"}}}
-- model-2 --
{"text":"I would write a.md."}
`)
	id, _ := folder(t, e, nil)
	p := obj{"workbench_id": id, "read_only": true, "message_id": must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": "Go."})["message_id"]}
	p["workflow"] = "rpi"
	_, info := call(t, e, "WorkshopRunAgent", p)
	require.NotNil(t, info)
	assert.Contains(t, info.Detail, "read_only")
	delete(p, "workflow")
	assert.Equal(t, false, must(t, e, "WorkshopRunAgent", p)["has_draft"])
	reqs := srv.Requests()
	require.NotEmpty(t, reqs[0].Tools)
	for _, tool := range reqs[0].Tools {
		assert.NotContains(t, []string{"write_text_file", "xlsx_operations", "delete", "translate"}, tool.Function.Name)
	}
	ms := reqs[1].Messages
	assert.Contains(t, ms[0].Content, "you have no tools that change files")
	assert.Contains(t, ms[len(ms)-1].Content, "unknown tool")
}
