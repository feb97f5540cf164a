package workshop

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// StandingDir is the folder of a root whose .md files a model is always told.
// People keep it with their documents; tools neither see nor write it.
const StandingDir = stateDir + "/context"

// The bounds of what is read of StandingDir.
const (
	standingFiles = 64
	standingBytes = 1 << 20 // of one file
)

// StandingFile is one file of StandingDir.
type StandingFile struct {
	Name    string
	Text    string // UTF-8, at most 1 MiB of it
	Whole   bool   // Text is all of the file
	Refused string // why it cannot be read; Text is "" then
	// Modified is when it was written last.
	Modified time.Time
}

// standingOrder is what is told first: from the general to the particular.
var standingOrder = []string{"company", "department", "situation", "document-style"}

// Standing reads the standing context: the .md files of StandingDir, from the
// company to the style of documents, then the others by name. More than 64
// files are a Conflict: nobody would notice which of them count.
func (wb *Workbench) Standing(ctx context.Context) ([]StandingFile, error) {
	if err := wb.standingDir(); err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(wb.root.FS(), StandingDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, storageFault(err)
	}
	var files []StandingFile
	for _, e := range entries {
		if !strings.EqualFold(path.Ext(e.Name()), ".md") || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(files) == standingFiles {
			f := Faultf(Conflict, "%s holds more than %d files", StandingDir, standingFiles)
			f.Hint = "put what a model must always know into fewer files"
			return nil, f
		}
		files = append(files, wb.standingFile(e.Name()))
	}
	slices.SortStableFunc(files, func(a, b StandingFile) int {
		return cmp.Or(cmp.Compare(standingRank(a.Name), standingRank(b.Name)), cmp.Compare(a.Name, b.Name))
	})
	return files, nil
}

// standingDir refuses a folder that is a link: it could lead to documents, which
// a model writes, so that it could instruct itself.
func (wb *Workbench) standingDir() error { return wb.stateFolders(stateDir, StandingDir) }

// stateFolders refuses folders of which one is a link or a file.
func (wb *Workbench) stateFolders(dirs ...string) error {
	for _, dir := range dirs {
		if st, err := wb.root.Lstat(dir); err == nil && !st.IsDir() {
			f := Faultf(Sandbox, "SANDBOX_VIOLATION: %s is no folder but %s, which is not followed", dir, inPlaceOf(st.Mode()))
			f.Hint = "put a folder with the files in its place"
			return f
		}
	}
	return nil
}

func inPlaceOf(m fs.FileMode) string {
	if m&fs.ModeSymlink != 0 {
		return "a link"
	}
	return "a file"
}

// standingRank returns the place of a name such as company.md or company-context.md.
func standingRank(name string) int {
	for i, first := range standingOrder {
		if strings.HasPrefix(strings.ToLower(name), first) {
			return i
		}
	}
	return len(standingOrder)
}

func (wb *Workbench) standingFile(name string) StandingFile {
	f := StandingFile{Name: name}
	p := StandingDir + "/" + name
	st, err := wb.root.Lstat(p)
	switch {
	case err != nil:
		f.Refused = "it cannot be read"
	case !st.Mode().IsRegular():
		f.Refused = "it is no regular file"
	default:
		f.Modified = st.ModTime()
	}
	if f.Refused != "" {
		return f
	}
	file, err := wb.root.Open(p)
	if err != nil {
		f.Refused = "it cannot be read"
		return f
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, standingBytes+1))
	if err != nil {
		f.Refused = "it cannot be read"
		return f
	}
	f.Whole = len(b) <= standingBytes
	b = bytes.TrimPrefix(b[:min(len(b), standingBytes)], []byte("\ufeff"))
	f.Text = strings.ReplaceAll(strings.ToValidUTF8(string(b), "\ufffd"), "\x00", "\ufffd")
	return f
}
