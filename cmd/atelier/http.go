package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"atelier/engine"
	httpapi "atelier/ipc/http"
	mcpserver "atelier/ipc/mcp"
	pages "atelier/workshop/web"
)

type httpFlags struct {
	addr    string
	origins []string
	rate    float64
	calls   int
	runs    int
	queue   int
	wait    time.Duration
	drain   time.Duration
	claims  httpClaims

	metrics string // address of the figures; "": none
	cluster httpCluster

	page        bool
	pageOrigins []string
}

// httpClaims are the claims that access tokens must have, from flags, else
// the environment, else config.json.
type httpClaims struct {
	Issuer   string `json:"jwt_issuer"`
	Audience string `json:"jwt_audience"`
}

func (c *httpClaims) add(f *pflag.FlagSet) {
	f.StringVar(&c.Issuer, "jwt-issuer", "", "claim iss that access tokens must have (ATELIER_JWT_ISSUER)")
	f.StringVar(&c.Audience, "jwt-audience", "", "claim aud that access tokens must have (ATELIER_JWT_AUDIENCE)")
}

// demand configures the claims of tokens. The settings are resolved.
func (c *httpClaims) demand(t *httpapi.Tokens, s *settings) {
	t.Demand(first(c.Issuer, os.Getenv("ATELIER_JWT_ISSUER"), s.http.Issuer), first(c.Audience, os.Getenv("ATELIER_JWT_AUDIENCE"), s.http.Audience))
}

func newHTTP(s *settings) *cobra.Command {
	var f httpFlags
	cmd := &cobra.Command{
		Use:   "http",
		Short: "Serve the tools API over HTTP, and administer its users and workspaces",
		Long: `Serves the tools of each workspace at POST /api/v1/workspaces/ID/tools, and more:
docs/http.md describes it, GET /api/v1/openapi.json lists every route.

Access tokens are signed with ATELIER_JWT_SECRET (or BUILDSCALE__JWT__SECRET), at
least 32 characters; they are valid for ATELIER_JWT_MINUTES (or
BUILDSCALE__JWT__ACCESS_TOKEN_EXPIRATION_MINUTES), default 15. The commands below
work while the server runs and print JSON.

It speaks plain HTTP: put a proxy with TLS in front before other machines call.`,
		Example: `  atelier http user add --email ann@example.org
  atelier http workspace add --name Contracts --owner ann@example.org
  atelier http token --user ann@example.org
  atelier http --addr 127.0.0.1:3000`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.serve(cmd, s) },
	}
	f.claims.add(cmd.PersistentFlags())
	fs := cmd.Flags()
	fs.StringVar(&f.addr, "addr", "127.0.0.1:3000", "address to listen on")
	fs.StringArrayVar(&f.origins, "allow-origin", nil, "web origin whose pages may call, such as https://app.example.org (repeatable)")
	fs.Float64Var(&f.rate, "rate", 100, "requests a second for each user; 0 is no limit")
	fs.IntVar(&f.calls, "max-concurrent", 64, "calls executed at a time")
	fs.IntVar(&f.runs, "max-runs", 16, "runs of the model at a time")
	fs.IntVar(&f.queue, "max-queue", 64, "runs that may wait for their turn, a quarter of them of one user; 0: none waits")
	fs.DurationVar(&f.wait, "queue-wait", 10*time.Minute, "how long a run may wait for its turn before it ends without one")
	fs.DurationVar(&f.drain, "drain", 30*time.Second, "time for calls and runs in progress when the server stops")
	fs.StringVar(&f.metrics, "metrics", "", "address at which Prometheus reads the server's figures, such as 127.0.0.1:9464; without it nothing is counted")
	fs.BoolVar(&f.page, "ui", false, "serve the page of atelier ui to the users, who sign in with their tokens")
	fs.StringArrayVar(&f.pageOrigins, "ui-origin", nil, "origin at which users open the page through a proxy, such as https://atelier.example.org (repeatable)")
	f.cluster.add(fs)
	var c clusterFlags // of the commands, which administer a cluster
	administer := []*cobra.Command{newHTTPUser(s, &c), newHTTPWorkspace(s, &c), newHTTPMember(s, &c), newHTTPToken(s, &c, &f.claims)}
	for _, sub := range administer {
		c.addOnly(sub.PersistentFlags(), "use the accounts of this cluster")
	}
	cmd.AddCommand(append(administer, newHTTPHealth())...)
	return cmd
}

