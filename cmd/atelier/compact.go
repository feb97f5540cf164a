package main

import (
	"bufio"
	"fmt"

	"github.com/spf13/cobra"

	"atelier/engine"
	"atelier/internal/quote"
)

func newCompact(s *settings) *cobra.Command {
	var in string
	var p engine.CompactParams
	cmd := &cobra.Command{
		Use:   "compact --in DIR",
		Short: "Have the model summarize the conversation to make room in its window",
		Long: `Has the model summarize the earlier part of the conversation now.

Requests to the model then have the summary instead of the summarized messages.
The conversation itself does not change, and 'atelier undo' undoes the summary.
Without this command it happens automatically when the model's window is nearly
full: at "compact_at" of config.json, by default 0.8 of the window.`,
		Example: `  atelier compact --in ./folder --keep "the prices and who approved them"`,
		Args:    usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, wb, err := openFolder(cmd.Context(), s, in)
			if err != nil {
				return err
			}
			defer e.Close()
			ask := consenter{bufio.NewReader(cmd.InOrStdin()), cmd.OutOrStdout(), somebodyThere(cmd.InOrStdin(), cmd.OutOrStdout())}
			if err := ask.run(cmd.Context(), e, wb.ID(), s.model); err != nil {
				return err
			}
			p.WorkbenchID, p.ModelID = wb.ID(), s.model
			r, err := engine.CallAs[engine.CompactResult](cmd.Context(), e, "WorkshopCompact", p)
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			if r.Summarised == 0 {
				fmt.Fprintf(out, "There is nothing to sum up: the next request has about %d of %d tokens.\n", r.TokensAre, r.Window)
				return nil
			}
			for _, text := range r.Summaries {
				fmt.Fprintf(out, "%s\n\n", text)
			}
			fmt.Fprintf(out, "This stands for %d messages: the next request has about %d tokens instead of %d.\nTake it back:  atelier undo --to %s --in %s\n",
				r.Summarised, r.TokensAre, r.TokensWere, r.UndoTo, quote.Argument(in))
			return nil
		},
	}
	cmd.Flags().StringVar(&p.Keep, "keep", "", "what the summary must keep, in words")
	cmd.Flags().IntVar(&p.KeepTurns, "keep-turns", 0, "number of your last messages that stay unchanged, with the answers to them")
	return inFolder(cmd, &in)
}
