package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"atelier/engine"
	"atelier/ipc/stdio"
	pages "atelier/workshop/web"
)

func newServe(s *settings) *cobra.Command {
	var record string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve a desktop app: JSON-RPC 2.0 over standard input and output",
		Long: `Answers JSON-RPC 2.0, one object a line, until standard input ends. The methods
and notifications are in docs/protocol.md; 'atelier tools --schema' prints them
as OpenRPC. Standard output carries the protocol only; logs go to stderr.

--record DIR writes each run with the files it found to a file of DIR, for
'atelier replay'. Keys, paths and names are taken out, documents are not.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if record != "" {
				if err := os.MkdirAll(record, 0o700); err != nil {
					return fmt.Errorf("--record: %w", err)
				}
			}
			e, err := s.engine(func(o *engine.Options) {
				o.Fetch = pages.NewHTTP(pages.Options{}) // after consent
				if record != "" {
					o.Record = recordInto(record, o.Home, o.Log).begin
				}
			})
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
	cmd.Flags().StringVar(&record, "record", "", "write each run to a file of this folder, for 'atelier replay'")
	return cmd
}
