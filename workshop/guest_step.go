package workshop

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"atelier/internal/textclip"
)

// EventGuest is the event_kind of the system_event that a change by another program
// leaves in the conversation. Its metadata has path, paths, tool and client.
const EventGuest = "guest"

// GuestMark begins the text of that event, which a model gets in the place of a message
// of the user.
const GuestMark = "[Another program changed "

// GuestAuthor is the author of the changes that another program makes.
const GuestAuthor = "guest"

// GuestStep is one tool call of another program that may change the draft. BeginGuestStep
// makes it, End or Drop ends it.
type GuestStep struct {
	wb *Workbench
	id string
}

// BeginGuestStep notes the files as they are before a call of another program.
func (wb *Workbench) BeginGuestStep(ctx context.Context) (*GuestStep, error) {
	s := &GuestStep{wb: wb, id: wb.conv.NewMessageID("s-")}
	return s, wb.MarkBefore(ctx, s.id)
}

// ID names the step in the conversation; UndoBefore takes it back.
func (s *GuestStep) ID() string { return s.id }

// End stores the step: the files that the call changed, with which tool, and how the
// program calls itself.
func (s *GuestStep) End(changed []Path, tool, client string) error {
	names := namesOf(changed)
	meta := map[string]any{"path": names[0], "tool": tool, "client": client}
	if len(names) > 1 {
		meta["paths"] = names[:min(len(names), stepPaths)]
	}
	return s.wb.conv.Append(Record{Type: TypeSystem, MessageID: s.id, EventKind: EventGuest, Text: guestText(names), Metadata: meta})
}

// Drop forgets a step that changed nothing.
func (s *GuestStep) Drop(ctx context.Context) error {
	return inTx(context.WithoutCancel(ctx), s.wb.db, func(tx *sql.Tx) error {
		_, err := tx.Exec(`DELETE FROM marks WHERE message_id=?`, beforeMark+s.id)
		return err
	})
}

// stepPaths is how many files the record of a step names.
const stepPaths = 100

func namesOf(paths []Path) []string {
	names := make([]string, len(paths))
	for i, p := range paths {
		names[i] = string(p)
	}
	return names
}

// guestText is what a model is told.
func guestText(names []string) string {
	return GuestMark + fewNames(names) + " in the draft.]"
}

// fewNames names some files for a model.
func fewNames(names []string) string {
	const most = 5
	shown := slices.Clone(names[:min(len(names), most)])
	for i, n := range shown {
		shown[i] = textclip.Head(n, 200)
	}
	list := strings.Join(shown, ", ")
	if more := len(names) - most; more > 0 {
		list += fmt.Sprintf(" and %d more files", more)
	}
	return list
}

// LastGuestStep returns the last step of the conversation if another program made it,
// and no publish came after it: a fault says why the program cannot take anything back.
func (wb *Workbench) LastGuestStep(ctx context.Context) (Record, error) {
	records, err := wb.conv.Records()
	if err != nil {
		return Record{}, err
	}
	for _, r := range slices.Backward(records) {
		switch {
		case r.Type == TypeSystem && r.EventKind == EventGuest:
			return r, wb.unpublished(ctx, r.MessageID)
		case r.Type == TypeUser, r.IsStep():
			return Record{}, Faultf(Conflict, "the last step is not one of these tools: the user took it, and only the user can undo it")
		}
	}
	return Record{}, Faultf(NotFound, "there is no change of these tools to take back")
}

// unpublished returns a fault if the person changed the published files since a step began.
// What an undo keeps is in a checkpoint too, and changes them only where a publish is undone.
func (wb *Workbench) unpublished(ctx context.Context, messageID string) error {
	then, ok, err := wb.momentBefore(ctx, messageID)
	if err != nil {
		return err
	}
	later := 0
	if ok {
		err = wb.db.QueryRowContext(ctx, `SELECT count(*) FROM checkpoints WHERE rowid>? AND reason NOT IN (?,?)`, then.checkpoint, ReasonUndo, ReasonManual).Scan(&later)
	}
	if err != nil {
		return storageFault(err)
	}
	if ok && later == 0 {
		return nil
	}
	return Faultf(Conflict, "the last change was published since; only the user can undo what is published")
}
