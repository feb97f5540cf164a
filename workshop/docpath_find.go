package workshop

import (
	"context"
	"strings"
)

// FindDoc finds the file of a view with a docPath: NotFound when there is none,
// Conflict when several share it. It looks at the names of as few folders as it
// can: at those whose files' default docPaths begin as this one does.
func (wb *Workbench) FindDoc(ctx context.Context, v View, doc DocPath) (Path, error) {
	x, ok := v.(Explorer)
	if !ok {
		all, err := wb.DocPaths(ctx, v)
		if err != nil {
			return "", err
		}
		return all.Find(doc)
	}
	given, err := wb.givenDocPaths(ctx)
	if err != nil {
		return "", err
	}
	found := &DocPaths{paths: map[DocPath][]Path{}}
	if found.paths[doc], err = wb.filesGiven(ctx, v, given, doc); err != nil {
		return "", err
	}
	root, err := x.Explore(ctx, "")
	if err != nil {
		return "", err
	}
	var same []Path
	if err := wb.sameDoc(ctx, root, doc, &same); err != nil {
		return "", err
	}
	for _, p := range same {
		own, err := hasGivenDoc(ctx, v, p, given)
		if err != nil {
			return "", err
		}
		if !own {
			found.paths[doc] = append(found.paths[doc], p)
		}
	}
	return found.Find(doc)
}

// filesGiven returns the files of a view that were given a docPath.
func (wb *Workbench) filesGiven(ctx context.Context, v View, given map[string]DocPath, doc DocPath) (files []Path, err error) {
	for id, d := range given {
		if d != doc {
			continue
		}
		p, err := wb.pathOfID(ctx, v, id)
		if err != nil {
			return nil, err
		}
		if p != "" {
			files = append(files, p)
		}
	}
	return files, nil
}

// hasGivenDoc reports whether a file was given a docPath, in place of its default
// one.
func hasGivenDoc(ctx context.Context, v View, p Path, given map[string]DocPath) (bool, error) {
	if len(given) == 0 {
		return false, nil
	}
	e, err := v.Stat(ctx, p)
	if err != nil {
		return false, err
	}
	_, ok := given[e.FileID]
	return ok && e.FileID != "", nil
}

// sameDoc collects the files below a folder whose default docPath is doc, and
// closes the folder.
func (wb *Workbench) sameDoc(ctx context.Context, f Folder, doc DocPath, out *[]Path) error {
	defer f.Close()
	for _, it := range f.Items() {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch def := wb.DefaultDocPath(it.Path); {
		case !it.IsDir && def == doc:
			*out = append(*out, it.Path)
		case it.IsDir && strings.HasPrefix(string(doc), string(def)+"/"):
			inside, err := f.Folder(ctx, it)
			if err != nil {
				return err
			}
			if err := wb.sameDoc(ctx, inside, doc, out); err != nil {
				return err
			}
		}
	}
	return nil
}

// pathOfID returns the path that a file has in a view, "" when it is not there.
func (wb *Workbench) pathOfID(ctx context.Context, v View, id string) (Path, error) {
	var candidates []Path
	wb.mu.RLock()
	for p, r := range wb.rows {
		if r.kind == rowFile && r.identity.FileID == id {
			candidates = append(candidates, p)
		}
	}
	wb.mu.RUnlock()
	p, err := wb.FileByID(ctx, id)
	if err == nil {
		candidates = append(candidates, p)
	} else if !IsFault(err, NotFound) {
		return "", err
	}
	for _, p := range candidates {
		e, err := v.Stat(ctx, p)
		if err == nil && e.FileID == id {
			return p, nil
		}
		if err != nil && !IsFault(err, NotFound) {
			return "", err
		}
	}
	return "", nil
}

// DocOf returns the docPath of a file of a view.
func (wb *Workbench) DocOf(ctx context.Context, v View, p Path) (DocPath, error) {
	given, err := wb.givenDocPaths(ctx)
	if err != nil {
		return "", err
	}
	if len(given) > 0 {
		e, err := v.Stat(ctx, p)
		if err != nil && !IsFault(err, NotFound) {
			return "", err
		}
		if doc, ok := given[e.FileID]; ok && e.FileID != "" {
			return doc, nil
		}
	}
	return wb.DefaultDocPath(p), nil
}
