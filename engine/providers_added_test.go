package engine

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestFindAndAddLocalServer: a server of models on this machine is found, added,
// used, kept by the next engine, and removed; one that does not answer holds
// nothing up for long, and none gets a key.
func TestFindAndAddLocalServer(t *testing.T) {
	asked := 0
	served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		require.Equal(t, "/v1/models", r.URL.Path)
		require.Empty(t, r.Header.Get("Authorization"))
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte(`{"object":"list","data":[{"id":"small:1b","object":"model"}]}`))
	}))
	defer served.Close()
	release := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer silent.Close()
	defer close(release)
	opt := Options{Home: t.TempDir(), APIKey: "secret", LocalServers: []Provider{
		{ID: "one", DisplayName: "One", BaseURL: served.URL + "/v1"}, {ID: "silent", BaseURL: silent.URL + "/v1"}, {ID: "none", BaseURL: "http://127.0.0.1:1/v1"}}}
	e, err := New(opt)
	require.NoError(t, err)
	call := func(method, params string) any {
		t.Helper()
		r, err := e.Call(context.Background(), method, json.RawMessage(params))
		require.NoError(t, err)
		return r
	}
	begun := time.Now()
	found := call("ProvidersFindLocal", `{}`).(LocalServers).Found
	require.Less(t, time.Since(begun), 20*time.Second)
	require.Equal(t, []LocalServer{{ProviderID: "one", DisplayName: "One", BaseURL: served.URL + "/v1", Models: []string{"small:1b"}}}, found)
	require.Equal(t, 1, asked)

	call("ProvidersAdd", `{"provider_id":"one","display_name":"One","base_url":"`+served.URL+`/v1"}`)
	require.True(t, call("ProvidersFindLocal", `{}`).(LocalServers).Found[0].Added)
	models := call("ModelsList", `{"provider_id":"one"}`).(ModelsResult)
	require.Empty(t, models.Failed)
	require.Equal(t, "one:small:1b", models.Models[0].ModelID)
	for name, params := range map[string]string{
		"a name of the options": `{"provider_id":"openai","base_url":"http://localhost:1"}`,
		"no address":            `{"provider_id":"two","base_url":""}`,
		"a key in it":           `{"provider_id":"two","base_url":"http://a:b@localhost:1"}`,
		"an unknown API":        `{"provider_id":"two","base_url":"http://localhost:1","api":"soap"}`,
		"a strange name":        `{"provider_id":"Two 2","base_url":"http://localhost:1"}`,
	} {
		_, err := e.Call(context.Background(), "ProvidersAdd", json.RawMessage(params))
		require.Error(t, err, name)
	}
	require.NoError(t, e.Close())

	e, err = New(opt)
	require.NoError(t, err)
	require.Equal(t, "one:small:1b", call("ModelsList", `{"provider_id":"one"}`).(ModelsResult).Models[0].ModelID)
	call("ProvidersAdd", `{"provider_id":"one","base_url":"http://127.0.0.1:1/v1"}`)
	require.NotEmpty(t, call("ModelsList", `{"provider_id":"one"}`).(ModelsResult).Failed, "it has the new address")
	call("ProvidersRemove", `{"provider_id":"one"}`)
	_, err = e.Call(context.Background(), "ProvidersRemove", json.RawMessage(`{"provider_id":"one"}`))
	require.Error(t, err)
	require.NoError(t, e.Close())
}
