package workshop

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"time"
)

// FileRef names a file by its id or, when that is "", by its path.
type FileRef struct {
	ID   string
	Path Path
}

// FileVersion is a content that a file has or had: published, or a step of a
// draft.
type FileVersion struct {
	Version        // ID is never "": a content that no version names has its hash for an id
	Path    Path   // of the file then
	Tool    string // of a step of a draft, what made it
	Step    bool   // it was in a draft and was not published as it is
	Current bool   // it is what the file holds now, in the draft where that has the file
}

// foundFile is the file of a FileRef: where it is, or was before it was removed.
type foundFile struct {
	path     Path
	identity Identity
	gone     bool // neither published nor in the draft
}

// FileVersions lists the contents of a file that are kept, the newest first:
// those it had through publishes and live writes, the steps of drafts, and what
// is on disk.
func (wb *Workbench) FileVersions(ctx context.Context, ref FileRef) ([]FileVersion, error) {
	_, vs, err := wb.fileVersions(ctx, ref)
	return vs, err
}

func (wb *Workbench) fileVersions(ctx context.Context, ref FileRef) (foundFile, []FileVersion, error) {
	f, err := wb.findFile(ctx, ref)
	if err != nil {
		return f, nil, err
	}
	var out []FileVersion
	made := map[string]time.Time{}
	err = inReadTx(ctx, wb.db, func(tx *sql.Tx) error {
		if out, err = publishedVersions(tx, ref, f); err != nil {
			return err
		}
		rising(made, out)
		steps, err := draftSteps(tx, ref, f)
		rising(made, steps)
		if out = append(out, steps...); err != nil {
			return err
		}
		kept, err := keptStates(tx, f.path, out)
		out = append(out, kept...)
		return err
	})
	if err != nil {
		return f, nil, err
	}
	if out, err = wb.addPresent(ctx, f, distinct(out)); err != nil {
		return f, nil, err
	}
	if len(out) == 0 {
		return f, nil, notFound(f.path)
	}
	at := func(v FileVersion) time.Time {
		if t, ok := made[v.ID]; ok {
			return t
		}
		return v.At
	}
	slices.SortStableFunc(out, func(a, b FileVersion) int { return at(b).Compare(at(a)) })
	return f, out, nil
}

// rising notes when each of some versions was made, the newest first, with times that do not
// fall: the clock may have been set back between two, or the later one was made on a machine
// whose clock is behind.
func rising(made map[string]time.Time, list []FileVersion) {
	var latest time.Time
	for _, v := range slices.Backward(list) {
		if v.At.After(latest) {
			latest = v.At
		}
		if _, ok := made[v.ID]; !ok {
			made[v.ID] = latest
		}
	}
}

// findFile returns the file that ref names: one that is there before one that was.
func (wb *Workbench) findFile(ctx context.Context, ref FileRef) (foundFile, error) {
	for p, r := range wb.selected(nil) {
		if r.kind == rowFile && (ref.ID == "" && p == ref.Path || ref.ID != "" && r.identity.FileID == ref.ID) {
			return foundFile{path: p, identity: r.identity}, nil
		}
	}
	if ref.ID != "" {
		return wb.findByID(ctx, ref.ID)
	}
	e, err := wb.Published().Stat(ctx, ref.Path)
	switch {
	case err == nil && e.IsDir:
		return foundFile{}, Faultf(Invalid, "%s is a folder, not a file", ref.Path).OnField("path")
	case err == nil && e.Refused != "":
		return foundFile{}, Faultf(Sandbox, "SANDBOX_VIOLATION: %s cannot be opened: %s", ref.Path, e.Refused).OnField("path")
	case err == nil:
		return foundFile{path: ref.Path, identity: e.Identity}, nil
	case !IsFault(err, NotFound):
		return foundFile{}, err
	}
	f := foundFile{path: ref.Path, gone: true}
	var saved string
	err = wb.db.QueryRowContext(ctx, `SELECT identity FROM files WHERE path=? AND hash<>'' ORDER BY deleted_at DESC LIMIT 1`, string(ref.Path)).Scan(&saved)
	if err == nil {
		f.identity = loadIdentity(saved)
	} else if !errors.Is(err, sql.ErrNoRows) {
		return f, storageFault(err)
	}
	return f, nil // fileVersions says NotFound when nothing is kept of it
}

