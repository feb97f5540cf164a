package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/llm/tokens"
	"atelier/workshop"
	"atelier/workshop/agent/runerr"
)

// leave is a window that leaves n tokens beside instructions and tools.
func (r *rig) leave(n int) int {
	return tokens.OfTools(r.cfg.Catalogue.Tools()) + tokens.Count(agentPrompt) + 50 + n
}

// talk is an earlier turn of about n tokens.
func talk(t *testing.T, r *rig, ask string, n int) {
	t.Helper()
	_, err := r.run(play(says(strings.TrimSpace(strings.Repeat("word ", n)))), ask)
	require.NoError(t, err)
}

func TestEarlierTurnsAreSummarisedAhead(t *testing.T) { // DESIGN 6: 80 %, user-turn boundary, in the transcript
	r := newRig(t, map[string]string{"a.txt": "x"})
	talk(t, r, "The budget is 4711 euros.", 5000)
	talk(t, r, "And the second thing.", 1500)
	r.events.list = nil
	r.cfg.Window = r.leave(9_000)
	m := play(says("SUMMARY: budget 4711."), calls("read_file", `{"path":"a.txt"}`), says("Done."))
	res, err := r.run(m, "Now do it.")
	require.NoError(t, err)
	require.Equal(t, "Done.", res.Text)
	require.Equal(t, 2, res.Turns, "the summary is no turn")

	sum := m.requests[0]
	require.Len(t, sum, 2)
	require.Contains(t, sum[1].Content, "PERSON: The budget is 4711 euros.")
	require.NotContains(t, sum[1].Content, "second thing")
	want := []string{"user:" + summaryBegin + "SUMMARY: budget 4711." + summaryEnd + "\n\nAnd the second thing.", "assistant:" + strings.TrimSpace(strings.Repeat("word ", 1500)), "user:Now do it."}
	require.Equal(t, want, summarized(m.requests[1][1:]))

	rec := r.records()[5]
	require.Equal(t, eventCompacted, rec.EventKind)
	require.Equal(t, "SUMMARY: budget 4711.", rec.Text)
	require.Equal(t, r.records()[2].MessageID, rec.Metadata[metaBefore])
	ev := params[ContextCompacted](r.events)
	require.Len(t, ev, 1)
	require.Equal(t, CompactedAhead, ev[0].Reason)
	require.Equal(t, rec.MessageID, ev[0].MessageID)
	require.Equal(t, 2, ev[0].Summarised)
	require.Less(t, ev[0].TokensAre, r.cfg.Window*CompactAt/100)
	require.GreaterOrEqual(t, ev[0].TokensWere, r.cfg.Window*CompactAt/100)
	require.Equal(t, []string{"ContextCompacted", "ToolExecuting", "ToolComplete", "AssistantStreamDelta", "AssistantMessageComplete"}, r.events.methods(), "the summary is not streamed")

	// A restart goes on with the same summary (W-54) and makes no other.
	r.reopen()
	r.cfg.Window = r.leave(9_000)
	m = play(says("Still here."))
	_, err = r.run(m, "More?")
	require.NoError(t, err)
	require.Len(t, m.requests, 1)
	require.Equal(t, want, summarized(m.requests[0][1:])[:3])

	// An undo to before the compaction brings back what it stood for.
	_, err = r.wb.UndoTo(t.Context(), r.records()[3].MessageID)
	require.NoError(t, err)
	require.Equal(t, "user:The budget is 4711 euros.", summarized(messages(r.records()))[0])
}

func TestEarlierSummariesFoldIntoLaterOnes(t *testing.T) {
	r := newRig(t, nil)
	r.cfg.Window = r.leave(11_000)
	talk(t, r, "first", 7500)
	_, err := r.run(play(says("SUMMARY ONE"), says(strings.TrimSpace(strings.Repeat("word ", 7500)))), "second")
	require.NoError(t, err)
	m := play(says("SUMMARY TWO"), says("ok"))
	_, err = r.run(m, "third")
	require.NoError(t, err)
	require.Contains(t, m.requests[0][1].Content, "EARLIER SUMMARY: SUMMARY ONE\n\nPERSON: second")
	require.Equal(t, []string{"user:" + summaryBegin + "SUMMARY TWO" + summaryEnd + "\n\nthird"}, summarized(m.requests[1][1:]))
	require.Equal(t, []string{"user:" + summaryBegin + "SUMMARY TWO" + summaryEnd, "user:third", "assistant:ok"}, summarized(messages(r.records())))
}

