package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"atelier/engine"
)

// newDocs is for those who package the program.
func newDocs() *cobra.Command {
	docs := &cobra.Command{
		Use:    "docs",
		Short:  "Write documents of this program",
		Hidden: true,
		Args:   usageArgs(cobra.NoArgs),
		RunE:   func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var date string
	man := &cobra.Command{
		Use:   "man DIR",
		Short: "Write a manual page for each command",
		Args:  usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			day, err := time.Parse(time.DateOnly, date)
			if err != nil {
				return usageError{fmt.Errorf("--date: %q is no day such as 2026-11-27", date)}
			}
			n, err := writeManPages(cmd.Root(), args[0], day)
			if err == nil {
				fmt.Fprintf(cmd.OutOrStdout(), "Pages written to %s: %d.\n", args[0], n)
			}
			return err
		},
	}
	man.Flags().StringVar(&date, "date", "", "day of the release, as 2026-11-27")
	docs.AddCommand(man)
	return docs
}

// writeManPages writes the pages of all commands that help shows, as man(7) describes
// their language, into an existing or new folder.
func writeManPages(root *cobra.Command, dir string, day time.Time) (n int, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	root.InitDefaultCompletionCmd()
	var walk func(c *cobra.Command) error
	walk = func(c *cobra.Command) error {
		file := filepath.Join(dir, manName(c)+".1")
		if err := os.WriteFile(file, []byte(manPage(c, day)), 0o644); err != nil { //nolint:gosec // everybody reads manuals
			return err
		}
		n++
		for _, sub := range subcommands(c) {
			if err := walk(sub); err != nil {
				return err
			}
		}
		return nil
	}
	return n, walk(root)
}

func manName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

func subcommands(c *cobra.Command) []*cobra.Command {
	return slices.DeleteFunc(slices.Clone(c.Commands()), func(sub *cobra.Command) bool {
		return !sub.IsAvailableCommand() || sub.Name() == "help"
	})
}

func manPage(c *cobra.Command, day time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 %s \"atelier %s\" \"Atelier\"\n", roffQuoted(strings.ToUpper(manName(c))), day.Format(time.DateOnly), engine.Version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(manName(c)), roff(c.Short))
	c.InitDefaultHelpFlag()
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.nf\n%s\n.fi\n", roff(c.UseLine()))
	if about := strings.TrimSpace(first(c.Long, c.Short)); about != "" {
		// Lines as they are: lists and tables are in them.
		fmt.Fprintf(&b, ".SH DESCRIPTION\n.nf\n%s\n.fi\n", roff(about))
	}
	if len(subcommands(c)) > 0 {
		b.WriteString(".SH COMMANDS\n")
		for _, sub := range subcommands(c) {
			fmt.Fprintf(&b, ".TP\n\\fB%s\\fR(1)\n%s\n", roff(manName(sub)), roff(sub.Short))
		}
	}
	manFlags(&b, "OPTIONS", c.NonInheritedFlags())
	manFlags(&b, "OPTIONS OF ALL COMMANDS", c.InheritedFlags())
	if c.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(c.Example))
	}
	if !c.HasParent() {
		b.WriteString(".SH EXIT STATUS\n")
		for _, code := range exitCodes() {
			fmt.Fprintf(&b, ".TP\n%d\n%s\n", code.code, roff(code.means))
		}
		return b.String()
	}
	fmt.Fprintf(&b, ".SH SEE ALSO\n\\fB%s\\fR(1)\n", roff(manName(c.Parent())))
	return b.String()
}

func manFlags(w io.Writer, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(w, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		fmt.Fprintf(w, ".TP\n\\fB%s\\fR", roff(name))
		if value != "" {
			fmt.Fprintf(w, " \\fI%s\\fR", roff(value))
		}
		fmt.Fprintf(w, "\n%s\n", roff(usage))
	})
}

// roffEscapes: a hyphen is a minus, which can be copied to a command line, and a
// backslash or an accent is not the beginning of something else.
var roffEscapes = strings.NewReplacer(`\`, `\e`, "-", `\-`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`, "'", `\(aq`)

// roff returns text as the source of a page; no line of it is a request.
func roff(text string) string {
	lines := strings.Split(roffEscapes.Replace(text), "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") {
			lines[i] = `\&` + l
		}
	}
	var b strings.Builder
	for _, r := range strings.Join(lines, "\n") {
		if r < 0x80 {
			b.WriteRune(r)
			continue
		}
		fmt.Fprintf(&b, `\[u%04X]`, r) // understood whatever the encoding of the reader's terminal
	}
	return b.String()
}

func roffQuoted(text string) string { return `"` + strings.ReplaceAll(roff(text), `"`, `\(dq`) + `"` }
