package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// TestCommandsReference compares docs/commands.md with the commands; -update writes it.
func TestCommandsReference(t *testing.T) {
	const path = "../../docs/commands.md"
	want := commandsReference()
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
	}
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, want, string(got), "go test ./cmd/atelier -run CommandsReference -update")
}

// commandsReference returns the page of all commands and flags.
func commandsReference() string {
	root := newRoot(&settings{})
	root.InitDefaultCompletionCmd()
	var sb strings.Builder
	sb.WriteString("# Commands\n\n<!-- Made by `go test ./cmd/atelier -run CommandsReference -update`. -->\n\n" +
		"Every command with its flags, as `atelier help COMMAND` shows it. [The command line](command_line.md) describes what they share.\n\n## Flags of every command\n\n")
	flagTable(&sb, root.PersistentFlags())
	describeCommands(&sb, root)
	return sb.String()
}

func describeCommands(sb *strings.Builder, cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		if c.Hidden || c.Name() == "help" {
			continue
		}
		level := "##"
		if cmd.Parent() != nil {
			level = "###"
		}
		fmt.Fprintf(sb, "%s %s\n\n", level, c.CommandPath())
		text := c.Long
		if text == "" {
			text = c.Short + "."
		}
		// Markdown would read <, * and _ of the text as marks.
		fmt.Fprintf(sb, "```text\n%s\n```\n\n", strings.TrimSpace(text))
		if c.Runnable() {
			fmt.Fprintf(sb, "`%s`\n\n", strings.TrimSuffix(c.UseLine(), " [flags]"))
		}
		flagTable(sb, c.LocalFlags())
		flagsAbove(sb, c)
		describeCommands(sb, c)
	}
}

// flagsAbove names the flags that a command has from those above it, without the program's.
func flagsAbove(sb *strings.Builder, cmd *cobra.Command) {
	for above := cmd.Parent(); above.HasParent(); above = above.Parent() {
		var names []string
		above.PersistentFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && cmd.LocalFlags().Lookup(f.Name) == nil {
				names = append(names, "`--"+f.Name+"`")
			}
		})
		if len(names) > 0 {
			fmt.Fprintf(sb, "Also %s of `%s`.\n\n", strings.Join(names, ", "), above.CommandPath())
		}
	}
}

// flagTable writes the flags of a command with their defaults.
func flagTable(sb *strings.Builder, flags *pflag.FlagSet) {
	rows := 0
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		if rows++; rows == 1 {
			sb.WriteString("| flag | |\n|---|---|\n")
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if value != "" {
			name += " " + value
		}
		usage += defaultOf(f)
		fmt.Fprintf(sb, "| `%s` | %s |\n", name, strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;", "*", `\*`, "_", `\_`).Replace(usage))
	})
	if rows > 0 {
		sb.WriteString("\n")
	}
}

// defaultOf returns the default of a flag as help shows it, but not one of this machine.
func defaultOf(f *pflag.Flag) string {
	switch f.DefValue {
	case "", "0", "0s", "[]", "false", hostName():
		return ""
	}
	if f.Value.Type() == "string" {
		return fmt.Sprintf(" (default %q)", f.DefValue)
	}
	return fmt.Sprintf(" (default %s)", f.DefValue)
}
