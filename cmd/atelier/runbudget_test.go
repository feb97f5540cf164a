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
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
)

// DESIGN 6: an answer is no longer than the rest of the budget. A cut answer
// is not executed, the sum is the endpoint's, the recording replays, and the
// same message can be continued.
func TestRunKeepsToABudget(t *testing.T) {
	var mu sync.Mutex // guards the three variables below
	prompt, billed, sent := 0, 0, 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
			http.NotFound(w, r)
			return
		}
		var req struct {
			MaxTokens int `json:"max_tokens"`
		}
		b, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(b, &req)
		mu.Lock()
		defer mu.Unlock()
		sent++
		took, finish, args := 9_000, "tool_calls", `{"path":"new.md","content":"All of it."}`
		if req.MaxTokens > 0 && req.MaxTokens < took {
			took, finish, args = req.MaxTokens, "length", `{"path":"new.md","content":"All`
		}
		delta := fmt.Sprintf(`{"content":"I write it.","tool_calls":[{"index":0,"id":"c1","function":{"name":"write_text_file","arguments":%q}}]}`, args)
		if sent == 3 {
			took, finish, delta = 5, "stop", `{"content":"Written."}`
		}
		billed += prompt + took
		fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":%s}]}\n\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":%q}],\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":%d}}\n\ndata: [DONE]\n\n", delta, finish, prompt, took)
	}))
	defer srv.Close()
	home, dir := t.TempDir(), docsFolder(t)
	atelier := func(args ...string) (string, error) {
		cmd := exec.Command(program(t), append(args, "--home", home)...)
		cmd.Env = append(os.Environ(), "OPENAI_API_KEY="+secret, "OPENAI_BASE_URL="+srv.URL, "ATELIER_MODEL=some-model")
		out, err := cmd.CombinedOutput()
		mu.Lock() // makes the handler's writes visible
		defer mu.Unlock()
		return string(out), err
	}
	out, err := atelier("run", "Write it.", "--in", dir, "--max-tokens", "10")
	require.Error(t, err)
	about := regexp.MustCompile(`next request takes about ([0-9,]+) tokens more`).FindStringSubmatch(out)
	require.NotNil(t, about, out)
	require.Zero(t, sent)
	size, err := strconv.Atoi(strings.ReplaceAll(about[1], ",", ""))
	require.NoError(t, err)
	mu.Lock()
	prompt = size - 1_300 // the rest for an answer, and the maximum it was rounded up by
	mu.Unlock()

	budget, recording := prompt+2_500, filepath.Join(t.TempDir(), "run.txtar")
	out, err = atelier("run", "Write it.", "--in", dir, "--max-tokens", strconv.Itoa(budget), "--record", recording)
	require.Error(t, err, out)
	require.Contains(t, out, "its last answer was cut where the budget ended")
	require.Contains(t, out, "run the message again, with a larger budget, to go on")
	require.Equal(t, 1, sent)
	require.LessOrEqual(t, billed, budget)
	require.Greater(t, billed, prompt+1_000)
	out, err = atelier("review", "--in", dir)
	require.NoError(t, err, out)
	require.NotContains(t, out, "new.md", "half a call is not carried out")
	out, err = atelier("replay", recording)
	require.NoError(t, err, out)

	out, err = atelier("run", "--resume", "--in", dir)
	require.NoError(t, err, out)
	require.Contains(t, out, "added     new.md")
	out, err = atelier("usage", "--in", dir, "--json")
	require.NoError(t, err)
	var got engine.UsageResult
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	require.EqualValues(t, billed, got.Totals.InputTokens+got.Totals.OutputTokens)
}
