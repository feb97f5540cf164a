package eventlog

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"atelier/internal/busyfile"
)

// mark says, on disk, which positions are in use and whether the segments have
// all events that were told.
type mark struct {
	Next  int64  `json:"next"`            // lowest position that no program has reserved
	Clean bool   `json:"clean,omitempty"` // the log was closed, all its events are on disk
	Boot  string `json:"boot,omitempty"`  // when it was not closed: the start of the system in which it was written
}

const markName = "events.position"

// readMark returns the zero mark when there is none yet.
func readMark(dir string) (mark, error) {
	b, err := os.ReadFile(filepath.Join(dir, markName))
	if errors.Is(err, os.ErrNotExist) {
		return mark{Clean: true}, nil
	}
	var m mark
	if err == nil {
		err = json.Unmarshal(b, &m)
	}
	if err != nil {
		return mark{}, fmt.Errorf("event log: %w", err)
	}
	return m, nil
}

// writeMark replaces the mark; it is on disk when writeMark returns.
func writeMark(dir string, m mark) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, markName)
	f, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := busyfile.Rename(path+".new", path); err != nil {
		return err
	}
	return syncDir(dir)
}

// Restored makes the log in dir, which was copied from another machine with every event
// that was told there, one that was closed: its events can be had, and no position is
// given twice. Without it they would be forgotten, as after a power failure.
func Restored(dir string) error {
	m, err := readMark(dir)
	if err != nil || m.Clean {
		return err
	}
	return writeMark(dir, mark{Next: m.Next, Clean: true})
}

// syncDir makes a rename in dir last; Windows has no such thing.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
