package workshop

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"atelier/formats"
)

// Cause says why a draft changes: which message's which tool call, by whom.
type Cause struct {
	MessageID string
	Tool      string
	Author    string // "agent" when empty
	// Later: the change need not be on disk when the call returns; StoreResults,
	// which keeps the call's result before anything goes on, sees to both.
	Later bool
	// Changed is told of each file that was put or taken away, and of a folder
	// that Mkdir made, once it is so.
	// Nil: nobody wants to know.
	Changed func(p Path, gone bool)
}

// The kinds of a draft row.
const (
	rowFile   = "file"
	rowDir    = "dir"
	rowGone   = "deleted" // the published file is to be removed
	rowNoDir  = "rmdir"   // the published folder is to be removed
	rowAbsent = ""        // in revisions: the row was dropped
)

// row is one path of the draft.
type row struct {
	kind     string
	hash     string // rowFile
	size     int64
	baseHash string // of the published file the row was based on; "" when there was none
	modified time.Time
	identity Identity
	copied   copied // rowFile
}

// copied is what a file of the draft was copied from; the zero value is a file
// that was not.
type copied struct {
	hash string // of the content, which the objects hold
	from Path   // where it was then
}

// draftView is copy on write over the published files. With live it has no
// overlay: each change is carried out at once (live.go).
type draftView struct {
	wb    *Workbench
	cause Cause
	under published
	live  bool
}

// overlay returns the draft's row for p. wb.mu must not be held.
func (v draftView) overlay(p Path) (row, bool) {
	v.wb.mu.RLock()
	defer v.wb.mu.RUnlock()
	r, ok := v.rows()[p]
	return r, ok
}

// spelledInDraft returns the path under which the draft has p, or p.
func (v draftView) spelledInDraft(p Path) Path {
	if v.live {
		return p
	}
	p, _ = v.wb.spelledInDraft(p)
	return p
}

// rows returns the overlay. wb.mu must be held.
func (v draftView) rows() map[Path]row {
	if v.live {
		return nil
	}
	return v.wb.rows
}

// commit makes rows what the files are from now on. wb.writeMu is held.
func (v draftView) commit(ctx context.Context, rows map[Path]row) error {
	commit, mine := v.wb.commitRows, pathsOf(rows) // more rows may come with them
	if v.live {
		commit = v.wb.commitLive
	}
	if err := commit(ctx, v.cause, rows); err != nil || v.cause.Changed == nil {
		return err
	}
	for _, p := range mine {
		if kind := rows[p].kind; kind != rowDir {
			v.cause.Changed(p, kind != rowFile)
		}
	}
	return nil
}

// entry returns the row as an entry without its kind.
func (r row) entry(p Path) Entry {
	e := Entry{Path: p, IsDir: r.kind == rowDir, Modified: r.modified, InDraft: true, Synced: true, Identity: r.identity}
	if !e.IsDir {
		e.Size, e.Hash = r.size, r.hash
	}
	return e
}

// entryOf returns a row as an entry.
func (wb *Workbench) entryOf(p Path, r row) Entry {
	e := r.entry(p)
	if !e.IsDir {
		e.setKind(func() formats.Kind { return wb.objectKind(r.hash, e.Name()) })
	}
	return e
}

func (v draftView) Stat(ctx context.Context, p Path) (Entry, error) {
	p = v.spelledInDraft(p)
	if r, ok := v.overlay(p); ok {
		if r.kind == rowGone || r.kind == rowNoDir {
			return Entry{}, notFound(p)
		}
		e := v.wb.entryOf(p, r)
		e.ChangedOutside = v.changedOutside(ctx, p, r)
		return v.wb.withCalculated(ctx, e, nil)
	}
	if reserved(p) {
		return Entry{}, notFound(p)
	}
	e, err := v.under.Stat(ctx, p)
	if IsFault(err, NotFound) && v.implied(p) {
		return Entry{Path: p, IsDir: true, InDraft: true, Synced: true, Modified: v.wb.now()}, nil
	}
	return e, err
}

