package budget

import (
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

const (
	// Program is what the program takes beside work and caches: its code, and the page
	// caches of its databases, which the garbage collector does not see.
	Program = 64 << 20
	// Least is the smallest limit of the process: a PDF worker and the program.
	Least = 256 << 20
	// unknownMachine is the memory of a machine that does not say.
	unknownMachine = 4 << 30
)

// Process is the budget of this process and of the processes that it starts for one
// call. Until Limit is called it is half of the machine.
var Process = New(Default() - Program)

// Default is the limit of the process where nothing sets one: GOMEMLIMIT, else half of
// the machine or of the container, whichever is less.
func Default() int64 {
	if n := debug.SetMemoryLimit(-1); n < math.MaxInt64 {
		return max(n, Least)
	}
	return max(Machine()/2, Least)
}

// LimitProcess limits the memory of this process and of those that it starts for one
// call to n bytes; 0 is Default. The garbage collector works harder where the process
// comes near it.
func LimitProcess(n int64) {
	if n <= 0 {
		n = Default()
	}
	n = max(n, Least)
	b := Process
	b.SetLimit(n - Program)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.changed = func(outside int64) { debug.SetMemoryLimit(max(n-Program-outside, n/4)) }
	b.changed(b.outside)
}

// Machine returns how much memory this machine has, or the container in which the
// program runs.
func Machine() int64 {
	total := physical()
	if total <= 0 {
		total = unknownMachine
	}
	if n := container(); n > 0 {
		total = min(total, n)
	}
	return total
}

// container returns the limit of the control group on Linux, 0 where there is none.
func container() int64 {
	b, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return 0
	}
	return containerOf(string(b), func(path string) string {
		b, err := os.ReadFile(path)
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(b))
	})
}

// containerOf returns the least limit of the groups that /proc/self/cgroup lists and of
// those around them, 0 when there is none (cgroups(7)).
func containerOf(groups string, read func(path string) string) int64 {
	least := int64(0)
	for line := range strings.Lines(groups) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) != 3 {
			continue
		}
		root, file := "", ""
		switch {
		case f[0] == "0" && f[1] == "":
			root, file = "/sys/fs/cgroup", "/memory.max"
		case strings.Contains(","+f[1]+",", ",memory,"):
			root, file = "/sys/fs/cgroup/memory", "/memory.limit_in_bytes"
		default:
			continue
		}
		for at := strings.TrimRight(f[2], "/"); ; {
			// Version 1 says "no limit" as a number near the largest.
			if n, err := strconv.ParseInt(read(root+at+file), 10, 64); err == nil && n > 0 && n < 1<<60 && (least == 0 || n < least) {
				least = n
			}
			i := strings.LastIndexByte(at, '/')
			if i < 0 {
				break
			}
			at = at[:i]
		}
	}
	return least
}

// ParseSize reads a number of bytes such as 512MiB or 2GiB, in the form of GOMEMLIMIT.
func ParseSize(text string) (int64, error) {
	number, unit := strings.TrimSpace(text), int64(1)
	for i, suffix := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if n, ok := strings.CutSuffix(number, suffix); ok {
			number, unit = strings.TrimSpace(n), 1<<(10*(i+1))
			break
		}
	}
	n, err := strconv.ParseInt(strings.TrimSuffix(number, "B"), 10, 64)
	if err != nil || n <= 0 || n > math.MaxInt64/unit {
		return 0, fmt.Errorf("%q is no size such as 512MiB or 2GiB", text)
	}
	return n * unit, nil
}
