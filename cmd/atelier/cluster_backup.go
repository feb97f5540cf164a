package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"atelier/internal/replica/backup"
)

func newClusterBackup(s *settings) *cobra.Command {
	var c clusterFlags
	var contents contentsFlags
	cmd := &cobra.Command{
		Use:   "backup FOLDER",
		Short: "Copy the workspaces, accounts and translations of a cluster into a folder",
		Long: `Copies what a cluster keeps into a new or empty folder, while its servers work: the
workspaces with all versions of their files, accounts, limits, jobs, and the translations
by models. What was acknowledged before the command began is in the copy; what is
acknowledged while it runs may be. Each content is read and compared with its SHA-256.

The copy has all documents in the clear: keep it as you keep them. Sessions of the page
are not in it. A cluster whose large contents are in a bucket is copied whole, too, with
--cluster-contents and the keys of the bucket; a restore puts them into the NATS servers.`,
		Example: "  atelier cluster backup /backup/2026-11-28 --cluster nats://10.0.0.1:4222",
		Args:    usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := contents.check(); err != nil {
				return usageError{err}
			}
			if err := s.resolve(); err != nil {
				return err
			}
			place, err := contents.open(s)
			if err != nil {
				return err
			}
			c.resolve(s)
			cl, err := c.Connect(cmd.Context(), "atelier cluster on "+hostName())
			if err != nil {
				return err
			}
			defer cl.Close()
			rep, err := backup.Write(cmd.Context(), cl, place, args[0])
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			fmt.Fprintf(out, "Copied to %s: %s with %s, %s, %.1f MB.\n", args[0], plural(int64(rep.Workspaces), "workspace"), plural(int64(rep.Contents), "content"), plural(int64(rep.Keys), "key"), float64(rep.Bytes)/1e6)
			if len(rep.LeftOut) > 0 {
				fmt.Fprintf(out, "Not copied, since it says only who works with what now: %s\n", strings.Join(rep.LeftOut, ", "))
			}
			if len(rep.Unknown) > 0 {
				fmt.Fprintf(out, "Not copied, since this version does not know it: %s\n", strings.Join(rep.Unknown, ", "))
			}
			return nil
		},
	}
	c.add(cmd.Flags(), "the cluster")
	contents.add(cmd.Flags())
	return cmd
}

func newClusterRestore(s *settings) *cobra.Command {
	var c clusterFlags
	cmd := &cobra.Command{
		Use:   "restore FOLDER",
		Short: "Put a copy of cluster backup into an empty cluster",
		Long: `Puts a copy into a cluster that has no workspaces and no accounts; start the servers of
'atelier http' afterwards. The whole copy is read and checked before the cluster is
changed. Tokens that were taken back after the copy was made count again: to end them,
start the servers with another ATELIER_JWT_SECRET.`,
		Example: "  atelier cluster restore /backup/2026-11-28 --cluster nats://10.0.0.1:4222",
		Args:    usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := s.resolve(); err != nil {
				return err
			}
			c.resolve(s)
			cl, err := c.Connect(cmd.Context(), "atelier cluster on "+hostName())
			if err != nil {
				return err
			}
			defer cl.Close()
			rep, err := backup.Restore(cmd.Context(), cl, args[0])
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "Restored: %s with %s, %s.\n", plural(int64(rep.Workspaces), "workspace"), plural(int64(rep.Contents), "content"), plural(int64(rep.Keys), "key"))
			return nil
		},
	}
	c.add(cmd.Flags(), "the cluster")
	return cmd
}
