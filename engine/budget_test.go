package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
)

// At a desk the budget of a run goes before that of the settings, whichever is
// larger; behind a server it cannot be larger.
func TestBudgetsOfRunsAndSettings(t *testing.T) {
	for ceiling, wants := range map[bool]string{false: "of its 200 tokens", true: "at most 100"} {
		e := newEngine(t, func(o *engine.Options) { o.Budget, o.Ceiling = engine.Budget{Tokens: 100}, ceiling })
		id, _ := folder(t, e, nil)
		msg := must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": "Well?"})["message_id"]
		run := func(budget obj) error {
			_, err := call(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": msg, "model_id": "pseudo", "headless": true, "budget": budget})
			return err
		}
		require.ErrorContains(t, run(obj{"tokens": 200}), wants)
		require.ErrorContains(t, run(obj{"tokens": 90}), "of its 90 tokens", "less is always allowed")
		require.ErrorContains(t, run(nil), "of its 100 tokens")
		must(t, e, "WorkshopCompact", obj{"workbench_id": id, "model_id": "pseudo"}) // which has nothing to sum up
	}
}
