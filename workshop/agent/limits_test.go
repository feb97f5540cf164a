package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/workshop/agent/runerr"
	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
)

// toolbox is the real catalogue and a few tools of a test.
type toolbox struct {
	*tools.Catalogue
	own map[string]*ownTool
}

type ownTool struct {
	effect tools.Effect
	fn     func(context.Context) (any, error)
}

func (b toolbox) Tools() []llm.Tool {
	ts := b.Catalogue.Tools()
	for name := range b.own {
		ts = append(ts, llm.Tool{Type: "function", Function: llm.FunctionDef{Name: name}})
	}
	return ts
}

func (b toolbox) Effect(name string) (tools.Effect, bool) {
	if t := b.own[name]; t != nil {
		return t.effect, true
	}
	return b.Catalogue.Effect(name)
}

func (b toolbox) Call(ctx context.Context, env *tools.Env, name string, args json.RawMessage) tools.Result {
	t := b.own[name]
	if t == nil {
		return b.Catalogue.Call(ctx, env, name, args)
	}
	v, err := t.fn(ctx)
	text := fmt.Sprint(v)
	if err != nil {
		text = "Error: " + err.Error()
	}
	return tools.Result{Text: text, Full: text, Success: err == nil}
}

// addTool offers a tool besides the real ones.
func (r *rig) addTool(name string, effect tools.Effect, fn func(context.Context) (any, error)) {
	box, ok := r.cfg.Catalogue.(toolbox)
	if !ok {
		box = toolbox{catalogue.Workshop(), map[string]*ownTool{}}
	}
	box.own[name] = &ownTool{effect, fn}
	r.cfg.Catalogue = box
}

func repeat(n int, nameArgs ...string) []string {
	var out []string
	for range n {
		out = append(out, nameArgs...)
	}
	return out
}

func TestCallsPerTurnAreLimited(t *testing.T) { // W-09
	r := newRig(t, map[string]string{"a.txt": "x"})
	var many []string
	for i := range 52 {
		many = append(many, "read_file", fmt.Sprintf(`{"path":"a.txt","line_start":%d}`, i+2))
	}
	res, err := r.run(play(calls(many...), says("ok")), "go")
	require.NoError(t, err)
	require.Equal(t, 50, res.ToolCalls)
	got := r.results()
	require.Len(t, got, 52)
	require.NotContains(t, got[49], "limit exceeded")
	require.Equal(t, "Error: tool call limit exceeded (max 50 per turn)", got[50])
	require.Equal(t, "Error: tool call limit exceeded (max 50 per turn)", got[51])
	require.Len(t, params[ToolExecuting](r.events), 50)
	require.Len(t, params[ToolComplete](r.events), 50)
}

func TestTurnsAreLimited(t *testing.T) { // W-10
	r := newRig(t, map[string]string{"a.txt": "x"})
	n := 0
	m := play(func(ctx context.Context, d func(string)) (response, error) {
		n++
		return calls("write_text_file", fmt.Sprintf(`{"path":"a.txt","content":"%d"}`, n))(ctx, d)
	})
	res, err := r.run(m, "go")
	require.Equal(t, runerr.CodeLoopDetected, code(err))
	require.ErrorContains(t, err, "maximum turn limit (50)")
	require.Len(t, m.requests, 50)
	require.Equal(t, 50, res.Turns)
	require.True(t, res.HasDraft)
	require.Empty(t, openCalls(r.records()))
}

func TestLimitsCanBeSet(t *testing.T) { // C-33
	r := newRig(t, map[string]string{"a.txt": "x"})
	r.cfg.Limits = Limits{CallsPerTurn: 2, Turns: 3}
	m := play(calls("list_files", "{}", "read_file", `{"path":"a.txt"}`, "list_files", "{}"))
	_, err := r.run(m, "go")
	require.ErrorContains(t, err, "maximum turn limit (3)")
	require.Len(t, m.requests, 3)
	require.Equal(t, "Error: tool call limit exceeded (max 2 per turn)", r.results()[2])
}

