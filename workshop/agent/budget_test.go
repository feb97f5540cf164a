package agent

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/workshop"
	"atelier/workshop/agent/phases"
	"atelier/workshop/agent/runerr"
	"atelier/workshop/agent/spend"
	"atelier/workshop/tools"
	"atelier/workshop/tools/questions"
)

// answers lets a person answer the questions of the next runs, one after the
// other, and returns what was asked.
func (r *rig) answers(values ...string) *[]string {
	var asked []string
	broker := &questions.Broker{}
	r.cfg.Questions = broker
	r.events.on = func(e Event) {
		q, ok := e.Params.(QuestionPending)
		if !ok {
			return
		}
		asked = append(asked, q.Questions[0].Question)
		require.NotEmpty(r.t, values, "one question too many: %s", q.Questions[0].Question)
		err := broker.Answer(q.WorkbenchID, q.QuestionID, tools.Answers{q.Questions[0].Name: json.RawMessage(values[0])})
		require.NoError(r.t, err)
		values = values[1:]
	}
	return &asked
}

// reads asks for the file again and again; each answer counts as 10,000 tokens.
func reads(n int) []reply {
	var out []reply
	for i := range n {
		out = append(out, counted(9_900, 0, 100, calls("read_file", `{"path":"a.txt","line_start":`+string(rune('1'+i))+`}`)))
	}
	return append(out, counted(9_900, 0, 100, says("Done.")))
}

func lines(n int) map[string]string {
	return map[string]string{"a.txt": strings.Repeat("line\n", n)}
}

// whole reports whether every call of the conversation has its result.
func (r *rig) whole() { require.Empty(r.t, openCalls(r.records())) }

func TestBudgetWithNobodyThere(t *testing.T) { // DESIGN 6: ends cleanly
	for name, c := range map[string]struct {
		budget spend.Budget
		detail string
		turns  int
	}{
		"tokens":               {spend.Budget{Tokens: 15_000}, "This run has used 10,000 of its 15,000 tokens, and the next request takes about ", 1},
		"tokens, used up":      {spend.Budget{Tokens: 20_500}, "This run has used 20,000 of its 20,500 tokens, and the next request takes about ", 2},
		"less than one needs":  {spend.Budget{Tokens: 100}, "This run has used 0 of its 100 tokens, and the next request takes about ", 0},
		"cost":                 {spend.Budget{Cost: 0.041}, "This run has used 0.04 of its 0.041 EUR, and the next request takes about ", 2},
		"workbench, in tokens": {spend.Budget{WorkbenchTokens: 25_000}, "This workbench has used 20,000 of its 25,000 tokens, and the next", 2},
		"workbench, in money":  {spend.Budget{WorkbenchCost: 0.035}, "This workbench has used 0.02 of its 0.035 EUR, and the next request takes about 0.0", 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, lines(9))
			r.cfg.Price, r.cfg.Tools = priced(t, `{"input":2,"output":2,"currency":"EUR"}`), ""
			r.cfg.Budget = c.budget
			m := play(reads(5)...)
			res, err := r.run(m, "Read.")
			require.Equal(t, runerr.CodeBudget, code(err), err)
			require.Contains(t, err.Error(), c.detail)
			require.Equal(t, []string{"review_draft", "retry"}, err.(*runerr.Error).Actions)
			require.False(t, err.(*runerr.Error).Retryable, "nobody but a person runs it again")
			require.Len(t, m.requests, c.turns)
			require.Equal(t, c.turns, res.ToolCalls, "what was asked for was carried out")
			require.EqualValues(t, c.turns, res.Usage.Requests)
			r.whole()

			// The same message goes on with a new run.
			r.cfg.Budget = spend.Budget{}
			m = play(counted(1, 0, 1, says("Done.")))
			r.cfg.Client = m
			_, err = Run(t.Context(), r.cfg, r.records()[0].MessageID)
			require.NoError(t, err)
			require.Len(t, m.requests[0], 2+2*c.turns, "it sees what was done")
		})
	}
}

