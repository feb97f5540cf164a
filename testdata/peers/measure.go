//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// usage is what one process and all that it started took, also those that it did not wait
// for (on Linux): processor seconds in user and system mode, and the largest resident
// memory of any of them.
type usage struct {
	CPU    time.Duration `json:"cpu"`
	Memory int64         `json:"memory"` // bytes
}

// measured returns a command that runs argv in a small process in between, which writes
// the usage to file. Linux counts the memory of the starting process as that of the
// started one, and this program may be large.
func measured(file string, argv ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	return exec.Command(self, append([]string{measureArg, file}, argv...)...)
}

const measureArg = "-measure"

// measure is the process in between: it runs args[1:], writes the usage to args[0] and
// returns the exit code.
func measure(args []string) int {
	adoptOrphans()
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, err)
		return 127
	}
	for { // workers that end after their parent
		if _, err := syscall.Wait4(-1, nil, 0, nil); err != nil && err != syscall.EINTR {
			break
		}
	}
	var ru syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &ru); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 127
	}
	u := usage{CPU: time.Duration(ru.Utime.Nano() + ru.Stime.Nano()), Memory: int64(ru.Maxrss)}
	if runtime.GOOS != "darwin" {
		u.Memory <<= 10 // Linux counts kibibytes
	}
	b, err := json.Marshal(u)
	if err == nil {
		err = os.WriteFile(args[0], b, 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 127
	}
	return cmd.ProcessState.ExitCode()
}

func readUsage(file string) (u usage, err error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return u, fmt.Errorf("the process left no usage: %w", err)
	}
	return u, json.Unmarshal(b, &u)
}
