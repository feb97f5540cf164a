package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1 // the work failed, or part of it
	exitUsage  = 2 // the command line is wrong (D-01)
	exitPerson = 3 // a watch that should not be started again by itself
)

// exitCode is a row of the table of exit codes.
type exitCode struct {
	code  int
	means string
}

// exitCodes returns all exit codes of the program.
func exitCodes() []exitCode {
	return []exitCode{
		{exitDone, "The command did what it was asked to do. A list that is empty, a draft that changes nothing and a folder that is not known to 'atelier status' count as that."},
		{exitFailed, "The work failed, or a part of it: a run that ended early, a document that was not translated, a conflict, a folder in use, a model that could not be asked, a check of 'atelier doctor', 'atelier replay' or 'atelier translate --fail-on-flagged' that found something. What was done before is kept. A command that was stopped with Ctrl-C or SIGTERM ends so too when its work was not complete."},
		{exitUsage, "The command line is wrong: an unknown command or flag, an argument missing or too many, a value that does not fit, a path outside of the folder. Nothing was begun."},
		{exitPerson, "'atelier watch' ended because its budget is used, a consent is missing, its work was cancelled, or the record of what was done was deleted. It would end so again, use another budget, or do every document again, if a service manager started it again."},
	}
}

func newExitCodes() *cobra.Command {
	var sb strings.Builder
	sb.WriteString("The exit code says how a command ended:\n\n")
	for _, c := range exitCodes() {
		for i, line := range strings.Split(folded(c.means, 72), "\n") {
			code := " "
			if i == 0 {
				code = fmt.Sprint(c.code)
			}
			fmt.Fprintf(&sb, "  %s  %s\n", code, line)
		}
	}
	sb.WriteString("\nA process that a signal killed has no exit code; shells show 128 plus the number of\nthe signal. 'atelier run --json' also has the code in its last line (exit_code),\nand says in its status whether it was done, failed or stopped.")
	return &cobra.Command{Use: "exit-codes", Short: "What the exit codes mean", Long: sb.String()}
}

// folded wraps a text at width columns.
func folded(text string, width int) string {
	d := &laidOut{layout: layout{width: width}}
	d.wrap([]span{{text, ""}}, "", "")
	return strings.TrimRight(d.out.String(), "\n")
}
