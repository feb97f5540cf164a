package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// damageCommands are script commands that damage stored data like a failing
// disk.
var damageCommands = map[string]func(*testscript.TestScript, bool, []string){
	"flipkept":         flipKept,
	"rmkept":           rmKept,
	"flip":             flipAt,
	"oldestcheckpoint": oldestCheckpoint,
}

// flipKept is `flipkept FILE`: flips a bit in each stored content that equals
// FILE.
func flipKept(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: flipkept file")
	}
	sum := sha256.Sum256([]byte(ts.ReadFile(args[0])))
	hash := hex.EncodeToString(sum[:])
	flipFiles(ts, filepath.Join(ts.Getenv("ATELIER_HOME"), "workbenches", "*", "objects", hash[:2], hash[2:]), "")
}

// rmKept is `rmkept NAME`: deletes a file in the state of each folder.
func rmKept(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: rmkept name")
	}
	found, err := filepath.Glob(filepath.Join(ts.Getenv("ATELIER_HOME"), "workbenches", "*", args[0]))
	ts.Check(err)
	if len(found) == 0 {
		ts.Fatalf("there is no %s", args[0])
	}
	for _, path := range found {
		ts.Check(os.Remove(path))
	}
}

// flipAt is `flip PATTERN TEXT`: flips a bit at the beginning of TEXT in each
// matching file of the data folder.
func flipAt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: flip pattern text")
	}
	flipFiles(ts, filepath.Join(ts.Getenv("ATELIER_HOME"), args[0]), args[1])
}

func flipFiles(ts *testscript.TestScript, pattern, text string) {
	found, err := filepath.Glob(pattern)
	ts.Check(err)
	if len(found) == 0 {
		ts.Fatalf("there is no %s", pattern)
	}
	for _, path := range found {
		b, err := os.ReadFile(path)
		ts.Check(err)
		at := len(b) / 2
		if text != "" {
			if at = bytes.Index(b, []byte(text)); at < 0 {
				ts.Fatalf("%s has no %q", path, text)
			}
		}
		b[at] ^= 4
		ts.Check(os.Chmod(path, 0o600))
		ts.Check(os.WriteFile(path, b, 0o600))
	}
}

// oldestCheckpoint is `oldestcheckpoint DIR NAME`: sets the variable NAME to
// the id of the oldest checkpoint of a folder.
func oldestCheckpoint(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: oldestcheckpoint dir name")
	}
	ts.Check(ts.Exec("atelier", "checkpoints", "list", "--in", args[0]))
	lines := strings.Split(strings.TrimSpace(ts.ReadFile("stdout")), "\n")
	id, _, _ := strings.Cut(lines[len(lines)-1], " ")
	ts.Setenv(args[1], id)
}