func TestToolsTimeOut(t *testing.T) { // W-11
	r := newRig(t, nil)
	r.cfg.Limits.ToolTimeout = 50 * time.Millisecond
	stopped := make(chan struct{})
	r.addTool("wait", "write", func(ctx context.Context) (any, error) {
		<-ctx.Done()
		close(stopped)
		return nil, ctx.Err()
	})
	_, err := r.run(play(calls("wait", "{}"), says("Too slow.")), "go")
	require.NoError(t, err)
	require.Equal(t, []string{"Error: tool wait timed out after 50ms"}, r.results())
	require.Equal(t, []ToolComplete{{WorkbenchID: r.wb.ID(), ToolName: "wait", ToolCallID: r.records()[1].ToolCalls[0].ID}}, withoutTimes(params[ToolComplete](r.events)))
	<-stopped // the work has really ended
}

func TestTimeoutTextNamesTheDefault(t *testing.T) { // W-11
	require.Equal(t, "30s", Limits{}.WithDefaults().ToolTimeout.String())
}

func TestToolsThatIgnoreTheirContextAreAbandoned(t *testing.T) { // W-11
	r := newRig(t, nil)
	r.cfg.Limits.ToolTimeout, r.cfg.Limits.Grace = 10*time.Millisecond, 10*time.Millisecond
	release := make(chan struct{})
	r.addTool("deaf", "write", func(context.Context) (any, error) {
		<-release
		return "late", nil
	})
	_, err := r.run(play(calls("deaf", "{}"), says("ok")), "go")
	require.NoError(t, err)
	require.Equal(t, []string{"Error: tool deaf timed out after 10ms"}, r.results())
	close(release)
}

func TestWorkDoneAtTheLastMomentCounts(t *testing.T) {
	r := newRig(t, nil)
	r.cfg.Limits.ToolTimeout = 20 * time.Millisecond
	r.addTool("close", "write", func(ctx context.Context) (any, error) {
		<-ctx.Done()
		return "done after all", nil
	})
	_, err := r.run(play(calls("close", "{}"), says("ok")), "go")
	require.NoError(t, err)
	require.Contains(t, r.results()[0], "done after all")
}

