package search

import (
	"context"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"atelier/workshop"
)

// FindOptions select the entries to list (B12-01); the zero value lists the
// children of the root.
type FindOptions struct {
	Name      string        // * ? [] in the last segment; "" is any
	Dir       workshop.Path // "" is the root
	Recursive bool          // include everything below the children
	// Folders and Files select one of the two; neither set means both.
	Folders, Files bool
	// Keep, if not nil, decides last about an entry, for example by its type.
	Keep func(workshop.Entry) bool
	// MinSize and MaxSize are exclusive: a file is larger than MinSize and
	// smaller than MaxSize (C-27). If either is set, folders are left out.
	MinSize, MaxSize *int64
	Limit            int // 0 is all
}

// Find lists entries in path order, without hashes. A missing Dir is a
// NotFound fault; a Dir that is a file is an Invalid fault of "path"
// (B12-05).
func Find(ctx context.Context, v workshop.View, opt FindOptions) ([]workshop.Entry, error) {
	name, err := compileName(opt.Name)
	if err != nil {
		return nil, err
	}
	root, err := openFolder(ctx, v, opt.Dir)
	switch {
	case workshop.IsFault(err, workshop.NotFound):
		return nil, workshop.Faultf(workshop.NotFound, "Base path not found: /%s", opt.Dir).OnField("path")
	case workshop.IsFault(err, workshop.Invalid):
		return nil, workshop.Faultf(workshop.Invalid, "Base path is not a directory: /%s", opt.Dir).OnField("path")
	case err != nil:
		return nil, err
	}
	defer root.release()
	var out []workshop.Entry
	err = walkFolder(ctx, root, func(f *folder, it workshop.Item) (bool, error) {
		if opt.wants(it) && name(it.Name) {
			if e, err := f.Info(it); err == nil && opt.keeps(e) { // else deleted in the meantime
				out = append(out, e)
			}
		}
		return opt.Recursive, nil
	}, func(Skipped) {})
	slices.SortFunc(out, func(a, b workshop.Entry) int { return strings.Compare(string(a.Path), string(b.Path)) })
	if opt.Limit > 0 && len(out) > opt.Limit {
		out = out[:opt.Limit]
	}
	return out, err
}

func (o *FindOptions) wants(it workshop.Item) bool {
	if it.IsDir {
		return (o.Folders || !o.Files) && o.MinSize == nil && o.MaxSize == nil
	}
	return o.Files || !o.Folders
}

func (o *FindOptions) keeps(e workshop.Entry) bool {
	return (o.MinSize == nil || e.Size > *o.MinSize) && (o.MaxSize == nil || e.Size < *o.MaxSize) && (o.Keep == nil || o.Keep(e))
}

// compileName compiles a name with wildcards; braces have no special meaning.
func compileName(pattern string) (func(string) bool, error) {
	switch {
	case pattern == "":
		return func(string) bool { return true }, nil
	case len(pattern) > maxPattern:
		return nil, workshop.Faultf(workshop.Invalid, "the name has %d bytes; %d is the most", len(pattern), maxPattern).OnField("name")
	case strings.Contains(pattern, "/"):
		return nil, workshop.Faultf(workshop.Invalid, "name is matched against the last part of a path and cannot contain /; use path for the folder").OnField("name")
	}
	if end, ok := strings.CutPrefix(pattern, "*"); ok && !strings.ContainsAny(end, `*?[]\`) { // such as *.md
		return func(name string) bool { return strings.HasSuffix(name, end) }, nil
	}
	glob := strings.NewReplacer("{", `\{`, "}", `\}`, `\`, `\\`).Replace(pattern)
	if !doublestar.ValidatePattern(glob) {
		return nil, workshop.Faultf(workshop.Invalid, "the name %q is not a valid pattern: a [ is not closed, or a class is empty", pattern).OnField("name")
	}
	return func(name string) bool {
		ok, _ := doublestar.Match(glob, name)
		return ok
	}, nil
}
