package main

import (
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"
)

var (
	kernel            = windows.NewLazySystemDLL("kernel32.dll")
	attachConsole     = kernel.NewProc("AttachConsole")
	freeConsole       = kernel.NewProc("FreeConsole")
	setConsoleHandler = kernel.NewProc("SetConsoleCtrlHandler")
)

// canInterrupt prepares a program that interrupt stops: it gets a console by itself.
func canInterrupt(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_CONSOLE, HideWindow: true}
}

// interrupt is Ctrl-C in the console of a program and returns when the program has
// ended. Windows sends Ctrl-C only from a process of the same console, which this one is
// meanwhile and ignores it.
func interrupt(t *testing.T, cmd *exec.Cmd, ended <-chan error) error {
	t.Helper()
	_, _, _ = freeConsole.Call() // an error means that there was none
	ok, _, err := attachConsole.Call(uintptr(cmd.Process.Pid))
	require.NotZero(t, ok, "%v", err)
	ok, _, err = setConsoleHandler.Call(0, 1)
	require.NotZero(t, ok, "%v", err)
	defer func() {
		_, _, _ = freeConsole.Call()
		_, _, _ = setConsoleHandler.Call(0, 0) // programs that this one starts would ignore it too
	}()
	require.NoError(t, windows.GenerateConsoleCtrlEvent(windows.CTRL_C_EVENT, 0))
	select {
	case err := <-ended:
		return err
	case <-time.After(time.Minute):
		t.Fatal("the program does not end")
		return nil
	}
}
