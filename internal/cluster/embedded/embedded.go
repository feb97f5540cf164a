// Package embedded runs a NATS server with JetStream inside a process. Several on as many
// machines are a cluster.
//
//	s, err := embedded.Start(ctx, embedded.Options{Name: "n1", Dir: dir, Listen: "127.0.0.1:4222"})
//	defer s.Close()
//	c, err := cluster.Connect(ctx, cluster.Options{URLs: []string{s.URL()}})
//
// It syncs each write before it is acknowledged. Only programs that are built for it
// import this package: it makes a program larger by about 10 MB.
package embedded

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Options configure a server.
type Options struct {
	Name string // of the server, unique in the cluster
	Dir  string // where it keeps what it stores
	// Listen is the address for clients, HOST:PORT.
	Listen string
	// ClusterListen is the address for the other servers, and Routes are theirs; "" and
	// none for a server alone. Three servers keep working when one of them dies.
	ClusterListen string
	Routes        []string
	// Cert, Key and CA are PEM files: this server's certificate with its key, and the
	// certificates that sign those of clients and servers, which each must have. They may
	// be left out only where all addresses are those of the loopback interface.
	Cert, Key, CA string
}

// Server is a server that runs.
type Server struct {
	s   *server.Server
	url string
}

// Start starts a server and waits, at most a minute, until clients can connect. A server
// of a cluster takes streams as soon as most of the servers are there.
func Start(ctx context.Context, opt Options) (*Server, error) {
	conf, err := opt.server()
	if err != nil {
		return nil, err
	}
	s, err := server.NewServer(conf)
	if err != nil {
		return nil, fmt.Errorf("the embedded server cannot start: %w", err)
	}
	go s.Start()
	scheme := "nats"
	if opt.Cert != "" {
		scheme = "tls"
	}
	for end := time.Now().Add(time.Minute); !s.ReadyForConnections(100 * time.Millisecond); {
		err := context.Cause(ctx)
		if err == nil && (time.Now().After(end) || !s.Running() && time.Now().After(end.Add(-55*time.Second))) {
			err = fmt.Errorf("the embedded server does not listen on %s; is the address free, and %s writable?", opt.Listen, opt.Dir)
		}
		if err != nil {
			s.Shutdown()
			return nil, err
		}
	}
	return &Server{s, scheme + "://" + s.Addr().String()}, nil
}

// URL is the address for clients on this machine.
func (s *Server) URL() string { return s.url }

// Close stops the server, after it has handed over what it leads.
func (s *Server) Close() {
	s.s.Shutdown()
	s.s.WaitForShutdown()
}

func (o Options) server() (*server.Options, error) {
	conf := &server.Options{ServerName: o.Name, JetStream: true, StoreDir: o.Dir, SyncAlways: true, NoSigs: true, NoLog: true}
	if o.Name == "" || o.Dir == "" || o.Listen == "" {
		return nil, errors.New("an embedded server needs a name, a folder and an address")
	}
	if (o.ClusterListen == "") != (len(o.Routes) == 0) {
		return nil, errors.New("a server of a cluster needs an address for the other servers and at least one of theirs")
	}
	var err error
	if conf.Host, conf.Port, err = hostPort(o.Listen); err != nil {
		return nil, err
	}
	secure := o.Cert != "" && o.Key != "" && o.CA != ""
	if !secure && (o.Cert != "" || o.Key != "" || o.CA != "") {
		return nil, errors.New("a certificate, its key and the certificates that sign those of others are needed together")
	}
	addresses := []string{o.Listen}
	if o.ClusterListen != "" {
		addresses = append(addresses, o.ClusterListen)
		conf.Cluster.Name = "atelier"
		if conf.Cluster.Host, conf.Cluster.Port, err = hostPort(o.ClusterListen); err != nil {
			return nil, err
		}
		for _, r := range o.Routes {
			if _, _, err := hostPort(r); err != nil {
				return nil, err
			}
			conf.Routes = append(conf.Routes, &url.URL{Scheme: "nats-route", Host: r})
		}
	}
	for _, a := range addresses {
		if !secure && !loopback(a) {
			return nil, fmt.Errorf("%s can be reached from other machines: it needs a certificate, its key and the certificates that sign those of others", a)
		}
	}
	if secure {
		t, err := o.tls()
		if err != nil {
			return nil, err
		}
		conf.TLSConfig, conf.TLSVerify, conf.TLSTimeout = t, true, 5
		if o.ClusterListen != "" {
			conf.Cluster.TLSConfig, conf.Cluster.TLSTimeout = t, 5
		}
	}
	return conf, nil
}

func (o Options) tls() (*tls.Config, error) {
	pair, err := tls.LoadX509KeyPair(o.Cert, o.Key)
	if err != nil {
		return nil, err
	}
	pem, err := os.ReadFile(o.CA)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s has no certificates in PEM", o.CA)
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool, RootCAs: pool}, nil
}

func hostPort(address string) (string, int, error) {
	host, port, err := net.SplitHostPort(address)
	n, perr := strconv.Atoi(port)
	if err != nil || perr != nil || host == "" || n < 1 || n > 65535 {
		return "", 0, fmt.Errorf("%q is not an address; write HOST:PORT", address)
	}
	return host, n, nil
}

func loopback(address string) bool {
	host, _, _ := net.SplitHostPort(address)
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
