package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"atelier/internal/cluster"
	"atelier/llm/relay"
	"atelier/workshop/translate/sharedtexts"
)

func newCluster(s *settings) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cluster",
		Short: "Show and direct what a cluster works on",
		Long: `Shows what the machines of a cluster work on: the translations of 'atelier translate
--cluster', the workers ('atelier worker') that ask models for them, and the workspaces
that the servers ('atelier http --cluster') have at work.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newClusterStatus(s), newClusterCancel(s), newClusterDrain(s), newClusterMove(s), newClusterTexts(s), newClusterBackup(s), newClusterRestore(s), newClusterContents(s))
	return cmd
}

// clusterStatus is what cluster status prints as JSON.
type clusterStatus struct {
	Jobs    []relay.JobInfo    `json:"jobs"`
	Workers []relay.WorkerInfo `json:"workers"`
	// Servers are those of atelier http that take workspaces, Workspaces what is at work.
	Servers    []clusterServer    `json:"servers"`
	Workspaces []clusterWorkspace `json:"workspaces"`
	// Texts are the translations that the cluster keeps.
	Texts sharedtexts.Kept `json:"texts"`
}

func newClusterStatus(s *settings) *cobra.Command {
	var c clusterFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show the jobs of the last 30 days, the workers, and which server has which workspace",
		Long: `Shows the jobs of the last 30 days, the newest first, with how many of their documents
are done, words, requests, tokens and cost, and the workers that live. A job that is
interrupted is one whose process is silent: the same command continues it. Then the
servers that take workspaces, and the workspaces with the server that has each, and how
many translations the cluster keeps (atelier cluster texts). A server
or workspace has 'no sign of life' when its lease was not renewed while the command
looked: that takes a quarter of the servers' --lease, and all of it where a server died.`,
		Example: "  atelier cluster status --cluster nats://10.0.0.1:4222",
		Args:    usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			q, cl, err := openCluster(cmd.Context(), s, &c)
			if err != nil {
				return err
			}
			defer cl.Close()
			st := clusterStatus{Jobs: []relay.JobInfo{}, Workers: []relay.WorkerInfo{}}
			jobs, err := q.Jobs(cmd.Context())
			if err != nil {
				return err
			}
			workers, err := q.Workers(cmd.Context())
			if err != nil {
				return err
			}
			if st.Servers, st.Workspaces, err = serversOf(cmd.Context(), cl); err != nil {
				return err
			}
			if st.Texts, err = sharedtexts.Look(cmd.Context(), cl); err != nil {
				return err
			}
			st.Jobs, st.Workers = append(st.Jobs, jobs...), append(st.Workers, workers...)
			if asJSON {
				return printJSON(cmd.OutOrStdout(), st)
			}
			printClusterStatus(cmd.OutOrStdout(), st)
			return nil
		},
	}
	c.add(cmd.Flags(), "the cluster")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func printClusterStatus(out io.Writer, st clusterStatus) {
	tw := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tw, "JOB\tTITLE\tON\tMODEL\tSTATE\tDOCUMENTS\tWORDS\tREQUESTS\tTOKENS\tCOST\tSTARTED")
	for _, j := range st.Jobs {
		cost := "-"
		if j.Cost > 0 {
			cost = fmt.Sprintf("%.2f %s", j.Cost, j.Currency)
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%d of %d\t%d\t%d\t%d\t%s\t%s\n", j.ID, j.Title, j.Host, j.Model, j.State, j.Done, j.Documents, j.Words, j.Requests, j.Tokens, cost, j.Started.Local().Format(time.DateTime))
	}
	tw.Flush()
	for _, j := range st.Jobs {
		if j.Error != "" {
			fmt.Fprintf(out, "%s: %s\n", j.ID, j.Error)
		}
	}
	fmt.Fprintln(out)
	tw = tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tw, "WORKER\tON\tMODEL\tAT WORK\tANSWERED\tSINCE\t")
	for _, w := range st.Workers {
		note := ""
		if w.Draining {
			note = "stopping"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%d of %d\t%d\t%s\t%s\n", w.Name, w.Host, w.Target, w.Working, w.AtOnce, w.Answered, w.Since.Local().Format(time.DateTime), note)
	}
	tw.Flush()
	printClusterServers(out, st)
	fmt.Fprintln(out)
	printTexts(out, st.Texts)
}

func newClusterCancel(s *settings) *cobra.Command {
	var c clusterFlags
	cmd := &cobra.Command{
		Use:     "cancel JOB",
		Short:   "End a translation, wherever it was started",
		Long:    "Ends a translation that is running, wherever it was started. What is done is kept, and the command that started it continues it.",
		Example: "  atelier cluster cancel 4f1d2c9a7b30 --cluster nats://10.0.0.1:4222",
		Args:    usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			q, cl, err := openCluster(cmd.Context(), s, &c)
			if err != nil {
				return err
			}
			defer cl.Close()
			if err := q.Cancel(cmd.Context(), args[0]); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "Job %s ends.\n", args[0])
			return nil
		},
	}
	c.add(cmd.Flags(), "the cluster")
	return cmd
}

// openCluster connects to a cluster and makes nothing there.
func openCluster(ctx context.Context, s *settings, c *clusterFlags) (*relay.Queue, *cluster.Cluster, error) {
	if err := s.resolve(); err != nil {
		return nil, nil, err
	}
	c.resolve(s)
	cl, err := c.Connect(ctx, "atelier cluster on "+hostName())
	if err != nil {
		return nil, nil, err
	}
	return relay.Look(cl, relay.Options{}), cl, nil
}
