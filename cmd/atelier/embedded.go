package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"atelier/internal/cluster"
)

// embeddedServer are the flags of a NATS server inside this process, in place of --cluster.
type embeddedServer struct {
	listen, clients string
	routes          []string
}

func (n *embeddedServer) add(fl *pflag.FlagSet) {
	fl.StringVar(&n.listen, "cluster-listen", "", "run a NATS server of the cluster in this process, and take the other two at this address, HOST:PORT; needs the program of the archive atelier-cluster, or one built with -tags cluster")
	fl.StringSliceVar(&n.routes, "cluster-routes", nil, "the addresses that the other servers have as --cluster-listen")
	fl.StringVar(&n.clients, "cluster-clients", "", "where commands and workers reach the NATS server of this process; default 127.0.0.1:4222")
}

func (n *embeddedServer) on() bool { return n.listen != "" }

// check refuses what does not go together.
func (n *embeddedServer) check(c *clusterFlags) error {
	switch {
	case !n.on() && (len(n.routes) > 0 || n.clients != ""):
		return errors.New("--cluster-routes and --cluster-clients need --cluster-listen")
	case !n.on():
		return nil
	case len(c.urls) > 0:
		return errors.New("--cluster-listen runs a server of the cluster here, and --cluster names servers elsewhere: give one of them")
	case len(n.routes) == 0:
		return errors.New("--cluster-listen needs --cluster-routes: the addresses of the other servers, such as 10.0.0.2:6222,10.0.0.3:6222")
	case startEmbedded == nil:
		return errors.New("this program has no NATS server: take the archive atelier-cluster of the release, build one with go build -tags cluster ./cmd/atelier, or run nats-server and name it with --cluster")
	}
	return nil
}

// startEmbedded starts the server and returns its address for clients; nil in programs
// without one.
var startEmbedded func(ctx context.Context, name, dir string, n *embeddedServer, c *clusterFlags) (url string, end func(), err error)

// longestForming is how long a server waits for most of the others to be there.
const longestForming = 10 * time.Minute

// start starts the server, makes c name it, and waits until the cluster takes writes.
func (n *embeddedServer) start(ctx context.Context, c *clusterFlags, home string, log *slog.Logger) (end func(), err error) {
	n.clients = cmp.Or(n.clients, "127.0.0.1:4222")
	at, end, err := startEmbedded(ctx, hostName()+"-"+n.listen, filepath.Join(home, "nats"), n, c)
	if err != nil {
		return nil, err
	}
	c.urls = []string{at}
	log.Info("a NATS server runs in this process", "clients", at, "servers", n.listen)
	begun := time.Now()
	err = cluster.Patiently(ctx, longestForming, func() error {
		cl, err := c.Connect(ctx, "atelier http")
		if err == nil {
			_, err = cl.Keys(ctx, "formed", 0)
			cl.Close()
		}
		if err != nil && ctx.Err() == nil {
			log.Info("waiting for the other servers", "routes", n.routes, "since", time.Since(begun).Round(time.Second).String())
		}
		return err
	})
	if err != nil {
		end()
		return nil, fmt.Errorf("the cluster of this server and %v takes no writes: %w", n.routes, err)
	}
	return end, nil
}
