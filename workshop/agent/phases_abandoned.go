package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/internal/textclip"
	"atelier/workshop"
	"atelier/workshop/agent/phases"
)

// eventAbandoned is the event_kind of a record that tells the model of a plan
// which another run came after before it was carried out; its metadata member
// metaRequest names the message that was planned for.
const eventAbandoned = "plan_abandoned"

// The frame of what is told of a plan, and the bounds of it in bytes.
const (
	planMark = "[The plan of a request that was broken off"
	planEnd  = "[End of the plan.]"
	planRoom = 8 << 10
	askRoom  = 400
)

// Abandoned reports whether what is left of the plan for a message is past: the
// message is in the conversation, and was not answered in another way.
func Abandoned(records []workshop.Record, messageID string) bool {
	_, answered := Answered(records, messageID)
	return !answered && slices.ContainsFunc(records, func(r workshop.Record) bool {
		return r.Type == workshop.TypeUser && r.MessageID == messageID
	})
}

// noteAbandoned tells the model of a plan that a run left, unless this run goes
// on with it: the phases kept their work out of the conversation, so that
// nothing else says what is in the draft.
func (r *run) noteAbandoned(ctx context.Context) error {
	st, err := phases.Load(phases.Dir(r.wb.Dir()))
	if err != nil {
		return readError("the state of the phases cannot be read", err)
	}
	id, undone, ok := st.Left()
	if !ok || id == r.message && r.cfg.Workflow != WorkflowAgent && r.cfg.Workflow != "" {
		return nil // none, or it is gone on with, or planned anew
	}
	records, err := r.wb.Conversation().Records()
	if err != nil {
		return readError("the conversation cannot be read", err)
	}
	told := slices.ContainsFunc(records, func(rec workshop.Record) bool {
		return rec.EventKind == eventAbandoned && rec.Metadata[metaRequest] == id
	})
	if told || !Abandoned(records, id) {
		return nil
	}
	files, said := st.Sources()
	if err := r.carry(ctx, files, said); err != nil {
		return err
	}
	return r.append(workshop.Record{Type: workshop.TypeSystem, EventKind: eventAbandoned, MessageID: r.wb.Conversation().NewMessageID("s-"),
		CreatedAt: r.cfg.Now().UTC(), Text: planNote(st, asked(records, id), id == r.message, undone),
		Metadata: map[string]any{metaRequest: id, "items": len(st.Plan().Items), "items_done": st.Plan().Done(), "undone": undone}})
}

func asked(records []workshop.Record, id string) string {
	i := slices.IndexFunc(records, func(r workshop.Record) bool { return r.MessageID == id })
	text := strings.Join(strings.Fields(records[i].Text), " ")
	return textclip.HeadBytes(text, askRoom)
}

// planNote returns what the model is told. present: the request is the one that is
// answered now.
func planNote(st *phases.State, request string, present, undone bool) string {
	p := st.Plan()
	plan := p.Outline(noteRoom)
	if short := textclip.Bytes(plan, planRoom); short != plan {
		plan = short + "…\n(the rest was left out)"
	}
	plan = strings.ReplaceAll(plan, planEnd, "(End of the plan.)")
	files := "What was done is in the files as you see them."
	if undone {
		files = "Files were taken back since, so what is marked as done may be done no longer: look before you rely on it."
	}
	then := "Do not go on with it unless you are asked to."
	if present {
		then = "Go on from there."
	}
	if i, again, ok := st.Next(); ok && again {
		files += fmt.Sprintf(" Item %d was begun, so part of it may be there too.", i+1)
	}
	return fmt.Sprintf("%s with %d of %d items done or failed. %s %s The request was %q]\n%s\n%s",
		planMark, p.Done(), len(p.Items), files, then, request, plan, planEnd)
}
