package workshop

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"atelier/internal/quote"
)

// A description says which folder a workbench belongs to. It stands in two files,
// since nothing else tells whose draft and conversation are in a state folder.
var descriptionFiles = []string{"workbench.json", "workbench.copy.json"}

// readDescription reads one of descriptionFiles.
func readDescription(dir, name string) (Info, error) {
	var i Info
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return i, err
	}
	if err := json.Unmarshal(b, &i); err != nil || i.ID == "" || i.Root == "" || i.ID != strings.TrimPrefix(filepath.Base(dir), newPrefix) {
		return i, Faultf(Internal, "the description of workbench %s is damaged", filepath.Base(dir))
	}
	if i.Managed {
		i.Root = filepath.Join(dir, "files") // also where the data folder was moved, or is that of another server
	}
	return i, nil
}

// writeDescription writes both files, one after the other.
func writeDescription(dir string, i Info) error {
	b, err := json.MarshalIndent(i, "", "  ")
	if err != nil {
		return err
	}
	for _, name := range descriptionFiles {
		if err := ReplaceFile(filepath.Join(dir, name), b); err != nil {
			return err
		}
	}
	return nil
}

// info reads the description of a workbench, from its copy where it is damaged.
func (h *Home) info(id string) (Info, error) {
	i, err := h.storedInfo(id)
	if err == nil && i.Managed {
		i.Root = filepath.Join(h.stateDir(id), "files") // also where the data folder was moved
	}
	return i, err
}

// storedInfo returns the description of a workbench as it was written.
func (h *Home) storedInfo(id string) (Info, error) {
	if !validID.MatchString(id) {
		return Info{}, Unknownf("workbench not found: %s", id)
	}
	i, err := readDescription(h.stateDir(id), descriptionFiles[0])
	if err == nil {
		return i, nil
	}
	if i, cerr := readDescription(h.stateDir(id), descriptionFiles[1]); cerr == nil {
		return i, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		if keptSomething(h.stateDir(id)) {
			return Info{}, Faultf(Internal, "the description of workbench %s is gone", id)
		}
		return Info{}, Unknownf("workbench not found: %s", id)
	}
	return Info{}, err
}

func (h *Home) saveInfo(i Info) error { return writeDescription(h.stateDir(i.ID), i) }

// copyDescription writes the copy that workbenches of older releases lack. That it
// cannot is no reason not to open one.
func (h *Home) copyDescription(i Info) {
	if _, err := os.Stat(filepath.Join(h.stateDir(i.ID), descriptionFiles[1])); errors.Is(err, fs.ErrNotExist) {
		if err := h.saveInfo(i); err != nil {
			h.opt.Log.Debug("the description cannot be copied", "err", err)
		}
	}
}

// undescribed refuses to start over on a folder while something is kept that may
// be its own, and whose description is lost.
func (h *Home) undescribed(root string) error {
	dirs, err := os.ReadDir(filepath.Join(h.dir, "workbenches"))
	if err != nil {
		return err
	}
	for _, d := range dirs {
		if strings.HasPrefix(d.Name(), newPrefix) || !validID.MatchString(d.Name()) {
			continue
		}
		if _, err := h.info(d.Name()); err == nil || IsFault(err, NotFound) || !keptSomething(h.stateDir(d.Name())) {
			continue
		}
		f := Faultf(Conflict, "there is no draft and no conversation of %s, but %s has some whose description is damaged, so that nobody can tell which folder they belong to", root, h.stateDir(d.Name()))
		f.Err = ErrDamaged
		f.Hint = fmt.Sprintf("if they are not this folder's: atelier attach --new --in %s; if they are, put its workbench.json back from a backup", quote.Argument(root))
		return f
	}
	return nil
}
