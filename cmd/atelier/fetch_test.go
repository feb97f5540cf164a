package main

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// pagesHere makes every host name of a web page an address of this machine,
// which a program started by a test then fetches from.
const pagesHere = "ATELIER_TEST_PAGES_HERE=1"

// mainInTest is the program as tests start it.
func mainInTest() {
	if os.Getenv("ATELIER_TEST_PAGES_HERE") != "" {
		fetchOptions.Allow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
		fetchOptions.Resolve = func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		}
	}
	main()
}

// pageServer serves one page, counts the requests and returns its address
// under a public name.
func pageServer(t *testing.T) (uri string, asked *atomic.Int64) {
	asked = &atomic.Int64{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, "Ten chairs.")
	}))
	t.Cleanup(srv.Close)
	_, port, err := net.SplitHostPort(srv.Listener.Addr().String())
	require.NoError(t, err)
	return "http://pages.example.com:" + port + "/chairs", asked
}

// S-18: `atelier serve` fetches a web page after consent to its host, and
// nothing before.
func TestServeFetchesPages(t *testing.T) {
	uri, asked := pageServer(t)
	a := startApp(t, t.TempDir(), pagesHere)
	var wb struct {
		ID string `json:"workbench_id"`
	}
	a.call("WorkbenchCreate", obj{"name": "w", "root": t.TempDir()}, &wb)
	type answer struct {
		Success bool
		Result  any
		Error   struct {
			Code       string `json:"error_code"`
			ProviderID string `json:"provider_id"`
			ModelID    string `json:"model_id"`
			Egress     struct {
				Scope string `json:"scope_hash"`
			}
		}
	}
	read := func() (r answer) {
		a.call("ToolCall", obj{"workbench_id": wb.ID, "catalogue": "sila", "tool": "read", "args": obj{"uri": uri}}, &r)
		return r
	}
	refused := read()
	require.False(t, refused.Success)
	require.NotEmpty(t, refused.Error.Egress.Scope, "%+v", refused)
	require.Zero(t, asked.Load())
	a.call("EgressGrantWorkshopConsent", obj{"workbench_id": wb.ID, "provider_id": refused.Error.ProviderID, "model_id": refused.Error.ModelID, "scope_hash": refused.Error.Egress.Scope}, nil)
	got := read()
	require.True(t, got.Success, "%+v", got)
	text, err := json.Marshal(got.Result)
	require.NoError(t, err)
	require.Contains(t, string(text), "Ten chairs.")
	require.EqualValues(t, 1, asked.Load())
}

// S-18: `atelier http` fetches a web page after the owner's consent to its
// host, and nothing before.
func TestHTTPFetchesPages(t *testing.T) {
	uri, asked := pageServer(t)
	s := startHTTP(t, t.TempDir(), pagesHere)
	id := s.workspace(t, t.TempDir())
	read := func() (int, string) {
		return s.send(t, "POST", "/workspaces/"+id+"/tools", obj{"tool": "read", "catalogue": "sila", "args": obj{"uri": uri}})
	}
	status, body := read()
	require.Equal(t, 403, status, body)
	require.Zero(t, asked.Load())
	var refused struct{ Consent obj }
	require.NoError(t, json.Unmarshal([]byte(body), &refused))
	require.NotEmpty(t, refused.Consent["scope_hash"], body)
	status, body = s.send(t, "POST", "/workspaces/"+id+"/consents", refused.Consent)
	require.Equal(t, 200, status, body)
	status, body = read()
	require.Equal(t, 200, status, body)
	require.Contains(t, body, "Ten chairs.")
	require.EqualValues(t, 1, asked.Load())
}
