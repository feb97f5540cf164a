package toolservers

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"atelier/engine/egress"
)

// serveHTTP serves the ordinary server over Streamable HTTP, behind a handler that may
// be nil; it returns the address without a path.
func (r *rig) serveHTTP(around func(http.Handler) http.Handler) string {
	r.t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "probe", Version: "7"}, nil)
	addTools(s)
	var h http.Handler = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
	if around != nil {
		h = around(h)
	}
	web := httptest.NewServer(h)
	r.last = append(r.last, func() {
		web.CloseClientConnections() // a write to a client that is gone does not end under Wine
		web.Close()
	})
	return web.URL
}

// A server over HTTP: headers, the log of what left, and no other origin.
func TestHTTP(t *testing.T) {
	r := newRig(t)
	r.env["MY_TOKEN"] = "secret-of-the-test"
	var seen http.Header
	elsewhere := 0
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { elsewhere++ }))
	defer other.Close()
	at := r.serveHTTP(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			if req.URL.Path == "/moved" {
				http.Redirect(w, req, other.URL+"/mcp", http.StatusTemporaryRedirect)
				return
			}
			seen = req.Header.Clone()
			next.ServeHTTP(w, req)
		})
	})
	r.set("s", Entry{URL: at + "/mcp?key=${MY_TOKEN}", Headers: map[string]string{"X-Token": "${MY_TOKEN}"}})
	require.Equal(t, "hi", r.must("s", "echo", `{"text":"hi"}`).Text)
	require.Equal(t, "secret-of-the-test", seen.Get("X-Token"))
	require.Equal(t, "atelier/test", seen.Get("User-Agent"))
	s := r.server("s")
	require.Equal(t, []string{"X-Token"}, s.Headers)
	require.NotContains(t, s.URL, "secret")
	require.NotContains(t, s.URL, "MY_TOKEN")
	var called bool
	require.NoError(t, r.logs.Read("wb", func(l *egress.Log) error {
		list, _, err := l.Find(context.Background(), egress.Query{Limit: 100})
		for _, e := range list {
			require.Equal(t, egress.KindServer, e.Kind)
			require.Equal(t, "s", e.Provider)
			called = called || e.Model == "echo" && e.BytesOut > 0
		}
		return err
	}))
	require.True(t, called)

	r.set("moved", Entry{URL: at + "/moved"})
	e := r.fails(NotStarted, "moved", "echo", "{}")
	require.Contains(t, e.Error(), "sent the request on to another address")
	require.Zero(t, elsewhere)
	r.set("away", Entry{URL: "http://127.0.0.1:1/mcp"})
	require.Contains(t, r.fails(NotStarted, "away", "echo", "{}").Error(), "check its address http://127.0.0.1:1/mcp")
}

// Where nothing may leave this machine, nothing does.
func TestLocalOnly(t *testing.T) {
	r := newRig(t)
	r.p.opt.Transport = egress.New(egress.Options{Base: failing{t}, Logs: r.logs.Get, LocalOnly: true})
	r.set("s", Entry{URL: "https://mcp.example.com/mcp"})
	require.Contains(t, r.fails(Refused, "s", "echo", "{}").Error(), "local_only")
}

type failing struct{ t *testing.T }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) {
	f.t.Error("a request left")
	return nil, http.ErrServerClosed
}

// Answers over HTTP that do not end, or are too large.
func TestHostileHTTP(t *testing.T) {
	r := newRig(t)
	at := r.serveHTTP(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			if req.Method != http.MethodPost {
				w.WriteHeader(http.StatusMethodNotAllowed)
				return
			}
			chunk := make([]byte, 1<<20)
			for i := range chunk {
				chunk[i] = 'x'
			}
			switch req.URL.Path {
			case "/huge":
				w.Header().Set("Content-Type", "application/json")
				for {
					if _, err := w.Write(chunk); err != nil {
						return
					}
				}
			case "/event":
				w.Header().Set("Content-Type", "text/event-stream")
				for {
					if _, err := w.Write(chunk); err != nil {
						return
					}
				}
			case "/html":
				w.Header().Set("Content-Type", "text/html")
				_, _ = w.Write([]byte("<html>sign in"))
			case "/error":
				w.WriteHeader(http.StatusInternalServerError)
				for {
					if _, err := w.Write(chunk); err != nil {
						return
					}
				}
			}
		})
	})
	for path, want := range map[string]string{"/huge": "more than 32 MiB", "/event": "exceeded", "/html": "text/html", "/error": "Internal Server Error"} {
		r.set(path[1:], Entry{URL: at + path})
		require.Contains(t, r.fails(NotStarted, path[1:], "echo", "{}").Error(), want)
	}
}

// Streams of messages whose header does not come, that end at once, and that never end.
func TestStreams(t *testing.T) {
	r := newRig(t)
	var opened atomic.Int32
	at := r.serveHTTP(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			mode := req.URL.Path
			if req.Method == http.MethodGet {
				n := opened.Add(1)
				switch mode {
				case "/late":
					<-req.Context().Done()
					return
				case "/again":
					w.Header().Set("Content-Type", "text/event-stream")
					fmt.Fprintf(w, "id: %d\nretry: 1\ndata:\n\n", n)
					return
				case "/flood":
					w.Header().Set("Content-Type", "text/event-stream")
					many := strings.Repeat("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":\"x\"}}\n\n", 500)
					for {
						if _, err := io.WriteString(w, many); err != nil {
							return
						}
					}
				}
			}
			next.ServeHTTP(w, req)
		})
	})
	r.set("late", Entry{URL: at + "/late"})
	began := time.Now()
	require.Equal(t, "hi", r.must("late", "echo", `{"text":"hi"}`).Text)
	require.Less(t, time.Since(began), 3*streamHeader)

	opened.Store(0)
	r.set("again", Entry{URL: at + "/again"})
	require.Equal(t, "hi", r.must("again", "echo", `{"text":"hi"}`).Text)
	time.Sleep(time.Second)
	require.Equal(t, "hi", r.must("again", "echo", `{"text":"hi"}`).Text)
	require.LessOrEqual(t, opened.Load(), int32(streamsMost+3))

	r.set("flood", Entry{URL: at + "/flood"})
	_, _ = r.call("flood", "echo", `{"text":"hi"}`)
	require.Eventually(t, func() bool { return r.server("flood").State == Failed }, 20*time.Second, 50*time.Millisecond)
	require.Contains(t, r.server("flood").Why, "5,000")
}

// A pool ends although a server answers nothing.
func TestCloseDuringStartOverHTTP(t *testing.T) {
	r := newRig(t)
	at := r.serveHTTP(func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			_, _ = io.Copy(io.Discard, req.Body)
			<-req.Context().Done()
		})
	})
	r.set("s", Entry{URL: at + "/mcp"})
	ends := make(chan error, 1)
	go func() {
		_, err := r.p.Call(context.Background(), r.scope, Call{Server: "s", Tool: "t"})
		ends <- err
	}()
	time.Sleep(300 * time.Millisecond)
	began := time.Now()
	require.NoError(t, r.p.Close())
	require.Less(t, time.Since(began), 5*time.Second)
	require.Error(t, <-ends)
}
