package egress

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// BenchmarkGate is what a request pays for its row and its counted bytes, beside
// an endpoint that takes no time.
func BenchmarkGate(b *testing.B) {
	log, err := Open(b.TempDir(), "w")
	if err != nil {
		b.Fatal(err)
	}
	defer log.Close()
	rt := New(Options{Base: instant{}, Logs: func(string) (*Log, error) { return log, nil }})
	c := With(b.Context(), Purpose{Kind: KindRun, Origin: "https://models.example.com:443"})
	body := strings.Repeat("x", 100<<10)
	b.ReportAllocs()
	for b.Loop() {
		req, err := http.NewRequestWithContext(c, http.MethodPost, "https://models.example.com/v1", strings.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		resp, err := rt.RoundTrip(req)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			b.Fatal(err)
		}
		resp.Body.Close()
	}
}

// instant answers at once.
type instant struct{}

func (instant) RoundTrip(req *http.Request) (*http.Response, error) {
	if _, err := io.Copy(io.Discard, req.Body); err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("ok")), Request: req}, nil
}
