package httpapi

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/engine"
)

// The server's budget is a limit: a caller can ask for less but not for more,
// neither in the request nor by answering a question.
func TestBudgetOfTheServerIsACeiling(t *testing.T) {
	ceiling := engine.Budget{Tokens: 100, Seconds: 600}
	r := newRigWith(t, engine.Options{Model: "pseudo", Budget: ceiling, Ceiling: true}, func(o *Options) { o.Ceiling = ceiling })
	for body, wrong := range map[string]string{
		`{"tokens":101}`:              "tokens of the budget is 101, and whoever runs this server allows at most 100",
		`{"tokens":50,"seconds":601}`: "seconds of the budget is 601, and whoever runs this server allows at most 600",
	} {
		a := r.request("POST", r.runsPath(), `{"text":"do it","budget":`+body+`}`)
		assert.Equal(t, 400, a.Status, a.Body)
		assert.Contains(t, a.Body, wrong)
	}
	assert.Contains(t, r.request("GET", r.runsPath(), "").Body, `"runs":[]`, "nothing began")

	end := func(body string) (events []sse) {
		a := r.request("POST", r.runsPath(), body)
		require.Equal(t, 200, a.Status, a.Body)
		var reply struct{ Result struct{ Run_id string } }
		require.NoError(t, json.Unmarshal([]byte(a.Body), &reply))
		return r.follow(reply.Result.Run_id, "", func(e sse) bool {
			if e.name == "question_pending" {
				require.Equal(t, 200, r.answers(e.data.Data["question_id"].(string), `{"answers":{"budget":1000000}}`).Status)
			}
			return false
		})
	}
	questions := func(events []sse) (n int) {
		for _, e := range events {
			if e.name == "question_pending" {
				n++
			}
		}
		return n
	}
	for body, asked := range map[string]int{`{"text":"do it"}`: 0, `{"text":"do it","budget":{"tokens":10}}`: 1, `{"text":"do it","budget":{"tokens":100}}`: 1} {
		events := end(body)
		last := events[len(events)-1]
		assert.Equal(t, "BUDGET_EXCEEDED", last.data.Data["code"], "%s: %v", body, last)
		assert.Contains(t, last.data.Data["error"], "This run has used 0 of its 100 tokens")
		assert.Contains(t, last.data.Data["hint"], "not allowed here")
		assert.Equal(t, asked, questions(events), body)
	}
}
