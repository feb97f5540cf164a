package pdf

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// engineMemory is what the engine may ask for: all that it can address. When
// the engine runs out of memory, it silently leaves out content; when the
// system refuses memory, the worker ends and an error is reported.
const engineMemory = 2 << 30

// watchEvery is how often the memory of a worker is checked.
const watchEvery = 10 * time.Millisecond

// prepare makes the worker end with this program, however that ends, and keeps
// it from signals that a terminal sends to this program.
func prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// confine limits a worker from outside; here it has limited itself.
func confine(int) (io.Closer, error) { return nil, nil }

// resident returns how much of the machine's memory a process has.
func resident(pid int) int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	f := bytes.Fields(b)
	if len(f) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(string(f[1]), 10, 64)
	return pages * int64(os.Getpagesize())
}

// limitSelf has the system refuse what is far over the limits. The memory that
// the runtime has taken up to here, reserved for the most part, does not count.
func limitSelf(seconds uint64) {
	limitCPU(seconds)
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return
	}
	f := bytes.Fields(b)
	if len(f) < 6 {
		return
	}
	data, err := strconv.ParseUint(string(f[5]), 10, 64)
	if err != nil {
		return
	}
	const rlimitData = 2
	most := data*uint64(os.Getpagesize()) + workerMemory
	_ = syscall.Setrlimit(rlimitData, &syscall.Rlimit{Cur: most, Max: most})
}