func (f *httpFlags) serve(cmd *cobra.Command, s *settings) error {
	if len(f.pageOrigins) > 0 && !f.page {
		return usageError{errors.New("--ui-origin needs --ui")}
	}
	if f.rate < 0 || f.calls < 1 || f.runs < 1 || f.drain < 0 {
		return usageError{errors.New("--rate and --drain cannot be below 0, --max-concurrent and --max-runs not below 1")}
	}
	if f.queue < 0 || f.wait < time.Second {
		return usageError{errors.New("--max-queue cannot be below 0, --queue-wait not below 1s")}
	}
	if err := f.cluster.check(f); err != nil {
		return usageError{err}
	}
	s.defaultLog = "info" // the access log
	figures := newHTTPMetrics(f.metrics)
	e, err := s.engine(prepareWhenIdle, func(o *engine.Options) {
		o.Watch = figures.watch()
		o.Dial = nil
		o.IdleAfter, o.Ceiling = 5*time.Minute, true
		o.Fetch = pages.NewHTTP(fetchOptions) // after consent
		f.cluster.configure(o)
	})
	if err != nil {
		return err
	}
	defer e.Close()
	log, err := s.logger()
	if err != nil {
		return err
	}
	f.cluster.traces = startTraces(log, figures.set)
	defer f.cluster.traces.Close(closeTraces)
	f.cluster.traces.Instance(f.addr)
	tokens, err := tokensFromEnv()
	if err != nil {
		return err
	}
	f.claims.demand(tokens, s)
	if f.cluster.embedded.on() {
		end, err := f.cluster.embedded.start(cmd.Context(), &f.cluster.clusterFlags, e.Home().Dir(), log)
		if err != nil {
			return err
		}
		defer end()
	}
	store, closeAccounts, err := f.cluster.serverAccounts(cmd.Context(), s, log)
	if err != nil {
		return err
	}
	defer closeAccounts()
	if f.rate == 0 {
		f.rate = -1
	}
	if f.queue == 0 {
		f.queue = -1
	}
	guests := func(workspace string, t httpapi.GuestTranslations) (httpapi.MCP, error) {
		m, err := mcpserver.New(mcpserver.Options{Engine: e, Catalogue: e.Catalogue(), Workbench: workspace, Log: log, Translations: t,
			HowToConsent: "the owner of the workspace gives it: POST /api/v1/workspaces/" + workspace + "/consents",
			HowToPublish: func(string) string { return "POST /api/v1/workspaces/" + workspace + "/draft/publish" }})
		if err != nil {
			return nil, err
		}
		return m.HTTP(), nil
	}
	l, err := net.Listen("tcp", f.addr)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w; choose another with --addr", f.addr, err)
	}
	defer l.Close()
	places, leave, err := f.cluster.join(cmd.Context(), s, e, l.Addr(), log)
	if err != nil {
		return err
	}
	defer leave()
	srv, err := httpapi.New(httpapi.Options{Places: places, Engine: e, Tools: e.Live(), MCP: guests, Accounts: store, Tokens: tokens, Log: log, Ceiling: s.budget,
		AllowOrigins: f.origins, Rate: f.rate, MaxCalls: f.calls, MaxRuns: f.runs, MaxQueue: f.queue, QueueWait: f.wait, Drain: max(f.drain, time.Millisecond), Page: f.page, PageOrigins: f.pageOrigins, Sessions: f.cluster.sessions,
		Figures: figures.figures, Metrics: figures.set, Tracer: f.cluster.traces.Tracer()})
	if err != nil {
		return usageError{err}
	}
	at, stop, err := figures.serve(f.metrics, e, log)
	if err != nil {
		return err
	}
	defer stop()
	fmt.Fprintf(cmd.OutOrStdout(), "listening on http://%s\n", l.Addr())
	if at != nil {
		fmt.Fprintf(cmd.OutOrStdout(), "figures on http://%s/metrics\n", at)
	}
	if a, ok := l.Addr().(*net.TCPAddr); ok && !a.IP.IsLoopback() {
		log.Warn("other machines can reach this address, and the connection is not encrypted: put a proxy with TLS in front", "addr", f.addr)
	}
	// The first signal, which ends the context, lets the server drain; the
	// second ends draining.
	second := make(chan os.Signal, 1)
	defer context.AfterFunc(cmd.Context(), func() {
		signal.Notify(second, os.Interrupt, syscall.SIGTERM)
		<-second
		srv.Hurry()
	})()
	return srv.Serve(cmd.Context(), l)
}

// tokensFromEnv returns the signer and checker of access tokens (H-15).
func tokensFromEnv() (*httpapi.Tokens, error) {
	name, secret := "ATELIER_JWT_SECRET", os.Getenv("ATELIER_JWT_SECRET")
	if secret == "" {
		name, secret = "BUILDSCALE__JWT__SECRET", os.Getenv("BUILDSCALE__JWT__SECRET")
	}
	if secret == "" {
		return nil, fmt.Errorf("set ATELIER_JWT_SECRET: access tokens are signed with it (at least %d characters, such as the output of 'openssl rand -hex 32')", httpapi.SecretMin)
	}
	lifetime := httpapi.DefaultLifetime
	for _, name := range []string{"ATELIER_JWT_MINUTES", "BUILDSCALE__JWT__ACCESS_TOKEN_EXPIRATION_MINUTES"} {
		if text := os.Getenv(name); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil {
				n = 0
			}
			if lifetime, err = minutes(n); err != nil {
				return nil, fmt.Errorf("%s %w, not %q", name, err, text)
			}
			break
		}
	}
	t, err := httpapi.NewTokens(secret, lifetime, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

// minutes returns a token's lifetime: at most a year.
func minutes(n int) (time.Duration, error) {
	const most = 365 * 24 * 60
	if n < 1 || n > most {
		return 0, fmt.Errorf("must be a whole number of minutes from 1 to %d", most)
	}
	return time.Duration(n) * time.Minute, nil
}
