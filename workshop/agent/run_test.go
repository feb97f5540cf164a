package agent

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/workshop"
	"atelier/workshop/agent/runerr"
	"atelier/workshop/agent/spend"
)

// withoutTimes is what does not differ from one run to the next.
func withoutTimes(list []ToolComplete) []ToolComplete {
	for i := range list {
		list[i].Elapsed, list[i].Result = 0, ""
	}
	return list
}

func TestRunReadsAndAnswers(t *testing.T) { // W-01, W-03, W-04, W-05, W-22, I-20…I-23
	r := newRig(t, map[string]string{"a.txt": "one\ntwo\nthree\n"})
	m := play(saysAndCalls("Let me look. ", "read_file", `{"path":"a.txt"}`), says("It has three lines."))
	res, err := r.run(m, "How long is a.txt?")
	require.NoError(t, err)
	res.Usage = spend.Totals{} // has tests of its own
	require.Equal(t, Result{MessageID: res.MessageID, Text: "It has three lines.", ToolCalls: 1, Turns: 2, Workflow: WorkflowAgent}, res)
	require.Len(t, m.requests, 2, "no request after the model is done")

	rs := r.records()
	require.Len(t, rs, 4)
	require.Equal(t, []string{workshop.TypeUser, workshop.TypeAssistant, workshop.TypeToolResult, workshop.TypeAssistant},
		[]string{rs[0].Type, rs[1].Type, rs[2].Type, rs[3].Type})
	require.Equal(t, "Let me look. ", rs[1].Text)
	require.Equal(t, rs[1].ToolCalls[0].ID, rs[2].ToolCallID)
	require.Equal(t, "read_file", rs[2].ToolName)
	require.True(t, *rs[2].Success)
	require.Equal(t, res.MessageID, rs[3].MessageID)
	require.True(t, strings.HasPrefix(rs[3].MessageID, "a-"))

	require.Equal(t, []string{"AssistantStreamDelta", "ToolExecuting", "ToolComplete", "AssistantStreamDelta", "AssistantMessageComplete"}, r.events.methods())
	require.Equal(t, []ToolExecuting{{WorkbenchID: r.wb.ID(), ToolName: "read_file", ToolCallID: rs[2].ToolCallID, Path: "a.txt", Args: `{"path":"a.txt"}`}}, params[ToolExecuting](r.events))
	require.Equal(t, []ToolComplete{{WorkbenchID: r.wb.ID(), ToolName: "read_file", ToolCallID: rs[2].ToolCallID, Path: "a.txt", Success: true}}, withoutTimes(params[ToolComplete](r.events)))
	text := map[string]string{}
	for _, d := range params[StreamDelta](r.events) {
		text[d.MessageID] += d.TokenDelta
	}
	require.Equal(t, map[string]string{rs[1].MessageID: rs[1].Text, rs[3].MessageID: rs[3].Text}, text)
	require.Equal(t, []MessageComplete{{WorkbenchID: r.wb.ID(), MessageID: res.MessageID}}, params[MessageComplete](r.events))
}

func TestRequestHoldsManifestAndHistory(t *testing.T) { // W-02, W-17, W-54
	r := newRig(t, map[string]string{"a.txt": "the secret word is mushroom", "sub/b.csv": "x,y\n1,2\n"})
	m := play(calls("read_file", `{"path":"a.txt"}`), says("Done."), says("As I said."))
	_, err := r.run(m, "Read a.txt")
	require.NoError(t, err)

	first := m.requests[0]
	require.Equal(t, llm.RoleSystem, first[0].Role)
	require.Contains(t, first[0].Content, "- a.txt (text, 27 bytes)")
	require.Contains(t, first[0].Content, "- sub/b.csv (text, 8 bytes)")
	require.NotContains(t, fmt.Sprint(first), "mushroom")
	require.Equal(t, llm.Message{Role: llm.RoleUser, Content: "Read a.txt"}, first[1])
	require.Len(t, first, 2)
	names := []string{}
	for _, tool := range m.tools {
		names = append(names, tool.Function.Name)
	}
	require.Subset(t, names, []string{"list_files", "read_file", "get_file_info", "write_text_file", "xlsx_operations", "docx_operations", "pptx_operations"})

	r.reopen()
	_, err = r.run(m, "And now?")
	require.NoError(t, err)
	second := m.requests[2]
	require.Equal(t, m.requests[1][1:], second[1:4], "a reloaded conversation gives the same messages")
	require.Equal(t, r.records()[1].ToolCalls[0].ID, second[3].ToolCallID)
	require.Equal(t, []string{"assistant:Done.", "user:And now?"}, summarized(second[4:]))
	require.Equal(t, messages(r.records()[:5]), second[1:])
}

