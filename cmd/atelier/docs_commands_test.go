package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"atelier/internal/docpages"
)

// docPages reads the pages of the documentation. The changelog tells of earlier
// commands too.
func docPages(t *testing.T) []*docpages.Page {
	t.Helper()
	paths, err := docpages.Find("../..")
	require.NoError(t, err)
	var pages []*docpages.Page
	for _, path := range paths {
		if filepath.Base(path) == "CHANGELOG.md" {
			continue
		}
		page, err := docpages.Read(path)
		require.NoError(t, err)
		pages = append(pages, page)
	}
	require.Greater(t, len(pages), 100)
	return pages
}

// TestDocsCommandsExist compares each command line of the program that the
// documentation shows, in blocks and in sentences, with its commands and flags.
func TestDocsCommandsExist(t *testing.T) {
	lines := 0
	for _, page := range docPages(t) {
		at := func(line int) string { return fmt.Sprintf("%s:%d", strings.TrimPrefix(page.Path, "../../"), line) }
		for _, b := range page.Blocks() {
			switch b.Lang {
			case "sh", "console", "setup":
				for _, words := range docpages.ShellCommands(commandsOf(b)) {
					if args := ofProgram(words); args != nil {
						lines++
						if err := knownCommand(args); err != nil {
							t.Errorf("%s: %q: %v", at(b.Line), strings.Join(words, " "), err)
						}
					}
				}
			case "":
				for line := range strings.Lines(b.Text) {
					if strings.HasPrefix(line, "atelier ") || strings.HasPrefix(line, "$ ") {
						t.Errorf("%s: a block with commands needs the language sh or console: %q", at(b.Line), line)
						break
					}
				}
			}
		}
		for _, c := range page.Codes() {
			if c.Text == "atelier server" || c.Text == "atelier page" {
				continue // roles in the handshake of docs/protocol.md
			}
			for _, words := range docpages.ShellCommands(c.Text) {
				if args := ofProgram(words); args != nil {
					lines++
					if err := knownCommand(args); err != nil {
						t.Errorf("%s: `%s`: %v", at(c.Line), c.Text, err)
					}
				}
			}
		}
	}
	require.Greater(t, lines, 200)
}

// commandsOf returns the commands of a block: of a console those after "$ ".
func commandsOf(b docpages.Block) string {
	if b.Lang != "console" {
		return b.Text
	}
	var sb strings.Builder
	for _, step := range consoleSteps(b) {
		sb.WriteString(step.command + "\n")
	}
	return sb.String()
}

// ofProgram returns the arguments that a command gives to Atelier, nil if it runs
// another program.
func ofProgram(words []string) []string {
	for len(words) > 1 && slices.Contains([]string{"do", "then", "time", "until", "while", "if", "!", "sudo", "exec"}, words[0]) {
		words = words[1:]
	}
	for _, program := range [][]string{{"atelier"}, {"./atelier"}, {"go", "run", "./cmd/atelier"}} {
		if len(words) >= len(program) && slices.Equal(words[:len(program)], program) {
			return append([]string{}, words[len(program):]...)
		}
	}
	// "claude mcp add atelier -- atelier mcp --in DIR"
	if i := slices.Index(words, "--"); i >= 0 {
		return ofProgram(words[i+1:])
	}
	return nil
}

// knownCommand reports a command or flag that does not exist. Words in capitals and
// "…" are placeholders; brackets around what may be left out are ignored.
func knownCommand(args []string) error {
	cmd := newRoot(&settings{})
	cmd.InitDefaultCompletionCmd()
	if len(args) > 0 && args[0] == "help" {
		args = args[1:]
	}
	skip := false
	for i, arg := range args {
		arg = strings.Trim(arg, "[]")
		switch {
		case skip:
			skip = false
		case arg == "--":
			return nil
		case strings.HasPrefix(arg, "-") && len(arg) > 1:
			name, _, valued := strings.Cut(arg, "=")
			f, err := knownFlag(cmd, name, args[i:])
			if err != nil {
				return err
			}
			skip = !valued && f.NoOptDefVal == ""
		case cmd.HasSubCommands():
			sub := slices.IndexFunc(cmd.Commands(), func(c *cobra.Command) bool { return c.Name() == arg || c.HasAlias(arg) })
			if sub >= 0 {
				cmd = cmd.Commands()[sub]
			} else if !strings.Contains(cmd.Use, " ") && arg != "COMMAND" && arg != "…" {
				return fmt.Errorf("%s has no command %q", cmd.CommandPath(), arg)
			}
		}
	}
	return nil
}

// knownFlag returns the flag of that name at a command or, since flags may precede a
// subcommand, at a later one.
func knownFlag(cmd *cobra.Command, name string, rest []string) (*pflag.Flag, error) {
	cmd.InitDefaultHelpFlag()
	var f *pflag.Flag
	if long, ok := strings.CutPrefix(name, "--"); ok {
		if f = cmd.Flags().Lookup(long); f == nil {
			f = cmd.InheritedFlags().Lookup(long)
		}
	} else {
		f = cmd.Flags().ShorthandLookup(name[1:2])
	}
	if f == nil {
		return nil, fmt.Errorf("%s has no flag %s", cmd.CommandPath(), name)
	}
	return f, nil
}

func TestKnownCommand(t *testing.T) {
	for line, wrong := range map[string]string{
		"atelier run … --in DIR":                            "",
		"atelier publish [PATH…] [--in DIR]":                "",
		"atelier --home X http user add --email a@b":        "",
		"atelier help review":                               "",
		"claude mcp add atelier -- atelier mcp --in /p":     "",
		"atelier frobnicate":                                "no command",
		"atelier run … --inn DIR":                           "no flag --inn",
		"atelier http user make":                            "no command",
		"go run ./cmd/atelier translate a --too en --out b": "no flag --too",
	} {
		args := ofProgram(docpages.ShellCommands(line)[0])
		require.NotNil(t, args, line)
		err := knownCommand(args)
		if wrong == "" {
			require.NoError(t, err, line)
		} else {
			require.ErrorContains(t, err, wrong, line)
		}
	}
}
