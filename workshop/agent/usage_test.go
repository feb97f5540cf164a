package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/llm/models"
	"atelier/llm/openai"
	"atelier/llm/replay"
	"atelier/workshop"
	"atelier/workshop/agent/spend"
)

// counted is a reply for which the endpoint says what it counted.
func counted(in, cached, out int, r reply) reply {
	return func(ctx context.Context, onDelta func(string)) (llm.ChatResponse, error) {
		resp, err := r(ctx, onDelta)
		resp.Usage = llm.Usage{PromptTokens: in, CachedTokens: cached, CompletionTokens: out}
		return resp, err
	}
}

// breaksOff streams a text and then fails.
func breaksOff(text string) reply {
	return func(_ context.Context, onDelta func(string)) (llm.ChatResponse, error) {
		onDelta(text)
		return llm.ChatResponse{Content: text}, &llm.Error{Kind: llm.KindUnavailable, Message: "cut", Emitted: true}
	}
}

func priced(t testing.TB, text string) *models.Price {
	var p models.Price
	require.NoError(t, json.Unmarshal([]byte(text), &p))
	require.NoError(t, p.Check())
	return &p
}

func (r *rig) total() workshop.UsageSum {
	s, err := r.wb.UsageTotal(context.Background())
	require.NoError(r.t, err)
	return s
}

func TestUsageOfARun(t *testing.T) { // tokens, cached ones and money, by turn, run and workbench
	r := newRig(t, map[string]string{"a.txt": "x"})
	r.cfg.Price = priced(t, `{"input":2,"cached":0.5,"output":10,"currency":"EUR"}`)
	m := play(counted(1000, 0, 50, calls("read_file", `{"path":"a.txt"}`)), fails(llm.KindRateLimited, 0), counted(1200, 1000, 20, says("Done.")))
	res, err := r.run(m, "Read it.")
	require.NoError(t, err)
	// 1000·2 + 50·10 = 2500; 200·2 + 1000·0.5 + 20·10 = 1100
	want := spend.Totals{Requests: 3, Failed: 1, InputTokens: 2200, CachedTokens: 1000, OutputTokens: 70, Costs: []spend.Money{{Amount: 0.0036, Currency: "EUR"}}}
	require.Equal(t, want, res.Usage)
	require.Equal(t, want, spend.NewTotals(r.total()))

	ev := params[RequestUsage](r.events)
	require.Len(t, ev, 3)
	require.Equal(t, &spend.Money{Amount: 0.0025, Currency: "EUR"}, ev[0].Cost)
	require.Equal(t, []any{1, int64(1000), int64(50), false, false}, []any{ev[0].Turn, ev[0].InputTokens, ev[0].OutputTokens, ev[0].Failed, ev[0].Estimated})
	require.Equal(t, []any{2, int64(0), int64(0), true, false}, []any{ev[1].Turn, ev[1].InputTokens, ev[1].OutputTokens, ev[1].Failed, ev[1].Estimated})
	require.Equal(t, []any{2, int64(1200), int64(1000), "turn", "agent"}, []any{ev[2].Turn, ev[2].InputTokens, ev[2].CachedTokens, ev[2].Purpose, ev[2].Phase})
	require.Equal(t, want, ev[2].Run)

	// Another model in the same conversation is another price, and another line.
	r.cfg.Model, r.cfg.Price = "other", nil
	_, err = r.run(play(counted(5, 0, 5, says("Yes."))), "And now?")
	require.NoError(t, err)
	by, err := r.wb.UsageByModel(t.Context())
	require.NoError(t, err)
	require.Len(t, by, 2)
	require.Equal(t, "other", by[0].Model)
	require.Equal(t, spend.Totals{Requests: 1, Unpriced: 1, InputTokens: 5, OutputTokens: 5}, spend.NewTotals(by[0].UsageSum), "no price, so no cost instead of 0")
	require.Equal(t, want, spend.NewTotals(by[1].UsageSum))

	// What was paid stays paid when the conversation is taken back, and after a restart.
	before := r.total()
	_, err = r.wb.UndoTo(t.Context(), r.records()[0].MessageID)
	require.NoError(t, err)
	require.Equal(t, before, r.total())
	r.reopen()
	require.Equal(t, before, r.total())
}

// Where an endpoint says nothing, an estimate is counted and marked. Answers
// that broke off were paid for; requests that were refused were not.
func TestUsageIsEstimatedWhereNothingIsSaid(t *testing.T) {
	long := strings.Repeat("word ", 400)
	for name, c := range map[string]struct {
		replies                            []reply
		failed, estimated, least, most     int64
		leastOut, mostOut, input, requests int64
		fails                              bool
	}{
		"nothing said":          {replies: []reply{says(long)}, estimated: 1, least: 5000, most: 30000, leastOut: 400, mostOut: 600, requests: 1},
		"only the prompt said":  {replies: []reply{counted(77, 0, 0, says(long))}, estimated: 1, least: 77, most: 77, leastOut: 400, mostOut: 600, requests: 1},
		"broke off":             {replies: []reply{breaksOff(long)}, failed: 1, estimated: 1, least: 5000, most: 30000, leastOut: 400, mostOut: 600, requests: 1, fails: true},
		"broke off, said":       {replies: []reply{counted(77, 0, 9, breaksOff(long))}, failed: 1, least: 77, most: 77, leastOut: 9, mostOut: 9, requests: 1, fails: true},
		"refused":               {replies: []reply{fails(llm.KindInvalid, 0)}, failed: 1, requests: 1, fails: true},
		"not reached, then was": {replies: []reply{fails(llm.KindNetwork, 0), fails(llm.KindNetwork, 0), counted(7, 0, 9, says("ok"))}, failed: 2, least: 7, most: 7, leastOut: 9, mostOut: 9, requests: 3},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, nil)
			_, err := r.run(play(c.replies...), "x")
			require.Equal(t, c.fails, err != nil)
			got := r.total()
			require.Equal(t, []int64{c.requests, c.failed, c.estimated}, []int64{got.Requests, got.Failed, got.Estimated})
			require.GreaterOrEqual(t, got.Input, c.least)
			require.LessOrEqual(t, got.Input, c.most)
			require.GreaterOrEqual(t, got.Output, c.leastOut)
			require.LessOrEqual(t, got.Output, c.mostOut)
		})
	}
}

