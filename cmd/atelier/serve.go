package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"atelier/engine"
	"atelier/ipc/stdio"
	pages "atelier/workshop/web"
)

func newServe(s *settings) *cobra.Command {
	var record string
	var drain time.Duration
	var by clusterFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve a desktop app: JSON-RPC 2.0 over standard input and output",
		Long: `Answers JSON-RPC 2.0, one object a line, until standard input ends. The methods
and notifications are in docs/protocol.md; 'atelier tools --schema' prints them
as OpenRPC. Standard output carries the protocol only; logs go to stderr.

SIGTERM and SIGINT end it: no more requests are read, and calls and runs in progress
have --drain to end; then they are canceled, and their changes are kept. A second
signal cancels them at once; a call that does not end then is left after two
seconds, and the program ends with an error.

Commands of the same user on folders that it has open, such as 'atelier publish', are
done by it, and its client is notified.

--cluster names a cluster whose workers ('atelier worker') ask the model for the
translations that want it (cluster of TranslateStart).

--record DIR writes each run with the files it found to a file of DIR, for
'atelier replay'. Keys, paths and names are removed, documents are not.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if drain < 0 {
				return usageError{errors.New("--drain cannot be below 0")}
			}
			if err := by.check(); err != nil {
				return usageError{err}
			}
			if record != "" {
				if err := os.MkdirAll(record, 0o700); err != nil {
					return fmt.Errorf("--record: %w", err)
				}
			}
			var commands commandServer
			e, err := s.engine(commands.listen, prepareWhenIdle, func(o *engine.Options) {
				o.Fetch = pages.NewHTTP(fetchOptions) // after consent
				if by.resolve(s); by.on() {
					o.Cluster = &by
				}
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
			// The first signal, which ends the context, lets calls and runs
			// end; the second ends draining, a third ends the process.
			hurry, second := make(chan struct{}), make(chan os.Signal, 1)
			defer context.AfterFunc(cmd.Context(), func() {
				signal.Notify(second, os.Interrupt, syscall.SIGTERM)
				<-second
				signal.Reset(os.Interrupt, syscall.SIGTERM)
				close(hurry)
			})()
			defer commands.serve(cmd.Context(), e, drain, hurry)()
			err = stdio.Serve(cmd.Context(), e, os.Stdin, cmd.OutOrStdout(), stdio.Options{Log: log, Drain: drain, Hurry: hurry})
			if errors.Is(err, stdio.ErrStillRunning) {
				log.Error(err.Error())
				os.Exit(exitFailed) // closing the engine would wait for them
			}
			return err
		},
	}
	cmd.Flags().DurationVar(&drain, "drain", 30*time.Second, "time for calls and runs in progress when a signal ends the program")
	cmd.Flags().StringVar(&record, "record", "", "write each run to a file of this folder, for 'atelier replay'")
	by.add(cmd.Flags(), "a cluster whose workers ask the model for translations that want it")
	return cmd
}
