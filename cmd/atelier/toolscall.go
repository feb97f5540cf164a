package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"atelier/engine"
	"atelier/internal/quote"
	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
)

// toolsCall is 'atelier tools call'.
type toolsCall struct {
	in         string
	live, plan bool
}

func newToolsCall(s *settings, name *string) *cobra.Command {
	var f toolsCall
	cmd := &cobra.Command{
		Use:   "call NAME [ARGUMENTS] --in DIR",
		Short: "Run one tool on a folder, as a model would",
		Long: `Runs the tool NAME with a JSON object of ARGUMENTS ("-" reads it from standard
input) and prints its result. Changes are made in the draft of the folder, like
those of a model; with --live directly in the folder.`,
		Example: `  atelier tools call read_file '{"path":"notes.md"}' --in ./folder
  atelier tools call ls '{"recursive":true}' --in ./folder --catalogue buildscale`,
		Args: usageArgs(cobra.RangeArgs(1, 2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := catalogue.Named(*name)
			if err != nil {
				return usageError{err}
			}
			return f.run(cmd, s, c, args)
		},
	}
	cmd.Flags().StringVar(&f.in, "in", ".", "folder to work on")
	cmd.Flags().BoolVar(&f.live, "live", false, "change the files of the folder directly, without a draft")
	cmd.Flags().BoolVar(&f.plan, "plan-mode", false, "as in plan mode: only plans can be written")
	return cmd
}

func (f *toolsCall) run(cmd *cobra.Command, s *settings, c *tools.Catalogue, args []string) error {
	effect, ok := c.Effect(args[0])
	if !ok {
		return unknownTool(c, args[0])
	}
	object, err := argumentObject(cmd.InOrStdin(), args[1:])
	if err != nil {
		return usageError{err}
	}
	e, err := s.engine()
	if err != nil {
		return err
	}
	defer e.Close()
	ctx := cmd.Context()
	wb, err := e.OpenFolderForTool(ctx, f.in, effect)
	if err != nil {
		return err
	}
	var unchanged bool
	by := engine.LiveCall{Workspace: wb.ID(), User: "user", Tool: args[0], Args: object, PlanMode: f.plan, Unchanged: &unchanged}
	run := e.LiveWith(c).CallDraft
	if f.live {
		run = e.LiveWith(c).Call
	}
	result, fault := run(ctx, by)
	if fault != nil {
		return printFault(cmd.ErrOrStderr(), fault)
	}
	if text, ok := result.(string); ok {
		_, err = fmt.Fprintln(cmd.OutOrStdout(), text)
	} else {
		err = printJSON(cmd.OutOrStdout(), result)
	}
	if err == nil && effect == tools.Write && !unchanged && !f.live {
		fmt.Fprintf(os.Stderr, "atelier: changes are in the draft; to see them: atelier review --in %s\n", quote.Argument(f.in))
	}
	return err
}

// argumentObject returns the tool's arguments from the command line.
func argumentObject(stdin io.Reader, args []string) (json.RawMessage, error) {
	if len(args) == 0 {
		return json.RawMessage("{}"), nil
	}
	b := []byte(args[0])
	if args[0] == "-" {
		var err error
		if b, err = io.ReadAll(io.LimitReader(stdin, 64<<20)); err != nil {
			return nil, err
		}
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(b, &object); err != nil || object == nil {
		return nil, errors.New("the arguments must be a JSON object, such as '{\"path\":\"notes.md\"}'")
	}
	return b, nil
}

// printFault prints why a tool failed.
func printFault(out io.Writer, f *workshop.Fault) error {
	msg := f.Message
	if f.Field != "" {
		msg = f.Field + ": " + msg
	}
	fmt.Fprintf(out, "atelier: %s: %s\n", f.Code, msg)
	if f.Hint != "" {
		fmt.Fprintf(out, "  %s\n", f.Hint)
	}
	return errSilent
}
