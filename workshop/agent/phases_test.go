package agent

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/llm/pseudo"
	"atelier/workshop"
	"atelier/workshop/agent/phases"
	"atelier/workshop/agent/runerr"
	"atelier/workshop/tools"
)

// shown is the last message of a request.
func shown(ms []llm.Message) string { return ms[len(ms)-1].Content }

// What each phase is told: the peer's phases saw neither earlier turns nor the
// files that earlier items made (V-01).
func TestV01WhatPhasesSee(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "one"})
	_, err := r.run(play(says("Noted.")), "We write in British English.")
	require.NoError(t, err)
	r.cfg.Workflow = WorkflowRPI
	m := play(
		says("a.txt holds one line."),
		says("- [ ] 1. First — write made.md\n- [ ] 2. Second — use made.md"),
		calls("write_text_file", `{"path":"made.md","content":"x"}`),
		says("Wrote made.md."),
		says("Used it."),
		says("Both are done."))
	res, err := r.run(m, "Do both things.")
	require.NoError(t, err)
	require.Equal(t, WorkflowRPI, res.Workflow)
	require.Equal(t, "Both are done.", res.Text)
	require.Len(t, m.requests, 6)
	for i, req := range m.requests {
		require.Equal(t, "We write in British English.", req[1].Content, "request %d", i)
		require.Equal(t, "Noted.", req[2].Content)
		require.True(t, strings.HasPrefix(req[3].Content, "Do both things.\n\n[Phase: "), req[3].Content)
		require.Equal(t, 1, strings.Count(req[3].Content, "[Phase: "))
	}
	require.NotContains(t, m.requests[2][0].Content, "made.md")
	require.Contains(t, m.requests[4][0].Content, "- made.md (text, 1 bytes)", "the second item sees the file of the first")
	require.Contains(t, shown(m.requests[4]), "Carry out item 2 of 2: Second — use made.md")
	require.Contains(t, shown(m.requests[4]), "- [x] 1. First — write made.md\n  Wrote made.md.")
	require.Contains(t, shown(m.requests[4]), "Research:\na.txt holds one line.")
	require.Contains(t, shown(m.requests[5]), "- made.md (added)")

	// Of all that, the conversation has the question and the answer.
	records := r.records()
	require.Len(t, records, 4)
	require.Equal(t, "Both are done.", records[3].Text)
	// The next request sees them, as any other.
	m = play(says("ANSWER\nYes."))
	_, err = r.run(m, "Really?")
	require.NoError(t, err)
	require.Equal(t, "Both are done.", m.requests[0][4].Content)
	// What the phases did is undone with the message.
	_, err = r.wb.UndoBefore(t.Context(), records[2].MessageID)
	require.NoError(t, err)
	changes, err := r.wb.Changes(t.Context())
	require.NoError(t, err)
	require.Empty(t, changes)
	require.Len(t, r.records(), 2)
}

func TestV01PhasesOnlyReadBeforeThereIsAPlan(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "one"})
	r.cfg.Workflow = WorkflowRPI
	m := play(
		calls("write_text_file", `{"path":"a.txt","content":"early"}`), says("Notes."),
		calls("write_text_file", `{"path":"a.txt","content":"early"}`, "list_files", `{}`), says("- [ ] 1. A — b"),
		says("Done."),
		calls("write_text_file", `{"path":"a.txt","content":"late"}`), says("Nothing was changed."))
	res, err := r.run(m, "Change it.")
	require.NoError(t, err)
	require.False(t, res.HasDraft)
	require.Equal(t, "Error: unknown tool: write_text_file", shown(m.requests[1]))
	require.Equal(t, "Error: unknown tool: list_files", shown(m.requests[3]))
	require.Equal(t, "Error: unknown tool: write_text_file", shown(m.requests[6]))
}

// A run goes on after each way of being broken off, and no finished step is
// done again.
func TestV01GoesOnWhereverItEnds(t *testing.T) {
	replies := []reply{says("Notes."), says("- [ ] 1. One — first\n- [ ] 2. Two — second"), says("One is done."), says("Two is done."), says("All done.")}
	for stop := range replies {
		for _, how := range []reply{fails(llm.KindUnauthorized, 0), fails(llm.KindInvalid, 0)} {
			r := newRig(t, nil)
			r.cfg.Workflow = WorkflowRPI
			broken := append(append([]reply{}, replies[:stop]...), how)
			r.cfg.Client = play(broken...)
			id := r.say("Do it.")
			_, err := Run(t.Context(), r.cfg, id)
			require.Error(t, err)
			require.Equal(t, "rpi_"+[]string{"research", "plan", "implement", "implement", "summary"}[stop], err.(*runerr.Error).Subphase)
			require.Len(t, r.records(), 1)

			r.reopen()
			r.cfg.Workflow = WorkflowRPI
			rest := play(replies[stop:]...)
			r.cfg.Client = rest
			res, err := Run(t.Context(), r.cfg, id)
			require.NoError(t, err)
			require.Equal(t, "All done.", res.Text)
			require.Len(t, rest.requests, len(replies)-stop)
			if stop == 2 || stop == 3 {
				require.Contains(t, shown(rest.requests[0]), "It was begun before and broken off")
			}
			plan, err := os.ReadFile(filepath.Join(phases.Dir(r.wb.Dir()), phases.PlanFile))
			require.NoError(t, err)
			require.Equal(t, "<!-- original_count: 2 -->\n- [x] 1. One — first\n  One is done.\n- [x] 2. Two — second\n  Two is done.\n", string(plan))

			// The answer is there: running the message again begins anew.
			rest = play(says("ANSWER\nAgain."))
			r.cfg.Client = rest
			_, err = Run(t.Context(), r.cfg, id)
			require.NoError(t, err)
			require.Contains(t, rest.requests[0][0].Content, "phase research")
		}
	}
}

