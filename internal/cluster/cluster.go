package cluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/semaphore"

	"atelier/internal/buildinfo"
)

// Options say how to reach a cluster.
type Options struct {
	URLs        []string // nats://HOST:PORT or tls://HOST:PORT, one or more of its servers
	Name        string   // of this process, as the servers list it
	Credentials string   // a file of NATS credentials (JWT and seed); "": none
	CA          string   // a PEM file of certificates that sign the servers'; "": the system's
	Cert, Key   string   // PEM files of this process's own certificate; "": none
	// Replicas is how many servers have each bucket and stream: 1, 3 or 5; 0: 3 if the
	// servers are a cluster, else 1.
	Replicas int
	// SystemCredentials is a file of credentials of the system account, with which Sync
	// asks servers how they sync; "": Sync answers SyncUnknown.
	SystemCredentials string
	// Timeout bounds the first connection and each request of this package; 0: 5 seconds.
	Timeout time.Duration
}

// Cluster is a connection. It reconnects by itself; requests fail with ErrUnreachable
// meanwhile. It is safe for concurrent use.
type Cluster struct {
	opt  Options
	conn *nats.Conn
	js   jetstream.JetStream
	sent *semaphore.Weighted // writes of ChangeAll that have no answer yet
}

// Connect reaches one of the servers and checks that this account has JetStream.
func Connect(ctx context.Context, opt Options) (*Cluster, error) {
	if opt.Timeout == 0 {
		opt.Timeout = 5 * time.Second
	}
	if err := opt.check(); err != nil {
		return nil, err
	}
	conn, err := opt.dial(ctx, opt.Credentials)
	if err != nil {
		return nil, classified("connecting to "+opt.shownURLs(), err)
	}
	if err := recent(conn.ConnectedServerVersion()); err != nil {
		conn.Close()
		return nil, fmt.Errorf("connecting to %s: %w", opt.shownURLs(), err)
	}
	c := &Cluster{opt: opt, conn: conn, sent: semaphore.NewWeighted(mostSent)}
	if c.js, err = jetstream.New(conn, jetstream.WithDefaultTimeout(opt.Timeout), jetstream.WithPublishAsyncMaxPending(2*mostSent), jetstream.WithPublishAsyncTimeout(opt.Timeout)); err == nil {
		err = Patiently(ctx, forming, func() error {
			asked, cancel := c.bounded(ctx)
			defer cancel()
			_, err := c.js.AccountInfo(asked)
			if errors.Is(err, nats.ErrNoResponders) {
				err = jetstream.ErrJetStreamNotEnabled
			}
			return classified("asking "+opt.shownURLs()+" for JetStream", err)
		})
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	if c.opt.Replicas == 0 {
		c.opt.Replicas = 1
		if conn.ConnectedClusterName() != "" {
			c.opt.Replicas = 3
		}
	}
	return c, nil
}

// forming is how long Connect waits for servers that were started at the same time, which
// answer when they have found each other.
const forming = 30 * time.Second

// oldest is the oldest version of the server that has what is used here: reading many keys
// at once, markers of keys that expired.
const oldest = "2.12.0"

// recent refuses a server of an older version; one that names none is taken.
func recent(version string) error {
	have, err := buildinfo.ParseVersion(version)
	if err != nil {
		return nil // a server that was built from sources
	}
	if need, err := buildinfo.ParseVersion(oldest); err == nil && buildinfo.Compare(have, need) < 0 {
		return fmt.Errorf("%w: nats-server %s; version %s or later is needed", ErrTooOld, version, oldest)
	}
	return nil
}

func (o Options) check() error {
	if len(o.URLs) == 0 {
		return errors.New("a cluster needs the address of a server, such as nats://10.0.0.1:4222")
	}
	for _, s := range o.URLs {
		u, err := url.Parse(s)
		if err != nil || u.Host == "" || u.Scheme != "nats" && u.Scheme != "tls" {
			return fmt.Errorf("%q is not an address of a NATS server; write nats://HOST:PORT or tls://HOST:PORT", shown(s))
		}
	}
	switch o.Replicas {
	case 0, 1, 3, 5:
	default:
		return fmt.Errorf("%d replicas: give 1, 3 or 5", o.Replicas)
	}
	if (o.Cert == "") != (o.Key == "") {
		return errors.New("a certificate needs its key, and a key its certificate")
	}
	return nil
}

// shown is an address without its user and password.
func shown(address string) string {
	if u, err := url.Parse(address); err == nil && u.User != nil {
		u.User = nil
		return strings.Replace(u.String(), "://", "://…@", 1)
	}
	return address
}

func (o Options) shownURLs() string {
	var list []string
	for _, u := range o.URLs {
		list = append(list, shown(u))
	}
	return strings.Join(list, ", ")
}

func (o Options) dial(ctx context.Context, credentials string) (*nats.Conn, error) {
	opts := []nats.Option{
		nats.Name(o.Name), nats.Timeout(o.Timeout), nats.MaxReconnects(-1),
		nats.ReconnectWait(100 * time.Millisecond), nats.ReconnectJitter(100*time.Millisecond, 500*time.Millisecond),
		nats.PingInterval(2 * time.Second), nats.MaxPingsOutstanding(2), // a silent server is left after 6 seconds
		nats.ReconnectBufSize(-1), // a request fails instead of being sent much later
	}
	if credentials != "" {
		if _, err := os.Stat(credentials); err != nil {
			return nil, err
		}
		opts = append(opts, nats.UserCredentials(credentials))
	}
	if o.CA != "" || o.Cert != "" {
		conf := &tls.Config{MinVersion: tls.VersionTLS12}
		if o.CA != "" {
			pem, err := os.ReadFile(o.CA)
			if err != nil {
				return nil, err
			}
			conf.RootCAs = x509.NewCertPool()
			if !conf.RootCAs.AppendCertsFromPEM(pem) {
				return nil, fmt.Errorf("%s has no certificates in PEM", o.CA)
			}
		}
		if o.Cert != "" {
			pair, err := tls.LoadX509KeyPair(o.Cert, o.Key)
			if err != nil {
				return nil, err
			}
			conf.Certificates = []tls.Certificate{pair}
		}
		opts = append(opts, nats.Secure(conf))
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return nats.Connect(strings.Join(o.URLs, ","), opts...)
}

// Close ends the connection.
func (c *Cluster) Close() { c.conn.Close() }

// Conn is the connection, for requests between processes.
func (c *Cluster) Conn() *nats.Conn { return c.conn }

// JetStream is the connection's JetStream.
func (c *Cluster) JetStream() jetstream.JetStream { return c.js }

// Replicas is how many servers have each new bucket and stream.
func (c *Cluster) Replicas() int { return c.opt.Replicas }
