package workshop

import (
	"database/sql"
	"time"
)

// recordTargets keeps files and versions in step with what was carried out. It returns
// what is known from then on of the targets that are new.
func (wb *Workbench) recordTargets(tx *sql.Tx, in intent) (map[Path]known, error) {
	isNew, err := newTargets(tx, in.targets)
	if err != nil {
		return nil, err
	}
	removes := func(t target) bool { return t.kind == rowGone || t.kind == rowNoDir }
	for _, removals := range []bool{true, false} { // so that a moved file keeps its id
		for _, t := range in.targets {
			if removes(t) != removals || isNew[t.path] {
				continue
			}
			d, err := wb.recordFile(tx, t, in.at)
			if err == nil && t.isFile() {
				err = wb.recordVersions(tx, in.id, t, d, in.at)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return recordNew(tx, in, isNew)
}

// newTargets returns the files of which no row tells anything: that bring an identity with
// them, replace nothing, and whose path and version are new. Of those recordFile and
// recordVersions need not ask.
func newTargets(tx *sql.Tx, targets []target) (map[Path]bool, error) {
	var paths []Path
	var ids []string
	for _, t := range targets {
		if t.bringsAll() {
			paths, ids = append(paths, t.path), append(ids, t.identity.VersionID)
		}
	}
	known, versions := map[string]bool{}, map[string]bool{}
	for query, values := range map[string][]Path{`SELECT path FROM files WHERE deleted_at='' AND path IN (`: paths, `SELECT path FROM versions WHERE path IN (`: paths} {
		if err := found(tx, query, values, known); err != nil {
			return nil, err
		}
	}
	if err := found(tx, `SELECT id FROM versions WHERE id IN (`, ids, versions); err != nil {
		return nil, err
	}
	out := map[Path]bool{}
	for _, t := range targets {
		if t.bringsAll() && !known[string(t.path)] && !versions[t.identity.VersionID] {
			out[t.path] = true
			versions[t.identity.VersionID] = true // another target may have it too
		}
	}
	return out, nil
}

// bringsAll reports whether a target is a file that replaces nothing and has its ids.
func (t target) bringsAll() bool {
	return t.kind == rowFile && t.oldHash == "" && t.identity.FileID != "" && t.identity.VersionID != ""
}

// recordNew is recordFile and recordVersions for new targets, many rows at once.
func recordNew(tx *sql.Tx, in intent, isNew map[Path]bool) (map[Path]known, error) {
	files := newBulk(tx, `INSERT OR REPLACE INTO files (id,path,identity,hash,size,deleted_at)`)
	versions := newBulk(tx, `INSERT INTO versions (id,path,hash,size,author,checkpoint_id,at,file_id)`)
	out := make(map[Path]known, len(isNew))
	at := stamp(in.at)
	for _, t := range in.targets {
		if !isNew[t.path] {
			continue
		}
		d := t.identity.createdAt(in.at)
		if err := files.add(d.FileID, string(t.path), d.save(), t.newHash, t.size, ""); err != nil {
			return nil, err
		}
		if err := versions.add(d.VersionID, string(t.path), t.newHash, t.size, first(t.author, "agent"), in.id, at, d.FileID); err != nil {
			return nil, err
		}
		out[t.path] = known{d, t.newHash}
	}
	if err := files.flush(); err != nil {
		return nil, err
	}
	return out, versions.flush()
}

// createdAt returns the identity with a time of creation, which is at where it has none.
func (d Identity) createdAt(at time.Time) Identity {
	if d.Created == "" {
		d.Created = stamp(at)
	}
	return d
}
