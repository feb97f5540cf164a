package agent

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/llm/openai"
)

// A request that went out and to which nothing came back may be on the bill: it
// counts with its estimate, each time it is sent. One that reached nobody does
// not.
func TestUsageOfRequestsWithoutAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		answer  http.HandlerFunc
		nowhere bool
	}{
		"silent": {answer: func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // else the server does not notice that the client left
			<-r.Context().Done()
		}},
		"hung up":       {answer: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
		"not reachable": {nowhere: true},
	} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(c.answer)
			t.Cleanup(srv.Close)
			at := srv.URL
			if c.nowhere {
				l, err := net.Listen("tcp", "127.0.0.1:0")
				require.NoError(t, err)
				at = "http://" + l.Addr().String()
				require.NoError(t, l.Close())
			}
			r := newRig(t, nil)
			r.cfg.Limits.Retries = 1
			_, err := r.run(openai.New(openai.Options{BaseURL: at, IdleTimeout: 200 * time.Millisecond}), "x")
			require.Error(t, err)
			got := r.total()
			require.EqualValues(t, 2, got.Failed)
			if c.nowhere {
				require.Zero(t, got.Input)
				return
			}
			require.EqualValues(t, 2, got.Estimated)
			require.Greater(t, got.Input, int64(10_000), "both")
		})
	}
}
