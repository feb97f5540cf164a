package clustertest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A clock of a process cannot be set from outside: Go asks the kernel without the C library.
// So programs are built with a package time whose clock is ahead; only the time of day is,
// not the monotonic clock, as when the clock of a machine is wrong.

// aheadVariable says by how many seconds the clock of such a program is ahead.
const aheadVariable = "ATELIER_TEST_CLOCK_AHEAD"

const aheadSource = `package time

import "syscall"

var secondsAhead = func() (n int64) {
	s, _ := syscall.Getenv("` + aheadVariable + `")
	for _, c := range []byte(s) {
		n = n*10 + int64(c-'0')
	}
	return n
}()
`

// Ahead is the environment with which a program of BuildWithClock has its clock ahead.
func Ahead(by time.Duration) string {
	return fmt.Sprintf("%s=%d", aheadVariable, int64(by.Seconds()))
}

// BuildWithClock builds a program whose clock may be ahead, in a folder. That takes minutes
// where the build cache has none yet.
func BuildWithClock(dir, pkg string) (path string, err error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", err
	}
	std := filepath.Join(strings.TrimSpace(string(root)), "src", "time")
	source, err := os.ReadFile(filepath.Join(std, "time.go"))
	if err != nil {
		return "", err
	}
	const asked = "\tsec, nsec, mono := runtimeNow()\n\tif mono == 0 {"
	changed := strings.Replace(string(source), asked, strings.Replace(asked, "()\n", "()\n\tsec += secondsAhead\n", 1), 1)
	if changed == string(source) {
		return "", fmt.Errorf("this version of Go has another time.Now: look at %s", std)
	}
	cache, err := os.UserCacheDir() // the same place each time, so that the build is cached
	if err != nil {
		return "", err
	}
	cache = filepath.Join(cache, "atelier-tests", "clock")
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return "", err
	}
	replace := map[string]string{}
	for name, text := range map[string]string{"time.go": changed, "ahead.go": aheadSource} {
		at := filepath.Join(cache, name)
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(std, name)] = at
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
