package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/llm/openai"
	"atelier/workshop"
	"atelier/workshop/agent/runerr"
	"atelier/workshop/agent/spend"
)

// metered is an endpoint that counts as real ones do: each answer has as many
// tokens as it says, or as the request allows.
type metered struct {
	prompt  int
	answers []meteredAnswer // in turn; the last goes on
	limits  []int           // of the requests; 0: none
	billed  int
}

type meteredAnswer struct {
	tokens, thought int
	text            string
	call            string // arguments of a call of write_text_file
}

func (m *metered) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var req struct {
		MaxTokens int `json:"max_tokens"`
	}
	b, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(b, &req)
	a := m.answers[min(len(m.limits), len(m.answers)-1)]
	m.limits = append(m.limits, req.MaxTokens)
	finish, took := "stop", a.tokens
	if a.call != "" {
		finish = "tool_calls"
	}
	if n := req.MaxTokens; n > 0 && n < took {
		finish, took = "length", n
		a.text, a.call = a.text[:len(a.text)/2], a.call[:len(a.call)/2]
		if n <= a.thought {
			a.text, a.call = "", ""
		}
	}
	m.billed += m.prompt + took
	var deltas []string
	if a.thought > 0 {
		deltas = append(deltas, `{"reasoning_content":"Well."}`)
	}
	if a.text != "" {
		deltas = append(deltas, fmt.Sprintf(`{"content":%q}`, a.text))
	}
	if a.call != "" {
		deltas = append(deltas, fmt.Sprintf(`{"tool_calls":[{"index":0,"id":"c%d","function":{"name":"write_text_file","arguments":%q}}]}`, len(m.limits), a.call))
	}
	for _, d := range deltas {
		fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":%s}]}\n\n", d)
	}
	fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":%q}],\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":%d}}\n\ndata: [DONE]\n\n", finish, m.prompt, took)
}

// over has the rig ask m over HTTP.
func (r *rig) over(t *testing.T, m *metered, text string) (Result, error) {
	srv := httptest.NewServer(m)
	t.Cleanup(srv.Close)
	return r.run(openai.New(openai.Options{BaseURL: srv.URL}), text)
}

// promptOf is what a first request comes to, so that the endpoint counts it as
// the run does.
func promptOf(t *testing.T, text string) int {
	r := newRig(t, nil)
	_, err := r.run(play(says("x")), text)
	require.NoError(t, err)
	return int(params[RequestUsage](r.events)[0].InputTokens)
}

func writes(name string, words int) string {
	b, _ := json.Marshal(map[string]string{"path": name, "content": strings.Repeat("word ", words)})
	return string(b)
}

// A budget is not exceeded by an answer: it is asked for no longer than what is
// left, and one that is cut there ends the run before it is paid for again. The
// call in it is not carried out, and the same message goes on (DESIGN 6).
func TestBudgetBoundsTheAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		budget func(prompt int64) spend.Budget
		spent  func(r *rig) float64
		most   float64
	}{
		"tokens":  {func(p int64) spend.Budget { return spend.Budget{Tokens: p + 1_000} }, func(r *rig) float64 { return float64(r.total().Input + r.total().Output) }, 1_000},
		"money":   {func(p int64) spend.Budget { return spend.Budget{Cost: float64(p+1_000) * 2 / 1e6} }, func(r *rig) float64 { return float64(r.total().Costs[0].Amount) / 2000 }, 1_000},
		"ceiling": {func(p int64) spend.Budget { return spend.Budget{WorkbenchTokens: p + 1_000} }, func(r *rig) float64 { return float64(r.total().Input + r.total().Output) }, 1_000},
	} {
		t.Run(name, func(t *testing.T) {
			prompt := promptOf(t, "Write.")
			r := newRig(t, nil)
			r.cfg.Price = priced(t, `{"input":2,"output":2,"currency":"EUR"}`)
			if r.cfg.Budget = c.budget(int64(prompt)); name == "ceiling" {
				r.cfg.Budget, r.cfg.Ceiling = spend.Budget{}, r.cfg.Budget
			}
			m := &metered{prompt: prompt, answers: []meteredAnswer{{tokens: 5_000, text: "I write it now.", call: writes("b.txt", 4_000)}}}
			_, err := r.over(t, m, "Write.")
			require.Equal(t, runerr.CodeBudget, code(err), err)
			require.Contains(t, err.Error(), "its last answer was cut where the budget ended")
			require.Equal(t, []int{1_000}, m.limits)
			require.Equal(t, float64(prompt)+c.most, c.spent(r), "the budget was not exceeded")
			require.Equal(t, float64(m.billed), c.spent(r))
			require.Empty(t, r.results(), "nothing of half an answer is carried out")
			last := r.records()[len(r.records())-1]
			require.Equal(t, "I write", last.Text, "what was streamed is kept")
			require.Equal(t, true, last.Metadata["interrupted"])

			r.cfg.Budget, r.cfg.Ceiling = spend.Budget{}, spend.Budget{}
			_, err = Run(t.Context(), r.cfg, r.records()[0].MessageID)
			require.Error(t, err, "the model writes the same for ever")
			require.NotContains(t, r.results()[0], "Error", "now the call was whole")
			require.Zero(t, m.limits[1])
		})
	}
}