func TestWritesGoToTheDraft(t *testing.T) { // W-19
	r := newRig(t, map[string]string{"a.txt": "old"})
	res, err := r.run(play(calls("write_text_file", `{"path":"a.txt","content":"new"}`), says("Written.")), "Change it")
	require.NoError(t, err)
	require.True(t, res.HasDraft)
	require.Equal(t, "old", r.published("a.txt"))
	st, err := r.wb.Draft(t.Context())
	require.NoError(t, err)
	require.Equal(t, "workshop", st.SourceKind)
	require.Equal(t, "agent", st.SourceRef)
	require.NotEmpty(t, st.ID)
	require.Equal(t, "Successfully wrote 3 bytes to a.txt", r.results()[0])

	// A second run works on the same draft (K-04).
	_, err = r.run(play(calls("read_file", `{"path":"a.txt"}`), says("ok")), "What is in it?")
	require.NoError(t, err)
	require.Contains(t, r.results()[1], "new")
}

func TestFailedCallsGoBackToTheModel(t *testing.T) { // W-06, W-07, W-08, W-20, W-21
	r := newRig(t, map[string]string{"a.txt": "x", "p.pdf": "%PDF-1.4\n"})
	m := play(
		calls("read_file", `{"path":"x.txt"}`,
			"foo", `{}`,
			"write_text_file", `{"path":"b.txt","content":`,
			"write_text_file", `{"path":"../out.txt","content":"x"}`,
			"write_text_file", `{"path":"/etc/out.txt","content":"x"}`,
			"write_text_file", `{"path":"p.pdf","content":"x"}`,
			"read_file", ``),
		says("I give up."))
	res, err := r.run(m, "Do things")
	require.NoError(t, err)
	require.False(t, res.HasDraft)
	got := r.results()
	require.Equal(t, "Error: file not found: x.txt", got[0])
	require.Equal(t, "Error: unknown tool: foo", got[1])
	require.Contains(t, got[2], "Error: invalid arguments")
	require.Contains(t, got[3], "Error: SANDBOX_VIOLATION")
	require.Contains(t, got[4], "Error: SANDBOX_VIOLATION")
	require.Contains(t, got[5], "pdf")
	require.Contains(t, got[6], "Error: path is required")
	for i, rec := range r.records()[2:9] {
		require.False(t, *rec.Success, "result %d", i)
	}
	require.Len(t, params[ToolComplete](r.events), 7)
	for i, c := range params[ToolComplete](r.events) {
		require.False(t, c.Success)
		require.Equal(t, params[ToolExecuting](r.events)[i].ToolCallID, c.ToolCallID)
	}
	require.Equal(t, "x.txt", params[ToolComplete](r.events)[0].Path)
	require.Len(t, m.requests, 2)
}

