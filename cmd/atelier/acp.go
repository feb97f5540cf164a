package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"atelier/engine"
	"atelier/ipc/acp"
	"atelier/workshop/agent"
	"atelier/workshop/tools/catalogue"
	pages "atelier/workshop/web"
)

func newACP(s *settings) *cobra.Command {
	var opt acp.Options
	cmd := &cobra.Command{
		Use:   "acp",
		Short: "Be the agent of an editor: Agent Client Protocol over standard input and output",
		Long: `Speaks the Agent Client Protocol (agentclientprotocol.com), version 1, so that an
editor such as Zed, a JetBrains IDE or Neovim can have Atelier work on documents. The
editor starts this command; docs/acp.md has its configuration. A session is the
conversation of one folder, the editor's current one. Changes go into the draft of
the folder; /publish in the editor puts them into the folder.

Standard output carries the protocol only; logs go to stderr. At the end of input, and
at SIGTERM and SIGINT, runs in progress are canceled; what they did is kept, and the
editor can load the session again.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := catalogue.Named(opt.Catalogue); err != nil {
				return usageError{err}
			}
			if opt.Workflow != "" && !slices.Contains(agent.Workflows(), opt.Workflow) {
				return usageError{errors.New("--workflow is one of " + strings.Join(agent.Workflows(), ", "))}
			}
			e, err := s.engine(prepareWhenIdle, func(o *engine.Options) { o.Fetch = pages.NewHTTP(fetchOptions) }) // after consent
			if err != nil {
				return err
			}
			if opt.Log, err = s.logger(); err != nil {
				return errors.Join(err, e.Close())
			}
			err = acp.Serve(cmd.Context(), e, os.Stdin, cmd.OutOrStdout(), opt)
			if errors.Is(err, acp.ErrStillRunning) {
				opt.Log.Error(err.Error())
				os.Exit(exitFailed) // closing the engine would wait for them
			}
			if errors.Is(err, context.Canceled) {
				err = nil
			}
			return errors.Join(err, e.Close())
		},
	}
	cmd.Flags().StringVar(&opt.Catalogue, "catalogue", "", "catalogue of tools for the model: "+strings.Join(catalogue.Names(), ", ")+" (default "+catalogue.Names()[0]+")")
	cmd.Flags().StringVar(&opt.Workflow, "workflow", "", "agent: work at once (default); rpi: research, plan, implement item by item, summary; auto: the model chooses")
	return cmd
}