func TestV01CancelInAPhase(t *testing.T) { // W-14
	r := newRig(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r.cfg.Workflow = WorkflowRPI
	r.events.on = func(e Event) {
		if p, ok := e.Params.(PhaseStarted); ok && p.Phase == phases.Planning {
			cancel()
		}
	}
	_, err := r.runCtx(ctx, play(says("Notes.")), "Do it.")
	require.Equal(t, runerr.CodeUserCanceled, code(err))
	st, err := phases.Load(phases.Dir(r.wb.Dir()))
	require.NoError(t, err)
	require.Equal(t, phases.Planning, st.Phase())
}

// An answer that broke off inside an item was shown to nobody, so it is asked
// for again; when it breaks off again, the run ends and the item stays open.
func TestV01BrokenAnswerOfAnItem(t *testing.T) {
	cut := func(_ context.Context, onDelta func(string)) (llm.ChatResponse, error) {
		onDelta("I wr")
		return llm.ChatResponse{Content: "I wr"}, &llm.Error{Kind: llm.KindNetwork, Message: "cut", Emitted: true}
	}
	r := newRig(t, nil)
	r.cfg.Workflow = WorkflowRPI
	res, err := r.run(play(says("Notes."), says("- [ ] 1. One — first"), cut, says("Done."), says("It is done.")), "Do it.")
	require.NoError(t, err)
	require.Equal(t, "It is done.", res.Text)
	require.Equal(t, []string{"It ", "is ", "done."}, deltas(r), "only the summary is streamed")

	_, err = r.run(play(says("Notes."), says("- [ ] 1. One — first"), cut), "Do it again.")
	require.Equal(t, runerr.CodeNetwork, code(err))
	st, lerr := phases.Load(phases.Dir(r.wb.Dir()))
	require.NoError(t, lerr)
	require.Equal(t, phases.Todo, st.Plan().Items[0].Mark)
}

func deltas(r *rig) []string {
	var out []string
	for _, d := range params[StreamDelta](r.events) {
		out = append(out, d.TokenDelta)
	}
	return out
}

func TestV01PlanModeHasNoPhases(t *testing.T) {
	r := newRig(t, nil)
	r.cfg.Mode = func(context.Context) (string, error) { return tools.ModePlan, nil }
	r.cfg.Workflow = WorkflowRPI
	_, err := r.run(play(says("x")), "Do it.")
	require.Equal(t, runerr.CodeValidation, code(err))
	require.ErrorContains(t, err, "plan mode")
	r.cfg.Workflow = WorkflowAuto
	m := play(says("x"))
	_, err = r.run(m, "Do it.")
	require.NoError(t, err)
	for _, tool := range m.tools {
		require.NotEqual(t, "work_in_phases", tool.Function.Name)
	}
	r.cfg.Workflow = "waterfall"
	_, err = r.run(play(says("x")), "Do it.")
	require.Equal(t, runerr.CodeValidation, code(err))
}

func TestV01Markers(t *testing.T) {
	for said, want := range map[string]string{
		"ANSWER\nIt is 42.": "It is 42.", "**ANSWER**\n\n42": "42", "## ANSWER:\n42": "42", "**ANSWER:** 42": "42", "ANSWER: 42": "42",
		"The ANSWER\nis": "", "ANSWERS\nx": "", "ANSWER\n": "", "Answer me": "",
	} {
		got, _ := outright(said)
		require.Equal(t, want, got, said)
	}
	for said, want := range map[string]string{"FAILED: no file\nmore": "no file", "**FAILED:** **no**": "no", "FAILED:": "no reason was given", "It has not FAILED: all well": "", "Failed tests are listed": ""} {
		require.Equal(t, want, failure(said), said)
	}
	for text, want := range map[string]bool{"What is it?": true, "这是什么？": true, "Is it? Tell me.": true, "Make it so.": false, "Add ?x=1 to the link": false, "": false} {
		require.Equal(t, want, asksSomething(text), text)
	}
}

// Call ids differ over the whole run, though a phase does not see those of the
// others: clients tell calls apart by them.
func TestV01CallIDsDifferBetweenPhases(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "one", "b.txt": "two"})
	r.cfg.Workflow = WorkflowAuto
	res, err := r.run(pseudo.New(), "Translate everything to German, step by step")
	require.NoError(t, err)
	require.Equal(t, WorkflowRPI, res.Workflow)
	seen := map[string]bool{}
	for _, e := range params[ToolExecuting](r.events) {
		require.False(t, seen[e.ToolCallID], e.ToolCallID)
		seen[e.ToolCallID] = true
	}
	require.Len(t, seen, 6)
}

// The process dies after the summary was stored and before that was noted: the
// answer is not given twice.
func TestV01SummaryIsGivenOnce(t *testing.T) {
	r := newRig(t, nil)
	id := r.say("Do it.")
	st, err := phases.Open(phases.Dir(r.wb.Dir()), id)
	require.NoError(t, err)
	require.NoError(t, st.SetResearch("x"))
	require.NoError(t, st.SetPlan([]phases.Item{{Label: "One", Mark: phases.Done}}))
	require.NoError(t, st.EndImplement())
	require.NoError(t, r.wb.Conversation().Append(workshop.Record{Type: workshop.TypeAssistant, MessageID: "a-x", Role: "assistant", Text: "All done."}))
	m := play(says("Twice."))
	r.cfg.Client, r.cfg.Workflow = m, WorkflowRPI
	res, err := Run(t.Context(), r.cfg, id)
	require.NoError(t, err)
	require.Equal(t, "a-x", res.MessageID)
	require.Empty(t, m.requests)
	require.Len(t, r.records(), 2)
}