// A single request that takes many steps is finished in a window that holds
// only some of them.
func TestLongTasksFinishInASmallWindow(t *testing.T) {
	files := map[string]string{}
	var replies []reply
	for i := range 24 {
		files[fmt.Sprintf("f%d.txt", i)] = strings.Repeat(fmt.Sprintf("line of file %d\n", i), 250)
		replies = append(replies, calls("read_file", fmt.Sprintf(`{"path":"f%d.txt"}`, i)))
	}
	r := newRig(t, files)
	r.cfg.Window = r.leave(8_000)
	m := &steps{script: play(append(replies, says("Read all."))...), window: r.cfg.Window}
	res, err := r.run(m, "Read every file.")
	require.NoError(t, err)
	require.Equal(t, "Read all.", res.Text)
	require.Equal(t, 24, res.ToolCalls)
	require.NotEmpty(t, params[ContextCompacted](r.events))
	require.Positive(t, m.summaries, "heads alone would not do")
	for _, req := range m.requests {
		require.Contains(t, strings.Join(summarized(req), "\n"), "user:Read every file.", "the request itself stays")
	}
	whole := summarized(messages(r.records()))
	require.Equal(t, "user:Read every file.", whole[0])
	require.True(t, strings.HasPrefix(whole[1], "user:"+summaryBegin))
	require.Less(t, len(whole), 48)
}

// steps plays a script and answers requests for summaries itself; it refuses
// what is longer than its window, as an endpoint does.
type steps struct {
	*script
	window    int
	summaries int
	// refuseSummaries is the size in tokens from which requests for summaries
	// are refused; 0: window is.
	refuseSummaries int
}

func (s *steps) Chat(ctx context.Context, req llm.Request) (llm.ChatResponse, error) {
	used := tokens.OfRequest(req)
	if used > s.window || req.Tools == nil && s.refuseSummaries > 0 && used > s.refuseSummaries {
		return llm.ChatResponse{}, &llm.Error{Kind: llm.KindContextLength, Message: "too long"}
	}
	if req.Tools == nil {
		s.summaries++
		return llm.ChatResponse{Content: fmt.Sprintf("Summary %d.", s.summaries), FinishReason: "stop"}, nil
	}
	resp, err := s.script.Chat(ctx, req)
	resp.Usage.PromptTokens = used
	return resp, err
}

func TestUnknownWindowsAreLearnt(t *testing.T) {
	files := map[string]string{}
	var replies []reply
	for i := range 12 {
		files[fmt.Sprintf("f%d.txt", i)] = strings.Repeat(fmt.Sprintf("line of file %d\n", i), 250)
		replies = append(replies, calls("read_file", fmt.Sprintf(`{"path":"f%d.txt"}`, i)))
	}
	r := newRig(t, files)
	m := &steps{script: play(append(replies, says("Read all."))...), window: r.leave(8_000)}
	_, err := r.run(m, "Read every file.")
	require.NoError(t, err)
	evs := params[ContextCompacted](r.events)
	require.Equal(t, CompactedOverflow, evs[0].Reason)
	for _, ev := range evs[1:] {
		require.Equal(t, CompactedAhead, ev.Reason, "what was refused once is known")
	}
}

