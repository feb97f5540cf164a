package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// takesSequences makes a console execute escape sequences (ECMA-48), which Windows does
// not do unless a program asks for it, and reports whether it does.
func takesSequences(f *os.File) bool {
	h := windows.Handle(f.Fd())
	var mode uint32
	if windows.GetConsoleMode(h, &mode) != nil {
		return false
	}
	const vt = windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING
	return mode&vt != 0 || windows.SetConsoleMode(h, mode|vt) == nil
}