func (wb *Workbench) findByID(ctx context.Context, id string) (foundFile, error) {
	var p, saved, hash, deleted string
	err := wb.db.QueryRowContext(ctx, `SELECT path, identity, hash, deleted_at FROM files WHERE id=?`, id).Scan(&p, &saved, &hash, &deleted)
	if errors.Is(err, sql.ErrNoRows) { // perhaps it was only ever in a draft
		err = wb.db.QueryRowContext(ctx, `SELECT path, identity, hash, 'gone' FROM revision_entries WHERE kind=? AND json_extract(nullif(identity,''),'$.id')=? ORDER BY revision DESC LIMIT 1`, rowFile, id).Scan(&p, &saved, &hash, &deleted)
	}
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return foundFile{}, Faultf(NotFound, "there is no file %s", id).OnField("file_id")
	case err != nil:
		return foundFile{}, storageFault(err)
	case hash == "":
		return foundFile{}, Faultf(Invalid, "%s is a folder, not a file", p).OnField("file_id")
	}
	return foundFile{path: Path(p), identity: loadIdentity(saved), gone: deleted != ""}, nil
}

// publishedVersions returns those that publishes and live writes noted. A file that
// is named by its id has only its own, not those of others that were at its path.
func publishedVersions(tx *sql.Tx, ref FileRef, f foundFile) ([]FileVersion, error) {
	rs, err := tx.Query(`SELECT id, path, hash, size, author, checkpoint_id, at FROM versions
		WHERE ?2<>'' AND file_id=?2 OR path=?1 AND (file_id='' OR ?3='') ORDER BY rowid DESC`, string(f.path), f.identity.FileID, ref.ID)
	if err != nil {
		return nil, err
	}
	defer rs.Close()
	var out []FileVersion
	for rs.Next() {
		var v FileVersion
		var at string
		if err := rs.Scan(&v.ID, &v.Path, &v.Hash, &v.Size, &v.Author, &v.CheckpointID, &at); err != nil {
			return nil, err
		}
		v.At = unstamp(at)
		out = append(out, v)
	}
	all := slices.Clone(out)
	out = slices.DeleteFunc(out, func(v FileVersion) bool { // of a move: the path was left, the file was not removed
		return v.Hash == "" && slices.ContainsFunc(all, func(to FileVersion) bool {
			return to.Hash != "" && to.CheckpointID == v.CheckpointID && to.Path != v.Path
		})
	})
	return out, rs.Err()
}

// draftSteps returns the contents that drafts gave the file, the newest first.
func draftSteps(tx *sql.Tx, ref FileRef, f foundFile) ([]FileVersion, error) {
	rs, err := tx.Query(`SELECT e.path, e.hash, e.size, e.identity, r.author, r.tool, r.at FROM revision_entries e JOIN revisions r ON r.id=e.revision
		WHERE e.kind=?4 AND (?2<>'' AND json_extract(nullif(e.identity,''),'$.id')=?2 OR ?3='' AND e.path=?1) ORDER BY e.revision DESC`,
		string(f.path), f.identity.FileID, ref.ID, rowFile)
	if err != nil {
		return nil, err
	}
	defer rs.Close()
	var out []FileVersion
	for rs.Next() {
		var identity, at string
		v := FileVersion{Step: true}
		if err := rs.Scan(&v.Path, &v.Hash, &v.Size, &identity, &v.Author, &v.Tool, &at); err != nil {
			return nil, err
		}
		v.ID, v.At = first(loadIdentity(identity).VersionID, v.Hash), unstamp(at)
		out = append(out, v)
	}
	return out, rs.Err()
}

// distinct leaves one of each id: the published one, else the oldest, since an
// undo notes a step again.
func distinct(all []FileVersion) []FileVersion {
	at := map[string]int{}
	out := all[:0:0]
	for _, v := range all {
		i, ok := at[v.ID]
		switch {
		case !ok:
			at[v.ID] = len(out)
			out = append(out, v)
		case out[i].Step:
			out[i] = v
		}
	}
	return out
}