func TestFailedSummariesFallBackToShortening(t *testing.T) {
	for name, failure := range map[string]reply{"error": fails(llm.KindInvalid, 0), "empty": says(""), "longer": says(strings.Repeat("and so on ", 20_000))} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, map[string]string{"a.txt": strings.Repeat("words of a\n", 1200)})
			_, err := r.run(play(calls("read_file", `{"path":"a.txt"}`), calls("list_files", "{}"), says("read")), "Read a.")
			require.NoError(t, err)
			r.cfg.Window = r.leave(3_500)
			m := play(failure, says("ok"))
			_, err = r.run(m, "Go on.")
			require.NoError(t, err)
			ev := params[ContextCompacted](r.events)
			require.Len(t, ev, 1)
			if name == "longer" {
				require.Contains(t, m.requests[1][1].Content, "[The summary is cut here.]")
				return
			}
			require.True(t, ev[0].SummaryFailed)
			require.Zero(t, ev[0].Summarised+ev[0].Dropped)
			require.Positive(t, ev[0].Shortened)
			require.Contains(t, m.requests[1][3].Content, "the whole is recall_tool_result entry_id 1]")
		})
	}
}

func TestResultsTooLargeForTheWindowAreCut(t *testing.T) {
	files := map[string]string{}
	var reads []string
	for i := range 8 {
		files[fmt.Sprintf("f%d.txt", i)] = strings.Repeat(fmt.Sprintf("line of file %d\n", i), 900)
		reads = append(reads, "read_file", fmt.Sprintf(`{"path":"f%d.txt"}`, i))
	}
	r := newRig(t, files)
	r.cfg.Window = r.leave(6_000)
	m := &steps{script: play(calls(reads...), says("ok")), window: r.cfg.Window}
	_, err := r.run(m, "Read all at once.")
	require.NoError(t, err)
	last := m.requests[len(m.requests)-1]
	require.Len(t, last, 11, "system, request, calls, eight results")
	for _, msg := range last[3:] {
		require.Contains(t, msg.Content, "the whole is recall_tool_result entry_id ")
	}
}

func TestCancelWhileASummaryIsMade(t *testing.T) { // W-14
	r := newRig(t, nil)
	talk(t, r, "first", 7500)
	r.cfg.Window = r.leave(9_000)
	ctx, cancel := context.WithCancel(t.Context())
	n := len(r.records())
	_, err := r.runCtx(ctx, play(func(ctx context.Context, _ func(string)) (response, error) {
		cancel()
		return response{Content: "half a summ"}, &llm.Error{Kind: llm.KindCanceled, Message: "canceled", Err: ctx.Err()}
	}), "second")
	require.Equal(t, runerr.CodeUserCanceled, code(err))
	require.Len(t, r.records(), n+1, "only the message of the user came to it")
	require.Empty(t, params[ContextCompacted](r.events))
}

func TestSummaryErrorsHoldNoKey(t *testing.T) { // L-11
	const key = "sk-very-secret-key"
	r := newRig(t, nil)
	talk(t, r, "first", 7500)
	var log strings.Builder
	r.logTo(&log)
	r.cfg.APIKey, r.cfg.Window = key, r.leave(9_000)
	_, err := r.run(play(func(context.Context, func(string)) (response, error) {
		return response{}, errors.New("bad key " + key)
	}, says("ok")), "second")
	require.NoError(t, err)
	require.Contains(t, log.String(), "no summary")
	require.NotContains(t, log.String(), key)
}

func TestItemsOfCompactedConversations(t *testing.T) { // W-54
	note := func(text, request, before string) workshop.Record {
		m := map[string]any{metaBefore: before}
		if request != "" {
			m[metaRequest] = request
		}
		return workshop.Record{Type: workshop.TypeSystem, EventKind: eventCompacted, Text: text, Metadata: m}
	}
	rs := []workshop.Record{userRec("u1", "one"), assistantRec("a1", "1"), userRec("u2", "two"), note("S1", "", "u2"),
		assistantRec("a2", "", "c1"), resultRec("c1", "r1"), assistantRec("a3", "", "c2"), resultRec("c2", "r2"), note("S2", "u2", "a3"), assistantRec("a4", "4")}
	sum := func(s string) string { return "user:" + summaryBegin + s + summaryEnd }
	require.Equal(t, []string{sum("S1"), "user:two", sum("S2"), "assistant:(c2)", "tool:r2←c2", "assistant:4"}, summarized(messages(rs)))
	for _, odd := range []workshop.Record{note("S3", "", "gone"), note("S3", "gone", "a3"), note("S3", "a3", "u2"), note("", "", "a3"),
		{Type: workshop.TypeSystem, EventKind: eventCompacted, Text: "12 results were shortened"}} {
		require.Equal(t, summarized(messages(rs)), summarized(messages(append(rs[:len(rs):len(rs)], odd))))
	}
	require.Equal(t, []string{sum("S4"), "assistant:4"}, summarized(messages(append(rs[:len(rs):len(rs)], note("S4", "", "a4")))))
}

