package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// helpOfKnown shows help for existing commands. "atelier frobnicate --help"
// is for none; refuseUnknownHelp reports it.
func helpOfKnown(show func(*cobra.Command, []string)) func(*cobra.Command, []string) {
	return func(cmd *cobra.Command, args []string) {
		if refuseUnknownHelp(cmd) == nil {
			show(cmd, args)
		}
	}
}

// refuseUnknownHelp returns the error of a command line that asks for help on
// an unknown subcommand. cobra takes its name for an argument of the parent
// command, and checks arguments only without --help.
func refuseUnknownHelp(cmd *cobra.Command) error {
	asked := cmd.Flags().Lookup("help")
	if asked == nil || asked.Value.String() != "true" || !cmd.HasSubCommands() {
		return nil
	}
	return cmd.ValidateArgs(cmd.Flags().Args())
}

// newHelp is 'atelier help', which refuses unknown commands.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show what a command does",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err == nil && len(rest) > 0 && about.HasSubCommands() {
				err = fmt.Errorf("unknown command %q for %q", strings.Join(rest, " "), about.CommandPath())
			}
			if err != nil {
				return usageError{err}
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}
