package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// asInit runs the program as a child if this process is the first of a container,
// and returns the child's exit code. The first process of a PID namespace has two
// duties that the program does not have elsewhere (pid_namespaces(7)): it collects
// processes whose parents have ended, such as those of a converter that was stopped,
// and signals without a handler do not end it.
func asInit() (code int, is bool) {
	if os.Getpid() != 1 || os.Getenv("ATELIER_INIT") == "no" {
		return 0, false
	}
	self, err := os.Executable()
	if err != nil { // without /proc
		return 0, false
	}
	signals := make(chan os.Signal, 16)
	signal.Notify(signals) // all that can be handled
	attr := &syscall.SysProcAttr{Setpgid: true}
	if term.IsTerminal(int(os.Stdin.Fd())) { // the terminal's signals go to the child alone
		attr.Foreground, attr.Ctty = true, 0
	}
	signal.Ignore(syscall.SIGTTOU, syscall.SIGTTIN)
	child, err := os.StartProcess(self, os.Args, &os.ProcAttr{Env: append(os.Environ(), "ATELIER_INIT=no"), Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}, Sys: attr})
	if err != nil {
		fmt.Fprintln(os.Stderr, "atelier:", err)
		return exitFailed, true
	}
	go func() {
		for s := range signals {
			if sig, ok := s.(syscall.Signal); ok && passedOn(sig) {
				_ = unix.Kill(child.Pid, sig) // an error means that it has ended
			}
		}
	}()
	return waitForAll(child.Pid), true
}

// passedOn reports whether the child is to get a signal of this process: not those
// about children, and about work within the Go runtime.
func passedOn(sig syscall.Signal) bool {
	switch sig {
	case syscall.SIGCHLD, syscall.SIGURG, syscall.SIGPIPE, syscall.SIGTTIN, syscall.SIGTTOU:
		return false
	}
	return true
}

// waitForAll collects every process that ends until the child does, and returns the
// child's exit code: 128 and the number of the signal if one ended it.
func waitForAll(child int) int {
	for {
		var st unix.WaitStatus
		pid, err := unix.Wait4(-1, &st, 0, nil)
		switch {
		case errors.Is(err, unix.EINTR), err == nil && pid != child:
		case err != nil:
			return exitFailed // there is no child
		case st.Signaled():
			return 128 + int(st.Signal())
		default:
			return st.ExitStatus()
		}
	}
}