// addPresent marks the content that the file has now, and adds what is on disk
// where no version names it.
func (wb *Workbench) addPresent(ctx context.Context, f foundFile, vs []FileVersion) ([]FileVersion, error) {
	for _, view := range []View{wb.Published(), wb.DraftView(Cause{})} {
		e, err := view.Stat(ctx, f.path)
		if IsFault(err, NotFound) || f.gone || err == nil && (e.IsDir || e.Refused != "") {
			continue
		}
		if err != nil {
			return nil, err
		}
		vs = withCurrent(vs, e)
	}
	if _, err := wb.DraftView(Cause{}).Stat(ctx, f.path); IsFault(err, NotFound) { // the draft removes it
		noneCurrent(vs)
	}
	return vs, nil
}

func noneCurrent(vs []FileVersion) {
	for i := range vs {
		vs[i].Current = false
	}
}

// withCurrent marks the version that an entry has, adding one where none has its
// content.
func withCurrent(vs []FileVersion, e Entry) []FileVersion {
	noneCurrent(vs)
	i := slices.IndexFunc(vs, func(v FileVersion) bool { return v.ID == e.VersionID && v.Hash == e.Hash })
	if i < 0 {
		i = slices.IndexFunc(vs, func(v FileVersion) bool { return v.Hash == e.Hash })
	}
	if i < 0 {
		vs = append(vs, FileVersion{Version: Version{ID: e.Hash, Hash: e.Hash, Size: e.Size, Author: "user", At: e.Modified}, Path: e.Path})
		i = len(vs) - 1
	}
	vs[i].Current = true
	return vs
}

// FileVersion is one version of a file, by its id, its hash, or the beginning of
// either when no other begins so.
func (wb *Workbench) FileVersion(ctx context.Context, ref FileRef, id string) (FileVersion, error) {
	_, v, err := wb.fileVersion(ctx, ref, id)
	return v, err
}

func (wb *Workbench) fileVersion(ctx context.Context, ref FileRef, id string) (foundFile, FileVersion, error) {
	f, vs, err := wb.fileVersions(ctx, ref)
	if err != nil {
		return f, FileVersion{}, err
	}
	v, err := pickVersion(f.path, vs, strings.ToLower(id))
	return f, v, err
}

func pickVersion(p Path, vs []FileVersion, id string) (FileVersion, error) {
	var hits []FileVersion
	for _, v := range vs {
		switch {
		case v.ID == id:
			return v, nil
		case id == "":
		case v.Hash == id:
			hits = append(hits, v)
		case len(id) >= 4 && (strings.HasPrefix(v.ID, id) || strings.HasPrefix(v.Hash, id)):
			hits = append(hits, v)
		}
	}
	if len(hits) == 0 {
		f := Unknownf("%s has no version %s", p, id).OnField("version_id")
		f.Hint = "list the versions of the file"
		return FileVersion{}, f
	}
	for _, v := range hits[1:] {
		if v.Hash != hits[0].Hash {
			return FileVersion{}, Faultf(Invalid, "%d versions of %s begin with %s; write more of the id", len(hits), p, id).OnField("version_id")
		}
	}
	return hits[0], nil // the same content, the newest of it
}

// OpenFileVersion opens the content of a version of a file.
func (wb *Workbench) OpenFileVersion(ctx context.Context, ref FileRef, id string) (FileVersion, Source, error) {
	f, v, err := wb.fileVersion(ctx, ref, id)
	if err != nil {
		return v, nil, err
	}
	src, err := wb.openFound(ctx, f, v)
	return v, src, err
}

func (wb *Workbench) openFound(ctx context.Context, f foundFile, v FileVersion) (Source, error) {
	if v.Hash == "" {
		return nil, Unknownf("version %s is the removal of %s; it has no content", v.ID, v.Path).OnField("version_id")
	}
	if v.ID == v.Hash { // it is on disk, and perhaps nowhere else
		src, err := wb.Published().Open(ctx, f.path)
		if err == nil && src.Hash() == v.Hash {
			return src, nil
		}
		if err == nil {
			src.Close()
		}
	}
	return wb.openKept(ctx, v.Hash, v.Path)
}

// EventRestore is the event_kind of the system_event that a restored version
// leaves in the conversation. UndoBefore its message id takes the step back.
const EventRestore = "restore"

// Restored is what RestoreVersion did.
type Restored struct {
	From      FileVersion // the version whose content it is
	Entry     Entry       // the file in the draft, with a new version id
	Replaced  string      // the version it had before, "" when it was not there
	MessageID string      // UndoBefore it takes the step back
	Unchanged bool        // the file holds that content already: nothing was done
}

