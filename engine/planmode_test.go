package engine_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// M-02: where the catalogue has no exit_plan_mode, a model in plan mode is not
// sent looking for it, and is not told to write a plan file that it cannot.
func TestM02PlanModeWithoutAnExit(t *testing.T) {
	e, srv := replayed(t, `
-- model-1 --
{"call":{"id":"tc-1","name":"write_text_file","arguments":{"path":"a.md","content":"x"}}}
{"call":{"id":"tc-2","name":"xlsx_operations","arguments":{"path":"a.xlsx","create_if_missing":true,"operations":[{"op":"ensure_sheet","sheet":"S"}]}}}
-- model-2 --
{"text":"I would write a.md."}
-- model-3 --
{"call":{"id":"tc-3","name":"write","arguments":{"path":"/a.md","content":"x"}}}
-- model-4 --
{"text":"ok"}
`)
	id, _ := folder(t, e, nil)
	must(t, e, "WorkshopSetMode", obj{"workbench_id": id, "mode": "plan"})
	run := func(catalogue string) {
		p := obj{"workbench_id": id, "catalogue": catalogue, "message_id": must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": "Go."})["message_id"]}
		assert.Equal(t, false, must(t, e, "WorkshopRunAgent", p)["has_draft"])
	}
	run("workshop")
	ms := srv.Requests()[1].Messages
	assert.Contains(t, ms[0].Content, "You are in Plan Mode: find out what is to be done; nothing can be changed.")
	for i, want := range []string{"only plan files (.plan, of type plan) can be written", "xlsx_operations is not available, only plans can be written"} {
		assert.Equal(t, "Error: The system is in Plan Mode: "+want+". Nothing else is changed until the user switches to Build Mode, for which you have no tool: say in your answer what you would change.", ms[len(ms)-2+i].Content)
	}
	for _, m := range ms {
		assert.NotContains(t, m.Content, "exit_plan_mode")
	}
	run("buildscale")
	ms = srv.Requests()[3].Messages
	assert.Contains(t, ms[0].Content, "call exit_plan_mode with the plan's path")
	assert.Contains(t, ms[len(ms)-1].Content, "once the answer is Accept, exit_plan_mode.")
}
