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
	"atelier/llm/relay"
)

func newWorker(s *settings) *cobra.Command {
	var c clusterFlags
	var atOnce int
	var name string
	var drain time.Duration
	cmd := &cobra.Command{
		Use:   "worker --cluster nats://HOST:PORT --model MODEL",
		Short: "Ask a model for the translations of other machines",
		Long: `Takes requests of 'atelier translate --cluster' from a cluster, asks the model with the
key of this machine, and returns the answers. Any number of workers, on any machines,
can be started and stopped at any time. docs/cluster.md says how to start a cluster.

A worker takes requests for one model at one endpoint: that of --model here. It sends
to an endpoint on another machine only what the settings here allow: add --allow-egress,
or ATELIER_EGRESS=allow_all. 'atelier egress --elsewhere' shows what was sent.

When it is stopped (SIGTERM, Ctrl-C), it takes no more requests and finishes those that
it has, for --drain at most; a second signal ends it at once, and what it had goes to
other workers.`,
		Example: `  atelier worker --cluster nats://10.0.0.1:4222 --model gpt-5 --allow-egress
  atelier worker --cluster nats://10.0.0.1:4222 --model llama3 --base-url http://localhost:11434/v1 --requests 2`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if atOnce < 1 || atOnce > 256 || drain < 0 {
				return usageError{errors.New("--requests: give a number from 1 to 256; --drain cannot be negative")}
			}
			s.defaultLog = "info"
			e, err := s.engine(readsNoPDF)
			if err != nil {
				return err
			}
			defer e.Close()
			log, err := s.logger()
			if err != nil {
				return err
			}
			traces := startTraces(log, nil)
			defer traces.Close(closeTraces)
			traces.Instance(name)
			ctx := traces.Tracer().Into(cmd.Context())
			at, client, err := e.WorkerModel(ctx, first(s.model, engine.DefaultModel))
			if err != nil {
				return err
			}
			c.resolve(s)
			cl, err := c.Connect(ctx, "atelier worker "+name)
			if err != nil {
				return err
			}
			defer cl.Close()
			q, err := relay.Open(ctx, cl, relay.Options{})
			if err != nil {
				return err
			}
			target := relay.Target{Model: at.Model, Origin: at.Origin}
			fmt.Fprintf(cmd.OutOrStdout(), "%s takes requests for %s, %d at once\n", name, target, atOnce)
			second := make(chan struct{})
			signals := make(chan os.Signal, 1)
			defer context.AfterFunc(ctx, func() {
				fmt.Fprintln(cmd.OutOrStdout(), "Stopping: what was begun is finished. Another signal ends it at once.")
				signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
				<-signals
				close(second)
			})()
			return q.Work(ctx, relay.WorkerOptions{Name: name, Host: hostName(), AtOnce: atOnce, Target: target, Client: client, Drain: max(drain, time.Millisecond), Stop: second, Log: log})
		},
	}
	fl := cmd.Flags()
	c.add(fl, "the cluster to work for")
	fl.IntVar(&atOnce, "requests", 4, "requests to the model at once")
	fl.StringVar(&name, "name", hostName(), "name of the worker, for people")
	fl.DurationVar(&drain, "drain", time.Minute, "time for requests that are on their way when the worker is stopped")
	return cmd
}
