package skills

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds of a folder of skills.
const (
	maxEntries = 256 // of a folder of skills
	maxSkills  = 32
	maxFiles   = 16 // of a skill
	maxDepth   = 3  // folders of a skill within each other
	maxFile    = 64 << 10
	maxSkill   = 256 << 10
)

// readDir reads the skills of a folder, sorted by name. What cannot be used is
// Refused; folders without a SKILL.md and other files are none.
func readDir(ctx context.Context, root *os.Root, source string) (List, error) {
	entries, err := entriesOf(root, ".", maxEntries)
	if errors.Is(err, errTooMany) {
		return List{{Name: "skills", Source: source, Status: Refused, Why: fmt.Sprintf("the folder of skills holds more than %d entries", maxEntries)}}, nil
	}
	if err != nil {
		return nil, err
	}
	var out List
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if strings.HasPrefix(e.Name(), ".") || e.Type().IsRegular() {
			continue
		}
		it, ok := readSkill(root, e, source)
		if !ok {
			continue
		}
		if len(out) >= maxSkills {
			it = refused(it.Name, source, fmt.Sprintf("the folder has more than %d skills", maxSkills))
		}
		out = append(out, it)
	}
	return out, nil
}

func refused(name, source, why string) Item {
	return Item{Name: name, Source: source, Status: Refused, Why: why}
}

// readSkill reads the folder of a skill; ok is false when it is none.
func readSkill(root *os.Root, e fs.DirEntry, source string) (it Item, ok bool) {
	name := e.Name()
	if !e.IsDir() {
		return refused(name, source, "it is no folder but a link or a device"), true
	}
	if _, err := root.Lstat(path.Join(name, skillFile)); errors.Is(err, fs.ErrNotExist) {
		return Item{}, false
	}
	if !goodName(name) {
		return refused(name, source, "its name has other characters than letters, digits, - and _, or more than 64"), true
	}
	r := reader{root: root, top: name}
	if why := r.folder(name, 1); why != "" {
		return refused(name, source, why), true
	}
	slices.SortFunc(r.files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	it = newItem(name, source, r.files)
	if t := it.Text(); !utf8.ValidString(t) || strings.ContainsRune(t, 0) {
		return refused(name, source, "its SKILL.md is not UTF-8 text"), true
	}
	return it, true
}

func goodName(s string) bool {
	if !utf8.ValidString(s) || utf8.RuneCountInString(s) > 64 {
		return false
	}
	for _, c := range s {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '-' && c != '_' {
			return false
		}
	}
	return s != ""
}

// reader reads the files of a skill within the bounds.
type reader struct {
	root  *os.Root
	top   string
	files []file
	size  int
}

// folder reads a folder and says why the skill cannot be used.
func (r *reader) folder(dir string, depth int) (why string) {
	if depth > maxDepth {
		return fmt.Sprintf("it has folders deeper than %d", maxDepth)
	}
	entries, err := entriesOf(r.root, dir, maxFiles)
	if errors.Is(err, errTooMany) {
		return fmt.Sprintf("it has more than %d files", maxFiles)
	}
	if err != nil {
		return "it cannot be read"
	}
	for _, e := range entries {
		p := path.Join(dir, e.Name())
		switch {
		case e.IsDir():
			why = r.folder(p, depth+1)
		case !e.Type().IsRegular():
			why = "it holds a link or a device"
		case !utf8.ValidString(e.Name()):
			why = "the name of a file in it is not UTF-8"
		case len(r.files) == maxFiles:
			why = fmt.Sprintf("it has more than %d files", maxFiles)
		default:
			why = r.file(p)
		}
		if why != "" {
			return why
		}
	}
	return ""
}

func (r *reader) file(p string) (why string) {
	f, err := r.root.Open(p)
	if err != nil {
		return "it cannot be read"
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return "it holds a link or a device"
	}
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch r.size += len(b); {
	case err != nil:
		return "it cannot be read"
	case len(b) > maxFile:
		return fmt.Sprintf("it holds a file of more than %d KiB", maxFile>>10)
	case r.size > maxSkill:
		return fmt.Sprintf("it has more than %d KiB", maxSkill>>10)
	}
	r.files = append(r.files, file{strings.TrimPrefix(p, r.top+"/"), b})
	return ""
}

var errTooMany = errors.New("too many entries")

// entriesOf returns the entries of a folder, sorted; errTooMany when there are more
// than most.
func entriesOf(root *os.Root, dir string, most int) ([]fs.DirEntry, error) {
	d, err := root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	entries, err := d.ReadDir(most + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(entries) > most {
		return nil, errTooMany
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}
