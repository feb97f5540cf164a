package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"atelier/internal/cluster"
	"atelier/internal/replica/owner"
)

// clusterServer is a server of atelier http that takes workspaces.
type clusterServer struct {
	Name       string `json:"name"`
	Address    string `json:"address"`
	Workspaces int    `json:"workspaces"` // that it has at work
	// Overdue: it has shown no sign of life for the time of a lease.
	Overdue bool `json:"overdue,omitempty"`
}

// clusterWorkspace says which server has a workspace.
type clusterWorkspace struct {
	WorkspaceID string `json:"workspace_id"`
	Owner       string `json:"owner"`
	Address     string `json:"address"`
	// Overdue: the server no longer works with it; the next call that names the workspace
	// has another one take it.
	Overdue bool `json:"overdue,omitempty"`
}

// serversOf returns the servers, and the workspaces that are at work, by server. A cluster
// that no server of atelier http has joined has none.
func serversOf(ctx context.Context, c *cluster.Cluster) ([]clusterServer, []clusterWorkspace, error) {
	servers, workspaces := []clusterServer{}, []clusterWorkspace{}
	all, err := owner.FindServers(ctx, c)
	if errors.Is(err, cluster.ErrNotFound) {
		return servers, workspaces, nil
	}
	if err != nil {
		return nil, nil, err
	}
	held, list, err := all.Held(ctx)
	if err != nil {
		return nil, nil, err
	}
	has := map[string]int{}
	for id, h := range held {
		if !h.Overdue {
			has[h.Owner]++
		}
		workspaces = append(workspaces, clusterWorkspace{id, h.Owner, h.Address, h.Overdue})
	}
	for _, h := range list {
		servers = append(servers, clusterServer{h.Owner, h.Address, has[h.Owner], h.Overdue})
	}
	slices.SortFunc(servers, func(a, b clusterServer) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(workspaces, func(a, b clusterWorkspace) int {
		return cmp.Or(strings.Compare(a.Owner, b.Owner), strings.Compare(a.WorkspaceID, b.WorkspaceID))
	})
	return servers, workspaces, nil
}

// stateOf says of a lease in words whether it is overdue.
func stateOf(overdue bool, otherwise string) string {
	if overdue {
		return "no sign of life"
	}
	return otherwise
}

func printClusterServers(out io.Writer, st clusterStatus) {
	fmt.Fprintln(out)
	tw := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tw, "SERVER\tADDRESS\tWORKSPACES\tSTATE")
	for _, s := range st.Servers {
		fmt.Fprintf(tw, "%s\t%s\t%d\t%s\n", s.Name, s.Address, s.Workspaces, stateOf(s.Overdue, "takes workspaces"))
	}
	tw.Flush()
	fmt.Fprintln(out)
	tw = tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tw, "WORKSPACE\tSERVER\tADDRESS\tSTATE")
	for _, w := range st.Workspaces {
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", w.WorkspaceID, w.Owner, w.Address, stateOf(w.Overdue, "at work"))
	}
	tw.Flush()
}

// named returns the servers that a person named, by name or by address: a server that was
// started again has the address of the one that died, which may still be listed.
func named(list []cluster.Holder, name string) (found []cluster.Holder, err error) {
	var known []string
	for _, h := range list {
		if u, err := url.Parse(h.Address); h.Owner == name || h.Address == name || err == nil && u.Host == name {
			found = append(found, h)
		}
		known = append(known, h.Owner)
	}
	switch {
	case len(known) == 0:
		return nil, errors.New("no server of atelier http takes workspaces in this cluster")
	case len(found) == 0:
		slices.Sort(known)
		return nil, fmt.Errorf("no server %s takes workspaces; there are: %s", name, strings.Join(known, ", "))
	}
	return found, nil
}

// order gives an order to the first of the servers that runs, and returns it.
func order(to []cluster.Holder, do func(owner string) error) (_ cluster.Holder, err error) {
	for _, h := range to {
		if err = do(h.Owner); !errors.Is(err, owner.ErrNoServer) {
			return h, err
		}
	}
	return cluster.Holder{}, err
}

// onServers calls f with the servers of the cluster.
func onServers(ctx context.Context, s *settings, c *clusterFlags, f func(all *owner.Servers, list []cluster.Holder) error) error {
	if err := s.resolve(); err != nil {
		return err
	}
	c.resolve(s)
	cl, err := c.Connect(ctx, "atelier cluster on "+hostName())
	if err != nil {
		return err
	}
	defer cl.Close()
	all, err := owner.FindServers(ctx, cl)
	if errors.Is(err, cluster.ErrNotFound) {
		return errors.New("no server of atelier http has joined this cluster")
	}
	if err != nil {
		return err
	}
	list, err := all.List(ctx)
	if err != nil {
		return err
	}
	return f(all, list)
}

func newClusterDrain(s *settings) *cobra.Command {
	var c clusterFlags
	cmd := &cobra.Command{
		Use:   "drain SERVER",
		Short: "Have a server release its workspaces and take no more",
		Long: `Has a server of 'atelier http --cluster' release all its workspaces, so that it can be
stopped: calls in progress have ten seconds, runs are continued on other servers. It
passes calls on to the others until it is stopped; started again, it takes workspaces.
SERVER is its name or its address, as 'atelier cluster status' lists them.`,
		Example: "  atelier cluster drain 10.0.0.11:3000 --cluster nats://10.0.0.1:4222",
		Args:    usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return onServers(cmd.Context(), s, &c, func(all *owner.Servers, list []cluster.Holder) error {
				found, err := named(list, args[0])
				if err != nil {
					return err
				}
				h, err := order(found, func(owner string) error { return all.Drain(cmd.Context(), owner) })
				if err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s has no workspaces at work and takes no more.\n", h.Owner)
				return nil
			})
		},
	}
	c.add(cmd.Flags(), "the cluster")
	return cmd
}

func newClusterMove(s *settings) *cobra.Command {
	var c clusterFlags
	cmd := &cobra.Command{
		Use:   "move WORKSPACE SERVER",
		Short: "Have another server take a workspace",
		Long: `Has the server that has a workspace release it, and another take it. Calls in progress
have ten seconds; a run is continued on the other server. SERVER is its name or its
address, as 'atelier cluster status' lists them.`,
		Example: "  atelier cluster move 0190f3a2-7b1c-7d3e-9a54-2f6f0c3b8d11 10.0.0.12:3000 --cluster nats://10.0.0.1:4222",
		Args:    usageArgs(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := uuid.Parse(args[0])
			if err != nil {
				return usageError{fmt.Errorf("%q is not the id of a workspace", args[0])}
			}
			return onServers(cmd.Context(), s, &c, func(all *owner.Servers, list []cluster.Holder) error {
				found, err := named(list, args[1])
				if err != nil {
					return err
				}
				from, err := all.Claims().Holder(cmd.Context(), id.String())
				switch {
				case errors.Is(err, cluster.ErrNotFound):
					return fmt.Errorf("the workspace %s is not at work on any server; the next request that names it decides where it will be", id)
				case err != nil:
					return err
				}
				to, err := order(found, func(to string) error { return all.Move(cmd.Context(), from.Owner, to, id.String()) })
				if err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s is at work on %s.\n", id, to.Owner)
				return nil
			})
		},
	}
	c.add(cmd.Flags(), "the cluster")
	return cmd
}
