//go:build !unix

package childgroup

import "os/exec"

// Own makes an end of cmd end its process; those that it started may stay.
func Own(cmd *exec.Cmd) {
	cmd.Cancel = func() error { return cmd.Process.Kill() }
}
