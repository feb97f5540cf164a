package engine

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/engine/egress"
)

func TestNewestRelease(t *testing.T) {
	answer, status := "", http.StatusOK
	var agent string
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another server was asked") }))
	defer elsewhere.Close()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agent = r.UserAgent()
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/latest", http.StatusFound)
		case "/away":
			http.Redirect(w, r, elsewhere.URL+"/latest", http.StatusFound)
		case "/round":
			http.Redirect(w, r, "/round", http.StatusFound)
		default:
			w.WriteHeader(status)
			_, _ = w.Write([]byte(answer))
		}
	}))
	defer srv.Close()
	e, err := New(Options{Home: t.TempDir()})
	require.NoError(t, err)
	defer e.Close()

	answer = `{"tag_name":"v1.2.3","html_url":"https://example.org/r/1.2.3","published_at":"2026-11-27T06:00:00Z","assets":[{}]}`
	want := Release{Version: "1.2.3", URL: "https://example.org/r/1.2.3", PublishedAt: time.Date(2026, 11, 27, 6, 0, 0, 0, time.UTC)}
	for _, path := range []string{"/latest", "/moved"} {
		got, err := e.NewestRelease(t.Context(), srv.URL+path)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	require.Equal(t, "atelier/"+Version, agent)
	list, err := CallAs[EgressEvents](t.Context(), e, "EgressListEvents", EgressListParams{})
	require.NoError(t, err)
	require.Len(t, list.Events, 3, "each request and redirect is logged")
	require.Equal(t, egress.KindRelease, list.Events[0].Kind)

	answer = `{"tag_name":"1.2.3-rc.1","html_url":"javascript:alert(1)"}`
	got, err := e.NewestRelease(t.Context(), srv.URL)
	require.NoError(t, err)
	require.Equal(t, Release{Version: "1.2.3-rc.1"}, got, "an address that a browser would run is left out")

	for path, says := range map[string]string{"/away": "redirects to another server", "/round": "redirects too often"} {
		_, err := e.NewestRelease(t.Context(), srv.URL+path)
		require.ErrorContains(t, err, says)
	}
	for text, says := range map[string]string{
		"": "not JSON", "<html>": "not JSON", "[]": "not JSON", "{}": "no tag_name", `{"tag_name":"latest"}`: `named "latest": not a version`,
		`{"body":"` + strings.Repeat("x", maxRelease) + `"}`: "longer than 4 MiB",
	} {
		answer = text
		_, err := e.NewestRelease(t.Context(), srv.URL)
		require.ErrorContains(t, err, says)
	}
	status = http.StatusNotFound
	_, err = e.NewestRelease(t.Context(), srv.URL)
	require.ErrorContains(t, err, "HTTP 404: there is no release yet")
	srv.Close()
	_, err = e.NewestRelease(t.Context(), srv.URL+"/secret")
	require.ErrorContains(t, err, "cannot be asked for the newest release")
	require.NotContains(t, err.Error(), "secret")
	for address, says := range map[string]string{"": "not one such as", "latest": "not one such as", "https://user:pw@example.org/": "not one such as", "http://192.0.2.1/latest": "must begin with https://", "ftp://example.org/": "must begin with https://"} {
		_, err := e.NewestRelease(t.Context(), address)
		require.ErrorContains(t, err, says, address)
	}
}

// With local_only nothing is sent to another machine, this question neither.
func TestNewestReleaseLocalOnly(t *testing.T) {
	e, err := New(Options{Home: t.TempDir(), Egress: EgressLocalOnly, HTTPClient: &http.Client{Transport: refuseAll{t}}})
	require.NoError(t, err)
	defer e.Close()
	_, err = e.NewestRelease(t.Context(), "https://releases.example.org/latest")
	require.ErrorContains(t, err, "local_only")
}

type refuseAll struct{ t *testing.T }

func (r refuseAll) RoundTrip(*http.Request) (*http.Response, error) {
	r.t.Error("a request left")
	return nil, http.ErrServerClosed
}
