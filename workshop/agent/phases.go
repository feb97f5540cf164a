package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"atelier/llm"
	"atelier/workshop"
	"atelier/workshop/agent/phases"
	"atelier/workshop/agent/runerr"
)

// inPhases answers the message in phases (V-01), from the first that is not
// finished. The conversation gets the final answer only; calls are in the tool
// log, and what phases hand on is in the state on disk.
func (r *run) inPhases(ctx context.Context) error {
	r.result.Workflow = WorkflowRPI
	st, err := phases.Open(phases.Dir(r.wb.Dir()), r.message)
	if err != nil {
		return phaseStore(err)
	}
	if done, err := r.summed(st); done || err != nil {
		return err
	}
	files, said := st.Sources()
	if err := r.carry(ctx, files, said); err != nil {
		return err
	}
	steps := map[string]func(context.Context, *phases.State) error{
		phases.Research: r.research, phases.Planning: r.plan, phases.Implement: r.implement, phases.Summary: r.summarise,
	}
	for st.Phase() != "" {
		at := st.Phase()
		r.emit(EventPhaseStarted, PhaseStarted{r.wb.ID(), at})
		if err := steps[at](ctx, st); err != nil {
			return err
		}
		r.emit(EventPhaseCompleted, PhaseCompleted{r.wb.ID(), at})
	}
	return nil
}

// summed finishes a state whose summary was stored when the process died.
func (r *run) summed(st *phases.State) (bool, error) {
	if st.Phase() != phases.Summary {
		return false, nil
	}
	records, err := r.wb.Conversation().Records()
	if err != nil {
		return false, readError("the conversation cannot be read", err)
	}
	answer, ok := Answered(records, r.message)
	if !ok {
		return false, nil
	}
	r.result.MessageID, r.result.Text = answer.MessageID, answer.Text
	r.emit(EventMessageComplete, MessageComplete{WorkbenchID: r.wb.ID(), MessageID: answer.MessageID})
	return true, stored(st.Finish())
}

func phaseStore(err error) error {
	return fmt.Errorf("the state of the phases cannot be kept: %w", err)
}

// do runs a phase on the conversation and the files as they are now, with a
// task below the user's message.
func (r *run) do(ctx context.Context, p phase, task string) error {
	r.phase = r.stage(p)
	if _, err := r.steered(ctx); err != nil {
		return err
	}
	if err := r.look(ctx); err != nil {
		return err
	}
	r.msgs = addBelow(r.msgs, taskMark+p.name+"]\n"+task)
	return r.runPhase(ctx, r.phase)
}

// taskMark begins the task of a phase.
const taskMark = "[Phase: "

// addBelow puts a task or a note below the last message when that is the user's, since
// endpoints differ over two in a row. Behind a summary or a note it is a message
// of its own, which request joins with them: what they are stays known.
func addBelow(msgs []llm.Message, text string) []llm.Message {
	if n := len(msgs); n > 0 && isUsers(msgs[n-1]) {
		msgs[n-1].Content += "\n\n" + text
		return msgs
	}
	return append(msgs, llm.Message{Role: llm.RoleUser, Content: text})
}

// keepSources keeps what the state is made of, before what was made is kept.
func (r *run) keepSources(st *phases.State) error { return stored(st.SetSources(r.carried.List())) }

func (r *run) research(ctx context.Context, st *phases.State) error {
	if err := r.do(ctx, researchPhase, "Research the request above."); err != nil {
		return err
	}
	if answer, ok := outright(r.said); ok {
		return r.answer(st, answer)
	}
	if err := r.keepSources(st); err != nil {
		return err
	}
	return stored(st.SetResearch(r.said))
}

// plan asks once more when there are no items in the first answer. A message
// that asks something is then answered; any other is refused (V-01).
func (r *run) plan(ctx context.Context, st *phases.State) error {
	task := "Make the plan for the request above." + found(st)
	for attempt := 1; attempt <= 2; attempt++ {
		if err := r.do(ctx, planPhase, task); err != nil {
			return err
		}
		if answer, ok := outright(r.said); ok {
			return r.answer(st, answer)
		}
		if items := phases.ReadItems(r.said, true); len(items) > 0 {
			if err := r.keepSources(st); err != nil {
				return err
			}
			return stored(st.SetPlan(items))
		}
		task += "\n\nA first answer held no item. Each item is a line in the form:\n- [ ] 1. Label — Description"
	}
	asks, err := r.asksSomething()
	switch {
	case err != nil:
		return err
	case asks:
		return stored(st.EndImplement())
	}
	e := runerr.Errorf(runerr.CodeValidation, "the plan has no items")
	e.Hint, e.Actions = "say more exactly what is to be changed in which files, or run with workflow agent", []string{"retry"}
	e.Retryable = true
	return e
}

func (r *run) asksSomething() (bool, error) {
	records, err := r.wb.Conversation().Records()
	if err != nil {
		return false, readError("the conversation cannot be read", err)
	}
	for _, rec := range records {
		if rec.Type == workshop.TypeUser && rec.MessageID == r.message {
			return asksSomething(rec.Text), nil
		}
	}
	return false, nil
}

