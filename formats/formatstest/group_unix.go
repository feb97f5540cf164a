//go:build unix

package formatstest

import (
	"os/exec"
	"syscall"
)

// ownGroup starts cmd in its own process group.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