// changedOutside reports whether publishing a row would be a conflict.
func (v draftView) changedOutside(ctx context.Context, p Path, r row) bool {
	if r.kind != rowFile && r.kind != rowGone {
		return false
	}
	now, err := v.wb.publishedHash(ctx, p)
	if err != nil && !IsFault(err, NotFound) && !v.wb.isFolder(p) {
		return true // a link is there, or it cannot be read
	}
	if now != "" && r.baseHash == "" && v.wb.respelled(v.wb.selected(nil), p) {
		now = ""
	}
	return now != r.baseHash && now != r.hash
}

// implied reports whether p is a folder only because the draft has a file in it.
func (v draftView) implied(p Path) bool {
	v.wb.mu.RLock()
	defer v.wb.mu.RUnlock()
	return !v.live && v.wb.holders[p] > 0
}

func (v draftView) List(ctx context.Context, dir Path, opt ListOptions) ([]Entry, error) {
	dir = v.wb.spelled(dir)
	under, err := v.listUnder(ctx, dir, opt)
	if err != nil {
		return nil, err
	}
	if !v.hasBelow(dir) {
		if under == nil {
			under = []Entry{}
		}
		return under, nil
	}
	byPath := make(map[Path]Entry, len(under))
	for _, e := range under {
		byPath[e.Path] = e
	}
	v.wb.mu.RLock()
	v.applyRows(byPath, dir, opt.Recursive)
	v.addImpliedFolders(byPath, dir, opt.Recursive)
	files := make(map[Path]row, len(v.rows()))
	for p, r := range v.rows() {
		if e, ok := byPath[p]; ok && e.InDraft && r.kind == rowFile {
			files[p] = r
		}
	}
	v.wb.mu.RUnlock()
	out := make([]Entry, 0, len(byPath))
	for p, e := range byPath {
		if r, ok := files[p]; ok {
			e.setKind(func() formats.Kind { return v.wb.objectKind(r.hash, e.Name()) })
			e.ChangedOutside = v.changedOutside(ctx, p, r)
		}
		if opt.NoHash {
			e.Hash = ""
		}
		out = append(out, e)
	}
	sortEntries(out)
	return out, nil
}

// hasBelow reports whether the draft says something of what is below dir.
func (v draftView) hasBelow(dir Path) bool {
	v.wb.mu.RLock()
	defer v.wb.mu.RUnlock()
	for p := range v.rows() {
		if below(dir, p) {
			return true
		}
	}
	return false
}

// listUnder lists a folder of the published files; nil for one that only the draft
// has.
func (v draftView) listUnder(ctx context.Context, dir Path, opt ListOptions) ([]Entry, error) {
	under, err := v.under.List(ctx, dir, opt)
	if err == nil || dir == "" {
		return under, err
	}
	st, serr := v.Stat(ctx, dir)
	switch {
	case serr != nil:
		return nil, serr
	case !st.IsDir:
		return nil, Faultf(Invalid, "%s is a file, not a folder", dir)
	case !IsFault(err, NotFound):
		return nil, err
	}
	return under, nil
}

// applyRows changes the entries below dir as the draft's rows say. wb.mu is held.
func (v draftView) applyRows(byPath map[Path]Entry, dir Path, recursive bool) {
	for p, r := range v.rows() {
		switch {
		case !below(dir, p):
		case r.kind == rowGone || r.kind == rowNoDir:
			delete(byPath, p)
		case recursive || parent(p) == dir:
			byPath[p] = r.entry(p)
		}
	}
}

