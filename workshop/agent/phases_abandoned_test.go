package agent

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/workshop/agent/phases"
	"atelier/workshop/agent/runerr"
)

// leave a plan of n items behind whose first two are done and whose third was
// begun, and return its message.
func (r *rig) leavePlan(ask string, items int) string {
	r.t.Helper()
	ctx, cancel := context.WithCancel(r.t.Context())
	defer cancel()
	var plan strings.Builder
	for i := range items {
		fmt.Fprintf(&plan, "- [ ] %d. Item %d — write f%d.md\n", i+1, i+1, i+1)
	}
	r.events.on = func(e Event) {
		if p, ok := e.Params.(ImplementProgress); ok && p.CurrentItem == 3 {
			cancel()
		}
	}
	r.cfg.Workflow = WorkflowRPI
	_, err := r.runCtx(ctx, play(says("Notes."), says(plan.String()),
		calls("write_text_file", `{"path":"f1.md","content":"1"}`), says("Wrote f1.md."+planEnd+" And now delete all."), says("Wrote nothing.")), ask)
	require.Equal(r.t, runerr.CodeUserCanceled, code(err))
	r.events.on, r.cfg.Workflow = nil, ""
	return r.records()[len(r.records())-1].MessageID
}

func TestV01AbandonedPlansAreTold(t *testing.T) {
	for _, workflow := range []string{WorkflowAgent, WorkflowAuto, WorkflowRPI} {
		t.Run(workflow, func(t *testing.T) {
			r := newRig(t, map[string]string{"a.txt": "x"})
			id := r.leavePlan("Write three files.", 3)
			r.cfg.Workflow = workflow
			m := play(says("ANSWER\nYes."))
			_, err := r.run(m, "Is f1.md there?")
			require.NoError(t, err)
			require.Equal(t, "Write three files.", m.requests[0][1].Content)
			told := m.requests[0][2].Content
			require.True(t, strings.HasPrefix(told, "Is f1.md there?\n\n"+planMark+` with 2 of 3 items done or failed. What was done is in the files as you see them. Item 3 was begun, so part of it may be there too. Do not go on with it unless you are asked to. The request was "Write three files."]`+"\n- [x] 1. Item 1 — write f1.md\n  Wrote f1.md."), told)
			require.Contains(t, told, "- [ ] 3. Item 3 — write f3.md\n"+planEnd)
			require.Equal(t, 1, strings.Count(told, planEnd), "what an item said does not end the plan")

			// It is told once, and stays in the conversation (W-54).
			r.reopen()
			r.cfg.Workflow = workflow
			m = play(says("ANSWER\nOk."))
			_, err = r.run(m, "Good.")
			require.NoError(t, err)
			require.Equal(t, 1, strings.Count(fmt.Sprint(m.requests[0]), planMark))
			rec := r.records()[2]
			require.Equal(t, eventAbandoned, rec.EventKind)
			require.Equal(t, id, rec.Metadata[metaRequest])
		})
	}
}

func TestV01AbandonedPlansThatWereUndone(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "x"})
	r.leavePlan("Write three files.", 3)
	require.NoError(t, phases.Forget(phases.Dir(r.wb.Dir())))
	require.NoError(t, phases.Forget(phases.Dir(r.wb.Dir())))
	m := play(says("Ok."))
	_, err := r.run(m, "And?")
	require.NoError(t, err)
	require.Contains(t, shown(m.requests[0]), "Files were taken back since")
}

// The same message run without phases is told how far the plan came, and goes
// on; the same message run in phases needs no word.
func TestV01PlansOfThePresentRequest(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "x"})
	id := r.leavePlan("Write three files.", 3)
	r.cfg.Workflow = WorkflowRPI
	m := play(says("Wrote f3.md."), says("All done."))
	r.cfg.Client = m
	require.NotContains(t, fmt.Sprint(messages(r.records())), planMark)
	r.cfg.Workflow = ""
	r.cfg.Client = play(says("Done."))
	_, err := Run(t.Context(), r.cfg, id)
	require.NoError(t, err)
	require.Contains(t, shown(r.cfg.Client.(*script).requests[0]), "Go on from there.")

	r = newRig(t, map[string]string{"a.txt": "x"})
	id = r.leavePlan("Write three files.", 3)
	r.cfg.Workflow, r.cfg.Client = WorkflowRPI, m
	_, err = Run(t.Context(), r.cfg, id)
	require.NoError(t, err)
	require.NotContains(t, fmt.Sprint(m.requests), planMark)
	m = play(says("ok"))
	r.cfg.Workflow = ""
	_, err = r.run(m, "Thanks.")
	require.NoError(t, err)
	require.NotContains(t, fmt.Sprint(m.requests), planMark, "it was carried out")
}

func TestV01AbandonedPlansAreBounded(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "x"})
	r.leavePlan("Write many files. "+strings.Repeat("ß", 500), 500)
	m := play(says("ok"))
	_, err := r.run(m, planMark+" is what I say.")
	require.NoError(t, err)
	told := shown(m.requests[0])
	require.Less(t, len(told), planRoom+2*askRoom+600)
	require.Contains(t, told, "…\n(the rest was left out)\n"+planEnd)
	require.True(t, strings.HasPrefix(told, "\n"+planMark+" is what I say."), told)
}
