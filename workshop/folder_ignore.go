package workshop

import (
	"context"
	"errors"
	"io"
	"io/fs"
)

// IgnoreFile is the file of a root that lists, in gitignore's syntax, what no
// tool gives to a model. People keep it with their documents; tools neither see
// nor write it, so that it counts as it is in the folder, not in a draft.
const IgnoreFile = stateDir + "/ignore"

const ignoreBytes = 1 << 20

// IgnoreText returns the text of IgnoreFile, "" when there is none. One that cannot be
// read is an error: nobody knows what it keeps back.
func (wb *Workbench) IgnoreText(context.Context) (string, error) {
	refused := func(why string) (string, error) {
		f := Faultf(Forbidden, "%s %s, so that it is not known which files the model may read", IgnoreFile, why)
		f.Hint = "the user has to put a regular text file in its place, or remove it"
		return "", f
	}
	for _, name := range []string{stateDir, IgnoreFile} {
		st, err := wb.root.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return "", nil
		case err != nil:
			return refused("cannot be read")
		case name == stateDir && !st.IsDir(), name == IgnoreFile && !st.Mode().IsRegular():
			return refused("is a link or a special file")
		case name == IgnoreFile && st.Size() > ignoreBytes:
			return refused("is larger than 1 MiB")
		}
	}
	f, err := wb.root.OpenFile(IgnoreFile, openForReading, 0)
	if err != nil {
		return refused("cannot be read")
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, ignoreBytes+1))
	if err != nil || len(b) > ignoreBytes {
		return refused("cannot be read")
	}
	return string(b), nil
}
