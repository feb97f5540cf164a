package formatstest

import (
	"os"
	"strconv"
	"strings"
)

// ProcStatus returns a line of a process's /proc/PID/status (proc(5)), such as
// VmHWM in KiB; 0 where there is none. The pid of this process is "self".
func ProcStatus(pid, key string) int64 {
	b, _ := os.ReadFile("/proc/" + pid + "/status")
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, key+":"); ok {
			n, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return n
		}
	}
	return 0
}

// ResetPeak has VmHWM of this process begin at what it holds now (proc(5)).
func ResetPeak() error { return os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }
