//go:build unix

package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/cluster/clustertest"
	"atelier/ipc/accounts"
)

// TestSharedAccounts: commands with --cluster administer all servers of a cluster, which
// have no accounts of their own; what is taken back is refused by all, and a cluster that
// does not answer lets nobody in.
func TestSharedAccounts(t *testing.T) {
	t.Parallel()
	r := &httpNodes{t: t, nats: clustertest.Start(t, 1)}
	r.urls = r.nats.URLs()
	r.env = append(os.Environ(), "OPENAI_API_KEY=", "ATELIER_MODEL=pseudo", "ATELIER_JWT_SECRET=0123456789abcdef0123456789abcdef", "ATELIER_JWT_MINUTES=600")
	for range 2 {
		n := &httpNode{home: t.TempDir(), log: &lockedBuffer{}}
		r.each = append(r.each, n)
		r.run(n)
		t.Cleanup(func() { r.kill(n) })
	}
	home := t.TempDir() // of the administrator, elsewhere
	try := func(args ...string) (string, error) {
		cmd := exec.Command(program(t), append(append([]string{"http"}, args...), "--home", home)...)
		cmd.Env = r.env
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	admin := func(args ...string) obj {
		t.Helper()
		out, err := try(append(args, "--cluster", r.nats.URL(0))...)
		require.NoError(t, err, out)
		var v obj
		require.NoError(t, json.Unmarshal([]byte(out), &v), out)
		return v
	}
	user := admin("user", "add", "--email", httpUser)
	r.token = admin("token", "--user", httpUser)["access_token"].(string)
	r.workspace = admin("workspace", "add", "--name", "One", "--owner", httpUser)["id"].(string)
	require.NoFileExists(t, home+"/"+accounts.File, "nothing is kept where the command ran")
	out, err := try("user", "list")
	require.NoError(t, err, out)
	require.JSONEq(t, `{"users":[]}`, out, "without --cluster the accounts are those of the data folder")
	out, err = try("workspace", "add", "--name", "Two", "--owner", httpUser, "--root", home, "--cluster", r.nats.URL(0))
	require.Error(t, err)
	require.Contains(t, out, "--root does not go with --cluster")

	known := func(n *httpNode) bool {
		status, _ := r.request(t.Context(), n, "GET", "/runs", "")
		return status == 200
	}
	for _, n := range r.each {
		require.Eventually(t, func() bool { return known(n) }, 30*time.Second, 50*time.Millisecond)
	}
	status, body := r.request(t.Context(), r.each[0], "POST", "/tools", `{"tool":"write","args":{"path":"/a.md","content":"shared"}}`)
	require.Equal(t, 200, status, body)
	status, body = r.request(t.Context(), r.each[1], "POST", "/tools", `{"tool":"read","args":{"path":"/a.md"}}`)
	require.Equal(t, 200, status, body)
	require.Contains(t, body, "shared")

	// A member who is removed, and tokens that were taken back.
	admin("user", "add", "--email", "ben@example.org")
	admin("member", "add", "--workspace", r.workspace, "--user", "ben@example.org")
	require.Len(t, admin("member", "list", "--workspace", r.workspace)["members"], 2)
	admin("member", "remove", "--workspace", r.workspace, "--user", "ben@example.org")
	require.Equal(t, user["id"], admin("token", "revoke", "--user", httpUser)["user_id"])
	revoked := time.Now() // the command ended: at most a second after it was acknowledged
	for _, n := range r.each {
		for {
			began := time.Now()
			status, body := r.request(t.Context(), n, "GET", "/runs", "")
			if status == 401 {
				require.Contains(t, body, "taken back")
				break
			}
			require.Equal(t, 200, status, body)
			require.Less(t, began.Sub(revoked), accounts.Staleness)
		}
	}
	r.token = admin("token", "--user", httpUser)["access_token"].(string)
	require.True(t, known(r.each[0]), "the next token counts")

	r.nats.Kill(0)
	time.Sleep(accounts.Staleness)
	res, err := http.DefaultClient.Do(must(http.NewRequestWithContext(t.Context(), "GET", r.each[1].url+"/api/v1/workspaces", nil)))
	require.NoError(t, err)
	res.Body.Close()
	require.Equal(t, 401, res.StatusCode, "without a token")
	req := must(http.NewRequestWithContext(t.Context(), "GET", r.each[1].url+"/api/v1/workspaces", nil))
	req.Header.Set("Authorization", "Bearer "+r.token)
	res, err = http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Equal(t, 503, res.StatusCode, string(b))
	require.Contains(t, string(b), "accounts cannot be reached")
	out, err = try("user", "list", "--cluster", r.nats.URL(0))
	require.Error(t, err)
	require.True(t, strings.Contains(out, "cannot be reached"), out)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestSharedConsents: a consent that lasts, given at one server, is there on the next that
// has the workspace, and one that is taken back there stays taken back.
func TestSharedConsents(t *testing.T) {
	t.Parallel()
	r := startNodes(t, 1, 2, nil, "OPENAI_API_KEY=x", "OPENAI_BASE_URL=https://models.example.com/v1", "ATELIER_MODEL=some-model")
	status, body := r.request(t.Context(), r.each[0], "POST", "/tools", `{"tool":"write","args":{"path":"/a.md","content":"x"}}`)
	require.Equal(t, 200, status, body)
	status, body = r.request(t.Context(), r.each[0], "GET", "/consents/status?model=some-model", "")
	require.Equal(t, 200, status, body)
	var st struct {
		Result struct {
			Consented bool   `json:"consented"`
			Provider  string `json:"provider_id"`
			Model     string `json:"model_id"`
			Hash      string `json:"scope_hash"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(body), &st))
	require.False(t, st.Result.Consented, body)
	grant, err := json.Marshal(obj{"provider_id": st.Result.Provider, "model_id": st.Result.Model, "scope_hash": st.Result.Hash, "persist": true})
	require.NoError(t, err)
	status, body = r.request(t.Context(), r.each[0], "POST", "/consents", string(grant))
	require.Equal(t, 200, status, body)
	r.kill(r.each[0])
	list := func(n *httpNode) string {
		t.Helper()
		var body string
		require.Eventually(t, func() bool {
			var status int
			status, body = r.request(t.Context(), n, "GET", "/consents", "")
			return status == 200
		}, 30*time.Second, 100*time.Millisecond, body)
		return body
	}
	require.Contains(t, list(r.each[1]), `"persisted":true`)
	status, body = r.request(t.Context(), r.each[1], "DELETE", "/consents", "")
	require.Equal(t, 200, status, body)
	r.run(r.each[0])
	r.kill(r.each[1])
	require.Contains(t, list(r.each[0]), `"consents":[]`)
}
