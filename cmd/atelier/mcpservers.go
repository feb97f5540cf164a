package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"atelier/engine/toolservers"
	"atelier/internal/quote"
)

// addToolServers adds the commands about other servers' tools.
func addToolServers(s *settings, mcp *cobra.Command) {
	mcp.AddCommand(newServersList(s), newServersAdd(s), newServersRemove(s), newServersSwitch(s, true), newServersSwitch(s, false), newServersTest(s), newServersApprove(s), newServersLogin(s), newServersLogout(s))
}

// withServers calls f with the servers of a folder.
func withServers(s *settings, in string, f func(*toolservers.Pool, toolservers.Scope) error) error {
	dir, err := filepath.Abs(in)
	if err != nil {
		return err
	}
	e, err := s.engine()
	if err != nil {
		return err
	}
	defer e.Close()
	p := e.OpenToolServers()
	defer p.Close()
	return f(p, toolservers.Scope{Folder: dir})
}

// completeServers completes the names of servers.
func completeServers(s *settings, in *string, which func(toolservers.Server) bool) completer {
	return func(cmd *cobra.Command, args []string, _ string) (out []cobra.Completion, _ cobra.ShellCompDirective) {
		ctx, stop := context.WithTimeout(cmd.Context(), completionTime)
		defer stop()
		s.logLevel = "error"
		_ = withServers(s, *in, func(p *toolservers.Pool, scope toolservers.Scope) error { // an error gives no completions
			l, err := p.List(ctx, scope)
			for _, sv := range l.Servers {
				if which(sv) && len(out) < mostCompleted {
					out = append(out, cobra.CompletionWithDesc(sv.Name, sv.Source+", "+string(sv.State)))
				}
			}
			return err
		})
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

// listedServer is a server as --json prints it.
type listedServer struct {
	toolservers.Server
	TimeoutMS int64 `json:"timeout_ms"`
}

func serverRow(sv toolservers.Server) listedServer {
	return listedServer{sv, sv.Timeout.Milliseconds()}
}

func newServersList(s *settings) *cobra.Command {
	var in string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list [--in DIR]", Short: "List the servers whose tools the model may call", Args: usageArgs(cobra.NoArgs),
		Long: `Lists the servers of mcp.json in the data folder (yours) and of .atelier/mcp.json in
the folder (the folder's). It starts none; 'atelier mcp test NAME' does. Values of
variables and headers are not printed.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withServers(s, in, func(p *toolservers.Pool, scope toolservers.Scope) error {
				l, err := p.List(cmd.Context(), scope)
				if err != nil {
					return err
				}
				if asJSON {
					return printJSON(cmd.OutOrStdout(), serversJSON(l))
				}
				return printServers(cmd.OutOrStdout(), cmd.ErrOrStderr(), l)
			})
		},
	}
	cmd.Flags().StringVar(&in, "in", ".", "folder")
	jsonFlag(cmd, &asJSON)
	return cmd
}

func serversJSON(l toolservers.Listing) any {
	out := struct {
		Servers  []listedServer        `json:"servers"`
		Problems []toolservers.Problem `json:"problems"`
	}{[]listedServer{}, l.Problems}
	for _, sv := range l.Servers {
		out.Servers = append(out.Servers, serverRow(sv))
	}
	if out.Problems == nil {
		out.Problems = []toolservers.Problem{}
	}
	return out
}

func printServers(out, errOut io.Writer, l toolservers.Listing) error {
	for _, pr := range l.Problems {
		fmt.Fprintf(errOut, "atelier: %s %s\n", name(pr.File), pr.What)
	}
	if len(l.Servers) == 0 {
		_, err := fmt.Fprintln(out, "No server is set up. Add one with 'atelier mcp add NAME -- COMMAND' or 'atelier mcp add NAME --url URL'.")
		return err
	}
	t := newTable(out, "NAME", "OF", "STATE", "WHAT", "")
	for _, sv := range l.Servers {
		about := sv.Why
		if len(sv.Notes) > 0 {
			about = strings.TrimPrefix(about+"; "+strings.Join(sv.Notes, "; "), "; ")
		}
		t.addRow(name(sv.Name), sv.Source, stateWords(sv), name(whatOf(sv)), about)
	}
	return t.print()
}

// stateWords says how a server is, in words.
func stateWords(sv toolservers.Server) string {
	text := strings.ReplaceAll(string(sv.State), "_", " ")
	if sv.SignedIn {
		text += ", signed in"
	}
	return text
}

// whatOf returns the command or the address of a server.
func whatOf(sv toolservers.Server) string {
	if sv.URL != "" {
		return sv.URL
	}
	return strings.Join(sv.Command, " ")
}

func newServersAdd(s *settings) *cobra.Command {
	var e toolservers.Entry
	var headers, env []string
	var timeout time.Duration
	var clientID string
	cmd := &cobra.Command{
		Use:   "add NAME (--url URL | -- COMMAND [ARGUMENT…])",
		Short: "Add a server whose tools the model may call, or replace it",
		Long: `Adds a server to mcp.json of the data folder: a program of this machine, or an
address. The program gets a few variables of the environment (PATH, HOME, …) and those
of --env. Values may hold ${NAME} and ${NAME:-default}: write secrets so, since others
can see command lines and the file holds what you write.`,
		Example: `  atelier mcp add files -- npx -y @modelcontextprotocol/server-filesystem /data
  atelier mcp add issues --url https://mcp.example.com/mcp
  atelier mcp add sales --url https://crm.example.com/mcp --header 'Authorization: Bearer ${CRM_TOKEN}'`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch dash := cmd.ArgsLenAtDash(); {
			case len(args) == 0 || dash == 0:
				return usageError{fmt.Errorf("the name is missing: %s", cmd.UseLine())}
			case dash < 0 && len(args) > 1:
				return usageError{errors.New("write -- before the command: atelier mcp add NAME -- COMMAND [ARGUMENT…]")}
			case dash > 1:
				return usageError{errors.New("one name comes before --")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				e.Command, e.Args = args[1], args[2:]
			}
			var err error
			if e.Headers, err = pairs(headers, ":", "--header", "Name: value"); err != nil {
				return err
			}
			if e.Env, err = pairs(env, "=", "--env", "NAME=value"); err != nil {
				return err
			}
			e.Timeout = toolservers.Duration(timeout)
			if clientID != "" {
				e.OAuth = &toolservers.OAuth{ClientID: clientID}
			}
			return withServers(s, ".", func(p *toolservers.Pool, _ toolservers.Scope) error {
				if err := p.Set(cmd.Context(), args[0], e); err != nil {
					return err
				}
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s is added. Try it:  atelier mcp test %s\n", name(args[0]), quote.Argument(args[0]))
				return err
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&e.URL, "url", "", "address of a server (Streamable HTTP)")
	f.StringArrayVar(&headers, "header", nil, "header of each request, such as 'Authorization: Bearer ${TOKEN}'; repeat it for more")
	f.StringArrayVar(&env, "env", nil, "variable that the program gets, such as 'TOKEN=${MY_TOKEN}'; repeat it for more")
	f.StringVar(&e.Cwd, "cwd", "", "current folder of the program (default your home folder)")
	f.BoolVar(&e.Roots, "roots", false, "tell the server the folder that is worked on")
	f.DurationVar(&timeout, "timeout", 0, "time of a call (default 1m0s)")
	f.StringVar(&clientID, "client-id", "", "client id for the sign-in, where the server does not register clients")
	return cmd
}

// pairs reads the values of a flag that has names and values.
func pairs(list []string, sep, flag, form string) (map[string]string, error) {
	if len(list) == 0 {
		return nil, nil
	}
	out := map[string]string{}
	for _, one := range list {
		k, v, ok := strings.Cut(one, sep)
		if k = strings.TrimSpace(k); !ok || k == "" {
			return nil, usageError{fmt.Errorf("%s wants %q", flag, form)}
		}
		if sep == ":" {
			v = strings.TrimSpace(v)
		}
		out[k] = v
	}
	return out, nil
}

func newServersRemove(s *settings) *cobra.Command {
	in := "."
	return &cobra.Command{
		Use: "remove NAME", Short: "Remove a server of yours, with its sign-in", Args: usageArgs(cobra.ExactArgs(1)),
		ValidArgsFunction: completeServers(s, &in, func(sv toolservers.Server) bool { return sv.Source == toolservers.FromUser }),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withServers(s, in, func(p *toolservers.Pool, _ toolservers.Scope) error {
				if err := p.Remove(cmd.Context(), args[0]); err != nil {
					return err
				}
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s is removed.\n", name(args[0]))
				return err
			})
		},
	}
}

// newServersSwitch is enable and disable.
func newServersSwitch(s *settings, on bool) *cobra.Command {
	in := "."
	use, short, said := "disable", "Switch a server of yours off", "%s is off.\n"
	if on {
		use, short, said = "enable", "Switch a server of yours on", "%s is on.\n"
	}
	return &cobra.Command{
		Use: use + " NAME", Short: short, Args: usageArgs(cobra.ExactArgs(1)),
		ValidArgsFunction: completeServers(s, &in, func(sv toolservers.Server) bool {
			return sv.Source == toolservers.FromUser && (sv.State == toolservers.Off) == on
		}),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withServers(s, in, func(p *toolservers.Pool, _ toolservers.Scope) error {
				if err := p.Enable(cmd.Context(), args[0], on); err != nil {
					return err
				}
				_, err := fmt.Fprintf(cmd.OutOrStdout(), said, name(args[0]))
				return err
			})
		},
	}
}
