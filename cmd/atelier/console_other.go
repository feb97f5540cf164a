//go:build !windows

package main

import "os"

// takesSequences reports whether a terminal executes escape sequences (ECMA-48).
func takesSequences(*os.File) bool { return true }
