package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"atelier/engine/toolservers"
	"atelier/internal/quote"
	"atelier/workshop"
)

// testedServer is what 'mcp test --json' prints.
type testedServer struct {
	Server listedServer       `json:"server"`
	Tools  []toolservers.Tool `json:"tools"`
	Error  string             `json:"error,omitempty"`
}

func newServersTest(s *settings) *cobra.Command {
	var in string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "test NAME [--in DIR]", Short: "Connect to a server and list its tools", Args: usageArgs(cobra.ExactArgs(1)),
		Long: `Starts the program or connects to the address, and lists the tools with what the server
says they do: reads only, or changes things. It calls none.`,
		ValidArgsFunction: completeServers(s, &in, func(toolservers.Server) bool { return true }),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withServers(s, in, func(p *toolservers.Pool, scope toolservers.Scope) error {
				sv, tools, err := p.Test(cmd.Context(), scope, args[0])
				if asJSON {
					out := testedServer{serverRow(sv), tools, ""}
					if tools == nil {
						out.Tools = []toolservers.Tool{}
					}
					if err != nil {
						out.Error = err.Error()
					}
					if perr := printJSON(cmd.OutOrStdout(), out); perr != nil {
						return perr
					}
					return err
				}
				if err != nil {
					return err
				}
				return printTested(cmd.OutOrStdout(), sv, tools)
			})
		},
	}
	cmd.Flags().StringVar(&in, "in", ".", "folder")
	jsonFlag(cmd, &asJSON)
	return cmd
}

func printTested(out io.Writer, sv toolservers.Server, tools []toolservers.Tool) error {
	about := strings.TrimSpace(sv.Title + " " + sv.Version)
	fmt.Fprintf(out, "%s works: %s, protocol %s, %s.\n", name(sv.Name), about, sv.Protocol, toolCount(len(tools)))
	for _, n := range sv.Notes {
		fmt.Fprintf(out, "  note: %s\n", n)
	}
	if len(tools) == 0 {
		return nil
	}
	t := newTable(out)
	for _, one := range tools {
		says := firstSentence(one.Description)
		if len(one.Notes) > 0 {
			says += " (" + strings.Join(one.Notes, "; ") + ")"
		}
		t.addRow("  "+one.Name, effectWords(one), strings.Join(strings.Fields(says), " "))
	}
	return t.print()
}

func toolCount(n int) string {
	if n == 1 {
		return "1 tool"
	}
	return fmt.Sprintf("%d tools", n)
}

// effectWords says what a server says that a tool does.
func effectWords(t toolservers.Tool) string {
	switch {
	case t.ReadOnly:
		return "reads"
	case t.Destructive:
		return "may delete"
	}
	return "changes"
}

func newServersApprove(s *settings) *cobra.Command {
	var in string
	var decline, forget bool
	cmd := &cobra.Command{
		Use: "approve [NAME…] [--in DIR]", Short: "Approve the servers that came with a folder, as they are now",
		Long: `A folder can bring servers in .atelier/mcp.json: programs that would run on your
machine, and addresses. They are not used before you approved exactly what their entries
say; an entry that changes has to be approved again. Without NAME, the command shows
what waits for that and approves nothing.`,
		ValidArgsFunction: completeServers(s, &in, func(sv toolservers.Server) bool { return sv.Source == toolservers.FromFolder }),
		RunE: func(cmd *cobra.Command, args []string) error {
			what := "approve"
			switch {
			case decline && forget:
				return usageError{fmt.Errorf("--decline and --forget cannot be given together")}
			case decline:
				what = "decline"
			case forget:
				what = "forget"
			}
			return withServers(s, in, func(p *toolservers.Pool, scope toolservers.Scope) error {
				l, err := p.List(cmd.Context(), scope)
				if err != nil {
					return err
				}
				l.Servers = slices.DeleteFunc(l.Servers, func(sv toolservers.Server) bool { return sv.Source != toolservers.FromFolder })
				if len(args) == 0 {
					return showWaiting(cmd.OutOrStdout(), cmd.ErrOrStderr(), l, in)
				}
				return decideServers(cmd.Context(), cmd.OutOrStdout(), p, scope, l, args, what)
			})
		},
	}
	cmd.Flags().StringVar(&in, "in", ".", "folder")
	cmd.Flags().BoolVar(&decline, "decline", false, "decline them instead")
	cmd.Flags().BoolVar(&forget, "forget", false, "forget what was decided")
	return cmd
}

