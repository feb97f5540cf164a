package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"atelier/engine"
	"atelier/internal/cluster"
	"atelier/internal/replica"
	"atelier/internal/replica/bucket"
	"atelier/internal/replica/owner"
	"atelier/internal/replica/stream"
	"atelier/internal/trace/otlp"
	httpapi "atelier/ipc/http"
)

// httpCluster are the flags of a server that is one of several.
type httpCluster struct {
	clusterFlags
	contents   contentsFlags
	embedded   embeddedServer
	advertise  string
	system     string
	allowLater bool
	lease      time.Duration
	idle       time.Duration
	most       int

	page     bool                    // --ui
	traces   *otlp.Exporter          // nil: none
	places   *owner.Places           // after join
	sessions *httpapi.SharedSessions // of the page, after join
}

func (c *httpCluster) add(fl *pflag.FlagSet) {
	c.clusterFlags.addOnly(fl, "be one of several servers that share their workspaces in this cluster")
	c.contents.add(fl)
	c.embedded.add(fl)
	fl.StringVar(&c.advertise, "advertise", "", "address at which the other servers reach this one, HOST:PORT or https://HOST:PORT; default that of --addr")
	fl.StringVar(&c.system, "cluster-system-credentials", "", "file of NATS credentials of the system account, to see whether the cluster syncs before it acknowledges")
	fl.BoolVar(&c.allowLater, "allow-late-sync", false, "use a cluster without sync_interval: always; when all its servers lose power at once, writes that were acknowledged in the last seconds may be lost")
	fl.DurationVar(&c.lease, "lease", 5*time.Second, "after how long without a sign of life other servers take over the workspaces of this one; the same on all servers")
	fl.DurationVar(&c.idle, "release-idle", 5*time.Minute, "after how long without a call a workspace is released")
	fl.IntVar(&c.most, "max-workspaces", 200, "workspaces at work on this server at a time")
}

func (c *httpCluster) on() bool { return c.clusterFlags.on() || c.embedded.on() }

// check refuses what does not go together.
func (c *httpCluster) check(f *httpFlags) error {
	if err := c.embedded.check(&c.clusterFlags); err != nil {
		return err
	}
	if !c.on() {
		if c.advertise != "" || c.system != "" || c.allowLater {
			return errors.New("--advertise, --cluster-system-credentials and --allow-late-sync need --cluster")
		}
		if c.contents.place != "" {
			return errors.New("--cluster-contents needs --cluster: without it, contents are in the data folder")
		}
		return c.clusterFlags.check()
	}
	if err := c.contents.check(); err != nil {
		return err
	}
	c.page = f.page
	if c.lease < time.Second || c.lease > time.Minute || c.idle < time.Second || c.most < 1 {
		return errors.New("--lease is from 1s to 1m, --release-idle at least 1s, --max-workspaces at least 1")
	}
	return nil
}

// configure has the engine open only what is at work here.
func (c *httpCluster) configure(o *engine.Options) {
	if !c.on() {
		return
	}
	o.Cluster = &c.clusterFlags
	o.IdleAfter, o.Unsynced = 0, true // places close workbenches, and the log is synced
	o.MayOpen = func(id string) error {
		if c.places == nil {
			return errors.New("the server has not joined its cluster yet")
		}
		return c.places.MayOpen(id)
	}
}

// join joins the cluster; leave is called at the end. Without --cluster there are no places.
func (c *httpCluster) join(ctx context.Context, s *settings, e *engine.Engine, at net.Addr, log *slog.Logger) (places *owner.Places, leave func(), err error) {
	if !c.on() {
		return nil, func() {}, nil
	}
	c.resolve(s)
	address, err := c.address(at)
	if err != nil {
		return nil, nil, usageError{err}
	}
	if address.Scheme == "http" && !isLoopback(address.Hostname()) {
		log.Warn("the servers pass calls on to each other without encryption: their network must be yours alone, or --advertise an https address", "advertise", address.Host)
	}
	holder := cluster.Holder{Owner: fmt.Sprintf("%s-%s", strings.ReplaceAll(address.Host, ":", "-"), strings.ToLower(rand.Text()[:6])), Address: address.String()}
	place, err := c.contents.open(s)
	if err != nil {
		return nil, nil, err
	}
	c.traces.Instance(holder.Owner)
	var cl *cluster.Cluster
	var has clusterParts
	err = cluster.Patiently(ctx, joinPatience, func() error { // its servers may be choosing a leader
		if cl != nil {
			cl.Close()
		}
		if cl, err = cluster.Connect(ctx, cluster.Options{URLs: c.urls, Name: "atelier http at " + address.Host, Credentials: c.credentials, CA: c.ca, Cert: c.cert, Key: c.certKey,
			Replicas: c.replicas, SystemCredentials: c.system}); err != nil {
			return err
		}
		has, err = c.open(ctx, cl, place)
		return err
	})
	defer func() {
		if err != nil && cl != nil {
			cl.Close()
			place.Close()
		}
	}()
	if err != nil {
		return nil, nil, reachable(err)
	}
	if err = c.syncs(ctx, cl, log); err != nil {
		return nil, nil, err
	}
	server := owner.New(owner.Config{Home: e.Home(), Store: has.store, Ready: has.store.Ready, Claims: has.servers.Claims(), Holder: holder, Closing: e.Forget,
		Lost: func(id string, err error) {
			log.Warn("another server takes a workspace over", "workspace", id, "err", err)
		},
		Options: replica.Options{Log: log}})
	places = server.Places(owner.PlacesConfig{Idle: c.idle, Most: c.most, Waiting: has.waiting, Servers: has.servers, Tracer: c.traces.Tracer()})
	c.places, c.sessions = places, has.sessions
	if err = cluster.Patiently(ctx, joinPatience, func() error { return places.Adopt(ctx) }); err != nil {
		return nil, nil, err
	}
	quit, err := places.Join(ctx)
	if err != nil {
		return nil, nil, err
	}
	log.Info("one of the servers of a cluster", "name", holder.Owner, "address", holder.Address)
	if place != nil {
		log.Info("large contents of workspaces are in a bucket", "store", place.Chosen().String())
	}
	return places, func() { quit(); cl.Close(); place.Close() }, nil
}

