package workshop

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// folding says which differences in spelling a file system ignores. There a draft has
// one row for a file, under the name that the file has.
type folding struct {
	cases   bool // a.txt and A.TXT, as on Windows and macOS
	accents bool // é as one character and as two, as on macOS
}

// foldingOf looks at what the file system of a folder does with names in it, or with
// the name of the folder. It writes nothing. Where nothing shows it, names differ,
// except that macOS takes both forms of é for one.
func foldingOf(root *os.Root) folding {
	var f, known folding
	look := func(stat func(string) (fs.FileInfo, error), name string) {
		a, err := stat(name)
		if err != nil {
			return
		}
		same := func(other string) bool {
			b, err := stat(other)
			return err == nil && os.SameFile(a, b)
		}
		if other := swapCase(name); other != name && !known.cases {
			f.cases, known.cases = same(other), true
		}
		if other := otherForm(name); other != name && !known.accents {
			f.accents, known.accents = same(other), true
		}
	}
	if dir, err := root.Open("."); err == nil {
		names, _ := dir.Readdirnames(64)
		dir.Close()
		for _, name := range names {
			look(root.Lstat, name)
		}
	}
	up, name := filepath.Split(filepath.Clean(root.Name()))
	look(func(name string) (fs.FileInfo, error) { return os.Lstat(filepath.Join(up, name)) }, name)
	if !known.accents {
		f.accents = runtime.GOOS == "darwin"
	}
	return f
}

// otherForm returns a name with its accents as characters by themselves, or the
// reverse (Unicode's forms NFD and NFC).
func otherForm(s string) string {
	if other := norm.NFD.String(s); other != s {
		return other
	}
	return norm.NFC.String(s)
}

func swapCase(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, s)
}

// key is equal for the spellings of one name.
func (f folding) key(p Path) string {
	s := string(p)
	if f.accents {
		s = norm.NFC.String(s)
	}
	if f.cases {
		s = strings.ToLower(s)
	}
	return s
}

// spellings has the paths of a draft's rows by their keys, where the file system
// folds names; nil elsewhere.
type spellings map[string]Path

func (f folding) spellingsOf(rows map[Path]row) spellings {
	if f == (folding{}) {
		return nil
	}
	s := spellings{}
	for p, r := range rows {
		s.add(f, p, r)
	}
	return s
}

// add notes a row. One that has content counts more than one that removes a file: a
// rename that changes only the case has both.
func (s spellings) add(f folding, p Path, r row) {
	if s == nil {
		return
	}
	key := f.key(p)
	if _, there := s[key]; !there || r.kind == rowFile || r.kind == rowDir {
		s[key] = p
	}
}

func (s spellings) drop(f folding, p Path) {
	if s == nil {
		return
	}
	if key := f.key(p); s[key] == p {
		delete(s, key)
	}
}

// spelledInDraft returns the path under which the draft has p; false: it says nothing of
// it. One that has content counts more than one that removes a file. wb.mu must not be held.
func (wb *Workbench) spelledInDraft(p Path) (Path, bool) {
	wb.mu.RLock()
	defer wb.mu.RUnlock()
	if wb.spellings == nil {
		return p, false
	}
	if r, ok := wb.rows[p]; ok && (r.kind == rowFile || r.kind == rowDir) {
		return p, true
	}
	if q, ok := wb.spellings[wb.folding.key(p)]; ok {
		return q, true
	}
	return p, false
}

// spelled returns the path that p has in the draft or, where the draft says nothing
// of it, in the folder. It differs from p where the file system finds the file under
// another spelling. What is nowhere is below the folder that is there.
func (wb *Workbench) spelled(p Path) Path {
	if p == "" || wb.folding == (folding{}) || reserved(p) {
		return p
	}
	if q, ok := wb.spelledInDraft(p); ok {
		return q
	}
	q := p
	if dir := wb.spelled(parent(p)); dir != "" {
		q = dir + "/" + Path(path.Base(string(p)))
	}
	if r, ok := wb.spelledInDraft(q); ok {
		return r
	}
	st, err := wb.lstat(q)
	if err != nil {
		return q
	}
	names, err := fs.ReadDir(wb.root.FS(), rootName(parent(q)))
	if err != nil {
		return q
	}
	found := q
	for _, e := range names {
		if e.Name() == path.Base(string(q)) {
			return q
		}
		one := Path(e.Name())
		if d := parent(q); d != "" {
			one = d + "/" + one
		}
		if found == q && wb.folding.key(one) == wb.folding.key(q) {
			if other, err := wb.lstat(one); err == nil && os.SameFile(st, other) {
				found = one
			}
		}
	}
	return found
}

// spelledBelow is spelled for the place of a file that is made or moved: its name is
// kept as it was asked for, and its folder has the spelling that it has.
func (wb *Workbench) spelledBelow(p Path) Path {
	if dir := wb.spelled(parent(p)); dir != "" {
		return dir + "/" + Path(path.Base(string(p)))
	}
	return p
}
