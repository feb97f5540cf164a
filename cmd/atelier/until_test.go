package main

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// until is `until PATTERN TEXT`: waits until a file with a matching name
// contains the text, or, with the text ”, is empty.
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: until pattern text")
	}
	for begun := time.Now(); time.Since(begun) < time.Minute; time.Sleep(10 * time.Millisecond) {
		names, err := filepath.Glob(ts.MkAbs(args[0]))
		ts.Check(err)
		for _, name := range names {
			b, err := os.ReadFile(name)
			if err == nil && (args[1] == "" && len(b) == 0 || args[1] != "" && strings.Contains(string(b), args[1])) {
				return
			}
		}
	}
	ts.Fatalf("no file %s says %q", args[0], args[1])
}
