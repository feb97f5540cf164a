//go:build !unix

package childgroup

import (
	"os"
	"os/exec"
)

// Own makes an end of cmd end its process; those that it started may stay.
func Own(cmd *exec.Cmd) {
	cmd.Cancel = func() error { return cmd.Process.Kill() }
}

// Ask does nothing: these systems have no signal that asks a program to end.
func Ask(*exec.Cmd) {}

// Kill ends the process of cmd.
func Kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() } // an error means that it has ended

// killed is not known: these systems tell an exit code only.
func killed(*os.ProcessState) bool { return false }
