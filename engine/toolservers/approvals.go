package toolservers

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"atelier/workshop"
)

// decisionsName is the file of the data folder that keeps what a person decided.
const decisionsName = "mcp_decisions.json"

// Bounds of the file; the oldest decisions are forgotten, so that the person is asked
// again.
const (
	maxDecisions = 1000
	maxDecided   = 4 << 20 // bytes
)

// decision is what a person said about an entry of a folder (Tool is "") or a tool of a
// server.
type decision struct {
	Folder   string    `json:"folder,omitempty"` // path; "" for servers of the data folder
	Server   string    `json:"server"`
	Tool     string    `json:"tool,omitempty"`
	Hash     string    `json:"hash"`
	Approved bool      `json:"approved"`
	At       time.Time `json:"decided_at"`
}

func (d decision) about(o decision) bool {
	return d.Folder == o.Folder && d.Server == o.Server && d.Tool == o.Tool
}

// decisions are the decisions of a data folder, which several processes may share.
type decisions struct {
	home string

	mu    sync.Mutex
	list  []decision // as the file had them when it looked like size and mtime
	size  int64
	mtime time.Time
	read  bool
}

func (d *decisions) path() string { return filepath.Join(d.home, decisionsName) }

// all returns the decisions, oldest first; the caller does not change them.
func (d *decisions) all() ([]decision, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.load(false)
}

func (d *decisions) load(fresh bool) ([]decision, error) {
	st, err := os.Stat(d.path())
	if errors.Is(err, fs.ErrNotExist) {
		d.list, d.read = nil, false
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !fresh && d.read && st.Size() == d.size && st.ModTime().Equal(d.mtime) && time.Since(d.mtime) > 2*time.Second {
		return d.list, nil
	}
	if st.Size() > maxDecided {
		return nil, fmt.Errorf("%s is too large; delete it and approve again", d.path())
	}
	b, err := os.ReadFile(d.path())
	if err != nil {
		return nil, err
	}
	var list []decision
	if err := json.Unmarshal(b, &list); err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w; delete it and approve again", d.path(), err)
	}
	d.list, d.size, d.mtime, d.read = list, st.Size(), st.ModTime(), true
	return list, nil
}

// change changes the decisions under a lock between processes.
func (d *decisions) change(f func([]decision) []decision) (err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := os.MkdirAll(d.home, 0o700); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(d.home, configLock))
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("%s cannot be locked: %w", decisionsName, err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	list, err := d.load(true)
	if err != nil {
		return err
	}
	list = f(slices.Clone(list))
	b, err := json.Marshal(list[max(0, len(list)-maxDecisions):])
	if err != nil {
		return err
	}
	d.read = false
	return workshop.ReplaceFile(d.path(), append(b, '\n'))
}

// keep keeps a decision in place of an earlier one about the same.
func (d *decisions) keep(n decision) error {
	return d.change(func(list []decision) []decision {
		return append(slices.DeleteFunc(list, n.about), n)
	})
}

// forget forgets decisions.
func (d *decisions) forget(which func(decision) bool) error {
	list, err := d.all()
	if err != nil || !slices.ContainsFunc(list, which) {
		return err
	}
	return d.change(func(list []decision) []decision { return slices.DeleteFunc(list, which) })
}

// find returns the decision about the same as n.
func find(list []decision, n decision) (decision, bool) {
	i := slices.IndexFunc(list, n.about)
	if i < 0 {
		return decision{}, false
	}
	return list[i], true
}
