package httpapi

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/workshop/web"
)

// TestToolsFetchAfterConsent: a tool called over HTTP fetches a page after
// the owner consented to its host (S-18, S-19). Before that nothing is sent,
// and the answer has the consent that the owner can post.
func TestToolsFetchAfterConsent(t *testing.T) {
	var asked atomic.Int64
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<html><body><main><h1>Chairs</h1><p>Ten of them.</p></main></body></html>")
	}))
	t.Cleanup(page.Close)
	_, port, err := net.SplitHostPort(page.Listener.Addr().String())
	require.NoError(t, err)
	fetch := web.NewHTTP(web.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		}})
	served := func(opt engine.Options) *rig {
		opt.Model = "pseudo"
		r := newRigWith(t, opt)
		r.opt.Tools = r.engine.Live()
		srv, err := New(r.opt)
		require.NoError(t, err)
		t.Cleanup(srv.runs.stopAll)
		r.http.Config.Handler = srv.Handler()
		require.Equal(t, 200, r.request("PUT", "/api/v1/workspaces/"+r.ws+"/files/content?path=/a.txt", "alpha", "Content-Type", "text/plain").Status)
		return r
	}
	read := func(r *rig) answer {
		return r.tool(`{"tool":"read","catalogue":"sila","args":{"uri":"http://pages.example.com:` + port + `/chairs"}}`)
	}

	r := served(engine.Options{Fetch: fetch})
	a := read(r)
	require.Equal(t, 403, a.Status, a.Body)
	require.Zero(t, asked.Load())
	var refused struct {
		Success bool
		Code    string
		Error   string
		Consent neededConsent
	}
	require.NoError(t, json.Unmarshal([]byte(a.Body), &refused))
	assert.Equal(t, codeForbidden, refused.Code)
	assert.Contains(t, refused.Error, "a page of pages.example.com:"+port+" would be fetched")
	assert.Contains(t, refused.Error, "POST /api/v1/workspaces/"+r.ws+"/consents")
	assert.Equal(t, engine.ProviderWeb, refused.Consent.ProviderID)

	b, err := json.Marshal(refused.Consent)
	require.NoError(t, err)
	a = r.request("POST", "/api/v1/workspaces/"+r.ws+"/consents", string(b))
	require.Equal(t, 200, a.Status, a.Body)
	a = read(r)
	require.Equal(t, 200, a.Status, a.Body)
	assert.Contains(t, a.Body, "Ten of them.")
	require.Equal(t, int64(1), asked.Load())
	assert.Equal(t, 200, r.request("DELETE", "/api/v1/workspaces/"+r.ws+"/consents?provider="+engine.ProviderWeb+"&model="+refused.Consent.ModelID, "").Status)
	require.Equal(t, 403, read(r).Status)

	a = read(served(engine.Options{Fetch: fetch, Egress: engine.EgressLocalOnly}))
	require.Equal(t, 403, a.Status, a.Body)
	assert.NotContains(t, a.Body, `"consent"`)
	a = read(served(engine.Options{}))
	assert.Contains(t, a.Body, "network access is disabled", "off unless the host turns it on")
	require.Equal(t, int64(1), asked.Load())
}
