package workshop

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"atelier/internal/busyfile"
)

// marker says that a repair has made what it is to put in place.
type marker struct {
	Aside   string   `json:"aside"`   // where what is replaced goes
	Replace []string `json:"replace"` // names in repairDir and the state folder
}

const markerFile = "repair.json"

func (m marker) save(dir string) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return ReplaceFile(filepath.Join(dir, markerFile), b)
}

// repairing reports whether a repair has to be completed before anybody looks at
// the state.
func repairing(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, markerFile))
	return err == nil
}

// finishRepair completes a repair that was marked, and removes what one left that
// was not. It can be interrupted and run again. The caller has the lock.
func finishRepair(dir string, at func(step string) error) error {
	b, err := os.ReadFile(filepath.Join(dir, markerFile))
	if errors.Is(err, fs.ErrNotExist) {
		return os.RemoveAll(filepath.Join(dir, repairDir))
	}
	if err != nil {
		return err
	}
	var m marker
	if err := json.Unmarshal(b, &m); err != nil || m.Aside == "" || !filepath.IsLocal(m.Aside) {
		return fmt.Errorf("the marker of a repair, %s, is damaged: remove it and repair again", filepath.Join(dir, markerFile))
	}
	aside := filepath.Join(dir, m.Aside)
	if err := os.MkdirAll(aside, 0o700); err != nil {
		return err
	}
	for _, name := range m.Replace {
		if err := replaceRepaired(dir, aside, filepath.Base(name), at); err != nil {
			return err
		}
	}
	if err := syncDir(dir); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(dir, markerFile)); err != nil {
		return err
	}
	if err := syncDir(dir); err != nil {
		return err
	}
	return os.RemoveAll(filepath.Join(dir, repairDir))
}

// replaceRepaired moves one file aside and puts the repaired one in its place,
// unless that was done before.
func replaceRepaired(dir, aside, name string, at func(step string) error) error {
	made := filepath.Join(dir, repairDir, name)
	if _, err := os.Stat(made); err != nil {
		return ignoreMissing(err) // in place already
	}
	for _, part := range []string{"", "-wal", "-shm"} {
		if err := ignoreMissing(busyfile.Rename(filepath.Join(dir, name+part), filepath.Join(aside, name+part))); err != nil {
			return err
		}
		if err := at("repair-aside"); err != nil {
			return err
		}
	}
	if err := errors.Join(syncDir(aside), syncDir(dir)); err != nil {
		return err
	}
	if err := busyfile.Rename(made, filepath.Join(dir, name)); err != nil {
		return err
	}
	return at("repair-placed")
}
