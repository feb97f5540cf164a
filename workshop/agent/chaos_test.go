package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats/all"
	"atelier/formats/formatstest"
	"atelier/internal/campaign"
	"atelier/llm"
	"atelier/llm/llmtest/chaos"
	"atelier/llm/openai"
	"atelier/workshop"
	"atelier/workshop/agent/runerr"
	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
)

// What the scripted model writes. The end of the note shows whether it is whole.
var chaosNote = strings.Repeat("A line with \"quotes\", ümläuts and a \\ in it.\n", 30) + "END"

// chaosSteps are the rounds of calls of the scripted model. The document's
// entries would show a call that was carried out twice.
func chaosSteps() [][]llm.ToolCall {
	call := func(id, name string, args any) llm.ToolCall {
		b, err := json.Marshal(args)
		if err != nil {
			panic(err)
		}
		return llm.ToolCall{ID: id, Type: "function", Function: llm.FunctionCall{Name: name, Arguments: string(b)}}
	}
	type obj = map[string]any
	entry := func(id, text string) llm.ToolCall {
		return call(id, "docx_operations", obj{"path": "log.docx", "create_if_missing": true, "operations": []obj{{"op": "append_paragraph", "text": text}}})
	}
	return [][]llm.ToolCall{
		{call("c1", "read_file", obj{"path": "a.txt"}), call("c2", "list_files", obj{})},
		{call("c3", "write_text_file", obj{"path": "note.txt", "content": chaosNote})},
		{entry("c4", "Entry one.")},
		{entry("c5", "Entry two."), call("c6", "write_text_file", obj{"path": "second.txt", "content": chaosNote})},
	}
}

// chaosScript goes on from the calls that are in the conversation.
func chaosScript(steps [][]llm.ToolCall) chaos.Script {
	return func(ms []llm.Message) llm.ChatResponse {
		done := 0
		for _, m := range ms {
			if len(m.ToolCalls) > 0 {
				done++
			}
		}
		if done >= len(steps) {
			return llm.ChatResponse{Content: "All of it is done: the note, the second note and the log with two entries."}
		}
		a := llm.ChatResponse{ToolCalls: steps[done]}
		if done%2 == 0 {
			a.Content = "I go on with the next step now."
		}
		return a
	}
}

// chaosRun is one conversation: the person says "Go on" as long as the run ends
// with an error, six times at most.
type chaosRun struct {
	wb       *workshop.Workbench
	cfg      Config
	finished bool
	errs     []*runerr.Error
}

func (c *chaosRun) play(ctx context.Context) error {
	say := "Write the notes and the log."
	for range 6 {
		conv := c.wb.Conversation()
		id := conv.NewMessageID("u-")
		if err := conv.Append(workshop.Record{Type: workshop.TypeUser, MessageID: id, Role: "user", Text: say, CreatedAt: time.Now().UTC()}); err != nil {
			return err
		}
		_, err := Run(ctx, c.cfg, id)
		if err == nil {
			c.finished = true
			return nil
		}
		var e *runerr.Error
		if !errors.As(err, &e) {
			return fmt.Errorf("an error without a type: %w", err)
		}
		c.errs = append(c.errs, e)
		say = "Go on."
	}
	return nil
}

