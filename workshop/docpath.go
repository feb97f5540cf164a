package workshop

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"unicode/utf8"
)

// DocPath names a file for clients that know no paths (AGN-007): an opaque key
// in lower case, which is compared and looked up and nothing else. It may look
// like a path; nobody may take it apart, clean it or open it (C-04, F-05).
type DocPath string

// ParseDocPath makes a DocPath of what a client gives: its letters are made
// lower case and nothing else is altered (C-05, T-17).
func ParseDocPath(s string) (DocPath, error) {
	switch {
	case strings.TrimSpace(s) == "":
		return "", Faultf(Invalid, "the docPath must not be empty").OnField("docPath")
	case !utf8.ValidString(s):
		return "", Faultf(Invalid, "the docPath %q is not valid UTF-8", s).OnField("docPath")
	}
	return foldDocPath(s), nil
}

func foldDocPath(s string) DocPath { return DocPath(strings.ToLower(s)) }

// DefaultDocPath returns the docPath of a file that was not given one: the name of
// the workbench and the path below its root (F-06).
func (wb *Workbench) DefaultDocPath(p Path) DocPath { return foldDocPath(wb.Name() + "/" + string(p)) }

// DocPaths are the docPaths of the files of a view.
type DocPaths struct {
	of    map[Path]DocPath
	paths map[DocPath][]Path
}

// DocPaths reads them.
func (wb *Workbench) DocPaths(ctx context.Context, v View) (*DocPaths, error) {
	given, err := wb.givenDocPaths(ctx)
	if err != nil {
		return nil, err
	}
	entries, err := v.List(ctx, "", ListOptions{Recursive: true, NoHash: true})
	if err != nil {
		return nil, err
	}
	d := &DocPaths{map[Path]DocPath{}, map[DocPath][]Path{}}
	for _, e := range entries {
		if e.IsDir {
			continue
		}
		doc, ok := given[e.FileID]
		if !ok || e.FileID == "" {
			doc = wb.DefaultDocPath(e.Path)
		}
		d.of[e.Path] = doc
		d.paths[doc] = append(d.paths[doc], e.Path)
	}
	return d, nil
}

// Of returns the docPath of a file.
func (d *DocPaths) Of(p Path) (DocPath, bool) {
	doc, ok := d.of[p]
	return doc, ok
}

// Find returns the file with that docPath: NotFound when there is none, Conflict
// when names that differ only in case share it (F-02).
func (d *DocPaths) Find(doc DocPath) (Path, error) {
	ps := d.paths[doc]
	switch len(ps) {
	case 0:
		return "", Faultf(NotFound, "no file has the docPath %s", doc)
	case 1:
		return ps[0], nil
	}
	names := make([]string, len(ps))
	for i, p := range ps {
		names[i] = string(p)
	}
	f := Faultf(Conflict, "the docPath %s stands for several files: %s", doc, joinPaths(names))
	f.Paths, f.Hint = names, "give all but one of them a docPath of their own, or rename them"
	return "", f
}

// givenDocPaths returns the docPaths that files were given, by file id.
func (wb *Workbench) givenDocPaths(ctx context.Context) (map[string]DocPath, error) {
	given := map[string]DocPath{}
	return given, inReadTx(ctx, wb.db, func(tx *sql.Tx) error {
		rs, err := tx.Query(`SELECT file_id, doc_path FROM doc_paths`)
		if err != nil {
			return err
		}
		defer rs.Close()
		for rs.Next() {
			var id, doc string
			if err := rs.Scan(&id, &doc); err != nil {
				return err
			}
			given[id] = DocPath(doc)
		}
		return rs.Err()
	})
}

// SetDocPath gives a file a docPath of its own, which it keeps when it is
// changed or moved; "" gives it back the default one. Conflict when another
// file has it (F-02).
func (wb *Workbench) SetDocPath(ctx context.Context, p Path, doc DocPath) error {
	if err := wb.lockWrite(ctx); err != nil {
		return err
	}
	defer wb.writeMu.Unlock()
	view := wb.DraftView(Cause{Tool: "doc_path", Author: "user"})
	e, err := view.Stat(ctx, p)
	switch {
	case err != nil:
		return err
	case e.IsDir:
		return Faultf(Invalid, "%s is a folder and has no docPath", p).OnField("path")
	}
	all, err := wb.DocPaths(ctx, view)
	if err != nil {
		return err
	}
	for _, q := range all.paths[doc] {
		if q != p {
			f := Faultf(Conflict, "the docPath %s is that of %s", doc, q).OnField("docPath")
			f.Paths = []string{string(q)}
			return f
		}
	}
	return inTx(ctx, wb.db, func(tx *sql.Tx) error {
		id := e.FileID
		if id == "" {
			if id, err = wb.adoptFile(ctx, tx, e); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(`DELETE FROM doc_paths WHERE file_id=? OR doc_path=?`, id, string(doc)); err != nil || doc == "" {
			return err
		}
		_, err := tx.Exec(`INSERT INTO doc_paths VALUES (?,?)`, string(doc), id)
		return err
	})
}

// adoptFile gives a file that only the disk knows an id, its content untouched.
func (wb *Workbench) adoptFile(ctx context.Context, tx *sql.Tx, e Entry) (string, error) {
	if e.Refused != "" {
		return "", Faultf(Invalid, "%s cannot be opened: %s", e.Path, e.Refused).OnField("path")
	}
	d, err := wb.recordFile(tx, target{path: e.Path, kind: rowFile, newHash: e.Hash, size: e.Size, identity: Identity{Created: stamp(e.Modified)}}, wb.now().UTC())
	wb.mu.Lock()
	defer wb.mu.Unlock()
	wb.known = nil // read again by whoever needs it
	return d.FileID, errors.Join(err, ctx.Err())
}