// joinPatience is how long a server waits for its cluster when it starts.
const joinPatience = 20 * time.Second

// clusterParts are what a server uses of its cluster.
type clusterParts struct {
	store   *bucket.Store
	waiting *owner.Waiting
	servers *owner.Servers

	sessions *httpapi.SharedSessions // nil without --ui
}

func (c *httpCluster) open(ctx context.Context, cl *cluster.Cluster, place *bucket.Place) (has clusterParts, err error) {
	if has.store, err = openContents(ctx, cl, place); err != nil {
		return has, err
	}
	if has.servers, err = owner.OpenServers(ctx, cl, c.lease); err != nil {
		return has, err
	}
	if has.waiting, err = owner.OpenWaiting(ctx, cl); err != nil || !c.page {
		return has, err
	}
	has.sessions, err = httpapi.OpenSessions(ctx, cl)
	return has, err
}

// openContents opens the logs of workspaces, and their contents in a place, nil for JetStream.
// A bucket is chosen for a cluster without a choice only when no server works that may know
// nothing of buckets.
func openContents(ctx context.Context, cl *cluster.Cluster, place *bucket.Place) (*bucket.Store, error) {
	logs, err := stream.Open(ctx, cl)
	if err != nil {
		return nil, err
	}
	choice, err := bucket.OpenChoice(ctx, cl)
	if err != nil {
		return nil, err
	}
	if _, _, chosen, err := choice.Get(ctx); err != nil {
		return nil, err
	} else if place != nil && !chosen {
		if err := noneAtWork(ctx, cl); err != nil {
			return nil, err
		}
	}
	return bucket.Open(ctx, logs, choice, place)
}

// noneAtWork refuses while servers work.
func noneAtWork(ctx context.Context, cl *cluster.Cluster) error {
	servers, workspaces, err := serversOf(ctx, cl)
	if err != nil {
		return err
	}
	var names []string
	for _, v := range servers {
		if !v.Overdue {
			names = append(names, v.Name)
		}
	}
	for _, w := range workspaces {
		if !w.Overdue && !slices.Contains(names, w.Owner) {
			names = append(names, w.Owner)
		}
	}
	if len(names) > 0 {
		return fmt.Errorf("the place of large contents is chosen while no server works: stop %s first", strings.Join(names, ", "))
	}
	return nil
}

// address is where other servers reach this one.
func (c *httpCluster) address(at net.Addr) (*url.URL, error) {
	text := c.advertise
	if text == "" {
		a, ok := at.(*net.TCPAddr)
		if !ok || a.IP.IsUnspecified() {
			return nil, fmt.Errorf("%s is no address that other servers can reach: name one with --advertise HOST:PORT", at)
		}
		text = a.String()
	}
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.Port() == "" || u.Scheme != "http" && u.Scheme != "https" || strings.Trim(u.Path, "/")+u.RawQuery != "" {
		return nil, fmt.Errorf("--advertise %q is not HOST:PORT or https://HOST:PORT", c.advertise)
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host}, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// syncs refuses a cluster that acknowledges before it syncs, or says that less is promised.
func (c *httpCluster) syncs(ctx context.Context, cl *cluster.Cluster, log *slog.Logger) error {
	if c.embedded.on() {
		return nil // it syncs
	}
	mode, servers, err := cl.Sync(ctx)
	if err != nil {
		return err
	}
	less, err := promised(mode, c.allowLater)
	switch {
	case err != nil:
		return err
	case less != "":
		log.Warn(less)
	default:
		log.Info("the cluster syncs before it acknowledges", "servers", servers)
	}
	return nil
}

// promised returns what less a cluster promises, or the error that it is not used.
func promised(mode cluster.SyncMode, allowLater bool) (less string, err error) {
	const risk = "when all NATS servers lose power at once, writes that were acknowledged in the last seconds may be lost"
	switch {
	case mode == cluster.SyncLater && !allowLater:
		return "", errors.New("the cluster acknowledges writes before they are on disk: set sync_interval: always in the jetstream block of each NATS server, or accept with --allow-late-sync that " + risk)
	case mode == cluster.SyncLater:
		return "the cluster acknowledges writes before they are on disk: " + risk, nil
	case mode == cluster.SyncUnknown:
		return "it is not known whether the cluster syncs before it acknowledges; without sync_interval: always, " + risk + ". --cluster-system-credentials lets this be checked", nil
	}
	return "", nil
}