func TestLongResultsAreShortenedAndCanBeRecalled(t *testing.T) { // W-18
	files := map[string]string{"the very end.txt": "x"}
	for i := range 1500 {
		files[fmt.Sprintf("some words in a name %04d.txt", i)] = "x"
	}
	r := newRig(t, files)
	m := play(calls("list_files", `{}`), says("ok"))
	_, err := r.run(m, "List them")
	require.NoError(t, err)
	got := r.results()[0]
	require.Less(t, len(got), 17<<10)
	require.Contains(t, got, "some words in a name 0000.txt")
	require.Contains(t, got, "recall_tool_result")
	var entry int64
	rec := r.records()[2]
	entry, ok := entryOf(rec)
	require.True(t, ok)
	require.Contains(t, got, fmt.Sprint(entry))
	log, err := r.wb.ToolLog(t.Context(), entry)
	require.NoError(t, err)
	require.Greater(t, len(log.Result), 100_000)

	_, err = r.run(play(calls("recall_tool_result", fmt.Sprintf(`{"entry_id":%d,"offset":%d,"limit":1000}`, entry, len(log.Result)-500)), says("ok")), "The end?")
	require.NoError(t, err)
	require.Contains(t, r.results()[1], "the very end")
}

func TestManifestFailureEndsTheRunFirst(t *testing.T) { // W-16
	r := newRig(t, nil)
	m := play(says("never"))
	id := r.say("hello")
	require.NoError(t, r.home.Close())
	r.cfg.Client = m
	_, err := Run(t.Context(), r.cfg, id)
	require.Equal(t, runerr.CodeReadFailed, code(err))
	require.Empty(t, m.requests)

	if runtime.GOOS == "windows" {
		return // an open folder cannot be removed
	}
	r = newRig(t, map[string]string{"a.txt": "x"}) // all but the files can be read
	id = r.say("hello")
	require.NoError(t, os.RemoveAll(r.root))
	r.cfg.Client = m
	_, err = Run(t.Context(), r.cfg, id)
	require.Equal(t, runerr.CodeReadFailed, code(err))
	require.ErrorContains(t, err, "the files of the workbench cannot be listed")
	require.Empty(t, m.requests)
	require.Len(t, r.records(), 1)
}

func TestUnknownMessage(t *testing.T) {
	r := newRig(t, nil)
	r.cfg.Client = play(says("never"))
	_, err := Run(t.Context(), r.cfg, "u-nope")
	require.Equal(t, runerr.CodeValidation, code(err))
	require.ErrorContains(t, err, "u-nope")
}

func TestRepeatedAndEmptyCallIDsAreMadeUnique(t *testing.T) { // W-52
	r := newRig(t, map[string]string{"a.txt": "x"})
	numbered := func(ids ...string) reply {
		return func(context.Context, func(string)) (llm.ChatResponse, error) {
			var resp llm.ChatResponse
			for _, id := range ids {
				resp.ToolCalls = append(resp.ToolCalls, llm.ToolCall{ID: id, Type: "function", Function: llm.FunctionCall{Name: "list_files", Arguments: "{}"}})
			}
			return resp, nil
		}
	}
	_, err := r.run(play(numbered("call_0", "call_0", ""), numbered("call_0"), says("ok")), "go")
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, rec := range r.records() {
		for _, c := range rec.ToolCalls {
			require.NotEmpty(t, c.ID)
			require.False(t, seen[c.ID])
			seen[c.ID] = true
		}
	}
	require.Len(t, seen, 4)
	require.Empty(t, openCalls(r.records()))
}

func TestCutAnswersAreMarked(t *testing.T) {
	r := newRig(t, nil)
	_, err := r.run(play(func(_ context.Context, onDelta func(string)) (llm.ChatResponse, error) {
		onDelta("A long st")
		return llm.ChatResponse{Content: "A long st", FinishReason: "length"}, nil
	}), "Tell me")
	require.NoError(t, err)
	require.Equal(t, "length", r.records()[1].Metadata["finish_reason"])
}

func TestClientWithoutStreaming(t *testing.T) { // W-22
	r := newRig(t, nil)
	res, err := r.run(play(func(context.Context, func(string)) (llm.ChatResponse, error) {
		return llm.ChatResponse{Content: "All at once.", FinishReason: "stop"}, nil
	}), "hello")
	require.NoError(t, err)
	require.Equal(t, "All at once.", res.Text)
	require.Equal(t, "All at once.", params[StreamDelta](r.events)[0].TokenDelta)
}