// RestoreVersion makes a version of a file what the draft has for it, as one
// step; other files are not touched. A file that is gone comes back with its id
// where it was last.
func (wb *Workbench) RestoreVersion(ctx context.Context, c Cause, ref FileRef, id string) (Restored, error) {
	if wb.readOnly {
		return Restored{}, readOnlyWorkbench()
	}
	if err := wb.lockWrite(ctx); err != nil {
		return Restored{}, err
	}
	defer wb.writeMu.Unlock()
	f, v, err := wb.fileVersion(ctx, ref, id)
	if err != nil {
		return Restored{}, err
	}
	view := draftView{wb: wb, cause: c, under: published{wb}}
	if err := view.checkPut(ctx, f.path, PutOptions{CreateOnly: f.gone}); err != nil {
		return Restored{}, err
	}
	res := Restored{From: v}
	now, err := view.Stat(ctx, f.path)
	if err != nil && !IsFault(err, NotFound) {
		return res, err
	}
	res.Replaced = first(now.VersionID, now.Hash)
	if res.Unchanged = now.Hash != "" && now.Hash == v.Hash; res.Unchanged {
		res.Entry = now
		return res, nil
	}
	r, err := wb.restoredRow(ctx, view, f, v)
	if err != nil {
		return res, err
	}
	res.MessageID = wb.conv.NewMessageID("s-")
	if err := wb.commitRestore(ctx, c, f.path, r, res); err != nil {
		return res, err
	}
	res.Entry = wb.entryOf(f.path, r)
	return res, nil
}

// restoredRow returns the draft's row for a version of a file.
func (wb *Workbench) restoredRow(ctx context.Context, view draftView, f foundFile, v FileVersion) (row, error) {
	src, err := wb.openFound(ctx, f, v)
	if err != nil {
		return row{}, err
	}
	defer src.Close()
	r := row{kind: rowFile, modified: wb.now().UTC()}
	if r.hash, r.size, err = wb.objects.put(ctx, max(src.Size(), wb.limits.FileBytes), copyOf(src)); err != nil {
		return r, err
	}
	if r.hash != v.Hash {
		return r, Faultf(Conflict, "%s changed while it was restored; nothing was done", f.path)
	}
	if r.baseHash, err = view.base(ctx, f.path); err != nil {
		return r, err
	}
	if r.identity, err = view.identityOf(ctx, f.path, PutOptions{JSON: f.identity.JSON}); err != nil {
		return r, err
	}
	if f.identity.FileID != "" && r.identity.FileID != f.identity.FileID { // it is not there, and keeps its id
		version := r.identity.VersionID
		r.identity = f.identity
		r.identity.VersionID = version
	}
	if r.identity.JSON { // the version may be from before the file held a JSON value
		b, err := io.ReadAll(io.NewSectionReader(src, 0, src.Size()))
		if err != nil {
			return r, err
		}
		r.identity.JSON = json.Valid(b)
	}
	return r, nil
}

// commitRestore notes the step in the conversation, which marks the moment
// before it, and carries it out.
func (wb *Workbench) commitRestore(ctx context.Context, c Cause, p Path, r row, res Restored) error {
	c.MessageID = res.MessageID
	step := Record{MessageID: res.MessageID, EventKind: EventRestore, Text: string(p),
		Metadata: map[string]any{"path": string(p), "version_id": res.From.ID, "new_version_id": r.identity.VersionID}}
	return wb.takeStep(step, "restored", func() error { return wb.commitRows(ctx, c, map[Path]row{p: r}) })
}

// takeStep notes a step of the user in the conversation, which marks the moment before it,
// carries it out, and marks the moment after it. A step that fails is noted as undone.
// wb.writeMu is held.
func (wb *Workbench) takeStep(step Record, point string, do func() error) error {
	step.Type = TypeSystem
	if err := wb.conv.Append(step); err != nil {
		return err
	}
	if err := wb.at(point); err != nil {
		return err
	}
	err := do()
	if err == nil {
		_ = wb.markAs(context.Background(), afterMark+step.MessageID) // without it the step can be undone, and not be done again
		return nil
	}
	undone := Record{Type: TypeSystem, MessageID: wb.conv.NewMessageID("s-"), EventKind: EventUndo, Metadata: map[string]any{"before": step.MessageID}}
	return errors.Join(err, wb.conv.Append(undone))
}
