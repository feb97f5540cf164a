package workshop

import (
	"cmp"
	"os"
	"slices"
	"strings"
)

// renames pairs files that go with files that come with the same content: the
// draft's rows alone tell it. The result maps the new path to the old one.
//
// A file that kept its identity is a rename for certain; of the others those of
// the same name in another folder come first, then the order of paths. Empty
// files without an identity are only paired when their names are equal: their
// content says nothing.
func (wb *Workbench) renames(rows map[Path]row) map[Path]Path {
	gone := map[string][]Path{} // by content
	for p, r := range rows {
		if r.kind == rowGone && r.baseHash != "" {
			gone[r.baseHash] = append(gone[r.baseHash], p)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	var pairs []renamePair
	for to, r := range rows {
		if r.kind != rowFile || r.baseHash != "" {
			continue
		}
		for _, from := range gone[r.hash] {
			if rank, ok := wb.renameRank(from, to, r); ok {
				pairs = append(pairs, renamePair{from, to, rank})
			}
		}
	}
	return surest(pairs)
}

// surest pairs each path at most once, the surest pairs first.
func surest(pairs []renamePair) map[Path]Path {
	slices.SortFunc(pairs, func(a, b renamePair) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.to, b.to), cmp.Compare(a.from, b.from))
	})
	out, taken := map[Path]Path{}, map[Path]bool{}
	for _, p := range pairs {
		if _, done := out[p.to]; !done && !taken[p.from] {
			out[p.to], taken[p.from] = p.from, true
		}
	}
	return out
}

// renamePair is a file that may have been renamed; the least rank is the surest.
type renamePair struct {
	from, to Path
	rank     int
}

// renameRank returns how sure it is that the row r, at to, is the file from, whose
// content is the same. ok is false when it says nothing.
func (wb *Workbench) renameRank(from, to Path, r row) (rank int, ok bool) {
	switch {
	case r.identity.FileID != "" && wb.fileID(from) == r.identity.FileID:
		return 0, true
	case strings.EqualFold(Entry{Path: from}.Name(), Entry{Path: to}.Name()):
		return 1, true
	}
	return 2, r.size > 0
}

// fileID returns the identity of a published path, as far as it is loaded.
func (wb *Workbench) fileID(p Path) string {
	wb.mu.RLock()
	defer wb.mu.RUnlock()
	return wb.known[p].FileID
}

// wholeRenames adds to paths of the draft the other ends of renames, so that
// half a rename is neither published (the file would be there twice) nor
// discarded (it would be gone).
func (wb *Workbench) wholeRenames(paths []Path) []Path {
	if len(paths) == 0 {
		return paths
	}
	at := func(p Path) bool {
		return slices.ContainsFunc(paths, func(q Path) bool { return p == q || below(q, p) })
	}
	out := slices.Clone(paths)
	for to, from := range wb.renames(wb.selected(nil)) {
		if at(to) && !at(from) {
			out = append(out, from)
		}
		if at(from) && !at(to) {
			out = append(out, to)
		}
	}
	return out
}

// mergeRenames makes one change of each rename.
func mergeRenames(changes []Change, renames map[Path]Path) []Change {
	if len(renames) == 0 {
		return changes
	}
	old := map[Path]Change{}
	for _, c := range changes {
		if c.Type == "deleted" {
			old[c.Path] = c
		}
	}
	gone := map[Path]bool{}
	for i, c := range changes {
		from, ok := old[renames[c.Path]]
		if !ok || c.Type != "added" || from.Conflict {
			continue
		}
		changes[i].Type, changes[i].From = "renamed", from.Path
		changes[i].CopiedFrom, changes[i].CopiedHash = "", ""
		changes[i].OldHash, changes[i].OldSize = from.OldHash, from.OldSize
		gone[from.Path] = true
	}
	return slices.DeleteFunc(changes, func(c Change) bool { return gone[c.Path] && c.Type == "deleted" })
}

// otherSpelling reports whether to is only another spelling of from, on a file
// system where case does not count: the two names are one file.
func (wb *Workbench) otherSpelling(from, to Path) bool {
	if from == to || !strings.EqualFold(string(from), string(to)) {
		return false
	}
	a, err := wb.lstat(from)
	b, berr := wb.lstat(to)
	return err == nil && berr == nil && os.SameFile(a, b)
}