// addImpliedFolders adds the folders that files of the draft imply. wb.mu is held.
func (v draftView) addImpliedFolders(byPath map[Path]Entry, dir Path, recursive bool) {
	for p, r := range v.rows() {
		if !below(dir, p) || r.kind != rowFile && r.kind != rowDir {
			continue
		}
		for q := parent(p); q != dir && q != ""; q = parent(q) {
			if _, ok := byPath[q]; !ok && (recursive || parent(q) == dir) {
				byPath[q] = Entry{Path: q, IsDir: true, InDraft: true, Synced: true, Modified: r.modified}
			}
		}
	}
}

func below(dir, p Path) bool {
	return dir == "" && p != "" || strings.HasPrefix(string(p), string(dir)+"/")
}

func parent(p Path) Path {
	if i := strings.LastIndexByte(string(p), '/'); i >= 0 {
		return p[:i]
	}
	return ""
}

func (v draftView) Open(ctx context.Context, p Path) (Source, error) {
	p = v.spelledInDraft(p)
	r, ok := v.overlay(p)
	switch {
	case !ok:
		return v.under.Open(ctx, p)
	case r.kind == rowFile:
		return v.wb.openKept(ctx, r.hash, p)
	case r.kind == rowDir:
		return nil, Faultf(Invalid, "%s is a folder, not a file", p)
	}
	return nil, notFound(p)
}

func (v draftView) Put(ctx context.Context, p Path, opt PutOptions, write func(io.Writer) error) (Entry, error) {
	if p == "" {
		return Entry{}, Faultf(Invalid, "a file needs a name").OnField("path")
	}
	p = v.wb.spelled(p)
	if err := v.checkPut(ctx, p, opt); err != nil { // early, so that nothing is written in vain
		return Entry{}, err
	}
	hash, size, err := v.wb.objects.put(ctx, v.wb.limits.FileBytes, write)
	if err != nil {
		return Entry{}, err
	}
	from, err := v.keepCopied(ctx, opt.Copied)
	if err != nil {
		return Entry{}, err
	}
	if err := v.wb.lockWrite(ctx); err != nil {
		return Entry{}, err
	}
	defer v.wb.writeMu.Unlock()
	if err := v.checkPut(ctx, p, opt); err != nil {
		return Entry{}, err
	}
	if e, err := v.unchanged(ctx, p, hash, opt); err != nil || e.Unchanged {
		return e, err
	}
	base, err := v.base(ctx, p)
	if err != nil {
		return Entry{}, err
	}
	r := row{kind: rowFile, hash: hash, size: size, baseHash: base, modified: v.wb.now().UTC(), copied: v.copiedFrom(p, from)}
	if r.identity, err = v.identityOf(ctx, p, opt); err != nil {
		return Entry{}, err
	}
	if err := v.noteCalculated(ctx, hash, opt, from); err != nil {
		return Entry{}, err
	}
	return v.wb.entryOf(p, r), v.commit(ctx, map[Path]row{p: r})
}

// unchanged returns the file at p where PutOptions.Same keeps it as it is.
func (v draftView) unchanged(ctx context.Context, p Path, hash string, opt PutOptions) (Entry, error) {
	if opt.Same == nil {
		return Entry{}, nil
	}
	e, err := v.Stat(ctx, p)
	if IsFault(err, NotFound) {
		return Entry{}, nil
	}
	if err != nil || e.JSON != opt.JSON || opt.Type != "" && opt.Type != e.Type {
		return Entry{}, err
	}
	if e.Unchanged = e.Hash == hash; e.Unchanged {
		return e, nil
	}
	now, err := v.Open(ctx, p)
	if errors.Is(err, ErrDamaged) {
		return Entry{}, nil // what is written takes its place
	}
	if err != nil {
		return Entry{}, err
	}
	defer now.Close()
	written, err := v.wb.objects.open(ctx, hash, e.Name())
	if err != nil {
		return Entry{}, err
	}
	defer written.Close()
	e.Unchanged, err = opt.Same.Same(now, written)
	return e, err
}

