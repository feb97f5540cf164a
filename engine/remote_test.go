package engine_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"

	"atelier/engine"
)

// remote is an endpoint that every name but this machine's leads to. It counts
// what it gets and gives.
type remote struct {
	*httptest.Server
	mu       sync.Mutex
	bodies   []string
	in, out  []int64
	answer   func(n int, w http.ResponseWriter, r *http.Request) // n from 1
	onAnswer func(n int)
}

func newRemote(t *testing.T, answer func(n int, w http.ResponseWriter, r *http.Request)) *remote {
	v := &remote{answer: answer}
	v.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		v.mu.Lock()
		defer v.mu.Unlock()
		v.bodies, v.in, v.out = append(v.bodies, string(b)), append(v.in, int64(len(b))), append(v.out, 0)
		n := len(v.bodies)
		if v.onAnswer != nil {
			v.onAnswer(n)
		}
		v.answer(n, countingWriter{w, &v.out[n-1]}, r)
	}))
	t.Cleanup(v.Close)
	return v
}

type countingWriter struct {
	http.ResponseWriter
	n *int64
}

func (c countingWriter) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	*c.n += int64(n)
	return n, err
}

func (v *remote) count() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.bodies)
}

// use makes it the endpoint of an engine, under names of other machines.
func (v *remote) use(o *engine.Options) {
	o.Model, o.BaseURL, o.APIKey = "first", "http://models.example.com/v1", "sk-secret-0123456789"
	o.Providers = []engine.Provider{{ID: "second", BaseURL: "http://other.example.com/v1", APIKey: "key-two", Models: []string{"big"}}}
	o.HTTPClient = &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, v.Listener.Addr().String())
	}}}
}

func text(s string) string {
	return fmt.Sprintf("data: {\"choices\":[{\"delta\":{\"content\":%q}}]}\n\ndata: [DONE]\n\n", s)
}

func toolCall(n int, name, args string) string {
	return fmt.Sprintf("data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"tc-%d\",\"function\":{\"name\":%q,\"arguments\":%q}}]}}]}\n\ndata: [DONE]\n\n", n, name, args)
}

func says(s string) func(int, http.ResponseWriter, *http.Request) {
	return func(_ int, w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text(s)) }
}

func runText(t *testing.T, e *engine.Engine, id string, more obj) (obj, *engine.ErrorInfo) {
	t.Helper()
	p := obj{"workbench_id": id, "message_id": must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": "Do it."})["message_id"]}
	for k, v := range more {
		p[k] = v
	}
	return call(t, e, "WorkshopRunAgent", p)
}

func grantNow(t *testing.T, e *engine.Engine, id, model string, persist bool) {
	t.Helper()
	st := must(t, e, "EgressGetConsentStatus", obj{"workbench_id": id, "model_id": model})
	must(t, e, "EgressGrantWorkshopConsent", obj{"workbench_id": id, "provider_id": st["provider_id"], "model_id": model, "scope_hash": st["scope_hash"], "persist": persist})
}

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

func toLoopback(host string) func(context.Context, string) ([]netip.Addr, error) {
	return func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr(host)}, nil
	}
}
