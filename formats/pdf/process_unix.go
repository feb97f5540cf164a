//go:build unix

package pdf

import "syscall"

// limitCPU bounds the life of a worker whose program ended without telling it.
func limitCPU(seconds uint64) {
	_ = syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: seconds, Max: seconds})
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
}
