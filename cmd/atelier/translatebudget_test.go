package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/llm"
)

// paidModel is a segmentModel that counts what it bills: about as many tokens as
// the texts of the messages have, and no more for an answer than it was asked
// for. before, when set, answers request n (from 1) itself and returns true.
type paidModel struct {
	segmentModel
	before func(n int, w http.ResponseWriter, segments int) bool

	mu          sync.Mutex
	in, out     int
	answered, n int
	cut         int
}

func servePaid(t *testing.T, before func(n int, w http.ResponseWriter, segments int) bool) *paidModel {
	t.Helper()
	m := &paidModel{segmentModel: segmentModel{texts: map[string]int{}, limits: map[string]map[int]bool{}}, before: before}
	srv := httptest.NewServer(m)
	t.Cleanup(srv.Close)
	m.URL = srv.URL + "/v1"
	return m
}

func (m *paidModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		http.NotFound(w, r) // a server on this machine is asked for its window, which costs nothing
		return
	}
	body, _ := io.ReadAll(r.Body)
	var req struct {
		Messages  []llm.Message   `json:"messages"`
		Tools     json.RawMessage `json:"tools"`
		MaxTokens int             `json:"max_tokens"`
	}
	_ = json.Unmarshal(body, &req)
	var page struct{ Segments []json.RawMessage }
	in := len(req.Tools) / 4
	for _, msg := range req.Messages {
		if in += len(msg.Content) / 3; msg.ToolCallID == "segments" {
			_ = json.Unmarshal([]byte(msg.Content), &page)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.n++
	if m.before != nil && m.before(m.n, w, len(page.Segments)) {
		return
	}
	answer := httptest.NewRecorder()
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	m.segmentModel.ServeHTTP(answer, r)
	call, _, _ := strings.Cut(answer.Body.String(), "\n\n")
	out, finish := len(call)/3, "tool_calls"
	if most := req.MaxTokens; most > 0 && most < out {
		out, finish = most, "length"
		call = strings.Replace(call, `}]}"`, `"`, 1) // its end is missing
		m.cut++
	}
	m.in, m.out, m.answered = m.in+in, m.out+out, m.answered+1
	fmt.Fprintf(w, "%s\n\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":%q}],\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":%d}}\n\ndata: [DONE]\n\n", call, finish, in, out)
}

func (m *paidModel) billed() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.in + m.out
}

// manyDocs are documents with texts that stand nowhere else.
func manyDocs(t *testing.T, docs, paragraphs int) string {
	dir := t.TempDir()
	for i := range docs {
		var sb strings.Builder
		for j := range paragraphs {
			fmt.Fprintf(&sb, "This is the paragraph with the number %d of the document with the number %d of them all.\n\n", j, i)
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%02d.md", i)), []byte(sb.String()), 0o644))
	}
	return dir
}

func (m *paidModel) translate(t *testing.T, home string, args ...string) (string, error) {
	cmd := exec.Command(program(t), append([]string{"translate", "--to", "de", "--model", "m", "--home", home}, args...)...)
	cmd.Env = append(os.Environ(), "OPENAI_API_KEY="+secret, "OPENAI_BASE_URL="+m.URL)
	b, err := cmd.CombinedOutput()
	return string(b), err
}

// A translation keeps to its budget with many documents at once, keeps what it
// has, names the rest, and the same command goes on until all is done, without
// asking for a text twice: DESIGN 6, TR-07.
func TestTranslateKeepsToABudget(t *testing.T) {
	in := manyDocs(t, 12, 60)
	free := servePaid(t, nil)
	all := filepath.Join(t.TempDir(), "all")
	text, err := free.translate(t, t.TempDir(), in, "--out", all, "--jobs", "4")
	require.NoError(t, err, text)

	m := servePaid(t, nil)
	out, report := filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "report.json")
	budget := free.billed() / 3
	args := []string{in, "--out", out, "--jobs", "4", "--max-tokens", fmt.Sprint(budget), "--report", report}
	home := t.TempDir()
	text, err = m.translate(t, home, args...)
	require.Error(t, err, text)
	require.Contains(t, text, "atelier: This translation has used ")
	require.Contains(t, text, "and the next request takes about ")
	require.Contains(t, text, "start the same translation again, with a larger budget, to go on")
	require.LessOrEqual(t, m.billed(), budget, "the budget was exceeded")
	require.Greater(t, m.billed(), budget/2, "it was hardly used")
	var rep struct {
		ErrorCode string `json:"error_code"`
		Files     []struct{ Input, Status, Error string }
		Total     struct{ Turns int }
	}
	b, err := os.ReadFile(report)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &rep))
	require.Equal(t, "BUDGET_EXCEEDED", rep.ErrorCode)
	require.Equal(t, m.n, rep.Total.Turns, "what was not sent is no request")
	done := 0
	for _, f := range rep.Files {
		if f.Status == "ok" {
			done++
			continue
		}
		require.Equal(t, "not finished: the budget is used up; what was translated of it is kept", f.Error)
		require.NoFileExists(t, filepath.Join(out, filepath.Base(f.Input)))
	}
	require.Greater(t, done, 0)
	require.Less(t, done, 12)

	for starts := 1; err != nil || starts == 1; starts++ {
		require.Less(t, starts, 8, text)
		before := m.billed()
		text, err = m.translate(t, home, args...)
		require.LessOrEqual(t, m.billed()-before, budget)
	}
	require.Equal(t, free.counts(), m.counts(), "each text was asked for once")
	require.Zero(t, m.cut, "no answer was paid for in vain")
	for i := range 12 {
		name := fmt.Sprintf("f%02d.md", i)
		want, err := os.ReadFile(filepath.Join(all, name))
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(out, name))
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
	}
}

// A budget in money, or of the settings; what is cut is not used.
func TestTranslateBudgetsInMoneyAndSettings(t *testing.T) {
	in := manyDocs(t, 3, 60)
	out := filepath.Join(t.TempDir(), "out")
	m := servePaid(t, nil)
	text, err := m.translate(t, t.TempDir(), in, "--out", out, "--max-cost", "1")
	require.Error(t, err)
	require.Contains(t, text, "the price of the model m is not known")
	require.Zero(t, m.billed())
	text, err = m.translate(t, t.TempDir(), in, "--out", out, "--max-cost", "0.01", "--price-in", "1", "--price-out", "1")
	require.Error(t, err)
	require.Regexp(t, `This translation has used 0\.00\d+ of its 0\.01, and the next request takes about 0\.0`, text)
	require.LessOrEqual(t, m.billed(), 10_000)
	require.Greater(t, m.billed(), 2_000)

	home := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(home, "config.json"), []byte(`{"budget": {"tokens": 50}}`), 0o600))
	before := m.billed()
	text, err = m.translate(t, home, in, "--out", out)
	require.Error(t, err)
	require.Contains(t, text, "This translation has used 0 of its 50 tokens")
	require.Equal(t, before, m.billed())
	text, err = m.translate(t, home, in, "--out", out, "--max-tokens", "1000000")
	require.NoError(t, err, text)
}

// What `atelier usage` says of a translation is what the endpoint billed, with
// refusals, requests that are too long and therefore halved, and answers that
// are asked for again.
func TestUsageOfATranslation(t *testing.T) {
	m := servePaid(t, func(n int, w http.ResponseWriter, segments int) bool {
		switch {
		case n == 2:
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
		case n == 5:
			w.WriteHeader(http.StatusServiceUnavailable)
		case segments > 20:
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, `{"error":{"message":"This model's maximum context length is 2048 tokens","code":"context_length_exceeded"}}`)
		default:
			return false
		}
		return true
	})
	in, home := manyDocs(t, 3, 60), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(home, "config.json"), []byte(`{"models": [{"model": "m", "price": {"input": 2, "output": 10, "currency": "EUR"}}]}`), 0o600))
	text, err := m.translate(t, home, in, "--in-place", "--in", in, "--max-tokens", "1000000", "--max-cost", "5")
	require.NoError(t, err, text)
	cmd := exec.Command(program(t), "usage", "--in", in, "--home", home, "--json")
	b, err := cmd.Output()
	require.NoError(t, err)
	var got engine.UsageResult
	require.NoError(t, json.Unmarshal(b, &got))
	require.EqualValues(t, m.in, got.Totals.InputTokens)
	require.EqualValues(t, m.out, got.Totals.OutputTokens)
	require.EqualValues(t, m.n, got.Totals.Requests)
	require.EqualValues(t, m.n-m.answered, got.Totals.Failed)
	require.Greater(t, got.Totals.Failed, int64(4), "two that were busy, and some too long")
	require.Zero(t, got.Totals.Estimated)
	require.InDelta(t, float64(2*m.in+10*m.out)/1e6, got.Totals.Costs[0].Amount, 1e-9)
	require.Len(t, got.Runs, 1)
	require.Equal(t, "translation", got.Runs[0].Kind)
	require.Equal(t, got.Totals, got.Runs[0].Totals)
	require.Equal(t, got.Totals, got.Models[0].Totals)
	require.Contains(t, text, fmt.Sprintf("%d tokens to the model and %d from it", m.in, m.out))
	b, err = exec.Command(program(t), "usage", "--in", in, "--home", home).Output()
	require.NoError(t, err)
	require.Regexp(t, `\(translation\) +\d+ +`, string(b))

	// The whole folder has a budget, too.
	require.NoError(t, os.WriteFile(filepath.Join(home, "config.json"), []byte(fmt.Sprintf(`{"budget": {"workbench_tokens": %d}}`, m.billed()+100)), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(in, "new.md"), []byte("Something new.\n"), 0o644))
	before := m.billed()
	text, err = m.translate(t, home, filepath.Join(in, "new.md"), "--in-place", "--in", in)
	require.Error(t, err, text)
	require.Contains(t, text, "This workbench has used ")
	require.Equal(t, before, m.billed())
}

// Prices of the command line count in what the folder has used, too, so that its
// budget holds for the next start.
func TestTranslatePricesOfFlagsAreKept(t *testing.T) {
	m := servePaid(t, nil)
	in, home := manyDocs(t, 3, 60), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(home, "config.json"), []byte(`{"budget": {"workbench_cost": 0.01}}`), 0o600))
	args := []string{in, "--in-place", "--in", in, "--price-in", "1", "--price-out", "1"}
	for range 3 {
		text, err := m.translate(t, home, args...)
		require.Error(t, err, text)
		require.Contains(t, text, "This workbench has used ")
		// Two requests may be on their way before the first answer says how this
		// endpoint counts tokens: until then they are estimated.
		require.LessOrEqual(t, m.billed(), 10_500)
		require.Greater(t, m.billed(), 2_000)
	}
	b, err := exec.Command(program(t), "usage", "--in", in, "--home", home, "--json").Output()
	require.NoError(t, err)
	var got engine.UsageResult
	require.NoError(t, json.Unmarshal(b, &got))
	require.Zero(t, got.Totals.Unpriced)
	require.InDelta(t, float64(m.billed())/1e6, got.Totals.Costs[0].Amount, 1e-9)
}
