package httpapi

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/engine"
)

// A run whose model is on another machine is refused until the server's
// settings allow it, and the follower gets the reason.
func TestRunNeedsConsent(t *testing.T) {
	for mode, want := range map[string]string{"": engine.CodeEgressConsent, engine.EgressLocalOnly: engine.CodeEgressBlocked} {
		r := newRigWith(t, engine.Options{Model: "far", BaseURL: "http://models.example.com/v1", APIKey: "key", Egress: mode})
		events := r.follow(r.startRun("Read it"), "", nil)
		last := events[len(events)-1]
		require.Equal(t, eventError, last.name)
		assert.Equal(t, want, last.data.Data["code"])
		assert.Contains(t, last.data.Data["error"], "models.example.com")
		hint, _ := last.data.Data["hint"].(string)
		assert.Equal(t, mode == "", strings.Contains(hint, "POST /api/v1/workspaces/"+r.ws+"/consents"), hint)
		p := fromErrorInfo(&engine.ErrorInfo{ErrorCode: want, Detail: "why"})
		assert.Equal(t, http.StatusForbidden, p.status)
		assert.Equal(t, "why", p.Message)
	}
}

// far serves a model under the name of another machine and counts its
// requests.
func far(t *testing.T, change ...func(*Options)) (*rig, *atomic.Int64) {
	var asked atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"Done.\"}}]}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(srv.Close)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, srv.Listener.Addr().String())
	}}}
	return newRigWith(t, engine.Options{Model: "far", BaseURL: "http://models.example.com/v1", APIKey: "key", HTTPClient: client}, change...), &asked
}

// The owner of a workspace lists, gives and revokes consents over HTTP with
// the answers of the engine's own methods, and they apply to runs at once.
func TestConsentsOverHTTP(t *testing.T) {
	r, asked := far(t)
	at := "/api/v1/workspaces/" + r.ws + "/consents"
	end := func() sse {
		events := r.follow(r.startRun("Read it"), "", nil)
		return events[len(events)-1]
	}
	result := func(a answer) map[string]any {
		t.Helper()
		require.Equal(t, 200, a.Status, a.Body)
		var body struct{ Result map[string]any }
		require.NoError(t, json.Unmarshal([]byte(a.Body), &body))
		return body.Result
	}
	require.Equal(t, 200, r.request("PUT", "/api/v1/workspaces/"+r.ws+"/files/content?path=/a.txt", "alpha", "Content-Type", "text/plain").Status)
	require.Equal(t, engine.CodeEgressConsent, end().data.Data["code"])
	require.Zero(t, asked.Load())
	require.Equal(t, map[string]any{"consents": []any{}, "mode": "ask"}, result(r.request("GET", at, "")))

	st := result(r.request("GET", at+"/status?model=far", ""))
	assert.Equal(t, false, st["consented"])
	assert.Equal(t, "models.example.com", st["host"])
	assert.Equal(t, []any{"a.txt"}, st["new_files"])
	grant := func(hash any) answer {
		b, err := json.Marshal(map[string]any{"workbench_id": "another", "provider_id": st["provider_id"], "model_id": "far", "scope_hash": hash, "persist": true})
		require.NoError(t, err)
		return r.request("POST", at, string(b))
	}
	a := grant("00")
	assert.Equal(t, 400, a.Status)
	assert.Contains(t, a.Body, "scope_hash is not that of the files")
	assert.Equal(t, 400, r.request("POST", at, `{"model_id":1}`).Status)
	result(grant(st["scope_hash"]))
	assert.Equal(t, []any{map[string]any{"provider_id": "openai", "model_id": "far", "host": "models.example.com", "files": 1.0, "persisted": true}},
		result(r.request("GET", at, ""))["consents"])
	require.Equal(t, "done", end().name)
	require.Equal(t, int64(1), asked.Load())

	// A file that is added later needs a consent, which names it.
	require.Equal(t, 200, r.request("PUT", "/api/v1/workspaces/"+r.ws+"/files/content?path=/b.txt", "beta", "Content-Type", "text/plain").Status)
	require.Equal(t, engine.CodeEgressConsent, end().data.Data["code"])
	assert.Equal(t, []any{"b.txt"}, result(r.request("GET", at+"/status", ""))["new_files"])

	for _, query := range []string{"?provider_id=openai", "?model_id=another", "?Model=another"} { // otherwise it would revoke all
		a := r.request("DELETE", at+query, "")
		assert.Equal(t, 400, a.Status, a.Body)
		assert.Contains(t, a.Body, "`provider` and `model`")
	}
	assert.Equal(t, 0.0, result(r.request("DELETE", at+"?model=another", ""))["revoked"])
	assert.Equal(t, 1.0, result(r.request("DELETE", at+"?provider=openai&model=far", ""))["revoked"])
	require.Equal(t, engine.CodeEgressConsent, end().data.Data["code"])
	require.Equal(t, int64(1), asked.Load(), "nothing more was sent")
	assert.Empty(t, result(r.request("GET", at, ""))["consents"])
}

// A member who does not own the workspace cannot consent for its documents
// and gets the reason; nor can other users.
func TestConsentsAreTheOwners(t *testing.T) {
	r, asked := far(t)
	at := "/api/v1/workspaces/" + r.ws + "/consents"
	try := func(says string) {
		t.Helper()
		for _, c := range [][3]string{{"GET", at, ""}, {"GET", at + "/status", ""}, {"DELETE", at, ""},
			{"POST", at, `{"provider_id":"openai","model_id":"far","scope_hash":"00"}`}} {
			a := r.request(c[0], c[1], c[2], "Authorization", "Bearer "+r.eveToken)
			assert.Equal(t, 403, a.Status, c)
			assert.Contains(t, a.Body, `"code":"FORBIDDEN"`)
			assert.Contains(t, a.Body, says)
			assert.NotContains(t, a.Body, "example.com")
		}
	}
	try("not a member of this workspace")
	_, err := r.accounts.AddMember(t.Context(), r.ws, r.eve.ID)
	require.NoError(t, err)
	try("only the owner of this workspace")
	assert.Equal(t, 401, r.request("GET", at, "", "Authorization", "").Status)
	assert.Equal(t, 405, r.request("PUT", at, `{}`).Status)
	assert.Zero(t, asked.Load())
}

// The policy of the server has priority over the owners.
func TestConsentsAndPolicy(t *testing.T) {
	r := newRigWith(t, engine.Options{Model: "far", BaseURL: "http://models.example.com/v1", APIKey: "key", Egress: engine.EgressLocalOnly})
	at := "/api/v1/workspaces/" + r.ws + "/consents"
	a := r.request("POST", at, `{"provider_id":"openai","model_id":"far","scope_hash":"00"}`)
	assert.Equal(t, 403, a.Status)
	assert.Contains(t, a.Body, "local_only")
	assert.Contains(t, r.request("GET", at, "").Body, `"mode":"local_only"`)
}
