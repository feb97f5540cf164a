package workshop

import (
	"context"
	"io"
)

// EventReject is the event_kind of the system_event that rejected changes leave in the
// conversation: path is in its metadata, and its text tells the model.
const EventReject = "reject"

// RejectMark begins the text of that event, which a model gets in the place of a message
// of the user.
const RejectMark = "[The user rejected "

// StepPaths returns the files that a step changed, of many the first 100.
func (r Record) StepPaths() (out []string) {
	switch list := r.Metadata["paths"].(type) {
	case []string:
		return list
	case []any:
		for _, p := range list {
			if s, ok := p.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	return []string{r.StepPath()}
}

// StepPath returns the file that a step changed, of several the first.
func (r Record) StepPath() string {
	if p, ok := r.Metadata["path"].(string); ok {
		return p
	}
	return r.Text
}

// Rejection is changes of one file of the draft that are taken back.
type Rejection struct {
	Path Path
	Hash string                // of the file in the draft; another one is a Conflict
	Text string                // tells the model what was taken back
	Meta map[string]any        // of the record, beside the path
	To   func(io.Writer) error // writes the file without the changes
	// Calculated is asked after To: whether Atelier calculated values for it. May be nil.
	Calculated func() bool
}

// Rejected is what Reject did.
type Rejected struct {
	Entry     Entry  // the file in the draft
	Dropped   bool   // the file is the published one again, and no longer in the draft
	MessageID string // UndoBefore takes the step back
}

// Reject replaces a file of the draft by one without some of its changes, as one step
// that can be undone.
func (wb *Workbench) Reject(ctx context.Context, c Cause, rj Rejection) (Rejected, error) {
	if wb.readOnly {
		return Rejected{}, readOnlyWorkbench()
	}
	res, err := wb.reject(ctx, c, rj)
	if err == nil {
		wb.emit(Event{Kind: "draft"})
	}
	return res, err
}

func (wb *Workbench) reject(ctx context.Context, c Cause, rj Rejection) (Rejected, error) {
	hash, size, err := wb.objects.put(ctx, wb.limits.FileBytes, rj.To)
	if err != nil {
		return Rejected{}, err
	}
	if err := wb.lockWrite(ctx); err != nil {
		return Rejected{}, err
	}
	defer wb.writeMu.Unlock()
	view := draftView{wb: wb, cause: c, under: published{wb}}
	old, ok := view.overlay(rj.Path)
	if !ok || old.kind != rowFile {
		return Rejected{}, Faultf(NotFound, "the draft does not change %s", rj.Path).OnField("path")
	}
	if old.hash != rj.Hash {
		return Rejected{}, Faultf(Conflict, "%s has changed since it was reviewed; review it again", rj.Path).OnField("path")
	}
	r := old
	r.hash, r.size, r.modified = hash, size, wb.now().UTC()
	if r.identity, err = view.identityOf(ctx, rj.Path, PutOptions{JSON: old.identity.JSON}); err != nil {
		return Rejected{}, err
	}
	if err := wb.markRejected(ctx, rj, old.hash, hash); err != nil {
		return Rejected{}, err
	}
	res := Rejected{Dropped: hash == old.baseHash, MessageID: wb.conv.NewMessageID("s-")}
	meta := map[string]any{"path": string(rj.Path)}
	for k, v := range rj.Meta {
		meta[k] = v
	}
	c.MessageID = res.MessageID
	step := Record{MessageID: res.MessageID, EventKind: EventReject, Text: rj.Text, Metadata: meta}
	err = wb.takeStep(step, "rejected", func() error {
		if res.Dropped {
			return wb.dropFromDraft(ctx, []Path{rj.Path}, c.Tool)
		}
		return wb.commitRows(ctx, c, map[Path]row{rj.Path: r})
	})
	if err != nil {
		return res, err
	}
	if !res.Dropped {
		res.Entry = wb.entryOf(rj.Path, r)
	}
	return res, nil
}

// markRejected marks the new content where it has values that Atelier calculated.
func (wb *Workbench) markRejected(ctx context.Context, rj Rejection, was, now string) error {
	marked := rj.Calculated != nil && rj.Calculated()
	if !marked {
		var err error
		if marked, err = wb.isCalculated(ctx, was); err != nil {
			return err
		}
	}
	if !marked {
		return nil
	}
	return wb.markCalculated(ctx, now)
}
