package workshop

import (
	"context"
)

// Rearranger is a view that moves, copies and removes whole folders as one
// change. Views of drafts are Rearrangers, and so is what Intercept makes of them.
type Rearranger interface {
	// Rearrange makes an edit of kind EditMove, EditCopy or EditRemove: of a file,
	// or of a folder with everything in it, wholly or not at all.
	Rearrange(ctx context.Context, e Edit) error
}

// Rearrange makes an edit in a view as one change. It fails if the view is no
// Rearranger.
func Rearrange(ctx context.Context, v View, e Edit) error {
	r, ok := v.(Rearranger)
	if !ok {
		return Faultf(Internal, "these files cannot be changed together")
	}
	return r.Rearrange(ctx, e)
}

// Rearrange implements Rearranger.
func (v draftView) Rearrange(ctx context.Context, e Edit) error {
	if err := v.wb.lockWrite(ctx); err != nil {
		return err
	}
	defer v.wb.writeMu.Unlock()
	e.Path = v.wb.spelled(e.Path)
	if e.To != "" {
		e.To = v.wb.spelledBelow(e.To)
	}
	switch e.Kind {
	case EditMove:
		return v.relocate(ctx, e, v.movedRow, true)
	case EditCopy:
		return v.relocate(ctx, e, v.copiedRow, false)
	case EditRemove:
		return v.removeAll(ctx, e.Path)
	}
	return Faultf(Internal, "a view cannot rearrange files by an edit of kind %d", e.Kind)
}

// relocate gives a file, or a folder with everything in it, another path: rowAt
// makes the row of each entry there. The old paths go if leaves is set.
// wb.writeMu is held.
func (v draftView) relocate(ctx context.Context, edit Edit, rowAt func(context.Context, Entry, Path) (row, error), leaves bool) error {
	from, to := edit.Path, edit.To
	if from == "" || to == "" || from == to || below(from, to) {
		return Faultf(Invalid, "%s cannot be moved to %s", from, to)
	}
	e, err := v.Stat(ctx, from)
	if err != nil {
		return err
	}
	respelled := leaves && (v.wb.otherSpelling(from, to) || v.wb.folding != (folding{}) && v.wb.folding.key(from) == v.wb.folding.key(to))
	if err := v.checkPut(ctx, to, PutOptions{CreateOnly: !respelled && (e.IsDir || !edit.Replace)}); err != nil {
		return err
	}
	all, err := v.entriesAt(ctx, e)
	if err != nil {
		return err
	}
	rows := map[Path]row{}
	for _, m := range all {
		target := to + m.Path[len(from):]
		r, err := rowAt(ctx, m, target)
		if err != nil {
			return err
		}
		if respelled || v.wb.respelled(v.wb.selected(nil), target) { // what is found there is the file itself, or goes under another spelling
			r.baseHash = ""
		}
		rows[target] = r
		if !leaves {
			continue
		}
		if rows[m.Path], err = v.without(ctx, m.Path); err != nil {
			return err
		}
	}
	if leaves {
		v.keepParents(rows, from)
	}
	return v.commit(ctx, rows)
}

// entriesAt lists an entry and, of a folder, everything in it.
func (v draftView) entriesAt(ctx context.Context, e Entry) ([]Entry, error) {
	if !e.IsDir {
		return []Entry{e}, nil
	}
	inside, err := v.List(ctx, e.Path, ListOptions{Recursive: true, NoHash: true})
	return append([]Entry{e}, inside...), err
}

// copiedRow returns the row of a copy at target: a file with an identity of its
// own, which names what it was copied from. Content that the store has already is
// not written again.
func (v draftView) copiedRow(ctx context.Context, m Entry, target Path) (row, error) {
	if m.Refused != "" {
		return row{}, Faultf(Invalid, "%s cannot be copied: %s", m.Path, m.Refused)
	}
	if m.IsDir {
		return v.newDir(), nil
	}
	hash, size, err := v.contentOf(ctx, m.Path)
	if err != nil {
		return row{}, err
	}
	base, err := v.base(ctx, target)
	if err != nil {
		return row{}, err
	}
	r := row{kind: rowFile, hash: hash, size: size, baseHash: base, modified: v.wb.now().UTC()}
	if !v.live {
		r.copied = copied{hash, m.Path}
	}
	r.identity, err = v.identityOf(ctx, target, PutOptions{Type: m.Type, JSON: m.JSON})
	return r, err
}

// contentOf returns the hash and size of a file's content, which the store has
// afterwards.
func (v draftView) contentOf(ctx context.Context, p Path) (hash string, size int64, err error) {
	src, err := v.Open(ctx, p)
	if err != nil {
		return "", 0, err
	}
	defer src.Close()
	if r, ok := v.overlay(p); ok && r.kind == rowFile {
		return r.hash, r.size, nil
	}
	return v.wb.objects.put(ctx, v.wb.limits.FileBytes, copyOf(src))
}

// removeAll removes a file, or a folder with everything in it. wb.writeMu is held.
func (v draftView) removeAll(ctx context.Context, p Path) error {
	if p == "" {
		return Faultf(Invalid, "the workbench itself cannot be removed")
	}
	e, err := v.Stat(ctx, p)
	if err != nil {
		return err
	}
	all, err := v.entriesAt(ctx, e)
	if err != nil {
		return err
	}
	rows := map[Path]row{}
	for _, m := range all {
		if m.IsSpecial() {
			return Faultf(Invalid, "%s cannot be removed: %s", m.Path, m.Refused)
		}
		if m.IsDir {
			if name := v.wb.lockedIn(m.Path); name != "" {
				f := Faultf(Conflict, "%s cannot be removed: another program keeps %s in it", m.Path, name)
				f.Hint = "close the document there first"
				return f
			}
		}
		if rows[m.Path], err = v.without(ctx, m.Path); err != nil {
			return err
		}
	}
	v.keepParents(rows, p)
	return v.commit(ctx, rows)
}
