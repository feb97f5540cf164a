package workshop

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// intent is a change of the published files that is under way. Once it is
// committed it is completed, whatever happens; before, it is taken back.
type intent struct {
	id      string // of its checkpoint too
	reason  string // of the checkpoint: ReasonPublish …
	at      time.Time
	targets []target
	leaving []Path // rows that leave the draft when it is done
	undo    *undo  // takes draft and conversation back too
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

// isFile reports whether a target is about a file, not a folder.
func (t target) isFile() bool { return t.kind == rowFile || t.kind == rowGone }

// errSimulatedCrash is what a test's failpoint returns to stop dead.
var errSimulatedCrash = errors.New("simulated crash")

func (wb *Workbench) at(step string) error {
	if wb.failpoint != nil {
		return wb.failpoint(step)
	}
	return nil
}

// carryOut takes an intent from the old content of its targets to the closed
// intent (steps 2 to 7). When it fails before the intent is committed, or can
// undo what it did, everything is as before.
func (wb *Workbench) carryOut(ctx context.Context, in intent) error {
	seen, err := wb.keepOld(ctx, in.targets)
	if err != nil {
		return publishError(err)
	}
	if err := wb.saveIntent(ctx, in); err != nil {
		return publishError(err)
	}
	if err := wb.at("intent"); err != nil {
		return err
	}
	s := &swap{wb: wb, in: in, seen: seen}
	if err := s.run(ctx); err != nil {
		return err
	}
	if err := wb.at("swapped"); err != nil {
		return err
	}
	wb.tellHeldOpen(in.targets)
	if err := wb.finish(ctx, in); err != nil {
		// The files are the new ones and the intent stands: the next write or
		// the next open of the workbench completes it.
		wb.broken = true
		return storageFault(fmt.Errorf("the files were published, but that could not be recorded; it is completed before the next change: %w", err))
	}
	return nil
}

// keepOld stores what targets replace as objects, and checks that it is still
// what the changes were computed from. It returns what each file looked like.
func (wb *Workbench) keepOld(ctx context.Context, targets []target) (map[Path]look, error) {
	seen := map[Path]look{}
	var mu sync.Mutex
	err := wb.sideBySide(len(targets), func(i int) error {
		t := targets[i]
		if t.oldHash == "" || !t.isFile() {
			return nil
		}
		l, err := wb.keepTarget(ctx, t)
		mu.Lock()
		defer mu.Unlock()
		seen[t.path] = l
		return err
	})
	return seen, err
}

func (wb *Workbench) keepTarget(ctx context.Context, t target) (look, error) {
	f, st, err := wb.openPublished(t.path)
	if err != nil {
		return look{}, err
	}
	defer f.Close()
	hash, _, err := wb.objects.put(ctx, max(st.Size(), wb.limits.FileBytes), func(w io.Writer) error {
		_, err := io.Copy(w, f)
		return err
	})
	switch {
	case err != nil:
		return look{}, err
	case hash != t.oldHash:
		return look{}, beingChanged(t.path)
	case st.Mode().Perm()&0o222 == 0:
		return look{}, writeProtected(t.path)
	}
	return lookOf(st), nil
}

// sideBySide calls f with 0 to n-1, several at a time: what takes long is waiting
// for the disk to sync, which does many files as fast as one. It returns the
// error of the lowest number that failed. Where a test watches each step, one
// comes after the other.
func (wb *Workbench) sideBySide(n int, f func(i int) error) error {
	workers := 16
	if wb.failpoint != nil || wb.diskFault != nil {
		workers = 1
	}
	var next atomic.Int64
	var failed atomic.Bool
	errs := make([]error, n)
	var wg sync.WaitGroup
	for range min(workers, n) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && !failed.Load(); i = int(next.Add(1)) - 1 {
				if errs[i] = f(i); errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// writeProtected refuses to replace a file that its owner made read-only. The
// system would allow it on Unix; on Windows it does not.
func writeProtected(p Path) error {
	f := Faultf(Internal, "nothing was published: %s is read-only", p)
	f.Err, f.Paths, f.Hint = ErrNotWritable, []string{string(p)}, "make it writable and publish again, or discard its change"
	return f
}

func (wb *Workbench) saveIntent(ctx context.Context, in intent) error {
	return inTx(ctx, wb.db, func(tx *sql.Tx) error {
		if _, err := tx.Exec(`INSERT INTO checkpoints VALUES (?,?,?,?)`, in.id, stamp(in.at), in.reason, ""); err != nil {
			return err
		}
		if _, err := tx.Exec(`INSERT INTO intents VALUES (?,?,0)`, in.id, in.id); err != nil {
			return err
		}
		targets, entries, rows := newBulk(tx, `INSERT INTO intent_targets`), newBulk(tx, `INSERT INTO checkpoint_entries`), newBulk(tx, `INSERT INTO intent_rows`)
		for _, t := range in.targets {
			if err := targets.add(in.id, string(t.path), t.kind, t.oldHash, t.newHash, t.size, t.identity.save(), t.author); err != nil {
				return err
			}
			if err := entries.add(in.id, string(t.path), t.oldHash, t.newHash); err != nil {
				return err
			}
		}
		for _, p := range in.leaving {
			if err := rows.add(in.id, string(p)); err != nil {
				return err
			}
		}
		if err := errors.Join(targets.flush(), entries.flush(), rows.flush()); err != nil {
			return err
		}
		if in.undo == nil {
			return nil
		}
		_, err := tx.Exec(`INSERT INTO intent_undo VALUES (?,?,?)`, in.id, in.undo.messageID, in.undo.revision)
		return err
	})
}

// commitIntent marks an intent as committed: it is completed from here on.
func (wb *Workbench) commitIntent(ctx context.Context, id string) error {
	return inTx(ctx, wb.db, func(tx *sql.Tx) error {
		_, err := tx.Exec(`UPDATE intents SET committed=1 WHERE id=?`, id)
		return err
	})
}

// dropIntent forgets an intent that changed nothing, and its checkpoint.
func (wb *Workbench) dropIntent(ctx context.Context, id string) error {
	return inTx(ctx, wb.db, func(tx *sql.Tx) error {
		for _, q := range []string{`DELETE FROM checkpoints WHERE id=?`, `DELETE FROM checkpoint_entries WHERE checkpoint_id=?`} {
			if _, err := tx.Exec(q, id); err != nil {
				return err
			}
		}
		return deleteIntent(tx, id)
	})
}

func deleteIntent(tx *sql.Tx, id string) error {
	for _, q := range []string{`DELETE FROM intents WHERE id=?`, `DELETE FROM intent_targets WHERE intent=?`, `DELETE FROM intent_rows WHERE intent=?`, `DELETE FROM intent_undo WHERE intent=?`} {
		if _, err := tx.Exec(q, id); err != nil {
			return err
		}
	}
	return nil
}

// pendingIntents reads the intents that a crash left.
func (wb *Workbench) pendingIntents(ctx context.Context) (pending []intent, committed map[string]bool, err error) {
	committed = map[string]bool{}
	err = inReadTx(ctx, wb.db, func(tx *sql.Tx) error {
		rs, err := tx.Query(`SELECT i.id, i.committed, c.reason, c.at FROM intents i JOIN checkpoints c ON c.id=i.checkpoint_id ORDER BY c.rowid`)
		if err != nil {
			return err
		}
		for rs.Next() {
			var in intent
			var done bool
			var at string
			if err := rs.Scan(&in.id, &done, &in.reason, &at); err != nil {
				rs.Close()
				return err
			}
			in.at, committed[in.id] = unstamp(at), done
			pending = append(pending, in)
		}
		if err := rs.Err(); err != nil {
			return err
		}
		for i := range pending {
			if err := readIntent(tx, &pending[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return pending, committed, err
}

// readIntent fills in targets, rows and undo.
func readIntent(tx *sql.Tx, in *intent) error {
	rs, err := tx.Query(`SELECT path, kind, old_hash, new_hash, size, identity, author FROM intent_targets WHERE intent=? ORDER BY rowid`, in.id)
	if err != nil {
		return err
	}
	defer rs.Close()
	for rs.Next() {
		var t target
		var identity string
		if err := rs.Scan(&t.path, &t.kind, &t.oldHash, &t.newHash, &t.size, &identity, &t.author); err != nil {
			return err
		}
		t.identity = loadIdentity(identity)
		in.targets = append(in.targets, t)
	}
	if err := rs.Err(); err != nil {
		return err
	}
	rows, err := tx.Query(`SELECT path FROM intent_rows WHERE intent=?`, in.id)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var p string
		if err := rows.Scan(&p); err != nil {
			return err
		}
		in.leaving = append(in.leaving, Path(p))
	}
	if err := rows.Err(); err != nil {
		return err
	}
	var u undo
	err = tx.QueryRow(`SELECT message_id, revision FROM intent_undo WHERE intent=?`, in.id).Scan(&u.messageID, &u.revision)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	in.undo = &u
	return err
}

// finish records the versions, takes the rows out of the draft, or an undo's
// draft and conversation back, and closes the intent (step 7).
func (wb *Workbench) finish(ctx context.Context, in intent) error {
	if in.undo != nil {
		if err := wb.undoConversation(in); err != nil {
			return err
		}
	}
	var added map[Path]known
	err := inTx(ctx, wb.db, func(tx *sql.Tx) (err error) {
		if err := wb.dropRows(tx, in.leaving, Cause{Tool: "publish", Author: "user"}, in.at); err != nil {
			return err
		}
		if in.undo != nil {
			if err := wb.draftAt(tx, in.undo.revision, in.at); err != nil {
				return err
			}
		}
		if added, err = wb.recordTargets(tx, in); err != nil {
			return err
		}
		if err := deleteIntent(tx, in.id); err != nil {
			return err
		}
		return dropEmptyDraft(tx)
	})
	if err != nil {
		return err
	}
	if err := wb.refreshKnown(ctx, in.targets, added); err != nil {
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
	gone := newBulk(tx, `INSERT INTO revision_entries`)
	sorted := slices.Sorted(slices.Values(paths))
	for _, p := range sorted {
		if err := gone.add(rev, string(p), rowAbsent, "", 0, "", "", "", ""); err != nil {
			return err
		}
	}
	if err := gone.flush(); err != nil {
		return err
	}
	return inParts(sorted, func(marks string, args []any) error {
		_, err := tx.Exec(`DELETE FROM draft_entries WHERE path IN (`+marks+`)`, args...)
		return err
	})
}

func dropEmptyDraft(tx *sql.Tx) error {
	_, err := tx.Exec(`DELETE FROM draft WHERE NOT EXISTS (SELECT 1 FROM draft_entries)`)
	return err
}

func (wb *Workbench) loadDraftLocked(ctx context.Context) error {
	wb.mu.Lock()
	defer wb.mu.Unlock()
	return wb.loadDraft(context.WithoutCancel(ctx))
}
