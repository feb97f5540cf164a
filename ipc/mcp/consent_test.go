package mcpserver

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"atelier/engine"
)

// elsewhere is a model that is not on this machine; sent counts what it was sent.
func elsewhere(t *testing.T, sent *atomic.Int64) func(*Options, *engine.Options) {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		sent.Add(1)
		http.Error(w, `{"error":{"message":"it does not translate"}}`, http.StatusBadRequest)
	}))
	t.Cleanup(web.Close)
	return func(o *Options, eo *engine.Options) {
		o.AskConsent, o.HowToConsent = true, "on a terminal"
		eo.Model, eo.APIKey, eo.BaseURL = "outside", "key", "http://models.example.com/v1"
		eo.HTTPClient = &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, strings.TrimPrefix(web.URL, "http://"))
		}}}
	}
}

// Documents go to a model on another machine only when the person said so: asked at the
// client where it can ask, else told how. A yes counts for what was asked about.
func TestConsentToTranslate(t *testing.T) {
	for _, version := range revisions {
		t.Run(version, func(t *testing.T) {
			var sent atomic.Int64
			r := newRig(t, elsewhere(t, &sent))
			a := args{"to": "en", "paths": []any{"notas.md"}}
			text, failed := r.call(r.connect(version, nil), "translate", a)
			require.True(t, failed)
			require.Contains(t, text, "on a terminal")
			require.Contains(t, text, "models.example.com")
			var asked []string
			say := &mcp.ElicitResult{Action: "decline"}
			s := r.connect(version, answering(&asked, func(*mcp.ElicitParams) *mcp.ElicitResult { return say }))
			for _, no := range []*mcp.ElicitResult{say, {Action: "cancel"}, {Action: "accept", Content: map[string]any{"consent": "no"}}} {
				say = no
				text, failed = r.call(s, "translate", a)
				require.True(t, failed)
				require.Contains(t, text, "did not agree")
			}
			require.Zero(t, sent.Load(), "nothing was sent")
			require.Contains(t, asked[0], "outside at models.example.com")
			require.Contains(t, asked[0], "- notas.md")
			say = &mcp.ElicitResult{Action: "accept", Content: map[string]any{"consent": "now"}}
			n := len(asked)
			r.call(s, "translate", a)
			require.Positive(t, sent.Load())
			r.call(s, "translate", a)
			require.Len(t, asked, n+1, "one answer is enough")
			write(t, r.folder+"/new.md", "# A new file\n")
			r.call(s, "translate", args{"to": "en"})
			require.Len(t, asked, n+2, "a new file is another question")
			require.Contains(t, asked[n+1], "- new.md")
			require.NotContains(t, asked[n+1], "- notas.md")
		})
	}
}

// A server that may not ask says how the consent is given.
func TestConsentIsTheOwners(t *testing.T) {
	var sent atomic.Int64
	r := newRig(t, elsewhere(t, &sent), func(o *Options, _ *engine.Options) { o.AskConsent, o.HowToConsent = false, "the owner does" })
	var asked []string
	text, failed := r.call(r.connect("", yes(&asked)), "translate", args{"to": "en"})
	require.True(t, failed)
	require.Contains(t, text, "the owner does")
	require.Empty(t, asked)
	require.Zero(t, sent.Load())
}
