package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/workshop/agent/spend"
)

// A run against an endpoint shows its usage and its cost by the price of
// config.json.
func TestRunSaysWhatItTook(t *testing.T) {
	srv := serveFixture(t, `
-- model-1 --
{"call":{"id":"tc-1","name":"list_files","arguments":{}}}
{"usage":{"prompt_tokens":100000,"completion_tokens":20}}
-- model-2 --
{"text":"Three files."}
{"usage":{"prompt_tokens":101000,"completion_tokens":30,"prompt_tokens_details":{"cached_tokens":100000}}}
`)
	home := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(home, "config.json"), []byte(`{"models": [{"model": "big*", "price": {"input": 2, "cached": 0.5, "output": 10, "currency": "EUR"}}]}`), 0o600))
	dir := docsFolder(t)
	run := func(args ...string) (string, error) {
		cmd := exec.Command(program(t), append(args, "--in", dir, "--home", home, "--model", "big-one")...)
		cmd.Env = append(os.Environ(), "OPENAI_API_KEY="+secret, "OPENAI_BASE_URL="+srv.URL)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	out, err := run("run", "How many files?", "--max-cost", "5")
	require.NoError(t, err, out)
	// 100,000·2 + 1,000·2 + 100,000·0.5 + 50·10, in millionths
	require.Regexp(t, `\nUsed 201,000 tokens in \(100,000 cached\), 50 out in 2 requests, 0\.25 EUR\.\n$`, out)
	out, err = run("usage")
	require.NoError(t, err, out)
	require.Regexp(t, `\nbig-one +2 +201,000 +100,000 +50 +0\.25 EUR\n`, out)
}

func TestUsageWords(t *testing.T) {
	for want, in := range map[string]spend.Totals{
		"1,200 tokens in (1,000 cached), 70 out in 3 requests (1 failed), 0.0036 EUR": {Requests: 3, Failed: 1, InputTokens: 1200, CachedTokens: 1000, OutputTokens: 70, Costs: []spend.Money{{Amount: 0.0036, Currency: "EUR"}}},
		"5 tokens in, 1 out in 1 request; 1 request estimated":                        {Requests: 1, Estimated: 1, Unpriced: 1, InputTokens: 5, OutputTokens: 1},
		"5 tokens in, 1 out in 2 requests, 1.00 EUR + 2.50 USD and 1 request without a known price": {Requests: 2, Unpriced: 1, InputTokens: 5, OutputTokens: 1,
			Costs: []spend.Money{{Amount: 1, Currency: "EUR"}, {Amount: 2.5, Currency: "USD"}}},
		"5 tokens in, 1 out in 1 request": {Requests: 1, InputTokens: 5, OutputTokens: 1, Costs: []spend.Money{{}}},
	} {
		require.Equal(t, want, usageWords(in))
	}
}

// The usage of a run is known after its process was killed in the middle of a
// request, including that request.
func TestUsageSurvivesAKill(t *testing.T) {
	home, dir := t.TempDir(), docsFolder(t)
	url, _, waiting := serveHeld(t, `
-- model-1 --
{"call":{"id":"tc-1","name":"list_files","arguments":{}}}
{"usage":{"prompt_tokens":9000,"completion_tokens":20}}
`, 1)
	atelier := func(args ...string) *exec.Cmd {
		cmd := exec.Command(program(t), append(args, "--in", dir, "--home", home, "--model", "some-model")...)
		cmd.Env = append(os.Environ(), "OPENAI_API_KEY="+secret, "OPENAI_BASE_URL="+url)
		return cmd
	}
	run := atelier("run", "Which files?")
	require.NoError(t, run.Start())
	<-waiting
	require.NoError(t, run.Process.Kill())
	require.Error(t, run.Wait())

	out, err := atelier("usage", "--json").Output()
	require.NoError(t, err)
	var got engine.UsageResult
	require.NoError(t, json.Unmarshal(out, &got))
	require.Equal(t, []int64{2, 1, 1, 20}, []int64{got.Totals.Requests, got.Totals.Open, got.Totals.Estimated, got.Totals.OutputTokens})
	require.Greater(t, got.Totals.InputTokens, int64(9000+5000), "the request on its way is estimated")
}

// A person at the terminal is asked about the budget; an amount has a plus,
// so that it is not taken for the number of a choice.
func TestBudgetAtTheTerminal(t *testing.T) {
	for typed, want := range map[string]string{"1\n": "", "Go on with as much again\n": "", "+1\n+100000\n": "", "2\n": "it was told to stop", "nonsense\n2\n": "it was told to stop"} {
		srv := serveFixture(t, `
-- model-1 --
{"call":{"id":"tc-1","name":"list_files","arguments":{}}}
{"usage":{"prompt_tokens":10000,"completion_tokens":20020}}
-- model-2 --
{"text":"Good."}
`)
		e, err := engine.New(engine.Options{Home: t.TempDir(), BaseURL: srv.URL, APIKey: "key", Model: "replay"})
		require.NoError(t, err)
		defer e.Close()
		wb, err := e.OpenFolder(t.Context(), t.TempDir())
		require.NoError(t, err)
		var out bytes.Buffer
		p := &prompter{e: e, in: bufio.NewReader(strings.NewReader(typed)), out: &out}
		defer e.Subscribe(p.notify(t.Context()))()
		msg, err := engine.CallAs[engine.MessageRef](t.Context(), e, "WorkshopSendUserMessage", engine.SendUserMessageParams{WorkbenchID: wb.ID(), Text: "Go"})
		require.NoError(t, err)
		_, err = engine.CallAs[engine.RunAgentResult](t.Context(), e, "WorkshopRunAgent", engine.RunAgentParams{WorkbenchID: wb.ID(), MessageID: msg.MessageID, Budget: &engine.Budget{Tokens: 30_000}})
		if want == "" {
			require.NoError(t, err, typed)
		} else {
			require.ErrorContains(t, err, want, typed)
		}
		require.Contains(t, out.String(), "? This run has used 30,020 of its 30,000 tokens. Go on? (Or say by how much, in tokens: +15000)\n  1) Go on with as much again\n  2) Stop\n> ")
	}
}
