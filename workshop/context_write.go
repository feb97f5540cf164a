package workshop

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"unicode/utf8"

	"atelier/internal/busyfile"
)

// SetStanding writes a file of the standing context, as a person does in their
// folder: at once, not into the draft. The old text or the new one is there
// after a crash. A name that is no .md file of StandingDir or a text that is not
// UTF-8 or longer than 1 MiB is Invalid.
func (wb *Workbench) SetStanding(ctx context.Context, name, text string) error {
	if err := CheckStanding(name, text); err != nil {
		return err
	}
	return wb.changeStanding(ctx, func() error {
		files, err := wb.Standing(ctx)
		if err != nil {
			return err
		}
		if len(files) == standingFiles && !hasStanding(files, name) {
			return Faultf(Conflict, "%s holds %d files already", StandingDir, standingFiles)
		}
		if err := wb.root.MkdirAll(StandingDir, 0o755); err != nil {
			return err
		}
		return wb.replaceStanding(StandingDir+"/"+name, text)
	})
}

// CheckStanding returns what SetStanding refuses at once.
func CheckStanding(name, text string) error {
	if err := standingName(name); err != nil {
		return err
	}
	switch {
	case len(text) > standingBytes:
		return Faultf(Invalid, "%s would be longer than %d bytes", name, standingBytes).OnField("content")
	case !utf8.ValidString(text):
		return Faultf(Invalid, "the text of %s is not UTF-8", name).OnField("content")
	}
	return nil
}

// RemoveStanding removes a file of the standing context; NotFound when there is
// none of that name.
func (wb *Workbench) RemoveStanding(ctx context.Context, name string) error {
	if err := standingName(name); err != nil {
		return err
	}
	return wb.changeStanding(ctx, func() error {
		err := busyfile.Do(func() error { return wb.root.Remove(StandingDir + "/" + name) })
		if errors.Is(err, fs.ErrNotExist) {
			return Faultf(NotFound, "there is no %s in %s", name, StandingDir)
		}
		return err
	})
}

func (wb *Workbench) changeStanding(ctx context.Context, change func() error) error {
	if err := wb.lockWrite(ctx); err != nil {
		return err
	}
	defer wb.writeMu.Unlock()
	if err := wb.standingDir(); err != nil {
		return err
	}
	return storageFault(change())
}

func hasStanding(files []StandingFile, name string) bool {
	for _, f := range files {
		if strings.EqualFold(f.Name, name) {
			return true
		}
	}
	return false
}

// replaceStanding writes beside and renames. The name of what it writes ends so
// that Standing does not read it.
func (wb *Workbench) replaceStanding(name, text string) (err error) {
	temp := path.Join(path.Dir(name), tempPrefix+wb.conv.newID())
	f, err := wb.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			wb.root.Remove(temp)
		}
	}()
	_, err = f.WriteString(text)
	if err == nil && !wb.unsynced {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = busyfile.Do(func() error { return wb.root.Rename(temp, name) })
	}
	if err == nil {
		err = wb.syncDirs(map[string]bool{StandingDir: true})
	}
	return err
}

// standingName checks that a name is one that Standing reads, and that any
// system can hold.
func standingName(name string) error {
	why := unfitForWindows(name)
	switch {
	case strings.Contains(name, "/") || strings.Contains(name, "\x00"):
		why = "is no name of a file"
	case strings.HasPrefix(name, "."):
		why = "begins with a dot"
	case !strings.EqualFold(path.Ext(name), ".md"):
		why = "does not end with .md"
	case len(name) > 200 || !utf8.ValidString(name):
		why = "is too long or not UTF-8"
	}
	if why != "" {
		return Faultf(Invalid, "%q cannot be a file of the standing context: it %s", name, why).OnField("path")
	}
	return nil
}
