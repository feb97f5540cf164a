package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"atelier/engine"
	"atelier/internal/quote"
	mcpserver "atelier/ipc/mcp"
	"atelier/workshop/tools/catalogue"
)

// mcpFlags are the flags of 'atelier mcp'.
type mcpFlags struct {
	in, catalogue, listen  string
	readOnly, allowPublish bool
	fullTools, noImages    bool
}

// mcpIdle is how long an agent that does nothing keeps other programs from writing.
const mcpIdle = 5 * time.Second

func newMCP(s *settings) *cobra.Command {
	var f mcpFlags
	cmd := &cobra.Command{
		Use:   "mcp [--in DIR]",
		Short: "Serve the tools to another agent: Model Context Protocol over standard input and output",
		Long: `Serves a folder to an agent that speaks the Model Context Protocol, such as a
desktop assistant, a coding agent or an editor, which starts this command itself.
docs/agents.md has the lines of configuration for each.

Without --in, the folder is the client's first root, else the current folder. Every
change goes into the draft. publish asks you where the agent can show a question;
elsewhere it says how you publish, unless --allow-publish is given. Your rules about
what a model may do, .atelier/ignore and secret files count as for Atelier's own model.
The agent sends what it reads to its own model: Atelier does not control that.

The commands below are about the other way: servers whose tools Atelier's own model may
call.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.serve(cmd, s) },
	}
	cmd.Flags().StringVar(&f.in, "in", "", "folder to work on")
	cmd.Flags().StringVar(&f.catalogue, "catalogue", "", "catalogue of tools: "+strings.Join(catalogue.Names(), ", ")+" (default "+catalogue.Names()[0]+")")
	cmd.Flags().StringVar(&f.listen, "listen", "", "serve Streamable HTTP at this loopback address instead, such as 127.0.0.1:3030; the token is ATELIER_MCP_TOKEN, else a new one")
	cmd.Flags().BoolVar(&f.readOnly, "read-only", false, "offer only tools that change nothing")
	cmd.Flags().BoolVar(&f.allowPublish, "allow-publish", false, "let the agent publish where it cannot ask you")
	cmd.Flags().BoolVar(&f.fullTools, "full-tools", false, "describe all members of all operations, three times as much for the agent's model to read; without it, describe_tool gives the rest")
	cmd.Flags().BoolVar(&f.noImages, "no-images", false, "describe pages in words instead of pictures: for an agent whose model takes none, or that gives them to it as text")
	addToolServers(s, cmd)
	return cmd
}

func (f *mcpFlags) serve(cmd *cobra.Command, s *settings) error {
	c, err := catalogue.Named(f.catalogue)
	if err != nil {
		return usageError{err}
	}
	if f.in != "" {
		if _, err := os.Stat(f.in); err != nil {
			return err
		}
		if f.in, err = filepath.Abs(f.in); err != nil {
			return err
		}
	}
	e, err := s.engine(prepareWhenIdle, func(o *engine.Options) { o.IdleAfter = mcpIdle })
	if err != nil {
		return err
	}
	defer e.Close()
	log, err := s.logger()
	if err != nil {
		return err
	}
	srv, err := mcpserver.New(mcpserver.Options{Engine: e, Catalogue: c, Folder: f.in, WorkDir: workDir(), ReadOnly: f.readOnly, AllowPublish: f.allowPublish, FullTools: f.fullTools, NoImages: f.noImages, Log: log,
		AskConsent: true, HowToConsent: "the user gives it on a terminal with 'atelier translate', or starts 'atelier mcp' with --allow-egress",
		HowToPublish: func(dir string) string { return "atelier publish --in " + quote.Argument(dir) }})
	if err != nil {
		return err
	}
	defer srv.Close()
	if f.listen != "" {
		return f.serveHTTP(cmd, srv)
	}
	return srv.Run(cmd.Context(), mcpserver.Stdio(os.Stdin, notClosed{cmd.OutOrStdout()}))
}

// mcpDrain is how long calls have to end when the server stops.
const mcpDrain = 10 * time.Second

// serveHTTP serves programs of this machine until the context ends.
func (f *mcpFlags) serveHTTP(cmd *cobra.Command, srv *mcpserver.Server) error {
	l, err := net.Listen("tcp", f.listen)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w; choose another with --listen", f.listen, err)
	}
	defer l.Close()
	if a, ok := l.Addr().(*net.TCPAddr); !ok || !a.IP.IsLoopback() {
		return usageError{fmt.Errorf("--listen %s can be reached by other machines; use a loopback address such as 127.0.0.1:3030, or 'atelier http'", f.listen)}
	}
	token := os.Getenv("ATELIER_MCP_TOKEN")
	if token == "" {
		token = rand.Text()
	}
	h := srv.HTTP()
	web := &http.Server{Handler: h.Loopback(token), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 2 * time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10}
	fmt.Fprintf(cmd.OutOrStdout(), "listening on http://%s/mcp\nAuthorization: Bearer %s\n", l.Addr(), token)
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-cmd.Context().Done():
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(cmd.Context()), mcpDrain)
	defer cancel()
	h.Drain(drain)
	if web.Shutdown(drain) != nil {
		return web.Close()
	}
	return nil
}

// workDir returns the current folder, "" where that is none that a person chose: agents
// start their servers in the root folder or the home folder.
func workDir() string {
	dir, err := os.Getwd()
	if err != nil || filepath.Dir(dir) == dir {
		return ""
	}
	if home, err := os.UserHomeDir(); err == nil && home == dir {
		return ""
	}
	return dir
}

// notClosed is a writer that other output may still need.
type notClosed struct{ io.Writer }

// Close implements io.Closer.
func (notClosed) Close() error { return nil }
