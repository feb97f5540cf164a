package workshop

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"atelier/internal/busyfile"
)

// Workbench is one folder of files (the root) with its draft, versions and
// conversation. It is safe for concurrent use.
//
// Lock order: writeMu before mu. Neither is held while a subscriber is called.
type Workbench struct {
	info     Info
	dir      string // state
	root     *os.Root
	db       *sql.DB
	objects  objects
	kinds    kinds
	lock     *flock.Flock
	readOnly bool
	unsynced bool        // Options.Unsynced
	used     func(Usage) // Options.Used; may be nil
	limits   Limits
	now      func() time.Time
	newID    func() string
	log      *slog.Logger
	conv     *Conversation
	repaired []string

	writeMu  changeLock        // one change of draft or published files at a time
	patience busyfile.Patience // of the files that are being replaced; writeMu protects it
	broken   bool              // an intent stands that has to be completed first; protected by writeMu
	activity activities
	marked   moment // the last mark; protected by conv.mu
	note     []byte // what the next record says of the draft (draftNote); protected by conv.mu
	noted    int64  // the last revision that was noted, -1: none by this process; protected by conv.mu

	mu        sync.RWMutex // protects the fields below
	draft     DraftState
	rows      map[Path]row // the overlay, as in the database
	folding   folding      // of the folder; it does not change
	spellings spellings    // of rows; nil where names are not folded
	holders   holders      // of rows
	subs      map[int]func(Event)
	next      int
	told      []string // what there is to tell (Told)

	known   map[Path]known // published files with an identity; nil until somebody asks
	knownAt int64          // SQLite's data_version then

	onTold    func(what string)
	failpoint func(step string) error     // tests stop an operation here
	diskFault func(op, name string) error // tests make a change of the root fail here
}

// DraftState describes the open draft (W-60).
type DraftState struct {
	HasDraft   bool
	ID         string
	CreatedAt  time.Time
	SourceKind string // "workshop"
	SourceRef  string // "agent"
}

// Event tells a subscriber what changed.
type Event struct {
	Kind                    string // "draft" or "files"
	Added, Removed, Updated []string
}

// ID names the workbench.
func (wb *Workbench) ID() string { return wb.info.ID }

// Name returns what the user called it.
func (wb *Workbench) Name() string { return wb.info.Name }

// ReadOnly reports whether this process only reads the workbench.
func (wb *Workbench) ReadOnly() bool { return wb.readOnly }

// Root returns the folder of the published files, on the host.
func (wb *Workbench) Root() string { return wb.info.Root }

// Dir returns the folder of its state, on the host.
func (wb *Workbench) Dir() string { return wb.dir }

// Recovered says in words what opening repaired after a crash.
func (wb *Workbench) Recovered() []string { return wb.repaired }

// Published returns the user's files as they are; its mutations are refused.
func (wb *Workbench) Published() View { return published{wb} }

// DraftView returns the draft over the published files. Writes open the draft.
func (wb *Workbench) DraftView(c Cause) View {
	return draftView{wb: wb, cause: c, under: published{wb}}
}

// PublishedView returns the user's folder as it is, without the draft. It cannot be
// written.
func (wb *Workbench) PublishedView() View { return published{wb} }

// Conversation returns the transcript.
func (wb *Workbench) Conversation() *Conversation { return wb.conv }

// Draft returns the state of the draft.
func (wb *Workbench) Draft(context.Context) (DraftState, error) {
	wb.mu.RLock()
	defer wb.mu.RUnlock()
	return wb.draft, nil
}

func readDraft(tx *sql.Tx) (DraftState, error) {
	var st DraftState
	var at string
	err := tx.QueryRow(`SELECT id, created_at, source_kind, source_ref FROM draft`).Scan(&st.ID, &at, &st.SourceKind, &st.SourceRef)
	if errors.Is(err, sql.ErrNoRows) {
		return DraftState{}, nil
	}
	st.HasDraft, st.CreatedAt = true, unstamp(at)
	return st, err
}

// Subscribe calls f after each committed change until cancel is called. f runs
// outside the workbench's locks and must not block.
func (wb *Workbench) Subscribe(f func(Event)) (cancel func()) {
	wb.mu.Lock()
	defer wb.mu.Unlock()
	id := wb.next
	wb.next++
	wb.subs[id] = f
	return func() {
		wb.mu.Lock()
		defer wb.mu.Unlock()
		delete(wb.subs, id)
	}
}

func (wb *Workbench) emit(ev Event) {
	wb.mu.RLock()
	subs := make([]func(Event), 0, len(wb.subs))
	for i := range wb.next {
		if f := wb.subs[i]; f != nil {
			subs = append(subs, f)
		}
	}
	wb.mu.RUnlock()
	for _, f := range subs {
		f(ev)
	}
}

// Setting returns a value the workbench keeps, "" when unset.
func (wb *Workbench) Setting(ctx context.Context, key string) (string, error) {
	var v string
	err := wb.db.QueryRowContext(ctx, `SELECT value FROM settings WHERE key=?`, key).Scan(&v)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return v, err
}

// SetSetting keeps a value; "" forgets it.
func (wb *Workbench) SetSetting(ctx context.Context, key, value string) error {
	return inTx(ctx, wb.db, func(tx *sql.Tx) error {
		_, err := tx.Exec(`INSERT OR REPLACE INTO settings VALUES (?,?)`, key, value)
		return err
	})
}

// Close ends the use of the workbench by this process.
func (wb *Workbench) Close() error {
	if wb.conv != nil {
		wb.conv.close()
	}
	err := wb.db.Close()
	if cerr := wb.root.Close(); err == nil {
		err = cerr
	}
	if wb.lock != nil {
		if cerr := wb.lock.Unlock(); err == nil {
			err = cerr
		}
	}
	return err
}

// openState opens the state of a workbench and, for a writer, repairs what a
// crash left. A reader that would see half of a change gets errHalf.
func (h *Home) openState(ctx context.Context, info Info, reading bool) (_ *Workbench, err error) {
	wb := &Workbench{info: info, dir: h.stateDir(info.ID), readOnly: reading, limits: h.opt.Limits.withDefaults(),
		now: h.opt.Now, newID: h.opt.NewID, log: h.opt.Log, onTold: h.opt.Told, failpoint: h.opt.Failpoint, rows: map[Path]row{}, noted: -1, subs: map[int]func(Event){}}
	wb.unsynced = h.opt.Unsynced && info.Managed
	wb.used = h.opt.Used
	wb.objects = newObjects(filepath.Join(wb.dir, "objects"))
	wb.objects.unsynced = wb.unsynced
	if !wb.readOnly {
		if wb.lock, err = lockState(wb.dir); err != nil {
			return nil, err
		}
		defer func() {
			if err != nil {
				wb.lock.Unlock()
			}
		}()
		if err := tellAddress(wb.dir, h.opt.Address); err != nil {
			return nil, storageFault(fmt.Errorf("the workbench cannot be opened for others: %w", err))
		}
	}
	if repairing(wb.dir) && reading {
		return nil, errHalf
	}
	if !reading {
		if err := finishRepair(wb.dir, wb.at); err != nil {
			return nil, storageFault(fmt.Errorf("a repair that was interrupted cannot be completed yet: %w", err))
		}
	}
	if wb.root, err = os.OpenRoot(info.Root); err != nil {
		if os.IsNotExist(err) {
			return nil, rootGone(info.Root)
		}
		return nil, storageFault(err)
	}
	wb.folding = foldingOf(wb.root)
	if err := h.ownFolder(info, reading); err != nil {
		wb.root.Close()
		return nil, err
	}
	if err := lostDB(wb.dir, info.Root); err != nil {
		wb.root.Close()
		return nil, err
	}
	if !reading {
		h.copyDescription(info)
	}
	if reading && !hasDB(wb.dir) {
		wb.root.Close()
		return nil, errHalf
	}
	if wb.db, err = openDB(filepath.Join(wb.dir, "workbench.db"), wb.readOnly); err != nil {
		wb.root.Close()
		return nil, damagedOpening(info.Root, err)
	}
	if wb.unsynced {
		if _, err := wb.db.ExecContext(ctx, `PRAGMA synchronous=OFF`); err != nil {
			wb.db.Close()
			wb.root.Close()
			return nil, storageFault(err)
		}
	}
	if wb.conv, err = openConversation(filepath.Join(wb.dir, "conversation.jsonl"), wb.now, wb.newID, wb.readOnly); err == nil {
		wb.conv.unsynced = wb.unsynced
		wb.conv.mark, wb.conv.unmark, wb.conv.drafted, wb.conv.tell = wb.markMoment, wb.unmark, wb.takeNote, wb.tell
		if !wb.readOnly {
			wb.objects.sweep()
			wb.sweepReplaced()
			err = wb.recover(ctx)
		} else {
			err = wb.readable(ctx)
		}
		if err == nil {
			err = wb.loadDraft(ctx)
		}
	}
	if err != nil {
		wb.db.Close()
		wb.root.Close()
		return nil, damagedOpening(info.Root, err)
	}
	return wb, nil
}

func (wb *Workbench) loadDraft(ctx context.Context) error {
	return inReadTx(ctx, wb.db, func(tx *sql.Tx) error {
		st, err := readDraft(tx)
		if err != nil {
			return err
		}
		rows, err := draftRows(tx)
		if err == nil {
			wb.draft, wb.rows, wb.holders, wb.spellings = st, rows, holdersOf(rows), wb.folding.spellingsOf(rows)
		}
		return err
	})
}

func draftRows(tx *sql.Tx) (map[Path]row, error) {
	copied, err := copiedColumns(tx)
	if err != nil {
		return nil, err
	}
	rs, err := tx.Query(`SELECT path, kind, hash, size, base_hash, modified, identity, ` + copied + ` FROM draft_entries`)
	if err != nil {
		return nil, err
	}
	return scanRows(rs)
}

// scanRows reads rows with path, kind, hash, size, base hash, time, identity,
// and what they were copied from; of a path the last one counts.
func scanRows(rs *sql.Rows) (map[Path]row, error) {
	defer rs.Close()
	out := map[Path]row{}
	for rs.Next() {
		var p, at, identity string
		var r row
		if err := rs.Scan(&p, &r.kind, &r.hash, &r.size, &r.baseHash, &at, &identity, &r.copied.hash, &r.copied.from); err != nil {
			return nil, err
		}
		r.modified, r.identity = unstamp(at), loadIdentity(identity)
		if r.kind == rowAbsent {
			delete(out, Path(p))
		} else {
			out[Path(p)] = r
		}
	}
	return out, rs.Err()
}