// A request on its way when the process dies is counted with its estimate.
func TestUsageOfARequestThatNeverEnded(t *testing.T) {
	r := newRig(t, nil)
	r.cfg.Client = play(func(ctx context.Context, onDelta func(string)) (llm.ChatResponse, error) {
		sum := r.total()
		require.EqualValues(t, 1, sum.Requests)
		require.EqualValues(t, 1, sum.Open)
		require.Greater(t, sum.Input, int64(5000))
		return counted(10, 0, 1, says("ok"))(ctx, onDelta)
	})
	_, err := Run(t.Context(), r.cfg, r.say("x"))
	require.NoError(t, err)
	require.Equal(t, workshop.UsageSum{Requests: 1, Unpriced: 1, Tokens: workshop.Tokens{Input: 10, Output: 1}}, r.total())
}

// What is counted over plain turns, phases, summaries and retries is what the
// endpoint itself counted.
func TestUsageIsWhatTheEndpointCounted(t *testing.T) {
	var fixture strings.Builder
	in, cached, out, n := 0, 0, 0, 0
	answer := func(lines ...string) {
		n++
		u := llm.Usage{PromptTokens: 12000 + 37*n, CachedTokens: 11 * n, CompletionTokens: 5 + 3*n}
		in, cached, out = in+u.PromptTokens, cached+u.CachedTokens, out+u.CompletionTokens
		fmt.Fprintf(&fixture, "-- model-%d --\n%s\n{\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":%d,\"prompt_tokens_details\":{\"cached_tokens\":%d}}}\n",
			n, strings.Join(lines, "\n"), u.PromptTokens, u.CompletionTokens, u.CachedTokens)
	}
	refused := func() {
		n++
		fmt.Fprintf(&fixture, "-- model-%d --\n{\"status\":429,\"body\":{\"error\":{\"message\":\"slow down\"}}}\n", n)
	}
	read := `{"call":{"id":"tc","name":"read_file","arguments":{"path":"a.txt"}}}`
	answer(`{"text":"Noted."}`)
	answer(read) // research
	refused()
	answer(`{"text":"a.txt is long."}`)
	answer(`{"text":"- [ ] 1. Copy — Write b.txt"}`)
	answer(`{"call":{"id":"tc","name":"write_text_file","arguments":{"path":"b.txt","content":"b"}}}`)
	answer(`{"text":"Wrote b.txt."}`)
	answer(`{"text":"Done."}`)
	answer(`{"text":"SUMMARY: nothing to remember."}`) // ahead of the last run's requests
	answer(read)
	answer(`{"text":"Read."}`)
	f, err := replay.Parse([]byte(fixture.String()))
	require.NoError(t, err)
	srv, err := replay.NewServer(f, replay.Options{})
	require.NoError(t, err)
	defer srv.Close()

	r := newRig(t, map[string]string{"a.txt": strings.Repeat("line of the file\n", 200)})
	r.cfg.Price = priced(t, `{"input":2,"cached":0.5,"output":10,"currency":"EUR"}`)
	client := openai.New(openai.Options{BaseURL: srv.URL})
	var sum spend.Totals
	add := func(res Result, err error) {
		t.Helper()
		require.NoError(t, err)
		sum.Requests, sum.InputTokens, sum.OutputTokens = sum.Requests+res.Usage.Requests, sum.InputTokens+res.Usage.InputTokens, sum.OutputTokens+res.Usage.OutputTokens
	}
	add(r.run(client, "Remember this: "+strings.Repeat("word ", 3000)))
	r.cfg.Workflow = WorkflowRPI
	add(r.run(client, "Copy a.txt."))
	r.cfg.Workflow, r.cfg.Window = "", r.leave(5000)
	add(r.run(client, "Read a.txt."))

	require.Equal(t, n, len(srv.Requests()))
	total := r.total()
	require.Equal(t, workshop.Tokens{Input: int64(in), Cached: int64(cached), Output: int64(out)}, total.Tokens)
	require.Equal(t, []int64{int64(n), 1, 0, 0}, []int64{total.Requests, total.Failed, total.Estimated, total.Unpriced})
	require.Equal(t, []int64{total.Requests, total.Input, total.Output}, []int64{sum.Requests, sum.InputTokens, sum.OutputTokens}, "the runs are the whole")
	amount, _ := total.Cost("EUR")
	require.Equal(t, int64((2*(in-cached)+10*out)*1000+cached*500), amount)
	purposes := map[string]int{}
	phases := map[string]bool{}
	for _, e := range params[RequestUsage](r.events) {
		purposes[e.Purpose]++
		phases[e.Phase] = true
	}
	require.Equal(t, map[string]int{"turn": n - 1, "summary": 1}, purposes)
	for _, p := range []string{"agent", "research", "plan", "implement", "summary"} {
		require.True(t, phases[p], p)
	}
}
