// Package clustertest runs real NATS servers for tests: programs of the module
// nats-server that keep JetStream in a temporary folder and sync always. A test can
// kill, pause and restart each, and cut the connections between two of them or between
// a client and a server.
//
//	s := clustertest.Start(t, 3)
//	c, err := cluster.Connect(ctx, cluster.Options{URLs: s.URLs()})
//	s.Kill(0)
//	s.Restart(0)
package clustertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"atelier/internal/need"
	"atelier/internal/testport"
)

// Servers are NATS servers on the loopback interface; with more than one, a cluster.
type Servers struct {
	t       testing.TB
	program string
	connect []nats.Option
	each    []*server
	routes  map[[2]int]*Link // from one server to another
}

type server struct {
	dir, conf string
	store     string // folder of JetStream
	port      int
	env       []string
	cmd       *exec.Cmd
	exited    chan struct{}
}

// build builds the server into the user's cache, where each build replaces the last.
var build = sync.OnceValues(func() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	cache = filepath.Join(cache, "atelier-tests")
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(cache, "build-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	fresh, path := filepath.Join(dir, "nats-server"), filepath.Join(cache, "nats-server")
	out, err := exec.Command("go", "build", "-o", fresh, "github.com/nats-io/nats-server/v2").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, os.Rename(fresh, path)
})

// Options change what the servers of StartWith do.
type Options struct {
	// SyncLater leaves out "sync_interval: always".
	SyncLater bool
	// Stores are folders for what each server keeps, which then outlive it; nil: temporary ones.
	Stores []string
	// Ahead is how far the clock of each server is ahead; nil: they agree. Program is then
	// one of BuildWithClock.
	Ahead   []time.Duration
	Program string
	// Conf is appended to the configuration of each server.
	Conf string
}

// Start starts n servers and waits until they take streams with n replicas (at most 3).
// They end with the test.
func Start(t testing.TB, n int) *Servers { return StartWith(t, n, Options{}) }

// StartWith is Start with options.
func StartWith(t testing.TB, n int, opt Options) *Servers {
	t.Helper()
	return start(t, n, opt, nil)
}

// start starts servers; connect are what a client needs to reach them.
func start(t testing.TB, n int, opt Options, connect []nats.Option) *Servers {
	t.Helper()
	program := opt.Program
	if program == "" {
		var err error
		if program, err = build(); errors.Is(err, exec.ErrNotFound) {
			need.Absent(t, "the Go command, which builds a NATS server", "Go")
		} else if err != nil {
			t.Fatalf("the NATS server cannot be built: %v", err)
		}
	}
	s := &Servers{t: t, program: program, connect: connect, routes: map[[2]int]*Link{}}
	var clusterPorts []int
	for i := range n {
		v := &server{dir: t.TempDir(), port: testport.Reserve(t)}
		clusterPorts = append(clusterPorts, testport.Reserve(t))
		v.store = v.dir
		if opt.Stores != nil {
			v.store = opt.Stores[i]
		}
		if opt.Ahead != nil {
			v.env = []string{Ahead(opt.Ahead[i])}
		}
		s.each = append(s.each, v)
	}
	for i := range n {
		for j := range n {
			if i == j {
				continue
			}
			s.routes[[2]int{i, j}] = NewLink(t, fmt.Sprintf("127.0.0.1:%d", clusterPorts[j]))
		}
	}
	for i, v := range s.each {
		v.conf = filepath.Join(v.dir, "server.conf")
		if err := os.WriteFile(v.conf, []byte(s.config(i, clusterPorts[i], opt)), 0o600); err != nil {
			t.Fatal(err)
		}
		s.run(i)
	}
	t.Cleanup(func() {
		for i := range s.each {
			s.Kill(i)
		}
	})
	s.Ready()
	return s
}

// config is the configuration of a server. A server connects to the others through
// links; the address that it tells others leads nowhere, so that they know no way around
// a link that is cut.
func (s *Servers) config(i, clusterPort int, opt Options) string {
	var b strings.Builder
	fmt.Fprintf(&b, "server_name: n%d\nlisten: \"127.0.0.1:%d\"\njetstream { store_dir: %q, max_mem: 64MB, max_file: 4GB", i, s.each[i].port, s.each[i].store)
	if !opt.SyncLater {
		b.WriteString(", sync_interval: always")
	}
	b.WriteString(" }\n")
	if len(s.each) > 1 {
		fmt.Fprintf(&b, "cluster { name: test, listen: \"127.0.0.1:%d\", cluster_advertise: \"127.0.0.1:9\", no_advertise: true, pool_size: -1, routes: [", clusterPort)
		for j := range s.each {
			if i != j {
				fmt.Fprintf(&b, " \"nats://%s\",", s.routes[[2]int{i, j}].Addr())
			}
		}
		b.WriteString(" ] }\n")
	}
	return b.String() + opt.Conf
}

func (s *Servers) run(i int) {
	v := s.each[i]
	log, err := os.OpenFile(filepath.Join(v.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		s.t.Fatal(err)
	}
	defer log.Close()
	v.cmd = exec.Command(s.program, "-c", v.conf)
	v.cmd.Env = append(os.Environ(), v.env...)
	v.cmd.Stdout, v.cmd.Stderr = log, log
	if err := v.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	cmd, exited := v.cmd, make(chan struct{})
	v.exited = exited
	go func() {
		_ = cmd.Wait()
		close(exited)
	}()
}

// Ready waits until the servers take streams again.
func (s *Servers) Ready() {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var last error
	for ctx.Err() == nil {
		if last = s.try(ctx); last == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	for i := range s.each {
		log := s.Log(i)
		s.t.Logf("server %d: …%s", i, log[max(0, len(log)-2000):])
	}
	s.t.Fatalf("the servers are not ready: %v", last)
}

func (s *Servers) try(ctx context.Context) error {
	conn, err := nats.Connect(strings.Join(s.URLs(), ","), s.connect...)
	if err != nil {
		return err
	}
	defer conn.Close()
	js, err := jetstream.New(conn, jetstream.WithDefaultTimeout(2*time.Second))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second) // a request may be lost
	defer cancel()
	_, err = js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: "ready", Subjects: []string{"ready"}, Replicas: min(len(s.each), 3)})
	if err != nil {
		return err
	}
	if _, err := js.Publish(ctx, "ready", nil); err != nil {
		return err
	}
	return js.DeleteStream(ctx, "ready")
}

// URLs are the addresses of all servers.
func (s *Servers) URLs() []string {
	var out []string
	for i := range s.each {
		out = append(out, s.URL(i))
	}
	return out
}

// URL is the address of a server.
func (s *Servers) URL(i int) string { return fmt.Sprintf("nats://127.0.0.1:%d", s.each[i].port) }

// Link is a new link to a server, for clients that the test cuts off.
func (s *Servers) Link(i int) *Link { return NewLink(s.t, fmt.Sprintf("127.0.0.1:%d", s.each[i].port)) }

// Route are the links between two servers of a cluster, for both directions.
func (s *Servers) Route(i, j int) Links {
	return Links{s.routes[[2]int{i, j}], s.routes[[2]int{j, i}]}
}

// Kill kills a server (SIGKILL) and waits until it is gone.
func (s *Servers) Kill(i int) {
	_ = s.each[i].cmd.Process.Kill() // fails when it is gone
	<-s.each[i].exited
}

// Restart starts a server that was killed, with what it has on disk.
func (s *Servers) Restart(i int) { s.run(i) }

// Log is what a server has logged.
func (s *Servers) Log(i int) string {
	b, _ := os.ReadFile(filepath.Join(s.each[i].dir, "log"))
	return string(b)
}
