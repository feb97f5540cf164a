package workshop

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"atelier/internal/busyfile"
)

// ReplaceFile writes a file of the data folder as a whole, readable by its owner
// only: after a crash it is the old one or the new one, never a part.
func ReplaceFile(path string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "tmp-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails once it is renamed
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := busyfile.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// sweepReplaced removes what a crash left of ReplaceFile in a workbench's state
// folder and those in it, but not in the user's files, which may have any name.
func (wb *Workbench) sweepReplaced() {
	entries, err := os.ReadDir(wb.dir)
	if err != nil {
		return
	}
	folders := []string{wb.dir}
	for _, e := range entries {
		if path := filepath.Join(wb.dir, e.Name()); e.IsDir() && e.Name() != "files" && path != wb.objects.dir {
			folders = append(folders, path)
		}
	}
	for _, dir := range folders {
		removeTemps(dir)
	}
}

// removeTemps removes the temporary files directly in a folder of the state.
func removeTemps(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasPrefix(e.Name(), "tmp-") {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
