package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"atelier/workshop"
	"atelier/workshop/approvals"
	"atelier/workshop/secrets"
	"atelier/workshop/tools"
)

// GuestFolder returns the workbench of a folder, and makes one where the folder has none.
// It works while another process has the workbench open.
func (e *Engine) GuestFolder(ctx context.Context, dir string) (id string, err error) {
	i, found, err := e.home.FindFolder(ctx, dir)
	if err == nil && !found {
		var wb *workshop.Workbench
		if wb, err = e.OpenFolder(ctx, dir); err == nil {
			return wb.ID(), nil
		}
	}
	if err != nil {
		return "", toErrorInfo(ctx, err)
	}
	return i.ID, nil
}

// DraftDigest names the state of some files of a draft, so that what a person agrees to
// is what is published: empty paths are the whole draft, "" is no change.
func (e *Engine) DraftDigest(ctx context.Context, workbench string, paths []string) (string, error) {
	ctx, end := e.begin(ctx)
	defer end()
	wb, done, err := e.reader(ctx, workbench)
	if err != nil {
		return "", toErrorInfo(ctx, err)
	}
	defer done()
	digest, err := draftDigest(ctx, wb.Workbench, paths)
	if err != nil {
		return "", toErrorInfo(ctx, err)
	}
	return digest, nil
}

func draftDigest(ctx context.Context, wb *workshop.Workbench, paths []string) (string, error) {
	if _, err := parsePaths(paths); err != nil {
		return "", err
	}
	changes, err := wb.Changes(ctx)
	if err != nil {
		return "", err
	}
	var of []workshop.Change
	for _, c := range changes {
		if Within(string(c.Path), string(c.From), paths) {
			of = append(of, c)
		}
	}
	if len(of) == 0 {
		return "", nil
	}
	b, err := json.Marshal(of)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16]), nil
}

// DraftHashes returns the contents of the files that the draft changes, by path.
func (e *Engine) DraftHashes(ctx context.Context, workbench string) (map[string]string, error) {
	ctx, end := e.begin(ctx)
	defer end()
	wb, done, err := e.reader(ctx, workbench)
	if err != nil {
		return nil, toErrorInfo(ctx, err)
	}
	defer done()
	changes, err := wb.Changes(ctx)
	if err != nil {
		return nil, toErrorInfo(ctx, err)
	}
	out := make(map[string]string, len(changes))
	for _, c := range changes {
		out[string(c.Path)] = c.NewHash
	}
	return out, nil
}

// Within reports whether a change is of one of the paths or below one; from is where a
// renamed file was. Without paths, each change is.
func Within(path, from string, paths []string) bool {
	for _, p := range paths {
		p = strings.Trim(p, "/")
		if path == p || from == p && from != "" || p == "" || strings.HasPrefix(path, p+"/") {
			return true
		}
	}
	return len(paths) == 0
}

// GuestPublish publishes for another program what its person agreed to: the state of the
// draft that digest names. No program changes the draft meanwhile.
func (e *Engine) GuestPublish(ctx context.Context, workbench string, paths []string, digest string) (DraftPublishResult, error) {
	return guestDraft(ctx, e, workbench, paths, digest, func(ctx context.Context) (DraftPublishResult, error) {
		return e.draftPublish(ctx, DraftPublishParams{WorkbenchID: workbench, Paths: paths})
	})
}

// GuestDiscard is GuestPublish for discarding.
func (e *Engine) GuestDiscard(ctx context.Context, workbench string, paths []string, digest string) error {
	_, err := guestDraft(ctx, e, workbench, paths, digest, func(ctx context.Context) (DraftDiscardResult, error) {
		return e.draftDiscard(ctx, DraftDiscardParams{WorkbenchID: workbench, Paths: paths})
	})
	return err
}

// GuestUndo takes back the last change that another program made to the draft.
func (e *Engine) GuestUndo(ctx context.Context, workbench string) (UndoResult, error) {
	return guestDraft(ctx, e, workbench, nil, "", func(ctx context.Context) (UndoResult, error) {
		wb, err := e.workbench(ctx, workbench)
		if err != nil {
			return UndoResult{}, err
		}
		last, err := wb.LastGuestStep(ctx)
		if err != nil {
			return UndoResult{}, err
		}
		return e.undoToMessage(ctx, UndoParams{WorkbenchID: workbench, MessageID: last.MessageID, Before: true})
	})
}

// guestDraft runs do while no other program changes the draft, if the draft still is what
// digest names; "" is any.
func guestDraft[R any](ctx context.Context, e *Engine, workbench string, paths []string, digest string, do func(context.Context) (R, error)) (r R, err error) {
	ctx, end := e.begin(e.withPasswords(ctx, workbench))
	defer end()
	wb, err := e.workbench(ctx, workbench)
	if err != nil {
		return r, toErrorInfo(ctx, err)
	}
	leave, err := wb.enterStep(ctx)
	if err != nil {
		return r, toErrorInfo(ctx, err)
	}
	defer leave()
	if digest != "" {
		now, err := draftDigest(ctx, wb.Workbench, paths)
		if err != nil {
			return r, toErrorInfo(ctx, err)
		}
		if now != digest {
			f := workshop.Faultf(workshop.Conflict, "the draft changed after the user was asked; nothing was done")
			f.Hint = "review it and ask again"
			return r, encodeFault(f)
		}
	}
	if r, err = do(ctx); err != nil {
		return r, toErrorInfo(ctx, err)
	}
	return r, nil
}

// GuestRead checks whether another program may get content of a file of the draft, by the
// rules of the person and the list of secret files: tool names what it is got for.
func (e *Engine) GuestRead(ctx context.Context, workbench, tool, path string, asker tools.Asker) error {
	ctx, end := e.begin(ctx)
	defer end()
	wb, done, err := e.reader(ctx, workbench)
	if err != nil {
		return toErrorInfo(ctx, err)
	}
	defer done()
	p, err := workshop.ParseStrict(path)
	if err != nil {
		return toErrorInfo(ctx, err)
	}
	unlocked, err := wb.approvals.Unlocks(ctx, tool)
	if err != nil {
		return toErrorInfo(ctx, err)
	}
	guard, err := secrets.Load(ctx, wb.Workbench, unlocked)
	if err == nil {
		err = guard.Check(p)
	}
	if err != nil {
		return toErrorInfo(ctx, err)
	}
	c := approvals.Call{Tool: tool}
	if asker != nil {
		c.Ask = (&guest{call: GuestCall{Asker: asker}}).ask
	}
	gate, err := approvals.NewRun(wb.approvals, e.opt.Now).Gate(ctx, c)
	if err != nil {
		return toErrorInfo(ctx, err)
	}
	if gate == nil {
		return nil
	}
	if err = gate.Read(p); err == nil {
		err = gate.Done(ctx)
	}
	if err != nil {
		return toErrorInfo(ctx, err)
	}
	return nil
}