func TestContextOverflowIsCompacted(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": fmt.Sprintf("%05000d", 1), "b.txt": fmt.Sprintf("%05000d", 2), "c.txt": "see"})
	r.cfg.Tools = ""
	overflow := fails(llm.KindContextLength, 0)
	read := func(n string) reply { return calls("read_file", `{"path":"`+n+`.txt"}`) }
	m := play(read("a"), read("b"), read("c"), overflow, fails(llm.KindInvalid, 0) /* of the summary */, says("Got it."))
	res, err := r.run(m, "Read all")
	require.NoError(t, err)
	require.Equal(t, "Got it.", res.Text)
	require.Less(t, size(m.requests[5]), size(m.requests[3])-4000)
	require.Len(t, m.requests[5], len(m.requests[3]))
	require.Contains(t, m.requests[5][3].Content, "recall_tool_result entry_id 1]")
	require.Equal(t, m.requests[3][4:], m.requests[5][4:], "the last answers stay whole")
	ev := params[ContextCompacted](r.events)
	require.Len(t, ev, 1)
	require.Equal(t, 1, ev[0].Shortened)
	require.Len(t, r.results()[0], 5000, "the stored conversation keeps everything")
	require.Equal(t, "context_compacted", r.records()[7].EventKind)

	// An endpoint that refuses whatever it is sent ends the run soon.
	m = play(read("a"), read("b"), overflow)
	_, err = r.run(m, "Again")
	require.Equal(t, runerr.CodeValidation, code(err))
	require.ErrorContains(t, err, "context_length")
	require.LessOrEqual(t, len(m.requests), 2+4+3*2*4, "as many refusals, each with two summaries in ever smaller parts")
	require.True(t, has(m.requests[len(m.requests)-1], "Again"))
}

func TestWithoutASummaryEarlierRequestsAreLeftOut(t *testing.T) {
	r := newRig(t, nil)
	long := fmt.Sprintf("%05000d", 7)
	_, err := r.run(play(says(long)), "first "+long)
	require.NoError(t, err)
	m := play(fails(llm.KindContextLength, 0), fails(llm.KindInvalid, 0), says("ok"))
	_, err = r.run(m, "second")
	require.NoError(t, err)
	require.Equal(t, []string{"user:[2 earlier messages of this conversation were left out to fit the model's window.]", "user:second"}, summarized(m.requests[2][1:]))
	ev := params[ContextCompacted](r.events)[0]
	require.Equal(t, 2, ev.Dropped)
	require.True(t, ev.SummaryFailed)
	require.Equal(t, CompactedOverflow, ev.Reason)

	// The next run has the whole conversation again: nothing was decided for it.
	m = play(says("ok"))
	_, err = r.run(m, "third")
	require.NoError(t, err)
	require.Len(t, m.requests[0], 6)
}

func TestNothingToCompact(t *testing.T) {
	r := newRig(t, nil)
	m := play(fails(llm.KindContextLength, 0))
	_, err := r.run(m, "hello")
	require.Equal(t, runerr.CodeValidation, code(err))
	require.Len(t, m.requests, 1)
	require.Empty(t, params[ContextCompacted](r.events))
}

