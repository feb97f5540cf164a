package workshop

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"sort"
	"strings"
	"time"
)

// A publish goes through these steps; a crash after any of them is repaired at
// the next open (recover.go):
//
//  1. the changes are computed from fresh hashes; a conflict ends it here
//  2. what will be replaced or removed is stored as objects
//  3. the checkpoint and the intent with its targets are committed
//  4. every new file is written beside its target and synced
//  5. the intent is marked committed: from here on it only goes forward
//  6. the new files are renamed over the targets, removals are done
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

// target is one path of an intent. Its kind is that of the row.
type target struct {
	path             Path
	kind             string
	oldHash, newHash string
	size             int64
	identity         Identity
	author           string // of the new version; "" is the agent
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
	wb.writeMu.Lock()
	defer wb.writeMu.Unlock()
	now := wb.now().UTC()
	rows := wb.selected(opt.Paths)
	for _, p := range append(slices.Clone(opt.Paths), opt.Force...) {
		if !slices.ContainsFunc(opt.Force, func(f Path) bool { return f == p }) && !anyAtOrBelow(rows, p) {
			return PublishResult{}, Event{}, Faultf(NotFound, "the draft does not change %s", p).OnField("paths")
		}
	}
	changes, err := wb.changes(ctx, opt.Paths, wb.freshHash)
	if err != nil {
		return PublishResult{}, Event{}, err
	}
	if err := conflicts(changes, opt.Force); err != nil {
		return PublishResult{}, Event{}, err
	}
	id := wb.newID()
	targets := make([]target, 0, len(changes))
	for _, c := range changes {
		targets = append(targets, target{c.Path, rows[c.Path].kind, c.OldHash, c.NewHash, c.NewSize, rows[c.Path].identity, ""})
	}
	if len(targets) > 0 {
		if err := wb.carryOut(ctx, id, "publish", targets, now); err != nil {
			return PublishResult{}, Event{}, err
		}
	}
	if err := wb.closePublish(ctx, id, rows, targets, now); err != nil {
		return PublishResult{}, Event{}, err
	}
	res := PublishResult{PublishedAt: now}
	ev := Event{Kind: "files"}
	for _, c := range changes {
		res.CheckpointID = id
		if c.IsDir {
			continue
		}
		res.Published = append(res.Published, c.Path)
		switch c.Type {
		case "added":
			ev.Added = append(ev.Added, string(c.Path))
		case "deleted":
			ev.Removed = append(ev.Removed, string(c.Path))
		default:
			ev.Updated = append(ev.Updated, string(c.Path))
		}
	}
	return res, ev, nil
}

func anyAtOrBelow(rows map[Path]row, p Path) bool {
	for q := range rows {
		if q == p || below(p, q) {
			return true
		}
	}
	return false
}

func conflicts(changes []Change, force []Path) error {
	var paths []string
	for _, c := range changes {
		if c.Conflict && !c.IsDir && !slices.Contains(force, c.Path) {
			paths = append(paths, string(c.Path))
		}
	}
	if len(paths) == 0 {
		return nil
	}
	f := Faultf(Conflict, "the published file has changed since the draft was based on it: %s", strings.Join(paths, ", "))
	f.Paths = paths
	f.Hint = "nothing was published; force these paths (what they replace is kept), publish the others by name, or discard them"
	return f
}

func (wb *Workbench) at(step string) error {
	if wb.failpoint != nil {
		return wb.failpoint(step)
	}
	return nil
}

// carryOut takes targets from their old content to the new (steps 2 to 6).
// When it fails before the intent is committed, or can undo what it did,
// everything is as before.
func (wb *Workbench) carryOut(ctx context.Context, id, reason string, targets []target, now time.Time) error {
	return wb.carryOutWith(ctx, id, reason, targets, now, func(*sql.Tx) error { return nil })
}

