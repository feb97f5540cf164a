//go:build unix

package pdf

import "syscall"

// limitCPU bounds the life of a worker whose program ended without telling it.
func limitCPU(seconds uint64) {
	_ = syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: seconds, Max: seconds})
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
}

// refused reports whether the worker ended for want of memory: one that had
// much, since the system does not say.
func (p *process) refused() bool { return p.most.Load() > workerMemory/2 }