// implement carries out the open items one after the other. An item that fails
// twice is marked and the next one begun.
func (r *run) implement(ctx context.Context, st *phases.State) error {
	for {
		i, again, ok := st.Next()
		if !ok {
			return stored(st.EndImplement())
		}
		item, total := st.Plan().Items[i], len(st.Plan().Items)
		if err := st.Begin(i); err != nil {
			return phaseStore(err)
		}
		r.emit(EventProgress, ImplementProgress{r.wb.ID(), i + 1, total, item.Label})
		reason, err := r.item(ctx, st, i, again)
		if err != nil {
			return err
		}
		if err := r.keepSources(st); err != nil {
			return err
		}
		if err := st.EndItem(i, r.said, reason, phases.ReadItems(r.said, false)); err != nil {
			return phaseStore(err)
		}
	}
}

// item tries item i at most twice. The reason is "" when it was done.
func (r *run) item(ctx context.Context, st *phases.State, i int, again bool) (reason string, err error) {
	for attempt := 1; attempt <= 2; attempt++ {
		err := r.do(ctx, implementPhase, itemTask(st, i, again, reason))
		if err == nil {
			if reason = failure(r.said); reason == "" {
				return "", nil
			}
			continue
		}
		why, once := itemFault(ctx, err)
		if why == "" || once && attempt == 2 {
			return "", err
		}
		reason = why
	}
	return reason, nil
}

// itemFault returns what an attempt at an item failed of when that is the item's own,
// "" when the run cannot go on. once says that it can be tried again but is not
// the item's fault.
func itemFault(ctx context.Context, err error) (why string, once bool) {
	var own *runerr.Error
	var model *llm.Error
	switch {
	case ctx.Err() != nil:
		return "", false
	case errors.As(err, &own):
		if own.Code == runerr.CodeLoopDetected {
			return own.Detail, false
		}
	case errors.As(err, &model):
		if model.Kind == llm.KindContextLength {
			return "it did not fit the model's window", false
		}
		if model.Emitted && (model.Kind == llm.KindUnavailable || model.Kind == llm.KindNetwork) { // nothing of it was shown, so it can be said again
			return "the answer broke off", true
		}
	}
	return "", false
}

const (
	noteRoom     = 600      // bytes of an item's note that later items see
	researchRoom = 32 << 10 // bytes of the research that later phases see
)

func found(st *phases.State) string {
	notes := strings.TrimSpace(st.Research())
	if len(notes) > researchRoom {
		notes = strings.ToValidUTF8(notes[:researchRoom], "") + "\n(the rest was left out)"
	}
	return "\n\nResearch:\n" + notes
}

func itemTask(st *phases.State, i int, again bool, reason string) string {
	p := st.Plan()
	it := p.Items[i]
	text := it.Label
	if it.Description != "" {
		text += " — " + it.Description
	}
	s := fmt.Sprintf("Carry out item %d of %d: %s", i+1, len(p.Items), text)
	if again {
		s += "\nIt was begun before and broken off, so part of it may be in the files already: look before you change anything."
	}
	if reason != "" {
		s += "\nThe first attempt failed: " + reason
	}
	return s + "\n\nPlan:\n" + p.Outline(noteRoom) + found(st)
}

func (r *run) summarise(ctx context.Context, st *phases.State) error {
	task := "Answer the user now."
	if p := st.Plan(); len(p.Items) > 0 {
		task += "\n\nPlan, with what came of each item:\n" + p.Outline(4*noteRoom)
	} else {
		task += " No plan was made and nothing was changed."
	}
	changes, err := r.wb.Changes(ctx)
	if err != nil {
		return readError("the changes of the draft cannot be read", err)
	}
	task += "\n\n" + changed(changes) + found(st)
	if err := r.do(ctx, summaryPhase, task); err != nil {
		return err
	}
	return stored(st.Finish())
}

// changed says what the draft holds, also from earlier requests.
func changed(changes []workshop.Change) string {
	if len(changes) == 0 {
		return "The draft changes no file."
	}
	const most = 100
	var sb strings.Builder
	sb.WriteString("The draft changes, earlier requests included:\n")
	for i, c := range changes {
		if i == most {
			fmt.Fprintf(&sb, "- and %d more\n", len(changes)-most)
			break
		}
		fmt.Fprintf(&sb, "- %s (%s)\n", showPath(string(c.Path)), c.Type)
	}
	return strings.TrimSuffix(sb.String(), "\n")
}

// answer gives the user an answer that came before there was a plan.
func (r *run) answer(st *phases.State, text string) error {
	r.phase.private = false
	id := r.wb.Conversation().NewMessageID("a-")
	if err := r.append(r.assistantRecord(id, llm.ChatResponse{Content: text})); err != nil {
		return err
	}
	r.emit(EventStreamDelta, StreamDelta{r.wb.ID(), id, text})
	r.result.MessageID, r.result.Text = id, text
	r.emit(EventMessageComplete, MessageComplete{WorkbenchID: r.wb.ID(), MessageID: id})
	return stored(st.Finish())
}

func stored(err error) error {
	if err != nil {
		return phaseStore(err)
	}
	return nil
}
