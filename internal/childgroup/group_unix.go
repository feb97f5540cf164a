//go:build unix

package childgroup

import (
	"os/exec"
	"syscall"
)

// Own makes an end of cmd end the programs that it started as well. Call it before cmd
// starts.
func Own(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