// decideServers decides about servers of a folder, and shows each.
func decideServers(ctx context.Context, out io.Writer, p *toolservers.Pool, scope toolservers.Scope, l toolservers.Listing, names []string, what string) error {
	said := map[string]string{"approve": "%s is approved:\n", "decline": "%s is declined.\n", "forget": "%s: what was decided is forgotten.\n"}[what]
	for _, n := range names {
		i := slices.IndexFunc(l.Servers, func(sv toolservers.Server) bool { return sv.Name == n })
		hash := ""
		switch {
		case i >= 0:
			hash = l.Servers[i].Hash
		case what != "forget":
			return workshop.Faultf(workshop.NotFound, "there is no server %q in .atelier/mcp.json of %s; 'atelier mcp approve' shows those there are", n, scope.Folder)
		}
		if err := p.Decide(ctx, scope, n, what, hash); err != nil {
			return err
		}
		fmt.Fprintf(out, said, name(n))
		if what == "approve" {
			showEntry(out, l.Servers[i])
		}
	}
	return nil
}

// showWaiting shows the servers of a folder that wait for approval.
func showWaiting(out, errOut io.Writer, l toolservers.Listing, in string) error {
	for _, pr := range l.Problems {
		fmt.Fprintf(errOut, "atelier: %s %s\n", name(pr.File), pr.What)
	}
	var waiting []string
	for _, sv := range l.Servers {
		if sv.State != toolservers.NeedsApproval && sv.State != toolservers.Changed {
			continue
		}
		waiting = append(waiting, quote.Argument(sv.Name))
		fmt.Fprintf(out, "%s: %s\n", name(sv.Name), sv.Why)
		showEntry(out, sv)
	}
	if len(waiting) == 0 {
		_, err := fmt.Fprintln(out, "No server of this folder waits for approval.")
		return err
	}
	_, err := fmt.Fprintf(out, "\nApprove:  atelier mcp approve %s --in %s\n", strings.Join(waiting, " "), quote.Argument(in))
	return err
}

// showEntry shows an entry as the file has it: values of variables can change what a
// program does, so that a person has to see them.
func showEntry(out io.Writer, sv toolservers.Server) {
	var b bytes.Buffer
	if json.Indent(&b, sv.Entry, "  ", "  ") != nil {
		return // it is not JSON, and cannot be approved
	}
	fmt.Fprintf(out, "  %s\n", b.String())
}

// loginTime is how long a person may take to sign in.
const loginTime = 10 * time.Minute

func newServersLogin(s *settings) *cobra.Command {
	var in string
	cmd := &cobra.Command{
		Use: "login NAME [--in DIR]", Short: "Sign in to a server in your browser", Args: usageArgs(cobra.ExactArgs(1)),
		Long: `Prints an address that you open in a browser on this machine. After you agreed there,
the browser comes back to Atelier, which keeps the tokens where it keeps keys.`,
		ValidArgsFunction: completeServers(s, &in, func(sv toolservers.Server) bool { return sv.URL != "" }),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withServers(s, in, func(p *toolservers.Pool, scope toolservers.Scope) error {
				ctx, stop := context.WithTimeout(cmd.Context(), loginTime)
				defer stop()
				err := p.SignIn(ctx, scope, args[0], func(address string) {
					fmt.Fprintf(cmd.ErrOrStderr(), "Open this address in a browser on this machine to sign in (within 10 minutes):\n%s\n", address)
				})
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "You are signed in to %s.\n", name(args[0]))
				return err
			})
		},
	}
	cmd.Flags().StringVar(&in, "in", ".", "folder")
	return cmd
}

func newServersLogout(s *settings) *cobra.Command {
	var in string
	cmd := &cobra.Command{
		Use: "logout NAME [--in DIR]", Short: "Forget the sign-in to a server", Args: usageArgs(cobra.ExactArgs(1)),
		ValidArgsFunction: completeServers(s, &in, func(sv toolservers.Server) bool { return sv.SignedIn }),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withServers(s, in, func(p *toolservers.Pool, scope toolservers.Scope) error {
				if err := p.SignOut(cmd.Context(), scope, args[0]); err != nil {
					return err
				}
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "You are signed out of %s.\n", name(args[0]))
				return err
			})
		},
	}
	cmd.Flags().StringVar(&in, "in", ".", "folder")
	return cmd
}
