package main

import (
	"os"

	"github.com/spf13/cobra"

	"atelier/ipc/stdio"
)

func newServe(s *settings) *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Serve a desktop app: JSON-RPC 2.0 over standard input and output",
		Long: `Answers JSON-RPC 2.0, one object a line, until standard input ends. The methods
and notifications are in docs/protocol.md; 'atelier tools --schema' prints them
as OpenRPC. Standard output carries the protocol only; logs go to stderr.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, err := s.engine()
			if err != nil {
				return err
			}
			defer e.Close()
			log, err := s.logger()
			if err != nil {
				return err
			}
			return stdio.Serve(cmd.Context(), e, os.Stdin, cmd.OutOrStdout(), stdio.Options{Log: log})
		},
	}
}
