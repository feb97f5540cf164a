package engine_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/workshop/agent"
)

// V-01 over the API: a run in phases that is cancelled is named by
// WorkshopGetState with how far it is, goes on with the same message, and is
// past once there is another one.
func TestV01PhasesOverTheAPI(t *testing.T) {
	e := newEngine(t)
	id, _ := folder(t, e, map[string]string{"a.txt": "Hello there.\n", "b.txt": "More.\n", "c.txt": "Last.\n"})
	send := func(text string) string {
		return must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": text})["message_id"].(string)
	}
	state := func() any { return must(t, e, "WorkshopGetState", obj{"workbench_id": id})["unfinished"] }

	var mu sync.Mutex
	var phases []string
	var cancel context.CancelFunc
	stop := e.Subscribe(func(n engine.Notification) {
		mu.Lock()
		defer mu.Unlock()
		switch p := n.Params.(type) {
		case agent.PhaseStarted:
			phases = append(phases, p.Phase)
		case agent.ImplementProgress:
			require.Equal(t, id, p.WorkbenchID)
			if p.CurrentItem == 3 && cancel != nil {
				cancel()
			}
		}
	})
	defer stop()
	broken := func(msg string) { // a run that is cancelled at item 3
		t.Helper()
		ctx, c := context.WithCancel(t.Context())
		defer c()
		cancel = c
		raw, err := json.Marshal(obj{"workbench_id": id, "message_id": msg, "workflow": "rpi"})
		require.NoError(t, err)
		_, err = e.Call(ctx, "WorkshopRunAgent", raw)
		var info *engine.ErrorInfo
		require.ErrorAs(t, err, &info)
		require.Equal(t, "USER_CANCELED", info.ErrorCode)
		require.Equal(t, "rpi_implement", info.Subphase)
		require.Equal(t, obj{"message_id": msg, "phase": "implement", "items_done": 2.0, "items": 3.0}, state())
		phases, cancel = nil, nil
	}
	msg := send("Translate everything to German")
	require.Nil(t, state())
	broken(msg)
	r := must(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": msg, "workflow": "auto"})
	require.Equal(t, "rpi", r["workflow"])
	require.Equal(t, true, r["has_draft"])
	require.Equal(t, []string{"implement", "summary"}, phases)
	require.Nil(t, state())

	// What takes files back takes the ticks of the plan with it.
	for _, method := range []string{"DraftDiscard", "WorkshopUndoToMessage"} {
		msg := send("Translate everything to French")
		broken(msg)
		params := obj{"workbench_id": id}
		if method == "WorkshopUndoToMessage" {
			params["message_id"] = msg
		}
		must(t, e, method, params)
		require.Nil(t, state(), method)
		broken(msg) // from the beginning, since items 1 and 2 are done again
	}
	abandoned := func() any { return must(t, e, "WorkshopGetState", obj{"workbench_id": id})["abandoned"] }
	require.Nil(t, abandoned(), "it can be gone on with")
	last := send("Or rather: what files are here?")
	require.Nil(t, state(), "a new message is another task")
	was := obj{"items": 3.0, "items_done": 2.0, "undone": false}
	was["message_id"] = abandoned().(obj)["message_id"]
	require.Equal(t, was, abandoned())
	must(t, e, "DraftDiscard", obj{"workbench_id": id})
	was["undone"] = true
	require.Equal(t, was, abandoned())
	must(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": last})
	require.Contains(t, lastEvent(t, e, id, "plan_abandoned"), "with 2 of 3 items done or failed. Files were taken back since")

	_, bad := call(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": msg, "workflow": "waterfall"})
	require.Equal(t, "VALIDATION_FAILED", bad.ErrorCode)
	require.Equal(t, "use agent, rpi or auto", bad.Hint)

	_, none := call(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": send("Which files are here?"), "workflow": "rpi"})
	require.Nil(t, none, "a plain question needs no plan")
}

// lastEvent is the text of the last system event of a kind.
func lastEvent(t *testing.T, e *engine.Engine, id, kind string) (text string) {
	t.Helper()
	for _, m := range must(t, e, "WorkshopGetConversation", obj{"workbench_id": id})["messages"].([]any) {
		if rec := m.(obj); rec["event_kind"] == kind {
			text = rec["text"].(string)
		}
	}
	return text
}