func TestBudgetAsks(t *testing.T) { // DESIGN 6: pauses and asks
	for name, c := range map[string]struct {
		budget  spend.Budget
		answers []string
		turns   int
		ends    bool   // with an error
		records string // texts of the records, in part
	}{
		"as much again, twice": {spend.Budget{Tokens: 20_500}, []string{`"go_on"`, `"go_on"`}, 6, false, "go on with 20,500 tokens more."},
		"an amount":            {spend.Budget{Tokens: 20_500}, []string{`500000`}, 6, false, "go on with 500,000 tokens more."},
		"an amount in words":   {spend.Budget{Tokens: 20_500}, []string{`"+500000"`}, 6, false, "go on with 500,000 tokens more."},
		"stop":                 {spend.Budget{Tokens: 20_500}, []string{`"stop"`}, 2, true, "20,000 of its 20,500 tokens, and the next request takes about 11,000 tokens more; the person told it to stop."},
		"money":                {spend.Budget{Cost: 0.05}, []string{`1.5`}, 6, false, "0.04 of its 0.05 EUR, and the next request takes about 0.0"},
		"what it needs":        {spend.Budget{Tokens: 100}, []string{`"go_on"`, `"stop"`}, 1, true, "0 of its 100 tokens, and the next request takes about 1"},
		"too little":           {spend.Budget{Tokens: 20_500}, []string{`1`, `"stop"`}, 2, true, "go on with 1 tokens more."},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, lines(9))
			r.cfg.Price = priced(t, `{"input":2,"output":2,"currency":"EUR"}`)
			r.cfg.Budget = c.budget
			asked := r.answers(c.answers...)
			m := play(reads(5)...)
			_, err := r.run(m, "Read.")
			require.Equal(t, c.ends, err != nil, err)
			require.Len(t, m.requests, c.turns)
			require.Len(t, *asked, len(c.answers))
			r.whole()
			var said []string
			for _, rec := range r.records() {
				if rec.Type == workshop.TypeSystem {
					require.Equal(t, eventBudget, rec.EventKind)
					said = append(said, rec.Text)
				}
			}
			require.Len(t, said, len(c.answers), "answers are kept")
			require.Contains(t, said[0], c.records)
			if c.ends {
				require.Equal(t, runerr.CodeBudget, code(err))
				require.Contains(t, err.Error(), "; it was told to stop")
			}
		})
	}
}

// An answer that fits no choice is refused before it reaches the run.
func TestBudgetAnswersMustFit(t *testing.T) {
	broker := &questions.Broker{}
	ask := tools.Asking{ID: "q", Questions: []tools.Question{{Name: "budget", Question: "?", Schema: json.RawMessage(moreSchema)}}}
	_, err := broker.Open("wb", ask)
	require.NoError(t, err)
	for _, bad := range []string{`"maybe"`, `0`, `-5`, `true`, `"+"`, `"+1e99"`, `1e10`, `"-3"`} {
		require.Error(t, broker.Answer("wb", "q", tools.Answers{"budget": json.RawMessage(bad)}), bad)
	}
	for answer, want := range map[string]int64{`"go_on"`: 70, `"stop"`: 0, `3`: 30, `2.55`: 26, `"+2.5"`: 25} {
		require.Equal(t, want, granted(json.RawMessage(answer), 70, 10), answer)
		_, err := broker.Open("wb", ask)
		require.NoError(t, err)
		require.NoError(t, broker.Answer("wb", "q", tools.Answers{"budget": json.RawMessage(answer)}), answer)
	}
}

func TestBudgetInMoneyNeedsAPrice(t *testing.T) {
	r := newRig(t, nil)
	r.cfg.Budget = spend.Budget{Cost: 1}
	m := play(says("x"))
	_, err := r.run(m, "x")
	require.Equal(t, runerr.CodeValidation, code(err))
	require.Contains(t, err.(*runerr.Error).Hint, `{"model": "scripted", "price": {"input": …`)
	require.Empty(t, m.requests)
	require.Zero(t, r.total())

	r.cfg.Price = priced(t, `{"input":0,"output":0}`) // one's own model
	_, err = r.run(m, "x")
	require.NoError(t, err)
}

