package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
)

// In an app the budget of a run goes before that of the settings, whichever is
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

// A translation has a budget of its own start: what it has is kept, and the same
// job goes on with a larger one.
func TestBudgetOfATranslationJob(t *testing.T) {
	e, served := pricedEngine(t, "I would rather talk.")
	id, _ := folder(t, e, map[string]string{"a.md": "Something.\n", "b.md": "Another.\n"})
	n := listen(t, e, nil)
	params := func(budget obj) obj {
		return obj{"workbench_id": id, "to": []string{"es"}, "model": "priced", "budget": budget}
	}
	first := must(t, e, "TranslateStart", params(obj{"tokens": 10}))
	end := n.next(t)
	require.Equal(t, []any{"budget_exceeded", "BUDGET_EXCEEDED", 2}, []any{string(end.Status), end.ErrorCode, end.Failed})
	require.Contains(t, end.Error, "This translation has used 0 of its 10 tokens")
	require.Contains(t, end.Error, "start the same translation again, with a larger budget")
	st := must(t, e, "TranslateStatus", obj{"workbench_id": id, "job_id": first["job_id"]})
	require.Equal(t, "BUDGET_EXCEEDED", st["error_code"])
	for _, f := range st["results"].([]any) {
		require.Contains(t, f.(obj)["error"], "the budget is used up", "the rest is named")
	}
	require.Zero(t, must(t, e, "WorkbenchGetUsage", obj{"workbench_id": id})["totals"].(obj)["requests"])

	must(t, e, "TranslateStart", params(obj{"cost": 0.000001}))
	require.Contains(t, n.next(t).Error, "0.00 of its 0.000001 EUR")
	must(t, e, "TranslateStart", params(obj{"workbench_tokens": 10}))
	require.Contains(t, n.next(t).Error, "This workbench has used 0 of its 10 tokens")
	must(t, e, "TranslateStart", obj{"workbench_id": id, "to": []string{"es"}, "engine": "pseudo", "budget": obj{"seconds": 1e-9}})
	require.EqualValues(t, "budget_exceeded", n.next(t).Status)
	again := must(t, e, "TranslateStart", params(nil))
	require.Equal(t, []any{first["job_id"], true}, []any{again["job_id"], again["resumed"]}, "a budget makes no other job")
	require.EqualValues(t, "complete", n.next(t).Status)
	sums := must(t, e, "WorkbenchGetUsage", obj{"workbench_id": id})
	require.Equal(t, "translation", sums["runs"].([]any)[0].(obj)["kind"])
	require.EqualValues(t, len(served.srv.Requests()), sums["totals"].(obj)["requests"])

	_, info := call(t, e, "TranslateStart", obj{"workbench_id": id, "to": []string{"es"}, "model": "unpriced", "budget": obj{"cost": 1}})
	require.ErrorContains(t, info, "the price of the model unpriced is not known")
	_, info = call(t, e, "TranslateStart", params(obj{"token": 1}))
	require.ErrorContains(t, info, "token")

	e = newEngine(t, func(o *engine.Options) { o.Budget, o.Ceiling = engine.Budget{Seconds: 1e-9}, true })
	id, _ = folder(t, e, map[string]string{"a.md": "Something.\n"})
	n = listen(t, e, nil)
	_, info = call(t, e, "TranslateStart", obj{"workbench_id": id, "to": []string{"es"}, "budget": obj{"seconds": 5}})
	require.ErrorContains(t, info, "seconds of the budget is 5, and whoever runs this server allows at most")
	must(t, e, "TranslateStart", obj{"workbench_id": id, "to": []string{"es"}})
	require.EqualValues(t, "budget_exceeded", n.next(t).Status)
}