// check finds what must not be: a file that is not whole, a call that has not
// exactly one result, an entry written twice.
func (c *chaosRun) check(ctx context.Context) error {
	for _, e := range c.errs {
		if e.Code != runerr.CodeUnavailable && e.Code != runerr.CodeNetwork && e.Code != runerr.CodeTooLarge || e.Detail == "" || !e.Retryable && e.Hint == "" && len(e.Actions) == 0 {
			return fmt.Errorf("an unclear error: %+v", e)
		}
	}
	records, err := c.wb.Conversation().Records()
	if err != nil {
		return err
	}
	results := map[string]int{}
	var calls []string
	for _, r := range records {
		for _, tc := range r.ToolCalls {
			calls = append(calls, tc.ID)
		}
		if r.Type == workshop.TypeToolResult {
			results[r.ToolCallID]++
			if r.Success == nil || !*r.Success {
				return fmt.Errorf("call %s failed: %s", r.ToolCallID, r.Content)
			}
		}
	}
	for i, id := range calls {
		if results[id] != 1 || id != fmt.Sprintf("c%d", i+1) {
			return fmt.Errorf("calls %v with results %v", calls, results)
		}
	}
	view := c.wb.DraftView(workshop.Cause{Tool: "test"})
	env := &tools.Env{View: view, Formats: c.cfg.Formats}
	read := func(path string) string {
		return c.cfg.Catalogue.Call(ctx, env, "read_file", json.RawMessage(`{"path":"`+path+`"}`)).Full
	}
	for path, after := range map[string]int{"note.txt": 3, "second.txt": 6} { // once call number 6 is there, all are
		if got := read(path); (got == chaosNote) != (len(calls) >= after) || got != chaosNote && !strings.Contains(got, "not found") {
			return fmt.Errorf("%s after %d calls: %q", path, len(calls), got)
		}
	}
	log := read("log.docx")
	for text, after := range map[string]int{"Entry one.": 4, "Entry two.": 5} {
		want := 0
		if len(calls) >= after {
			want = 1
		}
		if strings.Count(log, text) != want {
			return fmt.Errorf("the log after %d calls: %q", len(calls), log)
		}
	}
	if c.finished && len(calls) != 6 {
		return fmt.Errorf("it says that all is done after %d calls", len(calls))
	}
	return nil
}

// TestChaos: whatever an endpoint does, a run ends with the right files or with
// a clear error; no call is carried out in half, or twice (L-07, W-15, W-52).
// 1,000 runs in a whole campaign.
func TestChaos(t *testing.T) {
	runs := campaign.Of(150, 1000)
	home, err := workshop.OpenHome(t.TempDir(), workshop.Options{})
	require.NoError(t, err)
	defer home.Close()
	set := all.Formats(all.Options{CacheDir: formatstest.Cache})
	steps := chaosSteps()
	var (
		mu       sync.Mutex
		seen     = map[string]int{}
		finished int
		ends     = map[string]int{}
		next     = make(chan int)
		wg       sync.WaitGroup
	)
	one := func(n int) error {
		h := chaos.New(uint64(n), chaosScript(steps))
		srv := httptest.NewServer(h)
		defer srv.Close()
		root := filepath.Join(t.TempDir(), fmt.Sprint(n))
		if err := errors.Join(os.Mkdir(root, 0o755), os.WriteFile(filepath.Join(root, "a.txt"), []byte("alpha\n"), 0o644)); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute) // one that hangs fails
		defer cancel()
		wb, err := home.OpenFolder(ctx, root)
		if err != nil {
			return err
		}
		c := chaosRun{wb: wb, cfg: Config{Workbench: wb, Catalogue: catalogue.Workshop(), Formats: set, Model: "m", Provider: "chaos",
			Client: openai.New(openai.Options{BaseURL: srv.URL, IdleTimeout: 300 * time.Millisecond, Limits: chaos.Limits}),
			Sleep:  func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}}
		if err := c.play(ctx); err != nil {
			return err
		}
		err = c.check(ctx)
		mu.Lock()
		defer mu.Unlock()
		for k, v := range h.Seen() {
			seen[k] += v
		}
		if c.finished {
			finished++
		}
		for _, e := range c.errs {
			ends[e.Code]++
		}
		return err
	}
	for range 4 {
		wg.Go(func() {
			for n := range next {
				if err := one(n); err != nil {
					t.Errorf("run %d: %v", n, err)
				}
			}
		})
	}
	for n := range runs {
		next <- n
	}
	close(next)
	wg.Wait()
	require.Greater(t, finished, runs*7/10)
	if runs >= 150 { // fewer do not meet every fault
		for _, f := range chaos.Faults() {
			require.NotZero(t, seen[f], "%s never came", f)
		}
		require.NotZero(t, ends[runerr.CodeUnavailable])
		require.NotZero(t, ends[runerr.CodeTooLarge])
	}
	t.Logf("%d of %d conversations finished; runs that ended early: %v; faults: %v", finished, runs, ends, seen)
}