// identityOf returns the identity of a content that is put at p: the file that is
// there keeps its own, with a new version.
func (v draftView) identityOf(ctx context.Context, p Path, opt PutOptions) (Identity, error) {
	e, err := v.Stat(ctx, p)
	if err != nil && !IsFault(err, NotFound) {
		return Identity{}, err
	}
	d := e.Identity
	if d.FileID == "" {
		d = Identity{FileID: v.wb.newID(), Created: stamp(v.wb.now())}
		if err == nil { // on disk before the workbench knew it
			d.Created = stamp(e.Modified)
		}
	}
	d.VersionID, d.JSON = v.wb.newID(), opt.JSON
	if opt.Type != "" {
		d.Type = opt.Type
	}
	return d, nil
}

// base returns the published hash a new row stands on: an existing row keeps its own.
func (v draftView) base(ctx context.Context, p Path) (string, error) {
	if r, ok := v.overlay(p); ok {
		return r.baseHash, nil
	}
	hash, err := v.wb.publishedHash(ctx, p)
	if IsFault(err, NotFound) {
		return "", nil
	}
	return hash, err
}

func (v draftView) checkPut(ctx context.Context, p Path, opt PutOptions) error {
	for q := parent(p); q != ""; q = parent(q) {
		if e, err := v.Stat(ctx, q); err == nil && !e.IsDir {
			return Faultf(Conflict, "%s cannot hold files: %s is a file", p, q)
		} else if err != nil && !IsFault(err, NotFound) {
			return err
		}
	}
	e, err := v.Stat(ctx, p)
	switch {
	case IsFault(err, NotFound):
		if opt.BaseHash != "" {
			return Faultf(Conflict, "%s has gone since it was read", p)
		}
		return nil
	case err != nil:
		return err
	case e.IsDir:
		return Faultf(Conflict, "%s is a folder", p)
	case e.Refused == "unreadable":
		return unreadable(p, fs.ErrPermission)
	case e.Refused != "":
		return Faultf(Sandbox, "SANDBOX_VIOLATION: %s cannot be written: %s", p, e.Refused)
	case opt.CreateOnly:
		return Faultf(Conflict, "%s exists already", p)
	case opt.BaseHash != "" && opt.BaseHash != e.Hash:
		return Faultf(Conflict, "%s has changed since it was read; read it again", p)
	}
	return nil
}

func (v draftView) Mkdir(ctx context.Context, p Path) (Entry, error) {
	p = v.wb.spelled(p)
	if err := v.wb.lockWrite(ctx); err != nil {
		return Entry{}, err
	}
	defer v.wb.writeMu.Unlock()
	rows := map[Path]row{}
	for q := p; q != ""; q = parent(q) {
		e, err := v.Stat(ctx, q)
		switch {
		case err == nil && !e.IsDir:
			return Entry{}, Faultf(Conflict, "%s is a file", q)
		case err == nil && q == p && p != "":
			return e, nil
		case IsFault(err, NotFound):
			rows[q] = v.newDir()
		case err != nil:
			return Entry{}, err
		}
	}
	if len(rows) == 0 {
		return Entry{Path: p, IsDir: true}, nil
	}
	if err := v.commit(ctx, rows); err != nil {
		return Entry{}, err
	}
	if v.cause.Changed != nil {
		v.cause.Changed(p, false)
	}
	return rows[p].entry(p), nil
}

// newDir returns the row of a folder that is made.
func (v draftView) newDir() row {
	now := v.wb.now().UTC()
	return row{kind: rowDir, modified: now, identity: Identity{FileID: v.wb.newID(), Type: "folder", Created: stamp(now)}}
}

