package main

import (
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// toolCommands do for scripts what programs of Unix do, on every system.
var toolCommands = map[string]func(*testscript.TestScript, bool, []string){
	"code": hasCode, "match": matchEnv, "replace": replaceLines, "tail": lastLine, "truncate": truncate,
}

// hasCode is `code N PROGRAM ARGS…`: runs a program that must end with the exit code N.
func hasCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code number program args...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%s: %v", args[1], err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("the exit code is %d, not %d", got, want)
	}
}

// matchEnv is `match NAME PATTERN`: sets NAME to what the group of the pattern matches in
// the last standard output.
func matchEnv(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: match name pattern")
	}
	found := regexp.MustCompile("(?m)"+args[1]).FindAllStringSubmatch(ts.ReadFile("stdout"), -1)
	if len(found) != 1 || len(found[0]) != 2 {
		ts.Fatalf("%s matches %d times, or has not one group", args[1], len(found))
	}
	ts.Setenv(args[0], found[0][1])
}

// replaceLines is `replace PATTERN TEXT FROM TO`: copies a file with the first match of
// each line replaced, of which there must be one.
func replaceLines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: replace pattern text from to")
	}
	pattern := regexp.MustCompile(args[0])
	lines, n := strings.SplitAfter(ts.ReadFile(args[2]), "\n"), 0
	for i, line := range lines {
		if at := pattern.FindStringSubmatchIndex(line); at != nil {
			lines[i] = line[:at[0]] + string(pattern.ExpandString(nil, args[1], line, at)) + line[at[1]:]
			n++
		}
	}
	if n == 0 {
		ts.Fatalf("no line of %s matches %s", args[2], args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[3]), []byte(strings.Join(lines, "")), 0o666))
}

// lastLine is `tail FILE`: prints the last line of a file.
func lastLine(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: tail file")
	}
	text := strings.TrimSuffix(ts.ReadFile(args[0]), "\n")
	_, err := ts.Stdout().Write([]byte(text[strings.LastIndexByte(text, '\n')+1:] + "\n"))
	ts.Check(err)
}

// truncate is `truncate SIZE FILE`: makes a file of that many bytes.
func truncate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: truncate size file")
	}
	size, err := strconv.ParseInt(args[0], 10, 64)
	ts.Check(err)
	f, err := os.Create(ts.MkAbs(args[1]))
	ts.Check(err)
	ts.Check(errors.Join(f.Truncate(size), f.Close()))
}
