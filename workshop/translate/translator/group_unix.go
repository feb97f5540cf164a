//go:build unix

package translator

import (
	"os/exec"
	"syscall"
)

// ownGroup makes an end of cmd end the programs it started as well.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
