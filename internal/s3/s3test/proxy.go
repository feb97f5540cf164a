package s3test

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"

	"atelier/internal/s3"
)

// Fault is what a Proxy does to requests.
type Fault struct {
	Method string // of the requests; "": all
	Times  int    // 0: until Clear
	// One of these:
	Status        int    // is the answer, with Code and Message
	Stall         bool   // there is no answer
	CutRequest    int64  // after so many bytes of the body of a request
	CutAnswer     int64  // after so many bytes of the body of an answer
	Code, Message string // of Status
}

// Proxy passes requests on to a store, except those that a fault hits.
type Proxy struct {
	*httptest.Server
	store *Store
	stop  context.Context

	mu    sync.Mutex // protects the fields below
	fault Fault
	count map[string]int
}

// Proxy starts a proxy, which ends with the test.
func (s *Store) Proxy(t testing.TB) *Proxy {
	to := &url.URL{Scheme: "http", Host: s.Addr()}
	stop, cancel := context.WithCancel(context.Background())
	p := &Proxy{store: s, stop: stop, count: map[string]int{}}
	pass := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.Out.Host = r.In.Host // it is signed
		},
		ErrorLog: log.New(io.Discard, "", 0),
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) {
			panic(http.ErrAbortHandler)
		},
	}
	p.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.serve(w, r, pass) }))
	p.Config.ErrorLog = pass.ErrorLog
	p.Server.Start()
	t.Cleanup(func() {
		cancel()
		p.CloseClientConnections()
		p.Server.Close()
	})
	return p
}

// Reach is Store.Config through the proxy.
func (p *Proxy) Reach(bucket string) s3.Config {
	cfg := p.store.Config(bucket)
	cfg.Endpoint = p.URL
	return cfg
}

// Have has requests meet a fault from now on.
func (p *Proxy) Have(f Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault, p.count = f, map[string]int{}
}

// Clear ends the faults.
func (p *Proxy) Clear() { p.Have(Fault{Method: "-"}) }

// Count is how many requests of a method came since Have.
func (p *Proxy) Count(method string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count[method]
}

// next is the fault of a request.
func (p *Proxy) next(method string) Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count[method]++
	f := p.fault
	if f.Method != "" && f.Method != method || f.Times > 0 && p.count[method] > f.Times {
		return Fault{}
	}
	return f
}

func (p *Proxy) serve(w http.ResponseWriter, r *http.Request, pass http.Handler) {
	f := p.next(r.Method)
	switch {
	case f.Status != 0:
		w.WriteHeader(f.Status)
		_ = xml.NewEncoder(w).Encode(struct {
			XMLName       xml.Name `xml:"Error"`
			Code, Message string
		}{Code: f.Code, Message: f.Message})
		return
	case f.Stall:
		select {
		case <-r.Context().Done():
		case <-p.stop.Done():
		}
		panic(http.ErrAbortHandler)
	case f.CutRequest > 0:
		r.Body = &cut{r.Body, f.CutRequest}
	case f.CutAnswer > 0:
		w = &broken{w, f.CutAnswer}
	}
	pass.ServeHTTP(w, r)
}

// cut fails after some bytes.
type cut struct {
	io.ReadCloser
	left int64
}

func (c *cut) Read(b []byte) (int, error) {
	if c.left <= 0 {
		return 0, errors.New("cut")
	}
	n, err := c.ReadCloser.Read(b[:min(int64(len(b)), c.left)])
	c.left -= int64(n)
	return n, err
}

// broken ends the connection after some bytes.
type broken struct {
	http.ResponseWriter
	left int64
}

func (b *broken) Write(p []byte) (int, error) {
	if int64(len(p)) < b.left {
		b.left -= int64(len(p))
		return b.ResponseWriter.Write(p)
	}
	_, _ = b.ResponseWriter.Write(p[:b.left])
	_ = http.NewResponseController(b.ResponseWriter).Flush()
	panic(http.ErrAbortHandler)
}

// Unwrap lets the proxy flush.
func (b *broken) Unwrap() http.ResponseWriter { return b.ResponseWriter }
