package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// usageArgs converts an error about arguments to a usage error that shows the
// arguments of the command.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		switch {
		case err == nil:
			return nil
		case cmd.HasSubCommands():
			cmd.SuggestionsMinimumDistance = 2 // letters that differ
			if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
				err = fmt.Errorf("%w; did you mean %s?", err, strings.Join(near, " or "))
			}
		case len(args) == 0, check(cmd, append(slices.Clone(args), "more")) == nil:
			err = fmt.Errorf("an argument is missing: %s", cmd.UseLine())
		default:
			err = fmt.Errorf("%q is an argument too many (text with blanks needs quotes): %s", args[len(args)-1], cmd.UseLine())
		}
		return usageError{err}
	}
}

// wrongFlag is the error about the flags of a command. Where the command is one that there
// is not, that is what is wrong: the flags belong to what was meant.
func wrongFlag(cmd *cobra.Command, err error) error {
	if cmd.HasSubCommands() && cmd.Flags().NArg() > 0 {
		if unknown := cmd.ValidateArgs(cmd.Flags().Args()); unknown != nil {
			return unknown
		}
	}
	return usageError{flagError(err)}
}

// flagError describes the expected value of a flag in words.
func flagError(err error) error {
	var value *pflag.InvalidValueError
	if !errors.As(err, &value) {
		return err
	}
	f := value.GetFlag()
	wants, ok := map[string]string{
		"int": "a whole number", "int64": "a whole number", "float64": "a number such as 2.50",
		"duration": "a time such as 30s, 10m or 1h30m", "bool": "true or false",
	}[f.Value.Type()]
	if !ok {
		return err
	}
	return fmt.Errorf("--%s wants %s, not %q", f.Name, wants, value.GetValue())
}