// carryOutWith is carryOut with more to save in the transaction of the intent.
func (wb *Workbench) carryOutWith(ctx context.Context, id, reason string, targets []target, now time.Time, more func(*sql.Tx) error) error {
	if err := wb.keepOld(ctx, targets); err != nil {
		return err
	}
	if err := wb.saveIntent(ctx, id, reason, targets, now, more); err != nil {
		return err
	}
	if err := wb.at("intent"); err != nil {
		return err
	}
	err := wb.stage(ctx, id, targets)
	if err == nil {
		if err = wb.at("staged"); err != nil {
			return err
		}
		err = inTx(ctx, wb.db, func(tx *sql.Tx) error {
			_, err := tx.Exec(`UPDATE intents SET committed=1 WHERE id=?`, id)
			return err
		})
	}
	if err == nil {
		if err = wb.at("committed"); err != nil {
			return err
		}
		if err = wb.swap(id, targets); err == nil {
			return nil
		}
		if errors.Is(err, errSimulatedCrash) {
			return err
		}
		if uerr := wb.unswap(ctx, id, targets); uerr != nil {
			return fmt.Errorf("the publish stopped (%w) and could not be undone (%w); it is completed when the workbench is opened next", err, uerr)
		}
	}
	wb.unstage(id, targets)
	if derr := wb.dropIntent(ctx, id); derr != nil {
		return errors.Join(err, derr)
	}
	return publishError(err)
}

// errSimulatedCrash is what a test's failpoint returns to stop dead.
var errSimulatedCrash = errors.New("simulated crash")

func publishError(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		f := Faultf(Conflict, "nothing was published: %w", err)
		f.Hint = "the file or folder is read-only or open in another program; close it there and publish again"
		f.Retryable = true
		return f
	}
	return fmt.Errorf("nothing was published: %w", err)
}

// keepOld stores what targets replace as objects, and checks that it is still
// what the changes were computed from.
func (wb *Workbench) keepOld(ctx context.Context, targets []target) error {
	for _, t := range targets {
		if t.oldHash == "" || t.kind == rowDir || t.kind == rowNoDir {
			continue
		}
		f, st, err := wb.openPublished(t.path)
		if err != nil {
			return err
		}
		hash, _, err := wb.objects.put(ctx, max(st.Size(), wb.limits.FileBytes), func(w io.Writer) error {
			_, err := io.Copy(w, f)
			return err
		})
		f.Close()
		if err != nil {
			return err
		}
		if hash != t.oldHash {
			return Faultf(Conflict, "%s is being changed by another program; nothing was published", t.path)
		}
	}
	return nil
}

func (wb *Workbench) saveIntent(ctx context.Context, id, reason string, targets []target, now time.Time, more func(*sql.Tx) error) error {
	return inTx(ctx, wb.db, func(tx *sql.Tx) error {
		if _, err := tx.Exec(`INSERT INTO checkpoints VALUES (?,?,?,?)`, id, stamp(now), reason, ""); err != nil {
			return err
		}
		if _, err := tx.Exec(`INSERT INTO intents VALUES (?,?,0)`, id, id); err != nil {
			return err
		}
		for _, t := range targets {
			if _, err := tx.Exec(`INSERT INTO intent_targets VALUES (?,?,?,?,?,?,?,?)`, id, string(t.path), t.kind, t.oldHash, t.newHash, t.size, t.identity.save(), t.author); err != nil {
				return err
			}
			if _, err := tx.Exec(`INSERT INTO checkpoint_entries VALUES (?,?,?,?)`, id, string(t.path), t.oldHash, t.newHash); err != nil {
				return err
			}
		}
		return more(tx)
	})
}

