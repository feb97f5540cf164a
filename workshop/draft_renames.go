package workshop

import (
	"os"
	"slices"
	"strings"
	"unicode"
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
	var come []Path
	for to, r := range rows {
		if r.kind == rowFile && r.baseHash == "" && len(gone[r.hash]) > 0 {
			come = append(come, to)
		}
	}
	slices.Sort(come)
	for _, from := range gone {
		slices.Sort(from)
	}
	return wb.pairUp(rows, come, gone)
}

// sameFile is what two names of one file have in common. A rename is sought by the
// identity first, then by the name, then by the content alone.
type sameFile struct{ hash, id, name string }

// pairUp pairs each path that comes with one of gone, which are by content and sorted as
// come is, at most once each. Comparing each with each would take very long where many
// files have the same content.
func (wb *Workbench) pairUp(rows map[Path]row, come []Path, gone map[string][]Path) map[Path]Path {
	out, taken := map[Path]Path{}, map[Path]bool{}
	pair := func(of func(p Path, hash, id string) (sameFile, bool)) {
		from := map[sameFile][]Path{}
		for hash, paths := range gone {
			for _, p := range paths {
				if key, ok := of(p, hash, wb.fileID(p)); ok && !taken[p] {
					from[key] = append(from[key], p)
				}
			}
		}
		for _, to := range come {
			r := rows[to]
			key, ok := of(to, r.hash, r.identity.FileID)
			if _, done := out[to]; done || !ok || len(from[key]) == 0 {
				continue
			}
			out[to], taken[from[key][0]] = from[key][0], true
			from[key] = from[key][1:]
		}
	}
	pair(func(_ Path, hash, id string) (sameFile, bool) { return sameFile{hash: hash, id: id}, id != "" })
	pair(func(p Path, hash, _ string) (sameFile, bool) {
		return sameFile{hash: hash, name: foldName(Entry{Path: p}.Name())}, true
	})
	pair(func(_ Path, hash, _ string) (sameFile, bool) { return sameFile{hash: hash}, hash != emptyHash })
	return out
}

// emptyHash is that of an empty file.
const emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// foldName returns the same text for names that strings.EqualFold takes as equal.
func foldName(name string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
			least = min(least, o)
		}
		return least
	}, name)
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
	among := setOf(paths)
	at := func(p Path) bool { return atOrBelow(among, p) }
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