// Earlier turns are summarised once for all phases of a run (V-01): what a
// phase adds to the message of the user does not hide where they end.
func TestV01PhasesShareASummary(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "one"})
	talk(t, r, "first", 7500)
	r.cfg.Workflow, r.cfg.Window = WorkflowRPI, r.leave(4_000)
	m := &steps{script: play(says("a.txt holds one line."), says("- [ ] 1. First — write made.md"),
		calls("write_text_file", `{"path":"made.md","content":"x"}`), says("Wrote made.md."), says("It is done.")), window: r.cfg.Window}
	res, err := r.run(m, "Do it.")
	require.NoError(t, err)
	require.Equal(t, "It is done.", res.Text)
	require.Equal(t, 1, m.summaries)
	for _, req := range m.requests {
		require.True(t, strings.HasPrefix(req[1].Content, summaryBegin+"Summary 1."+summaryEnd+"\n\nDo it.\n\n[Phase: "), req[1].Content)
	}
}

// W-54: a message that is run again after it was summarised is told word for
// word, in its place.
func TestASummarisedRequestIsToldAgain(t *testing.T) {
	r := newRig(t, nil)
	id := r.say("Write seven haikus.")
	steer := userRec("u-steer", "About winter.")
	steer.Metadata = map[string]any{metaSteer: id}
	for _, rec := range []workshop.Record{steer, {Type: workshop.TypeSystem, MessageID: "s-1", EventKind: eventCompacted, Text: "They want poems.", Metadata: map[string]any{metaBefore: "u-steer"}}} {
		require.NoError(t, r.wb.Conversation().Append(rec))
	}
	m := play(says("Snow."))
	r.cfg.Client = m
	_, err := Run(t.Context(), r.cfg, id)
	require.NoError(t, err)
	sent := m.requests[0]
	require.Len(t, sent, 2)
	require.Equal(t, summaryMessage("They want poems.").Content+"\n\nWrite seven haikus.\n\nAbout winter.", sent[1].Content)

	m = play(says("More snow."))
	_, err = r.run(m, "Go on.")
	require.NoError(t, err)
	require.NotContains(t, m.requests[0][1].Content, "haikus", "another message leaves it in the summary")
}

// W-54: work on a message that is told again behind its summary can be
// summarised too, and a later run goes on with that summary.
func TestWorkOnASummarisedRequestIsSummarised(t *testing.T) {
	said := func(id string) workshop.Record {
		return workshop.Record{Type: workshop.TypeAssistant, MessageID: id, Text: id}
	}
	summed := func(text string, meta map[string]any) workshop.Record {
		return workshop.Record{Type: workshop.TypeSystem, MessageID: "s-" + text, EventKind: eventCompacted, Text: text, Metadata: meta}
	}
	records := []workshop.Record{userRec("u-1", "Poems."), said("a-1"), said("a-2"), summed("first", map[string]any{metaBefore: "a-2"}),
		said("a-3"), said("a-4"), summed("second", map[string]any{metaRequest: "u-1", metaBefore: "a-4"})}
	list := items(records)
	require.Equal(t, []item{{summary: "first"}, {summary: "second"}, {record: 5}, {record: 6}}, list)
	require.Equal(t, []item{{summary: "first"}, {summary: "second"}, {record: 0}, {record: 5}, {record: 6}}, withRequest(list, records, "u-1"))
	records[6].Metadata[metaRequest] = "u-gone"
	require.Len(t, items(records), 6, "one whose request is gone says nothing")
}

// V-01: the request that phases work on stays when their task is a message of
// its own, as behind the call that began them.
func TestV01TheRequestAboveStays(t *testing.T) {
	user := func(text string) llm.Message { return llm.Message{Role: llm.RoleUser, Content: text} }
	r := &run{msgs: []llm.Message{user("Earlier."), {Role: llm.RoleAssistant, Content: "Yes."}, user("Do it."),
		{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: "1"}}}, {Role: llm.RoleTool, ToolCallID: "1", Content: "In phases."},
		user(taskMark + "research]\nResearch the request above."), {Role: llm.RoleAssistant, Content: "I see."}}}
	require.Equal(t, []int{2, 5}, r.present())
	require.Equal(t, span{0, 2}, r.earlierTurns(0))
}