func TestReadOnlyCallsRunSideBySide(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "x"})
	var running, most atomic.Int32
	gate := make(chan struct{})
	r.addTool("meet", "read", func(ctx context.Context) (any, error) {
		n := running.Add(1)
		defer running.Add(-1)
		if n > most.Load() {
			most.Store(n)
		}
		if n == 4 {
			close(gate) // only four at once can open it
		}
		select {
		case <-gate:
			return "met", nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	args := append(repeat(4, "meet", "{}"), "write_text_file", `{"path":"b.txt","content":"y"}`, "read_file", `{"path":"b.txt"}`)
	_, err := r.run(play(calls(args...), says("ok")), "go")
	require.NoError(t, err)
	require.EqualValues(t, 4, most.Load())
	got := r.results()
	for i := range 4 {
		require.True(t, strings.HasPrefix(got[i], got[0][:3]), got[i])
		require.NotContains(t, got[i], "Error")
	}
	require.Contains(t, got[5], "y", "a read after a write sees it")
	require.Equal(t, []string{"ToolExecuting", "ToolExecuting", "ToolExecuting", "ToolExecuting"}, r.events.methods()[:4])
	// Results and completions are in call order.
	var ids []string
	for _, c := range r.records()[1].ToolCalls {
		ids = append(ids, c.ID)
	}
	for i, c := range params[ToolComplete](r.events) {
		require.Equal(t, ids[i], c.ToolCallID)
		require.Equal(t, ids[i], r.records()[2+i].ToolCallID)
	}
}

func TestAtMostFourRunSideBySide(t *testing.T) {
	r := newRig(t, nil)
	var running, most atomic.Int32
	r.addTool("count", "read", func(context.Context) (any, error) {
		n := running.Add(1)
		defer running.Add(-1)
		for {
			m := most.Load()
			if n <= m || most.CompareAndSwap(m, n) {
				break
			}
		}
		time.Sleep(50 * time.Millisecond) // the others begin meanwhile, also on a busy machine
		return n * 0, nil
	})
	r.addTool("alone", "write", func(context.Context) (any, error) {
		if n := running.Load(); n != 0 {
			return nil, fmt.Errorf("%d calls run beside a write", n)
		}
		return "alone", nil
	})
	args := append(repeat(9, "count", "{}"), "alone", "{}")
	args = append(args, repeat(3, "count", "{}")...)
	r.run(play(calls(args...), says("ok")), "go")
	require.EqualValues(t, 4, most.Load())
}

func TestStuckModelIsWarnedThenStopped(t *testing.T) { // W-12
	r := newRig(t, map[string]string{"a.txt": "x"})
	n := 0
	m := play(func(ctx context.Context, d func(string)) (response, error) {
		n++
		args := `{"path":"a.txt","line_start":1}`
		if n%2 == 0 {
			args = ` { "line_start": 1, "path": "a.txt" } `
		}
		return calls("read_file", args)(ctx, d)
	})
	res, err := r.run(m, "go")
	require.Equal(t, runerr.CodeLoopDetected, code(err))
	require.ErrorContains(t, err, "read_file")
	require.Len(t, m.requests, 5)
	require.Equal(t, 5, res.ToolCalls)
	require.Equal(t, []LoopWarning{{r.wb.ID(), "read_file", 3}}, params[LoopWarning](r.events))
	got := r.results()
	require.NotContains(t, got[1], "same call")
	require.Contains(t, got[2], "same call with the same result for time 3")
	require.Contains(t, m.requests[3][len(m.requests[3])-1].Content, "same call", "the model sees the note")
	require.Contains(t, got[3], "time 4")
}

func TestStuckWithinOneTurnAnswersTheRest(t *testing.T) { // W-12, W-52
	r := newRig(t, map[string]string{"a.txt": "x"})
	_, err := r.run(play(calls(repeat(20, "get_file_info", `{"path":"a.txt"}`)...), says("never")), "go")
	require.Equal(t, runerr.CodeLoopDetected, code(err))
	got := r.results()
	require.Len(t, got, 20)
	require.Contains(t, got[19], "Error: not carried out")
	require.Len(t, params[ToolExecuting](r.events), len(params[ToolComplete](r.events)))
}

func TestDifferentEditsAreProgress(t *testing.T) { // W-12
	r := newRig(t, nil)
	var replies []reply
	for i := range 12 {
		replies = append(replies, calls("xlsx_operations", fmt.Sprintf(
			`{"path":"book.xlsx","create_if_missing":true,"operations":[{"op":"ensure_sheet","sheet":"S"},{"op":"set_cells","sheet":"S","cells":[{"cell":"A%d","value":"v"}]}]}`, i+1)))
	}
	_, err := r.run(play(append(replies, says("ok"))...), "go")
	require.NoError(t, err)
	require.Empty(t, params[LoopWarning](r.events))
	for _, s := range r.results() {
		require.NotContains(t, s, "Error")
	}
}

func TestAnotherResultIsProgress(t *testing.T) { // W-12
	r := newRig(t, nil)
	n := 0
	r.addTool("poll", "read", func(context.Context) (any, error) {
		n++
		return map[string]int{"n": n}, nil
	})
	var replies []reply
	for range 12 {
		replies = append(replies, calls("poll", "{}"))
	}
	_, err := r.run(play(append(replies, says("ok"))...), "go")
	require.NoError(t, err)
	require.Empty(t, params[LoopWarning](r.events))
}

func TestPathOf(t *testing.T) { // I-20
	for args, want := range map[string]string{`{"path":"a/b.txt"}`: "a/b.txt", `{"uri":"file:///a/b%20c.txt"}`: "a/b c.txt", `{"uri":"file:x.md"}`: "files/x.md", `{"uri":"file:files/x.md"}`: "files/x.md",
		`{"uri":"https://example.org/a.txt"}`: "", `{"uri":"file://host/x"}`: "", `{"uri":"file:"}`: "", `{"path":"a: b.txt"}`: "a: b.txt", `{"docPath":"repo/a.cs"}`: "repo/a.cs", `{"source":"a","destination":"b"}`: "a",
		`{"paths":["a","b"]}`: "a", `{"files":[{"docPath":"a"},{"docPath":"b"}]}`: "a", `{"plan_file_path":"/plans/a.plan"}`: "/plans/a.plan", `{"paths":"a","files":7}`: "",
		`{"path":7}`: "", `{`: "", `[]`: "", `{}`: "", `null`: ""} {
		c := toolCall("t", args)
		require.Equal(t, want, pathOf(c), args)
	}
	b, err := json.Marshal(ToolExecuting{WorkbenchID: "w", ToolName: "t", ToolCallID: "c"})
	require.NoError(t, err)
	require.JSONEq(t, `{"workbench_id":"w","tool_name":"t","tool_call_id":"c"}`, string(b))
}
