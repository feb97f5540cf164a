package workshop

import (
	"context"
	"maps"
	"slices"
	"time"
)

// A publish goes through these steps; a crash after any of them is repaired at
// the next open (publish_recover.go):
//
//  1. the changes are computed from fresh hashes; a conflict ends it here
//  2. what will be replaced or removed is stored as objects
//  3. the checkpoint and the intent with its targets are committed
//  4. every new file is written beside its target and synced
//  5. the intent is marked committed: from here on it only goes forward
//  6. removals are done, the new files are renamed over the targets
//  7. versions are recorded, the rows leave the draft, the intent is closed
//
// Before step 5 a crash leaves everything as it was, after it everything as it
// was to be (K-01).

// PublishOptions refine Publish; the zero value publishes the whole draft.
type PublishOptions struct {
	Paths []Path // only these and what is below them
	Force []Path // also over outside changes; what they replace is kept
}

// PublishResult says what was published.
type PublishResult struct {
	PublishedAt  time.Time
	CheckpointID string // restores what was replaced; "" when nothing was published
	Published    []Path // sorted
}

// Publish puts the draft, or some paths of it, in place of the published
// files: all or nothing, and only over what the draft was based on. Otherwise
// it is a Conflict fault that names the paths, and nothing is touched (K-02).
func (wb *Workbench) Publish(ctx context.Context, opt PublishOptions) (PublishResult, error) {
	if wb.readOnly {
		return PublishResult{}, readOnlyWorkbench()
	}
	res, ev, err := wb.publish(ctx, opt)
	if err != nil {
		return res, err
	}
	if len(ev.Added)+len(ev.Removed)+len(ev.Updated) > 0 {
		wb.emit(ev)
	}
	wb.emit(Event{Kind: "draft"})
	return res, nil
}

func (wb *Workbench) publish(ctx context.Context, opt PublishOptions) (PublishResult, Event, error) {
	if err := wb.lockWrite(ctx); err != nil {
		return PublishResult{}, Event{}, err
	}
	defer wb.writeMu.Unlock()
	now := wb.now().UTC()
	opt.Paths = wb.wholeRenames(opt.Paths)
	rows := wb.selected(opt.Paths)
	force, told := setOf(opt.Force), withFolders(rows)
	for _, p := range opt.Paths {
		if !force[p] && !told[p] {
			return PublishResult{}, Event{}, Faultf(NotFound, "the draft does not change %s", p).OnField("paths")
		}
	}
	changes, err := wb.changes(ctx, opt.Paths, wb.freshHash)
	if err != nil {
		return PublishResult{}, Event{}, err
	}
	if err := conflicts(changes, force); err != nil {
		return PublishResult{}, Event{}, err
	}
	id := wb.newID()
	in := intent{id: id, reason: ReasonPublish, at: now, leaving: pathsOf(rows)}
	for _, c := range changes {
		in.targets = append(in.targets, target{c.Path, rows[c.Path].kind, c.OldHash, c.NewHash, c.NewSize, rows[c.Path].identity, ""})
	}
	if len(in.targets) > 0 {
		err = wb.carryOut(ctx, in)
	} else {
		err = wb.dropFromDraft(ctx, in.leaving, "publish")
	}
	if err != nil {
		return PublishResult{}, Event{}, err
	}
	res := PublishResult{PublishedAt: now}
	ev := Event{Kind: "files"}
	if len(changes) > 0 {
		res.CheckpointID = id
	}
	for _, c := range withoutImplied(changes) {
		res.Published = append(res.Published, c.Path)
		switch {
		case c.IsDir:
		case c.Type == "added":
			ev.Added = append(ev.Added, string(c.Path))
		case c.Type == "deleted":
			ev.Removed = append(ev.Removed, string(c.Path))
		default:
			ev.Updated = append(ev.Updated, string(c.Path))
		}
	}
	return res, ev, nil
}

func pathsOf(rows map[Path]row) []Path {
	return slices.Sorted(maps.Keys(rows))
}

// withFolders returns the paths of rows and all folders above them.
func withFolders(rows map[Path]row) map[Path]bool {
	out := make(map[Path]bool, len(rows))
	for p := range rows {
		for q := p; !out[q]; q = parent(q) {
			out[q] = true
		}
	}
	return out
}

func conflicts(changes []Change, force map[Path]bool) error {
	var paths, what []string
	for _, c := range changes {
		if c.Conflict && !c.IsDir && !force[c.Path] {
			paths = append(paths, string(c.Path))
			what = append(what, string(c.Path)+" was "+c.Outside)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	f := Faultf(Conflict, "published files are not what the draft was based on: %s; nothing was published", joinPaths(what))
	f.Paths = paths
	f.Hint = "force these paths to put the draft in their place (what it replaces is kept in a checkpoint), publish the others by name, or discard these and keep what is there"
	return f
}
