package childgroup

import "os/exec"

// Start starts cmd. Where the system has no memory left, it ends cmd and the programs that
// cmd starts before this program (Linux only): their work can be asked for again.
func Start(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	expendable(cmd.Process.Pid)
	return nil
}

// Run starts cmd as Start does, and waits for its end.
func Run(cmd *exec.Cmd) error {
	if err := Start(cmd); err != nil {
		return err
	}
	return cmd.Wait()
}

// Killed reports whether cmd has ended because it was killed, as the system does when no
// memory is left.
func Killed(cmd *exec.Cmd) bool { return cmd.ProcessState != nil && killed(cmd.ProcessState) }
