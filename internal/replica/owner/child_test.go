//go:build unix

package owner_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"atelier/internal/cluster"
	"atelier/internal/replica"
	"atelier/internal/replica/owner"
	"atelier/internal/replica/stream"
	"atelier/workshop"
)

// leaseTime is that of the tests: a takeover takes about as long.
const leaseTime = time.Second

// call is an operation that a client sends to a server.
type call struct {
	Kind      string `json:"kind"` // set, get, say, said
	Workspace string `json:"workspace"`
	Key       string `json:"key,omitempty"`
	Value     string `json:"value,omitempty"`
}

// answer is what a server says. With Address the call was not done, and that server has
// the workspace.
type answer struct {
	Value   string   `json:"value,omitempty"`
	IDs     []string `json:"ids,omitempty"`
	Address string   `json:"address,omitempty"`
	Error   string   `json:"error,omitempty"`
	Done    bool     `json:"done"`    // acknowledged
	Unknown bool     `json:"unknown"` // whether it was done
}

// TestMain is a server too, for tests that kill one.
func TestMain(m *testing.M) {
	if at := os.Getenv("OWNER_TEST_SERVER"); at != "" {
		if err := serve(at, strings.Split(os.Getenv("OWNER_TEST_NATS"), ",")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	flag.Parse()
	os.Exit(m.Run())
}

// serve answers calls until the process ends. It writes its address first.
func serve(home string, urls []string) error {
	ctx := context.Background()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s := &testServer{taken: map[string]*owner.Workspace{}}
	h, err := workshop.OpenHome(home, workshop.Options{Unsynced: true})
	if err != nil {
		return err
	}
	for tries := 0; ; tries++ {
		if err = s.connect(ctx, h, urls, listener.Addr().String()); err == nil {
			break
		}
		if tries == 100 {
			return err
		}
		time.Sleep(200 * time.Millisecond)
	}
	fmt.Println(listener.Addr())
	return http.Serve(listener, s)
}

// late is a store whose appends are sometimes sent late, so that a process is often paused
// or cut off between finding what changed and sending it.
type late struct{ owner.Store }

func (l late) Log(id string) replica.Log { return lateLog{l.Store.Log(id)} }

type lateLog struct{ replica.Log }

func (l lateLog) Append(ctx context.Context, last uint64, message []byte) (uint64, error) {
	if os.Getenv("OWNER_TEST_LATE") != "" {
		time.Sleep(time.Second)
	} else if rand.IntN(15) == 0 {
		time.Sleep(time.Duration(rand.IntN(1500)) * time.Millisecond)
	}
	return l.Log.Append(ctx, last, message)
}

type testServer struct {
	owner *owner.Server
	mu    sync.Mutex
	taken map[string]*owner.Workspace
}

func (s *testServer) connect(ctx context.Context, h *workshop.Home, urls []string, address string) error {
	c, err := cluster.Connect(ctx, cluster.Options{URLs: urls, Name: address, Replicas: min(3, len(urls)), Timeout: 2 * time.Second})
	if err != nil {
		return err
	}
	store, err := stream.Open(ctx, c)
	if err != nil {
		c.Close()
		return err
	}
	all, err := owner.OpenServers(ctx, c, leaseTime)
	if err != nil {
		c.Close()
		return err
	}
	go all.Claims().Watch(ctx)
	s.owner = owner.New(owner.Config{Home: h, Store: late{store}, Claims: all.Claims(), Holder: cluster.Holder{Owner: address, Address: address},
		Options: replica.Options{SnapshotAfter: 60_000}})
	return nil
}

// workspace is the one that this server has at work; it takes one that no server has.
func (s *testServer) workspace(ctx context.Context, id string) (*owner.Workspace, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w := s.taken[id]; w != nil && w.Context().Err() == nil {
		return w, nil
	}
	w, err := s.owner.Take(ctx, id)
	if err == nil {
		s.taken[id] = w
	}
	return w, err
}

func (s *testServer) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	var c call
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), 10*time.Second)
	defer cancel()
	a := s.do(ctx, c)
	_ = json.NewEncoder(rw).Encode(a)
}

func (s *testServer) do(ctx context.Context, c call) (a answer) {
	w, err := s.workspace(ctx, c.Workspace)
	var held *cluster.HeldError
	if errors.As(err, &held) {
		return answer{Address: held.Holder.Address}
	}
	if err != nil {
		return answer{Error: err.Error()} // nothing was begun
	}
	if c.Kind == "release" {
		if err := w.Release(ctx); err != nil {
			return answer{Error: err.Error()}
		}
		return answer{Done: true}
	}
	if c.Kind == "leave" {
		return setAndLeave(ctx, w, c)
	}
	err = w.Do(ctx, func(ctx context.Context, wb *workshop.Workbench) (err error) {
		switch c.Kind {
		case "set":
			return wb.SetSetting(ctx, c.Key, c.Value)
		case "get":
			a.Value, err = wb.Setting(ctx, c.Key)
			return err
		case "say":
			return wb.Conversation().Append(workshop.Record{Type: workshop.TypeUser, MessageID: c.Value, Role: "user", Text: strings.Repeat("x", len(c.Value)*50)})
		case "said":
			rs, err := wb.Conversation().Records()
			for _, r := range rs {
				a.IDs = append(a.IDs, r.MessageID)
			}
			return err
		}
		return errors.New("no such call")
	})
	if err != nil {
		return answer{Error: err.Error(), Unknown: true}
	}
	a.Done = true
	return a
}

// setAndLeave is a change by an operation that ends its own context when the workspace leaves, as
// a run that waits for its turn does.
func setAndLeave(ctx context.Context, w *owner.Workspace, c call) answer {
	own, cancel := context.WithCancel(ctx)
	defer cancel()
	released := make(chan error, 1)
	_ = w.Do(own, func(_ context.Context, wb *workshop.Workbench) error {
		err := wb.SetSetting(ctx, c.Key, c.Value)
		go func() { released <- w.Release(ctx) }()
		<-w.Leaving()
		cancel()
		return err
	})
	return answer{Done: <-released == nil}
}
