// Package busyfile repeats operations on files that Windows refuses while another
// program has the file open: virus scanners, search indexes and synchronising
// programs open a file for a moment after it was written. Elsewhere open files can be
// replaced and removed, and each operation is done once.
//
//	err := busyfile.Rename(from, to)           // waits for at most Wait
//	var p busyfile.Patience                    // of several operations together
//	err := p.Do(func() error { return root.Rename(from, to) })
//
// The error of the last attempt is returned; [Is] says that it was of this kind.
package busyfile

import (
	"errors"
	"os"
	"time"
)

// Wait is how long operations are repeated at most.
const Wait = 2 * time.Second

// The time between two attempts doubles from the first of these to the second.
const (
	shortest = 2 * time.Millisecond
	longest  = 200 * time.Millisecond
)

// Patience is the time that operations wait together: Wait in all. Its zero value is
// ready. It is not for several goroutines at once.
type Patience struct{ spent time.Duration }

// sleep waits; tests have another.
var sleep = time.Sleep

// Do calls do until it returns no error of this kind, or the time is over.
func (p *Patience) Do(do func() error) error {
	for pause := shortest; ; pause = min(2*pause, longest) {
		err := do()
		if err == nil || !Is(err) || p.spent >= Wait {
			return err
		}
		pause = min(pause, Wait-p.spent)
		sleep(pause)
		p.spent += pause
	}
}

// Do calls do until it returns no error of this kind, for at most Wait.
func Do(do func() error) error { return new(Patience).Do(do) }

// Is reports whether an error may end by itself: another program has the file open,
// or is removing it.
func Is(err error) bool {
	for _, e := range passing {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// Rename is os.Rename.
func Rename(from, to string) error { return Do(func() error { return os.Rename(from, to) }) }

// Remove is os.Remove.
func Remove(path string) error { return Do(func() error { return os.Remove(path) }) }

// RemoveAll is os.RemoveAll.
func RemoveAll(path string) error { return Do(func() error { return os.RemoveAll(path) }) }

// ReadFile is os.ReadFile.
func ReadFile(path string) (b []byte, err error) {
	err = Do(func() error {
		b, err = os.ReadFile(path)
		return err
	})
	return b, err
}
