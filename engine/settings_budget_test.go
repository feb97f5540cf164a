package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/workshop/agent/runerr"
)

// A budget that the user sets counts for runs that set none: of the workbench before
// that of all, before the program's, bound by bound. It outlives the engine.
func TestBudgetSettings(t *testing.T) {
	home := t.TempDir()
	start := func() *engine.Engine {
		return newEngine(t, func(o *engine.Options) {
			o.Home, o.Budget = home, engine.Budget{Tokens: 1_000_000, Seconds: 1000}
		})
	}
	e := start()
	id, _ := folder(t, e, map[string]string{"a.txt": "Hello there.\n"})
	ask := func(budget obj) *engine.ErrorInfo {
		t.Helper()
		msg := must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": "Translate a.txt to German"})["message_id"]
		p := obj{"workbench_id": id, "message_id": msg, "headless": true}
		if budget != nil {
			p["budget"] = budget
		}
		_, info := call(t, e, "WorkshopRunAgent", p)
		return info
	}
	require.Nil(t, ask(nil))
	require.Equal(t, obj{"budget": obj{}, "effective": obj{"tokens": 1e6, "seconds": 1000.0}}, must(t, e, "UserGetBudget", obj{}))
	set := must(t, e, "UserSetBudget", obj{"budget": obj{"tokens": 5}})
	require.Equal(t, obj{"budget": obj{"tokens": 5.0}, "effective": obj{"tokens": 5.0, "seconds": 1000.0}}, set)
	require.Equal(t, runerr.CodeBudget, ask(nil).ErrorCode)
	require.Nil(t, ask(obj{"tokens": 900_000}), "a run that sets one has that")
	set = must(t, e, "WorkbenchSetBudget", obj{"workbench_id": id, "budget": obj{"tokens": 900_000, "workbench_tokens": 20}})
	require.Equal(t, obj{"tokens": 9e5, "seconds": 1000.0, "workbench_tokens": 20.0}, set["effective"])
	require.Equal(t, runerr.CodeBudget, ask(nil).ErrorCode, "what was used before counts for the workbench")

	require.NoError(t, e.Close())
	e = start()
	require.Equal(t, set, must(t, e, "WorkbenchGetBudget", obj{"workbench_id": id}))
	must(t, e, "WorkbenchSetBudget", obj{"workbench_id": id, "budget": obj{}})
	require.Equal(t, runerr.CodeBudget, ask(nil).ErrorCode, "the user's counts again")
	must(t, e, "UserSetBudget", obj{"budget": obj{}})
	require.Nil(t, ask(nil))
	for _, bad := range []obj{{"tokens": -1}, {"cost": 1e12}, {"seconds": 1e300}} {
		for method, p := range map[string]obj{"UserSetBudget": {}, "WorkbenchSetBudget": {"workbench_id": id}} {
			p["budget"] = bad
			_, info := call(t, e, method, p)
			require.NotNil(t, info, "%s %v", method, bad)
			require.Equal(t, engine.CodeValidationFailed, info.ErrorCode)
		}
	}
	_, info := call(t, e, "UserSetBudget", obj{"budget": obj{"token": 5}})
	require.Equal(t, engine.CodeInvalidParams, info.ErrorCode)
}