func (wb *Workbench) dropIntent(ctx context.Context, id string) error {
	return inTx(ctx, wb.db, func(tx *sql.Tx) error {
		for _, q := range []string{`DELETE FROM checkpoints WHERE id=?`, `DELETE FROM checkpoint_entries WHERE checkpoint_id=?`, `DELETE FROM intents WHERE id=?`, `DELETE FROM intent_targets WHERE intent=?`, `DELETE FROM intent_undo WHERE intent=?`} {
			if _, err := tx.Exec(q, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// tempName is where a target's new content waits, beside the target. It does
// not hold the target's own name, which may be 255 bytes long (K-09).
func tempName(id string, i int, p Path) string {
	return path.Join(path.Dir(rootName(p)), fmt.Sprintf("%s%s-%d", tempPrefix, id, i))
}

// stage writes the new content of every file beside its target.
func (wb *Workbench) stage(ctx context.Context, id string, targets []target) error {
	for i, t := range targets {
		if t.kind != rowFile {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if dir := path.Dir(rootName(t.path)); dir != "." {
			if err := wb.root.MkdirAll(dir, 0o755); err != nil {
				return err
			}
		}
		if err := wb.writeTemp(t.newHash, tempName(id, i, t.path), wb.modeOf(t.path)); err != nil {
			return err
		}
	}
	return nil
}

// modeOf is the permission bits a new file gets: those of the one it replaces.
func (wb *Workbench) modeOf(p Path) fs.FileMode {
	if st, err := wb.root.Lstat(rootName(p)); err == nil && st.Mode().IsRegular() {
		return st.Mode().Perm()
	}
	return 0o644
}

// writeTemp copies an object to name, synced.
func (wb *Workbench) writeTemp(hash, name string, mode fs.FileMode) error {
	src, err := wb.objects.open(hash, name)
	if err != nil {
		return err
	}
	defer src.Close()
	f, err := wb.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	err = copyOf(src)(f)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// unstage removes what stage wrote.
func (wb *Workbench) unstage(id string, targets []target) {
	for i, t := range targets {
		if t.kind == rowFile {
			wb.root.Remove(tempName(id, i, t.path))
		}
	}
}

// swap puts the staged files in place and does the removals.
func (wb *Workbench) swap(id string, targets []target) error {
	dirs := map[string]bool{}
	for i, t := range targets {
		var err error
		switch t.kind {
		case rowFile:
			err = wb.root.Rename(tempName(id, i, t.path), rootName(t.path))
		case rowGone:
			err = ignoreMissing(wb.root.Remove(rootName(t.path)))
		case rowDir:
			err = wb.root.MkdirAll(rootName(t.path), 0o755)
		}
		if err != nil {
			return err
		}
		dirs[path.Dir(rootName(t.path))] = true
		if err := wb.at("swap"); err != nil {
			return err
		}
	}
	wb.removeFolders(targets)
	return wb.syncDirs(dirs)
}

// removeFolders removes the folders of targets, the deepest first. A folder
// that someone put a file into meanwhile stays.
func (wb *Workbench) removeFolders(targets []target) {
	var dirs []string
	for _, t := range targets {
		if t.kind == rowNoDir {
			dirs = append(dirs, rootName(t.path))
		}
	}
	sort.Sort(sort.Reverse(sort.StringSlice(dirs)))
	for _, d := range dirs {
		wb.root.Remove(d)
	}
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (wb *Workbench) syncDirs(dirs map[string]bool) error {
	if onWindows {
		return nil
	}
	for name := range dirs {
		d, err := wb.root.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		err = d.Sync()
		d.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// unswap takes targets that swap reached back to their old content.
func (wb *Workbench) unswap(ctx context.Context, id string, targets []target) error {
	for i, t := range targets {
		switch t.kind {
		case rowFile, rowGone:
		default:
			continue // an empty folder more or less loses nothing
		}
		now, err := wb.freshHash(context.WithoutCancel(ctx), t.path)
		if err != nil {
			return err
		}
		switch {
		case now == t.oldHash:
			continue
		case t.oldHash == "":
			err = wb.root.Remove(rootName(t.path))
		default:
			name := tempName(id, i, t.path) + "-old"
			if err = wb.writeTemp(t.oldHash, name, wb.modeOf(t.path)); err == nil {
				err = wb.root.Rename(name, rootName(t.path))
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// closePublish records the versions, takes the rows out of the draft and
// closes the intent (step 7).
func (wb *Workbench) closePublish(ctx context.Context, id string, rows map[Path]row, targets []target, now time.Time) error {
	err := inTx(ctx, wb.db, func(tx *sql.Tx) error {
		paths := make([]Path, 0, len(rows))
		for p := range rows {
			paths = append(paths, p)
		}
		if err := wb.dropRows(tx, paths, Cause{Tool: "publish", Author: "user"}, now); err != nil {
			return err
		}
		return wb.closeIntent(tx, id, targets, now)
	})
	if err != nil {
		return err
	}
	if err := wb.refreshKnown(ctx, targets); err != nil {
		return err
	}
	return wb.loadDraftLocked(ctx)
}

// dropRows takes rows out of the draft, as a revision of its own: what the
// draft was at any revision can be told from the revisions alone.
func (wb *Workbench) dropRows(tx *sql.Tx, paths []Path, c Cause, now time.Time) error {
	if len(paths) == 0 {
		return nil
	}
	st, err := readDraft(tx)
	if err != nil {
		return err
	}
	rev, err := newRevision(tx, st.ID, c, now)
	if err != nil {
		return err
	}
	slices.Sort(paths)
	for _, p := range paths {
		if err := saveRow(tx, rev, p, row{kind: rowAbsent}); err != nil {
			return err
		}
	}
	return nil
}

// closeIntent writes versions, drops an empty draft and the intent.
func (wb *Workbench) closeIntent(tx *sql.Tx, id string, targets []target, now time.Time) error {
	removes := func(t target) bool { return t.kind == rowGone || t.kind == rowNoDir }
	for _, removals := range []bool{true, false} { // so that a moved file keeps its id
		for _, t := range targets {
			if removes(t) != removals {
				continue
			}
			d, err := wb.recordFile(tx, t, now)
			if err == nil && t.kind != rowDir && t.kind != rowNoDir {
				err = wb.recordVersions(tx, id, t, d, now)
			}
			if err != nil {
				return err
			}
		}
	}
	for _, q := range []string{`DELETE FROM intents WHERE id=?`, `DELETE FROM intent_targets WHERE intent=?`, `DELETE FROM intent_undo WHERE intent=?`} {
		if _, err := tx.Exec(q, id); err != nil {
			return err
		}
	}
	_, err := tx.Exec(`DELETE FROM draft WHERE NOT EXISTS (SELECT 1 FROM draft_entries)`)
	return err
}

func (wb *Workbench) loadDraftLocked(ctx context.Context) error {
	wb.mu.Lock()
	defer wb.mu.Unlock()
	return wb.loadDraft(context.WithoutCancel(ctx))
}

// Discard drops the draft, or the rows at or below paths; published files stay
// as they are. A path the draft does not change is a NotFound fault and nothing
// is dropped.
func (wb *Workbench) Discard(ctx context.Context, paths []Path) error {
	if wb.readOnly {
		return readOnlyWorkbench()
	}
	err := func() error {
		wb.writeMu.Lock()
		defer wb.writeMu.Unlock()
		rows := wb.selected(paths)
		for _, p := range paths {
			if !anyAtOrBelow(rows, p) {
				return Faultf(NotFound, "the draft does not change %s", p).OnField("paths")
			}
		}
		err := inTx(ctx, wb.db, func(tx *sql.Tx) error {
			gone := make([]Path, 0, len(rows))
			for p := range rows {
				gone = append(gone, p)
			}
			if err := wb.dropRows(tx, gone, Cause{Tool: "discard", Author: "user"}, wb.now().UTC()); err != nil {
				return err
			}
			_, err := tx.Exec(`DELETE FROM draft WHERE NOT EXISTS (SELECT 1 FROM draft_entries)`)
			return err
		})
		if err != nil {
			return err
		}
		return wb.loadDraftLocked(ctx)
	}()
	if err == nil {
		wb.emit(Event{Kind: "draft"})
	}
	return err
}
