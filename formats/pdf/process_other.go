//go:build unix && !linux

package pdf

import (
	"io"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// engineMemory is what the engine may ask for. While its memory grows it is
// copied to a place a quarter larger, so 2.25 times as much is taken for a
// moment. The system sets a worker no limit here, so this one must be low.
const engineMemory = 160 << 20

// watchEvery is how often the memory of a worker is checked. Only a program
// tells it here, so it is seldom; the engine's own limit holds meanwhile.
const watchEvery = 250 * time.Millisecond

// prepare keeps the worker from signals that a terminal sends to this program.
func prepare(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// confine limits a worker from outside.
func confine(int) (io.Closer, error) { return nil, nil }

// resident returns how much of the machine's memory a process has.
func resident(pid int) int64 {
	out, err := exec.Command("ps", "-o", "rss=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return 0
	}
	kib, _ := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	return kib << 10
}

func limitSelf(seconds uint64) { limitCPU(seconds) }
