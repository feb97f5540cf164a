package engine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/llm/models"
	"atelier/llm/replay"
	"atelier/workshop/agent"
	"atelier/workshop/agent/runerr"
)

// pricedEngine asks a model that says the same each time, for 1,000 tokens (400
// of them cached) and 50; the one named "priced" has a price.
func pricedEngine(t *testing.T, says string) (*engine.Engine, endpoint) {
	p := serveModel(t, "-- model-* --\n{\"text\":\""+says+"\"}\n"+
		`{"usage":{"prompt_tokens":1000,"completion_tokens":50,"prompt_tokens_details":{"cached_tokens":400}}}`+"\n")
	t.Cleanup(p.close)
	var rule models.Rule
	require.NoError(t, json.Unmarshal([]byte(`{"model":"priced","price":{"input":2,"cached":1,"output":10,"currency":"EUR"}}`), &rule))
	return newEngine(t, func(o *engine.Options) { o.BaseURL, o.Models = p.srv.URL, []models.Rule{rule} }), p
}

// DESIGN 7 over the API: what requests took is told after each, with the run's
// result and for the workbench, by model and by run, in pages.
func TestUsageOverTheAPI(t *testing.T) {
	e, _ := pricedEngine(t, "Yes.")
	id, _ := folder(t, e, nil)
	run := func(model string) obj {
		msg := must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": "Well?"})["message_id"]
		return must(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": msg, "model_id": model})
	}
	require.Equal(t, obj{"input": 2.0, "cached": 1.0, "output": 10.0, "currency": "EUR"}, must(t, e, "ModelsGetCapabilities", obj{"model_id": "priced"})["price"])
	require.NotContains(t, must(t, e, "ModelsGetCapabilities", obj{"model_id": "unpriced"}), "price")
	var told []agent.RequestUsage
	defer e.Subscribe(func(n engine.Notification) {
		if u, ok := n.Params.(agent.RequestUsage); ok {
			told = append(told, u)
		}
	})()
	r := run("priced")
	want := obj{"requests": 1.0, "failed_requests": 0.0, "open_requests": 0.0, "estimated_requests": 0.0, "unpriced_requests": 0.0,
		"input_tokens": 1000.0, "cached_tokens": 400.0, "output_tokens": 50.0,
		"costs": []any{obj{"amount": 0.0021, "currency": "EUR"}}} // 600·2 + 400·1 + 50·10
	require.Equal(t, want, r["usage"])
	require.Len(t, told, 1)
	require.Equal(t, []any{id, "openai", "priced", 0.0021}, []any{told[0].WorkbenchID, told[0].ProviderID, told[0].ModelID, told[0].Cost.Amount})
	r = run("unpriced")["usage"].(obj)
	require.NotContains(t, r, "costs", "unknown is not 0")
	require.Equal(t, 1.0, r["unpriced_requests"])
	run("priced")

	u := must(t, e, "WorkbenchGetUsage", obj{"workbench_id": id, "limit": 2})
	total := u["totals"].(obj)
	require.Equal(t, []any{3.0, 3000.0, 1200.0, 150.0, 1.0}, []any{total["requests"], total["input_tokens"], total["cached_tokens"], total["output_tokens"], total["unpriced_requests"]})
	require.Equal(t, []any{obj{"amount": 0.0042, "currency": "EUR"}}, total["costs"])
	require.Len(t, u["models"], 2)
	require.Equal(t, "priced", u["models"].([]any)[0].(obj)["model_id"])
	require.Equal(t, 2.0, u["models"].([]any)[0].(obj)["requests"])
	require.Len(t, u["days"], 2, "of one day, by model")
	require.Equal(t, u["models"].([]any)[0].(obj)["costs"], u["days"].([]any)[0].(obj)["costs"])
	require.Regexp(t, `^\d{4}-\d\d-\d\d$`, u["days"].([]any)[0].(obj)["day"])
	require.Len(t, u["runs"], 2)
	require.Equal(t, true, u["has_more"])
	u = must(t, e, "WorkbenchGetUsage", obj{"workbench_id": id, "limit": 2, "before": u["next_before"]})
	require.Len(t, u["runs"], 1)
	require.Equal(t, false, u["has_more"])
	first := u["runs"].([]any)[0].(obj)
	require.Equal(t, []any{"run", told[0].RunID, told[0].MessageID}, []any{first["kind"], first["run_id"], first["message_id"]})

	for _, bad := range []obj{{"workbench_id": id, "limit": 101}, {"workbench_id": id, "limit": -1}, {"workbench_id": id, "before": -1}, {}} {
		_, info := call(t, e, "WorkbenchGetUsage", bad)
		require.Equal(t, engine.CodeValidationFailed, info.ErrorCode)
	}
}

// A budget that is used up asks as a tool does, and ends the run with a code of
// its own when nobody is there or somebody says so.
func TestBudgetOverTheAPI(t *testing.T) {
	e := newEngine(t)
	id, _ := folder(t, e, map[string]string{"a.txt": "Hello there.\n"})
	start := func(p obj) (obj, *engine.ErrorInfo) {
		t.Helper()
		msg := must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": "Translate a.txt to German"})["message_id"]
		p["workbench_id"], p["message_id"] = id, msg
		return call(t, e, "WorkshopRunAgent", p)
	}
	_, info := start(obj{"headless": true, "budget": obj{"tokens": 5}})
	require.Equal(t, runerr.CodeBudget, info.ErrorCode)
	require.Equal(t, []string{"review_draft", "retry"}, info.Actions)
	require.Equal(t, id, info.WorkbenchID)

	answer := `"stop"`
	stop := e.Subscribe(func(n engine.Notification) {
		q, ok := n.Params.(agent.QuestionPending)
		if !ok {
			return
		}
		go func() { // a subscriber must not call the engine
			p, _ := json.Marshal(obj{"workbench_id": id, "question_id": q.QuestionID, "answers": obj{q.Questions[0].Name: json.RawMessage(answer)}})
			_, err := e.Call(t.Context(), "WorkshopAnswerQuestion", p)
			require.NoError(t, err)
		}()
	})
	defer stop()
	_, info = start(obj{"budget": obj{"tokens": 5}})
	require.Equal(t, runerr.CodeBudget, info.ErrorCode)
	require.Contains(t, info.Detail, "it was told to stop")
	answer = `1000000`
	r, info := start(obj{"budget": obj{"tokens": 5, "cost": 1}})
	require.Nil(t, info, "the built-in model costs nothing")
	require.Equal(t, true, r["has_draft"])

	_, info = start(obj{"budget": obj{"token": 5}})
	require.Equal(t, engine.CodeInvalidParams, info.ErrorCode, "a misspelt bound would be none")
	require.Contains(t, info.Detail, `unknown field "token"`)
	for _, bad := range []obj{{"tokens": -1}, {"cost": -1}, {"seconds": -1}, {"seconds": 1e300}, {"workbench_tokens": -3}} {
		_, info := start(obj{"budget": bad})
		require.Equal(t, engine.CodeValidationFailed, info.ErrorCode, "%v", bad)
	}
}

// What the engine is configured with counts where a run says nothing else.
func TestBudgetOfTheConfiguration(t *testing.T) {
	e := newEngine(t, func(o *engine.Options) { o.Budget = engine.Budget{Tokens: 5, Seconds: 1000} })
	id, _ := folder(t, e, map[string]string{"a.txt": "Hello there.\n"})
	msg := must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": "Translate a.txt to German"})["message_id"]
	_, info := call(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": msg, "headless": true})
	require.Equal(t, runerr.CodeBudget, info.ErrorCode)
	must(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": msg, "headless": true, "budget": obj{"tokens": 1000000}})

	_, err := engine.New(engine.Options{Home: t.TempDir(), Budget: engine.Budget{Cost: -1}})
	require.ErrorContains(t, err, "budget")
}

// Requests of a translation count too, also those whose answers were of no use;
// its report has the cost by the model's price.
func TestUsageOfATranslation(t *testing.T) {
	e, p := pricedEngine(t, "I would rather not.")
	id, _ := folder(t, e, map[string]string{"a.txt": "Guten Tag.\n"})
	n := listen(t, e, nil)
	job := must(t, e, "TranslateStart", obj{"workbench_id": id, "to": []string{"en"}, "engine": "model", "model": "priced"})
	end := n.next(t)
	require.EqualValues(t, "complete", end.Status, end.Error)
	asked := float64(len(p.srv.Requests()))
	require.Positive(t, asked)
	u := must(t, e, "WorkbenchGetUsage", obj{"workbench_id": id})
	run := u["runs"].([]any)[0].(obj)
	require.Equal(t, []any{"translation", job["job_id"], asked, 1000 * asked, 400 * asked, 50 * asked},
		[]any{run["kind"], run["run_id"], run["requests"], run["input_tokens"], run["cached_tokens"], run["output_tokens"]})
	cost := run["costs"].([]any)[0].(obj)["amount"].(float64)
	require.InDelta(t, 0.0021*asked, cost, 1e-9)
	require.InDelta(t, cost, end.Figures.Cost, 1e-9)
	require.EqualValues(t, 400*asked, end.Figures.CachedTokens)
}

// A summary that somebody asked for is a request like any other, of no run.
func TestUsageOfACompaction(t *testing.T) {
	fixture, err := replay.Parse([]byte(`
-- model-* --
{"text":"SUMMARY: words were said."}
{"usage":{"prompt_tokens":1000,"completion_tokens":50}}
`))
	require.NoError(t, err)
	srv, err := replay.NewServer(fixture, replay.Options{})
	require.NoError(t, err)
	defer srv.Close()
	e := newEngine(t, func(o *engine.Options) {
		o.BaseURL, o.Model = srv.URL, "m"
	})
	id, _ := folder(t, e, nil)
	for range 2 {
		msg := must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": strings.Repeat("word ", 3000)})["message_id"]
		must(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": msg})
	}
	must(t, e, "WorkshopCompact", obj{"workbench_id": id})
	runs := must(t, e, "WorkbenchGetUsage", obj{"workbench_id": id})["runs"].([]any)
	require.Len(t, runs, 3)
	last := runs[0].(obj)
	require.Equal(t, []any{"compaction", nil, 1000.0, 50.0}, []any{last["kind"], last["message_id"], last["input_tokens"], last["output_tokens"]})
	require.Len(t, srv.Requests(), 3)
}