func TestBadBudgets(t *testing.T) {
	r := newRig(t, nil)
	for _, b := range []spend.Budget{{Tokens: -1}, {Cost: -1}, {Time: -1}, {WorkbenchTokens: -1}, {WorkbenchCost: -0.1}, {Cost: 1e300}} {
		r.cfg.Budget = b
		_, err := r.run(play(says("x")), "x")
		require.Equal(t, runerr.CodeValidation, code(err), "%+v", b)
	}
}

// hands is a clock that is turned by hand.
type hands struct{ at time.Time }

func (h *hands) now() time.Time { return h.at }

func (h *hands) after(d time.Duration, r reply) reply {
	return func(ctx context.Context, onDelta func(string)) (llm.ChatResponse, error) {
		h.at = h.at.Add(d)
		return r(ctx, onDelta)
	}
}

// Time runs out between an answer and its calls: none of them is carried out,
// and all are answered.
func TestBudgetOfTime(t *testing.T) {
	r := newRig(t, lines(9))
	h := &hands{time.Unix(1e9, 0)}
	r.cfg.Now, r.cfg.Budget = h.now, spend.Budget{Time: time.Minute}
	write := calls("write_text_file", `{"path":"b.txt","content":"b"}`, "read_file", `{"path":"a.txt"}`)
	_, err := r.run(play(h.after(59*time.Second, write), h.after(2*time.Second, write)), "Write.")
	require.Equal(t, runerr.CodeBudget, code(err))
	require.Equal(t, "This run has used 1m1s of its 1m0s", err.Error())
	results := r.results()
	require.Len(t, results, 4)
	require.NotContains(t, results[0], "Error")
	for _, text := range results[2:] {
		require.Equal(t, "Error: not carried out: the budget of the run is used up", text)
	}
	r.whole()

	// Asked, and told to go on, the calls are carried out.
	asked := r.answers(`30`)
	_, err = r.run(play(h.after(70*time.Second, write), h.after(10*time.Second, says("Done."))), "Write.")
	require.NoError(t, err)
	require.Len(t, *asked, 1)
	require.NotContains(t, r.results()[4], "Error")
}

// A wait that would take longer than what is left of the time is not begun.
func TestBudgetOfTimeAndWaits(t *testing.T) {
	r := newRig(t, nil)
	h := &hands{time.Unix(1e9, 0)}
	r.cfg.Now, r.cfg.Budget = h.now, spend.Budget{Time: time.Minute}
	slept := time.Duration(0)
	r.cfg.Sleep = func(_ context.Context, d time.Duration) error {
		slept, h.at = slept+d, h.at.Add(d)
		return nil
	}
	_, err := r.run(play(fails(llm.KindRateLimited, 20*time.Second), fails(llm.KindRateLimited, 2*time.Hour), says("x")), "x")
	require.Equal(t, runerr.CodeBudget, code(err))
	require.Equal(t, "This run has used 20s of its 1m0s, and the endpoint asks to wait for 2h0m0s more", err.Error())
	require.Equal(t, 20*time.Second, slept)

	slept = 0
	r.answers(`10000`)
	_, err = r.run(play(fails(llm.KindRateLimited, 2*time.Hour), says("x")), "x")
	require.NoError(t, err)
	require.Equal(t, 2*time.Hour, slept)
}

// While a person thinks, nothing is used.
func TestBudgetOfTimeDoesNotCountWaiting(t *testing.T) {
	r := newRig(t, lines(9))
	h := &hands{time.Unix(1e9, 0)}
	r.cfg.Now, r.cfg.Budget = h.now, spend.Budget{Time: time.Minute}
	r.answers(`"md"`)
	answer := r.events.on
	r.events.on = func(e Event) {
		if e.Method == EventQuestionPending {
			h.at = h.at.Add(time.Hour)
		}
		answer(e)
	}
	ask := calls("ask_user", `{"questions":[{"name":"format","question":"Which?","schema":{"type":"string"}}]}`)
	_, err := r.run(play(h.after(20*time.Second, ask), h.after(20*time.Second, says("Done."))), "Ask me.")
	require.NoError(t, err)
}

