package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"
)

// nowhere is the script command `nowhere TEXT DIR`: no file below the folder has
// the text.
func nowhere(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: nowhere text dir")
	}
	n := 0
	ts.Check(filepath.WalkDir(ts.MkAbs(args[1]), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if n++; bytes.Contains(b, []byte(args[0])) {
			ts.Fatalf("%s has %s", path, args[0])
		}
		return err
	}))
	if n == 0 {
		ts.Fatalf("%s has no files", args[1])
	}
}
