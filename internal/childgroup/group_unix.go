//go:build unix

package childgroup

import (
	"os"
	"os/exec"
	"syscall"
)

// Own makes an end of cmd end the programs that it started as well. Call it before cmd
// starts.
func Own(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// Ask asks cmd, which Own was called on, and the programs that it started to end.
func Ask(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) } // an error means that they have ended

// Kill ends what is left of the programs that cmd, which Own was called on, started, also
// directly after cmd itself has ended.
func Kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // an error means that they have ended

// killed: 137 is how shells and LibreOffice's starter tell that what they started was killed.
func killed(s *os.ProcessState) bool {
	w, ok := s.Sys().(syscall.WaitStatus)
	return ok && (w.Signaled() && w.Signal() == syscall.SIGKILL || w.ExitStatus() == 128+int(syscall.SIGKILL))
}