// A run that waits for an answer about its budget can be canceled.
func TestBudgetQuestionIsCanceled(t *testing.T) { // W-14
	r := newRig(t, lines(9))
	ctx, cancel := context.WithCancel(t.Context())
	r.cfg.Budget, r.cfg.Questions = spend.Budget{Tokens: 20_500}, &questions.Broker{}
	r.events.on = func(e Event) {
		if e.Method == EventQuestionPending {
			cancel()
		}
	}
	_, err := r.runCtx(ctx, play(reads(5)...), "Read.")
	require.Equal(t, runerr.CodeUserCanceled, code(err))
	r.whole()
}

// The budget is that of all phases together, and a run in phases that ended at
// it goes on where it stopped.
func TestBudgetOfPhases(t *testing.T) {
	write := func(name string) reply { return calls("write_text_file", `{"path":"`+name+`","content":"x"}`) }
	whole := []reply{says("Found nothing."), says("- [ ] 1. One — Write 1.txt\n- [ ] 2. Two — Write 2.txt"),
		write("1.txt"), says("Wrote 1.txt."), write("2.txt"), says("Wrote 2.txt."), says("Both are there.")}
	r := newRig(t, lines(9))
	r.cfg.Workflow = WorkflowRPI
	_, err := r.run(play(whole...), "Write two files.")
	require.NoError(t, err)
	took := params[RequestUsage](r.events)
	require.Len(t, took, 7)
	runs, err := r.wb.UsageRuns(t.Context(), 0, 1)
	require.NoError(t, err)
	var sum workshop.UsageSum
	var names []string
	for _, p := range runs[0].Parts {
		names = append(names, p.Phase)
		sum.Requests, sum.Input, sum.Output = sum.Requests+p.Requests, sum.Input+p.Input, sum.Output+p.Output
	}
	require.Equal(t, []string{"research", "plan", "implement", "summary"}, names)
	require.Equal(t, []int64{7, took[6].Run.InputTokens, took[6].Run.OutputTokens}, []int64{sum.Requests, sum.Input, sum.Output})

	r = newRig(t, lines(9))
	r.cfg.Workflow, r.cfg.Budget = WorkflowRPI, spend.Budget{Tokens: took[3].Run.InputTokens + took[3].Run.OutputTokens + took[4].InputTokens/2}
	m := play(whole...)
	_, err = r.run(m, "Write two files.")
	require.Equal(t, runerr.CodeBudget, code(err))
	require.Equal(t, "rpi_implement", err.(*runerr.Error).Subphase)
	require.Len(t, m.requests, 4)
	st, err := phases.Load(phases.Dir(r.wb.Dir()))
	require.NoError(t, err)
	require.Equal(t, phases.Implement, st.Phase())

	r.cfg.Client = play(whole[4:]...)
	res, err := Run(t.Context(), r.cfg, r.records()[0].MessageID)
	require.NoError(t, err, "a new run has a budget of its own")
	require.Equal(t, "Both are there.", res.Text)
	by, err := r.wb.UsageRuns(t.Context(), 0, 10)
	require.NoError(t, err)
	require.Len(t, by, 2)
}

// A budget that ends while the earlier conversation is summed up ends the run:
// it is not taken for a model that gives no summary.
func TestBudgetEndsInASummary(t *testing.T) {
	r := newRig(t, lines(9))
	talk(t, r, "Remember.", 5000)
	r.cfg.Window, r.cfg.Budget = r.leave(6_000), spend.Budget{Tokens: 10}
	m := play(says("SUMMARY"))
	_, err := r.run(m, "Go on.")
	require.Equal(t, runerr.CodeBudget, code(err))
	require.Empty(t, m.requests)
	require.Empty(t, params[ContextCompacted](r.events))
}

func TestFormats(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1234: "-1,234", -123: "-123"} {
		require.Equal(t, want, spend.FormatCount(n))
	}
	for v, want := range map[float64]string{0: "0.00", 1: "1.00", 12.345: "12.35", 0.5: "0.50", 0.04: "0.04", 0.0361: "0.036", 0.00012: "0.00012", 0.000000001: "0.000000001"} {
		require.Equal(t, want, spend.FormatMoney(v))
	}
}
