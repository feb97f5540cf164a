//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// keepRunning makes a read of the terminal in the background (atelier run …
// &) fail; otherwise it would stop the process (SIGTTIN, termios(3)).
func keepRunning() { signal.Ignore(syscall.SIGTTIN) }

// inForeground reports whether this process may read from a terminal. Other
// files may always be read.
func inForeground(f *os.File) bool {
	group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}

// waitForeground waits while this process is in the background, and reports
// whether it was; a failed read can then be repeated.
func waitForeground(f *os.File) (was bool) {
	for f != nil && !inForeground(f) {
		was = true
		time.Sleep(300 * time.Millisecond)
	}
	return was
}
