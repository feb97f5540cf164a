package workshop

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Holder is the process that has a workbench open for writing.
type Holder struct {
	Process  string   `json:"process"`            // its id; "" when it left none
	Activity Activity `json:"activity,omitempty"` // what is in progress there; "" is nothing

	// Address is where the process takes calls (Options.Address); "": nowhere.
	Address string    `json:"-"`
	Since   time.Time `json:"-"` // when the activity began, by the clock of the file system
}

// Holder says which process has a workbench open for writing, this one
// included; held is false when none has.
func (h *Home) Holder(id string) (who Holder, held bool, err error) {
	if _, err := h.info(id); err != nil {
		return Holder{}, false, err
	}
	dir := h.stateDir(id)
	h.mu.Lock()
	wb := h.open[id]
	h.mu.Unlock()
	if wb == nil || wb.lock == nil {
		// A shared lock for a moment: nobody else's reads meet it, and lockState
		// tries again.
		l := flock.New(filepath.Join(dir, "lock"), flock.SetFlag(os.O_RDONLY))
		free, err := l.TryRLock()
		if os.IsNotExist(err) || free {
			return Holder{}, false, l.Close()
		}
		if err != nil {
			return Holder{}, false, storageFault(err)
		}
	}
	return holderOf(dir), true, nil
}

// holderOf returns what the process that has the lock of dir wrote beside it.
func holderOf(dir string) Holder {
	process, _ := os.ReadFile(filepath.Join(dir, "lock.pid"))
	doing, _ := os.ReadFile(activityFile(dir))
	address, _ := os.ReadFile(addressFile(dir))
	who := Holder{Process: strings.TrimSpace(string(process)), Activity: Activity(doing), Address: string(address)}
	if st, err := os.Stat(activityFile(dir)); err == nil {
		who.Since = st.ModTime()
	}
	return who
}

// tellAddress writes beside the lock of dir where its holder takes calls. Without
// it, others are told that the workbench is in use.
func tellAddress(dir, address string) error {
	if address == "" {
		return nil
	}
	return os.WriteFile(addressFile(dir), []byte(address), 0o600)
}

func addressFile(dir string) string { return filepath.Join(dir, "lock.address") }
