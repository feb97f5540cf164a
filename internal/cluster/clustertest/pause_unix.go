//go:build unix

package clustertest

import "syscall"

// Pause stops a server (SIGSTOP) until Continue.
func (s *Servers) Pause(i int) { _ = s.each[i].cmd.Process.Signal(syscall.SIGSTOP) }

// Continue lets a paused server continue (SIGCONT).
func (s *Servers) Continue(i int) { _ = s.each[i].cmd.Process.Signal(syscall.SIGCONT) }
