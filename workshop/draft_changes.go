package workshop

import (
	"context"
	"maps"
	"slices"
	"sort"

	"atelier/formats"
)

// Change is one path the draft would change (W-61).
type Change struct {
	Path             Path
	Type             string // "added", "modified", "deleted", "renamed"
	From             Path   // of a rename: the published path it has now
	Kind             formats.Kind
	IsDir            bool // a folder made or removed
	OldHash, NewHash string
	OldSize, NewSize int64
	Conflict         bool   // the published file is not what the draft was based on
	Outside          string // of a conflict, what became of it: "changed", "deleted", "added"
	// Of an added file that was copied: where it was copied from, and the hash
	// of the content then, which may have changed or gone since.
	CopiedFrom Path
	CopiedHash string
}

// Changes lists what publishing the draft would change, sorted by path. A
// draft file equal to the published one is not a change. A folder is listed where
// no change below it tells that it comes or goes.
func (wb *Workbench) Changes(ctx context.Context) ([]Change, error) {
	all, err := wb.changes(ctx, nil, wb.publishedHash)
	if err != nil {
		return nil, err
	}
	if err := wb.loadKnown(ctx); err != nil {
		return nil, err
	}
	return mergeRenames(withoutImplied(all), wb.renames(wb.selected(nil))), nil
}

// withoutImplied leaves out the folders that a change below them implies: one that
// adds or removes what is there as the folder itself is. changes are sorted, before
// renames are merged.
func withoutImplied(changes []Change) []Change {
	implied := map[Path]string{} // what the changes below a folder do
	var out []Change
	for _, c := range slices.Backward(changes) { // what is in a folder comes before it
		if c.IsDir && implied[c.Path] == c.Type {
			continue
		}
		out = append(out, c)
		for q := parent(c.Path); q != "" && c.Type != "modified" && implied[q] != c.Type; q = parent(q) {
			implied[q] = c.Type
		}
	}
	slices.Reverse(out)
	return out
}

// changes compares the rows (those at or below paths, or all) with the
// published files, hashed by hash.
func (wb *Workbench) changes(ctx context.Context, paths []Path, hash func(context.Context, Path) (string, error)) ([]Change, error) {
	var out []Change
	rows := wb.selected(paths)
	for p, r := range rows {
		if r.kind == rowDir || r.kind == rowNoDir {
			if dc, ok := wb.dirChange(p, r); ok {
				out = append(out, dc)
			}
			continue
		}
		now, err := hash(ctx, p)
		if err != nil && !IsFault(err, NotFound) && !wb.isFolder(p) {
			return nil, err
		}
		if now != "" && r.baseHash == "" && wb.respelled(rows, p) {
			now = ""
		}
		if c, ok := wb.fileChange(p, r, now); ok {
			c.Kind = wb.changedKind(ctx, p, c.NewHash)
			out = append(out, c)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Path < out[j].Path })
	return out, nil
}

// fileChange compares a file's row with the hash that the published file has now, ""
// for none. ok is false when they are the same.
func (wb *Workbench) fileChange(p Path, r row, now string) (c Change, ok bool) {
	c = Change{Path: p, NewHash: r.hash, NewSize: r.size}
	if now != "" {
		if st, err := wb.lstat(p); err == nil {
			c.OldHash, c.OldSize = now, st.Size()
		}
	}
	if c.Conflict = now != r.baseHash; c.Conflict {
		c.Outside = outside(r.baseHash, now)
	}
	switch {
	case r.kind == rowGone && now == "":
		return c, false // gone already
	case r.kind == rowGone:
		c.Type = "deleted"
	case now == r.hash:
		return c, false // the same already
	case r.hash == r.baseHash:
		return c, false // it was changed back: what another program has made of it stays
	case now == "":
		c.Type = "added"
		c.CopiedFrom, c.CopiedHash = r.copied.from, r.copied.hash
	default:
		c.Type = "modified"
	}
	return c, true
}

// outside says what became of a published file that is not what it was.
func outside(base, now string) string {
	switch {
	case now == "":
		return "deleted"
	case base == "":
		return "added"
	}
	return "changed"
}

// respelled reports whether what is found at p is a file that the draft removes
// under another spelling.
func (wb *Workbench) respelled(rows map[Path]row, p Path) bool {
	for q, r := range rows {
		if r.kind == rowGone && wb.otherSpelling(q, p) {
			return true
		}
	}
	return false
}

// isFolder reports whether a published folder is at p.
func (wb *Workbench) isFolder(p Path) bool {
	st, err := wb.lstat(p)
	return err == nil && st.IsDir()
}

func (wb *Workbench) dirChange(p Path, r row) (Change, bool) {
	st, err := wb.lstat(p)
	there := err == nil && st.IsDir()
	switch {
	case r.kind == rowDir && !there:
		return Change{Path: p, Type: "added", IsDir: true}, true
	case r.kind == rowNoDir && there:
		return Change{Path: p, Type: "deleted", IsDir: true}, true
	}
	return Change{}, false
}

// selected copies the rows at or below paths, all when there are none.
func (wb *Workbench) selected(paths []Path) map[Path]row {
	among := setOf(paths)
	wb.mu.RLock()
	defer wb.mu.RUnlock()
	if len(paths) == 0 {
		return maps.Clone(wb.rows)
	}
	out := map[Path]row{}
	for p, r := range wb.rows {
		if atOrBelow(among, p) {
			out[p] = r
		}
	}
	return out
}

func setOf(paths []Path) map[Path]bool {
	out := make(map[Path]bool, len(paths))
	for _, p := range paths {
		out[p] = true
	}
	return out
}

// atOrBelow reports whether p or a folder above it is among paths.
func atOrBelow(paths map[Path]bool, p Path) bool {
	for q := p; ; q = parent(q) {
		if paths[q] {
			return true
		}
		if q == "" {
			return false
		}
	}
}

// OpenVersion opens one side of a change: "draft" or "published"; or "copied",
// the content that a file of the draft was copied from.
func (wb *Workbench) OpenVersion(ctx context.Context, p Path, version string) (Source, error) {
	switch version {
	case "draft":
		return wb.DraftView(Cause{}).Open(ctx, p)
	case "published":
		src, err := wb.Published().Open(ctx, p)
		if IsFault(err, NotFound) { // perhaps under the name it had
			if from, ok := wb.renames(wb.selected(nil))[p]; ok {
				return wb.Published().Open(ctx, from)
			}
		}
		return src, err
	case "copied":
		r, ok := wb.DraftView(Cause{}).(draftView).overlay(p)
		if !ok || r.copied.hash == "" {
			return nil, Faultf(NotFound, "%s was not copied from another file", p)
		}
		return wb.openKept(ctx, r.copied.hash, r.copied.from)
	}
	return nil, Faultf(Invalid, "unknown version %q: use draft or published", version).OnField("version")
}
