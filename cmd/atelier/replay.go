package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"atelier/workshop/agent/transcript"
)

func newReplay(*settings) *cobra.Command {
	var update bool
	cmd := &cobra.Command{
		Use:   "replay FILE…",
		Short: "Play recorded conversations again and compare results and files",
		Long: `Runs each recorded conversation (txtar) through the real loop and tools, with the
model's part served from the recording over local HTTP, and compares events,
conversation and files with what the recording wants. A difference is printed
and the exit code is 1. --update writes what happened into the file instead.`,
		Args: usageArgs(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			failed := 0
			for _, path := range args {
				b, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				rep, err := transcript.Run(cmd.Context(), b, transcript.Options{Documents: documentsFor(path)})
				if err != nil {
					return fmt.Errorf("%s: %w", path, err)
				}
				switch {
				case rep.OK():
					fmt.Fprintf(cmd.OutOrStdout(), "ok    %s\n", path)
				case update:
					if err := os.WriteFile(path, rep.Updated, 0o644); err != nil {
						return err
					}
					fmt.Fprintf(cmd.OutOrStdout(), "wrote %s\n", path)
				default:
					failed++
					fmt.Fprintf(cmd.OutOrStdout(), "FAIL  %s\n%s\n", path, rep.Diff)
				}
			}
			if failed > 0 {
				return errSilent
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&update, "update", false, "write what happened into the file as what is wanted")
	return cmd
}

// documentsFor is the testdata/documents folder at or above a transcript, ""
// when there is none: copy sections name files of it.
func documentsFor(path string) string {
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return ""
	}
	for {
		docs := filepath.Join(dir, "testdata", "documents")
		if st, err := os.Stat(docs); err == nil && st.IsDir() {
			return docs
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}
