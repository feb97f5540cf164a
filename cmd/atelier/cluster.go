package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"atelier/internal/cluster"
	"atelier/llm/relay"
)

func newCluster(s *settings) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cluster",
		Short: "Show what a cluster works on, and cancel its translations",
		Long: `Shows what the machines of a cluster work on: the translations of 'atelier translate
--cluster', the workers ('atelier worker') that ask models for them, and the workspaces
that the servers ('atelier http --cluster') have at work.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newClusterStatus(s), newClusterCancel(s))
	return cmd
}

// clusterStatus is what cluster status prints as JSON.
type clusterStatus struct {
	Jobs    []relay.JobInfo    `json:"jobs"`
	Workers []relay.WorkerInfo `json:"workers"`
	// Workspaces are those that a server of atelier http has at work.
	Workspaces []clusterWorkspace `json:"workspaces"`
}

// clusterWorkspace says which server has a workspace.
type clusterWorkspace struct {
	WorkspaceID string `json:"workspace_id"`
	Owner       string `json:"owner"`
	Address     string `json:"address"`
}

// workspacesOf returns the workspaces that are at work, by server. A cluster that no server
// of atelier http has joined has none.
func workspacesOf(ctx context.Context, c *cluster.Cluster) ([]clusterWorkspace, error) {
	out := []clusterWorkspace{}
	leases, err := c.FindLeases(ctx, leaseBucket)
	if errors.Is(err, cluster.ErrNotFound) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	held, err := leases.Held(ctx)
	for id, h := range held {
		out = append(out, clusterWorkspace{id, h.Owner, h.Address})
	}
	slices.SortFunc(out, func(a, b clusterWorkspace) int {
		return cmp.Or(strings.Compare(a.Owner, b.Owner), strings.Compare(a.WorkspaceID, b.WorkspaceID))
	})
	return out, err
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
workspaces that are at work, each with the server that has it.`,
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
			if st.Workspaces, err = workspacesOf(cmd.Context(), cl); err != nil {
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
	fmt.Fprintln(out)
	tw = tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tw, "WORKSPACE\tSERVER\tADDRESS")
	for _, w := range st.Workspaces {
		fmt.Fprintf(tw, "%s\t%s\t%s\n", w.WorkspaceID, w.Owner, w.Address)
	}
	tw.Flush()
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

func openCluster(ctx context.Context, s *settings, c *clusterFlags) (*relay.Queue, *cluster.Cluster, error) {
	if err := s.resolve(); err != nil {
		return nil, nil, err
	}
	c.resolve(s)
	cl, err := c.Connect(ctx, "atelier cluster on "+hostName())
	if err != nil {
		return nil, nil, err
	}
	q, err := relay.Open(ctx, cl, relay.Options{})
	if err != nil {
		cl.Close()
		return nil, nil, err
	}
	return q, cl, nil
}
