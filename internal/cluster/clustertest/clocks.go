package clustertest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// A clock of a process cannot be set from outside: Go asks the kernel without the C library.
// So programs are built with a package time whose clock is ahead or behind; only the time of
// day is, not the monotonic clock, as when the clock of a machine is wrong. On Linux the times
// of files are those of the same clock, as they are on such a machine.

// aheadVariable says by how many seconds the clock of such a program is ahead.
const aheadVariable = "ATELIER_TEST_CLOCK_AHEAD"

// aheadSource is a file of each package that is changed.
const aheadSource = `package %s

import "syscall"

var secondsAhead = func() (n int64) {
	s, _ := syscall.Getenv("` + aheadVariable + `")
	for _, c := range []byte(s) {
		if c != '-' {
			n = n*10 + int64(c-'0')
		}
	}
	if len(s) > 0 && s[0] == '-' {
		return -n
	}
	return n
}()
`

// Ahead is the environment with which a program of BuildWithClock has its clock ahead, or
// behind by a negative time.
func Ahead(by time.Duration) string {
	return fmt.Sprintf("%s=%d", aheadVariable, int64(by.Seconds()))
}

// clockChange is a place in a source file where a time of day is read or written.
type clockChange struct{ pkg, file, was, is string }

func clockChanges() []clockChange {
	const asked, filled, given = "\tsec, nsec, mono := runtimeNow()\n\tif mono == 0 {", "\tfs.size = fs.sys.Size\n", "syscall.NsecToTimespec(t.UnixNano())"
	const looked = "\ts.st.Atim, s.st.Mtim, s.st.Ctim = syscall.Timespec(u.Atim), syscall.Timespec(u.Mtim), syscall.Timespec(u.Ctim)\n" // past package os
	list := []clockChange{{"time", "time.go", asked, strings.Replace(asked, "()\n", "()\n\tsec += secondsAhead\n", 1)}}
	if runtime.GOOS != "linux" {
		return list
	}
	return append(list,
		clockChange{"os", "stat_linux.go", filled, filled + "\tfs.sys.Mtim.Sec, fs.sys.Ctim.Sec = fs.sys.Mtim.Sec+secondsAhead, fs.sys.Ctim.Sec+secondsAhead\n"},
		clockChange{"os", "file_posix.go", given, "syscall.NsecToTimespec(t.UnixNano() - secondsAhead*1e9)"},
		clockChange{"atelier/workshop", "os_folder_linux.go", looked, looked + "\ts.st.Mtim.Sec, s.st.Ctim.Sec = s.st.Mtim.Sec+secondsAhead, s.st.Ctim.Sec+secondsAhead\n"})
}

// BuildWithClock builds a program whose clock may be ahead, in a folder. That takes minutes
// where the build cache has none yet.
func BuildWithClock(dir, pkg string) (path string, err error) {
	cache, err := os.UserCacheDir() // the same place each time, so that the build is cached
	if err != nil {
		return "", err
	}
	cache = filepath.Join(cache, "atelier-tests", "clock")
	replace := map[string]string{}
	for _, c := range clockChanges() {
		if err := c.apply(cache, replace); err != nil {
			return "", err
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	list := filepath.Join(cache, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return "", err
	}
	path = filepath.Join(dir, filepath.Base(strings.TrimSuffix(pkg, "/v2")))
	if out, err := exec.Command("go", "build", "-overlay", list, "-o", path, pkg).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
}

// apply changes a file of a package in a folder, and adds it to what replaces files of Go.
func (c clockChange) apply(cache string, replace map[string]string) error {
	found, err := exec.Command("go", "list", "-f", "{{.Dir}}", c.pkg).Output()
	if err != nil {
		return fmt.Errorf("the source of the package %s is not there: %w", c.pkg, err)
	}
	dir, to := strings.TrimSpace(string(found)), filepath.Join(cache, filepath.FromSlash(c.pkg))
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	original, changed, added := filepath.Join(dir, c.file), filepath.Join(to, c.file), filepath.Join(to, "ahead.go")
	from := original
	if replace[original] != "" {
		from = changed // by another change
	}
	source, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if strings.Count(string(source), c.was) != 1 {
		return fmt.Errorf("this version of %s reads its clock elsewhere: look at %s", c.pkg, original)
	}
	if err := os.WriteFile(changed, []byte(strings.Replace(string(source), c.was, c.is, 1)), 0o600); err != nil {
		return err
	}
	replace[original], replace[filepath.Join(dir, "ahead.go")] = changed, added
	return os.WriteFile(added, fmt.Appendf(nil, aheadSource, filepath.Base(c.pkg)), 0o600)
}