func (v draftView) Remove(ctx context.Context, p Path) error {
	p = v.wb.spelled(p)
	if err := v.wb.lockWrite(ctx); err != nil {
		return err
	}
	defer v.wb.writeMu.Unlock()
	if p == "" {
		return Faultf(Invalid, "the workbench itself cannot be removed")
	}
	e, err := v.Stat(ctx, p)
	if err != nil {
		return err
	}
	if e.IsDir {
		inside, err := v.List(ctx, p, ListOptions{NoHash: true})
		if err != nil {
			return err
		}
		if len(inside) > 0 {
			return Faultf(Conflict, "%s is not empty", p)
		}
		if name := v.wb.lockedIn(p); name != "" {
			f := Faultf(Conflict, "%s is not empty: another program keeps %s in it", p, name)
			f.Hint = "close the document there first"
			return f
		}
	}
	r, err := v.without(ctx, p)
	if err != nil {
		return err
	}
	rows := map[Path]row{p: r}
	v.keepParents(rows, p)
	return v.commit(ctx, rows)
}

// keepParents makes folders that are there only because the draft has a file in
// them stay when p leaves them, as folders on disk do.
func (v draftView) keepParents(rows map[Path]row, p Path) {
	for q := parent(p); q != ""; q = parent(q) {
		if _, ok := v.overlay(q); ok {
			continue
		}
		if _, err := v.wb.lstat(q); IsFault(err, NotFound) {
			if _, ok := rows[q]; !ok {
				rows[q] = v.newDir()
			}
		}
	}
}

// without returns the row that makes p not be there: a tombstone over a published
// path, else no row at all.
func (v draftView) without(ctx context.Context, p Path) (row, error) {
	st, err := v.wb.lstat(p)
	if IsFault(err, NotFound) {
		return row{kind: rowAbsent}, nil
	}
	if err != nil {
		return row{}, err
	}
	if st.IsDir() {
		return row{kind: rowNoDir, modified: v.wb.now().UTC()}, nil
	}
	base, err := v.base(ctx, p)
	return row{kind: rowGone, baseHash: base, modified: v.wb.now().UTC()}, err
}

func (v draftView) Move(ctx context.Context, from, to Path) error {
	return v.Rearrange(ctx, Edit{Kind: EditMove, Path: from, To: to})
}

// movedRow returns the row that a file or folder has at target after a move.
func (v draftView) movedRow(ctx context.Context, m Entry, target Path) (row, error) {
	if m.Refused != "" {
		return row{}, Faultf(Invalid, "%s cannot be moved: %s", m.Path, m.Refused)
	}
	if m.IsDir {
		r := v.newDir()
		if m.FileID != "" {
			r.identity = m.Identity
		}
		return r, nil
	}
	hash, size, err := v.contentOf(ctx, m.Path)
	if err != nil {
		return row{}, err
	}
	base, err := v.base(ctx, target)
	r := row{kind: rowFile, hash: hash, size: size, baseHash: base, modified: v.wb.now().UTC(), identity: m.Identity, copied: v.copiedFrom(m.Path, copied{})}
	if r.identity.FileID == "" {
		r.identity = Identity{FileID: v.wb.newID(), Created: stamp(m.Modified)}
	}
	if r.identity.VersionID == "" {
		r.identity.VersionID = v.wb.newID()
	}
	return r, err
}

func copyOf(src formats.Source) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.Copy(w, io.NewSectionReader(src, 0, src.Size()))
		return err
	}
}

func (v draftView) Touch(ctx context.Context, p Path) (Entry, error) {
	p = v.wb.spelled(p)
	e, err := v.Stat(ctx, p)
	if IsFault(err, NotFound) {
		return v.Put(ctx, p, PutOptions{CreateOnly: true}, func(io.Writer) error { return nil })
	}
	if err != nil || p == "" {
		return e, err
	}
	if err := v.wb.lockWrite(ctx); err != nil {
		return Entry{}, err
	}
	defer v.wb.writeMu.Unlock()
	if !v.live || !e.Synced { // a file that only the disk knows is imported (B7-03)
		r, err := v.movedRow(ctx, e, p)
		if err != nil {
			return Entry{}, err
		}
		if err := v.commit(ctx, map[Path]row{p: r}); err != nil {
			return Entry{}, err
		}
	}
	if v.live {
		now := v.wb.now()
		if err := v.wb.root.Chtimes(rootName(p), now, now); err != nil {
			return Entry{}, fmt.Errorf("cannot touch %s: %w", p, err)
		}
	}
	return v.Stat(ctx, p)
}