// Told to go on, the run asks for the answer again, with more room.
func TestBudgetGoesOnAfterACut(t *testing.T) {
	prompt := promptOf(t, "Write.")
	r := newRig(t, nil)
	r.cfg.Budget = spend.Budget{Tokens: int64(prompt) + 1_000}
	asked := r.answers(`100000`)
	m := &metered{prompt: prompt, answers: []meteredAnswer{
		{tokens: 5_000, call: writes("b.txt", 4_000)}, {tokens: 5_000, call: writes("b.txt", 4_000)}, {tokens: 5, text: "Done."}}}
	res, err := r.over(t, m, "Write.")
	require.NoError(t, err)
	require.Equal(t, "Done.", res.Text)
	require.Len(t, *asked, 1)
	require.Contains(t, (*asked)[0], "its last answer was cut where the budget ended. Go on?")
	require.Len(t, r.results(), 1)
	require.Len(t, m.limits, 3)
	require.Equal(t, 1_000, m.limits[0])
	require.Greater(t, m.limits[1], 80_000)
	require.EqualValues(t, m.billed, r.total().Input+r.total().Output)
	for _, rec := range r.records() {
		if rec.Type == workshop.TypeAssistant {
			require.Nil(t, rec.Metadata["interrupted"], "an answer without words leaves no record")
		}
	}
	r.whole()
}

// A model that reasons is not paid for thoughts alone: it gets room for them or
// is not asked.
func TestBudgetOfAModelThatReasons(t *testing.T) {
	prompt := promptOf(t, "Write.")
	r := newRig(t, nil)
	r.cfg.Budget, r.cfg.Reasons = spend.Budget{Tokens: int64(prompt) + 1_000}, true
	m := &metered{prompt: prompt, answers: []meteredAnswer{{tokens: 5_000, thought: 4_000, text: "Done."}}}
	_, err := r.over(t, m, "Write.")
	require.Equal(t, runerr.CodeBudget, code(err))
	require.Empty(t, m.limits)

	// It was seen to, and each time it needs more the room is doubled.
	r = newRig(t, nil)
	r.cfg.Budget = spend.Budget{Tokens: int64(prompt) + 1_000}
	asked := r.answers(`"go_on"`, `"go_on"`)
	_, err = r.over(t, m, "Write.")
	require.NoError(t, err)
	require.Len(t, *asked, 2)
	require.Len(t, m.limits, 3)
	require.GreaterOrEqual(t, m.limits[1], 2_000)
	require.GreaterOrEqual(t, m.limits[2], 2*m.limits[1])
}

// Little room is none: a request whose answer could be no more than a beginning
// is not sent.
func TestBudgetLeavesRoomForAnAnswer(t *testing.T) {
	prompt := promptOf(t, "Write.")
	least := spend.NewMeter(spend.Options{Now: time.Now}).LeastAnswer()
	for left, sent := range map[int64]int{least - 1: 0, least: 1} {
		r := newRig(t, nil)
		r.cfg.Budget = spend.Budget{Tokens: int64(prompt) + left}
		m := &metered{prompt: prompt, answers: []meteredAnswer{{tokens: 5, text: "Done."}}}
		_, err := r.over(t, m, "Write.")
		require.Len(t, m.limits, sent)
		require.Equal(t, sent == 0, code(err) == runerr.CodeBudget)
	}
}

// What is left of the window is bound enough.
func TestBudgetBeyondTheWindow(t *testing.T) {
	prompt := promptOf(t, "Write.")
	r := newRig(t, nil)
	r.cfg.Budget, r.cfg.Window = spend.Budget{Tokens: 1_000_000}, prompt+50_000
	m := &metered{prompt: prompt, answers: []meteredAnswer{{tokens: 5, text: "Done."}}}
	_, err := r.over(t, m, "Write.")
	require.NoError(t, err)
	require.Equal(t, []int{0}, m.limits)
}

// Half a summary is none: the rest of what it is to hold would be lost.
func TestBudgetCutsASummary(t *testing.T) {
	r := newRig(t, nil)
	talk(t, r, "Remember.", 5_000)
	r.cfg.Window, r.cfg.Budget = r.leave(6_000), spend.Budget{Tokens: 10_000}
	answers := r.answers(`100000`)
	m := &metered{prompt: 6_000, answers: []meteredAnswer{{tokens: 50_000, text: strings.Repeat("Half. ", 90)}, {tokens: 50, text: "All of it."}}}
	_, err := r.over(t, m, "Go on.")
	require.NoError(t, err)
	require.Len(t, *answers, 1)
	c := params[ContextCompacted](r.events)
	require.Len(t, c, 1)
	for _, rec := range r.records() {
		require.NotContains(t, rec.Text, "Half.")
	}
}

// Nobody who is asked can go beyond a ceiling; below it they can.
func TestBudgetCeiling(t *testing.T) {
	r := newRig(t, lines(9))
	r.cfg.Budget, r.cfg.Ceiling = spend.Budget{Tokens: 20_500}, spend.Budget{Tokens: 40_500}
	asked := r.answers(`1000000`)
	m := play(reads(5)...)
	_, err := r.run(m, "Read.")
	require.Equal(t, runerr.CodeBudget, code(err))
	require.Contains(t, err.Error(), "This run has used 40,000 of its 40,500 tokens")
	require.Contains(t, err.(*runerr.Error).Hint, "not allowed here")
	require.Len(t, *asked, 1)
	require.Len(t, m.requests, 4)
	r.whole()

	r.cfg.Budget, r.cfg.Ceiling = spend.Budget{}, spend.Budget{Cost: 1}
	_, err = r.runCtx(context.Background(), m, "Read.")
	require.Equal(t, runerr.CodeValidation, code(err), "a ceiling in money needs a price, too")
}
