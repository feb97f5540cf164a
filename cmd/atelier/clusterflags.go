package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"atelier/internal/cluster"
)

// clusterFlags say how to reach a cluster.
type clusterFlags struct {
	urls                           []string
	credentials, ca, cert, certKey string
	replicas                       int
}

func (c *clusterFlags) add(fl *pflag.FlagSet, what string) {
	c.addOnly(fl, what)
	fl.Lookup("cluster").Usage += " (ATELIER_CLUSTER)"
}

// addOnly is add for a command that works without a cluster, and to which ATELIER_CLUSTER
// alone says nothing: a variable does not change where texts and accounts go.
func (c *clusterFlags) addOnly(fl *pflag.FlagSet, what string) {
	fl.StringSliceVar(&c.urls, "cluster", nil, what+": addresses of its NATS servers, such as nats://10.0.0.1:4222")
	fl.StringVar(&c.credentials, "cluster-credentials", "", "file of NATS credentials (ATELIER_CLUSTER_CREDENTIALS)")
	fl.StringVar(&c.ca, "cluster-ca", "", "PEM file of certificates that sign those of the cluster's servers")
	fl.StringVar(&c.cert, "cluster-cert", "", "PEM file of the certificate of this process, where the cluster asks for one")
	fl.StringVar(&c.certKey, "cluster-cert-key", "", "PEM file of its key")
	fl.IntVar(&c.replicas, "cluster-replicas", 0, "servers that keep what the cluster keeps: 1, 3 or 5; default 3 where the servers are a cluster, else 1")
}

// resolve takes what the environment says where the flags say nothing. Commands with the
// flags of addOnly do so only if they have --cluster.
func (c *clusterFlags) resolve(s *settings) {
	if env := s.env.get("ATELIER_CLUSTER"); len(c.urls) == 0 && env != "" {
		c.urls = strings.Split(env, ",")
	}
	c.credentials = first(c.credentials, s.env.get("ATELIER_CLUSTER_CREDENTIALS"))
}

func (c *clusterFlags) on() bool { return len(c.urls) > 0 }

// check refuses flags that do nothing without --cluster.
func (c *clusterFlags) check() error {
	if !c.on() && (c.credentials != "" || c.ca != "" || c.cert != "" || c.certKey != "" || c.replicas != 0) {
		return errors.New("--cluster-credentials, --cluster-ca, --cluster-cert, --cluster-cert-key and --cluster-replicas need --cluster")
	}
	return nil
}

// Connect implements engine.Cluster; the cluster must be named.
func (c *clusterFlags) Connect(ctx context.Context, name string) (*cluster.Cluster, error) {
	if !c.on() {
		return nil, usageError{errors.New("--cluster is required: the address of a NATS server, such as nats://10.0.0.1:4222")}
	}
	cl, err := cluster.Connect(ctx, cluster.Options{URLs: c.urls, Name: name, Credentials: c.credentials, CA: c.ca, Cert: c.cert, Key: c.certKey, Replicas: c.replicas})
	return cl, reachable(err)
}

// reachable adds what to do to the error of a cluster that cannot be reached.
func reachable(err error) error {
	if !errors.Is(err, cluster.ErrUnreachable) {
		return err
	}
	return fmt.Errorf("%w\n  start a NATS server at that address, name another one with --cluster or ATELIER_CLUSTER, or see whether a firewall is between", err)
}

// Address implements engine.Cluster: the first server.
func (c *clusterFlags) Address() (*url.URL, error) {
	u, err := url.Parse(c.urls[0])
	if err != nil || u.Host == "" {
		return nil, usageError{fmt.Errorf("--cluster: %q is not an address such as nats://10.0.0.1:4222", c.urls[0])}
	}
	u.User = nil
	return u, nil
}

// hostName is the name of this machine, for people.
func hostName() string {
	name, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return name
}
