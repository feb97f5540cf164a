//go:build unix

package agent

import (
	"syscall"
	"time"
)

// cpuTime is what the process has computed so far; unlike wall time it says the
// same on a machine that others use too.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