// commitRows makes rows part of the draft, opening it when there is none, and
// records the revision. wb.writeMu is held.
func (wb *Workbench) commitRows(ctx context.Context, c Cause, rows map[Path]row) error {
	if wb.readOnly {
		return readOnlyWorkbench()
	}
	wb.reviveFolders(rows)
	now := wb.now().UTC()
	var st DraftState
	transact := inTx
	if c.Later {
		transact = inTxLater
	}
	err := transact(ctx, wb.db, func(tx *sql.Tx) error {
		var err error
		if st, err = readDraft(tx); err != nil {
			return err
		}
		if !st.HasDraft {
			st = DraftState{HasDraft: true, ID: wb.newID(), CreatedAt: now, SourceKind: "workshop", SourceRef: "agent"}
			if _, err := tx.Exec(`INSERT INTO draft VALUES (?,?,?,?)`, st.ID, stamp(now), st.SourceKind, st.SourceRef); err != nil {
				return err
			}
		}
		rev, err := newRevision(tx, st.ID, c, now)
		if err != nil {
			return err
		}
		for p, r := range rows {
			if err := saveRow(tx, rev, p, r); err != nil {
				return err
			}
		}
		if err := dropEmptyDraft(tx); err != nil {
			return err
		}
		st, err = readDraft(tx)
		return err
	})
	if err != nil {
		return err
	}
	wb.mu.Lock()
	wb.draft = st
	for p, r := range rows {
		wb.setRow(p, r)
	}
	wb.mu.Unlock()
	wb.emit(Event{Kind: "draft"})
	return nil
}

// reviveFolders takes the removal of a folder back when something is put into
// it again.
func (wb *Workbench) reviveFolders(rows map[Path]row) {
	wb.mu.RLock()
	defer wb.mu.RUnlock()
	for _, p := range pathsOf(rows) {
		if k := rows[p].kind; k != rowFile && k != rowDir {
			continue
		}
		for q := parent(p); q != ""; q = parent(q) {
			r, ok := rows[q]
			if !ok {
				r, ok = wb.rows[q]
			}
			if ok && r.kind == rowNoDir {
				rows[q] = row{kind: rowAbsent}
			}
		}
	}
}

// newRevision begins the record of one change of the draft.
func newRevision(tx *sql.Tx, draftID string, c Cause, now time.Time) (int64, error) {
	author := c.Author
	if author == "" {
		author = "agent"
	}
	res, err := tx.Exec(`INSERT INTO revisions (draft_id,message_id,tool,author,at) VALUES (?,?,?,?,?)`, draftID, c.MessageID, c.Tool, author, stamp(now))
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

func saveRow(tx *sql.Tx, rev int64, p Path, r row) error {
	var err error
	if r.kind == rowAbsent {
		_, err = tx.Exec(`DELETE FROM draft_entries WHERE path=?`, string(p))
	} else {
		_, err = tx.Exec(`INSERT OR REPLACE INTO draft_entries VALUES (?,?,?,?,?,?,?,?,?)`, string(p), r.kind, r.hash, r.size, r.baseHash, stamp(r.modified), r.identity.save(), r.copied.hash, string(r.copied.from))
	}
	if err == nil {
		_, err = tx.Exec(`INSERT INTO revision_entries VALUES (?,?,?,?,?,?,?,?,?)`, rev, string(p), r.kind, r.hash, r.size, r.baseHash, r.identity.save(), r.copied.hash, string(r.copied.from))
	}
	return err
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

func unstamp(s string) time.Time {
	t, _ := time.Parse(time.RFC3339Nano, s)
	return t
}
