package workshop

import (
	"fmt"
	"path"
	"strings"
	"unicode/utf8"
)

// tellHeldOpen warns of files that were replaced while an office program holds them
// open: it would save its own, older content over them.
func (wb *Workbench) tellHeldOpen(targets []target) {
	for _, t := range targets {
		if !t.isFile() || t.oldHash == "" {
			continue
		}
		if mark := wb.heldOpen(t.path); mark != "" {
			wb.tell(fmt.Sprintf("%s seems to be open in an office program (%s is beside it): close it there without saving, or it writes its older content over what was published", t.path, mark))
		}
	}
}

// heldOpen returns the file with which an office program marks that it holds p open; ""
// when there is none. A program that crashed leaves its mark, too.
func (wb *Workbench) heldOpen(p Path) string {
	dir, name := path.Split(string(p))
	for _, mark := range openMarks(name) {
		if st, err := wb.root.Lstat(dir + mark); err == nil && st.Mode().IsRegular() {
			return dir + mark
		}
	}
	return ""
}

// openMarks returns the names of such files: LibreOffice's .~lock.NAME#, Excel's and
// PowerPoint's ~$NAME, and Word's, which replaces the first letters of a name: one
// of a name with seven letters before its extension, two of a longer one.
func openMarks(name string) []string {
	marks := []string{".~lock." + name + "#", "~$" + name}
	runes := []rune(name)
	switch n := utf8.RuneCountInString(strings.TrimSuffix(name, path.Ext(name))); {
	case n == 7:
		marks = append(marks, "~$"+string(runes[1:]))
	case n > 7:
		marks = append(marks, "~$"+string(runes[2:]))
	}
	return marks
}
