package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A request with the cookie that a browser sends for another site is refused,
// reading or writing. The server's own pages, allowed origins and Bearer
// tokens are accepted.
func TestH14CrossSiteReads(t *testing.T) {
	r := newRig(t, func(o *Options) { o.AllowOrigins = []string{"https://app.example.org"} })
	cookie := []string{"Authorization", "", "Cookie", "access_token=" + r.annToken}
	for _, method := range []string{"GET", "HEAD", "POST"} {
		path, body := "/api/v1/workspaces", ""
		if method == "POST" {
			path, body = r.toolsPath(), `{"tool":"ls","args":{}}`
		}
		for _, c := range []struct {
			headers []string
			status  int
		}{
			{nil, 200}, // not a browser
			{[]string{"Sec-Fetch-Site", "same-origin"}, 200},
			{[]string{"Sec-Fetch-Site", "none"}, 200}, // typed by the user
			{[]string{"Sec-Fetch-Site", "cross-site"}, 403},
			{[]string{"Sec-Fetch-Site", "same-site"}, 403},
			{[]string{"Origin", "https://evil.example.org"}, 403},
			{[]string{"Origin", "null"}, 403},
			{[]string{"Sec-Fetch-Site", "cross-site", "Origin", "https://app.example.org"}, 200},
		} {
			assert.Equal(t, c.status, r.request(method, path, body, append(append([]string{}, cookie...), c.headers...)...).Status, "%s %v", method, c.headers)
			assert.Equal(t, 200, r.request(method, path, body, c.headers...).Status, "a Bearer token is no cookie: %s %v", method, c.headers)
		}
	}
}

// The claims iss and aud are required if they are configured, and a clock
// that is a minute ahead is accepted.
func TestH15Claims(t *testing.T) {
	r := newRig(t)
	r.tokens.Demand("https://login.example.org", "atelier")
	now := r.clock.now()
	sign := func(iss string, aud []string, issued time.Duration) string {
		s, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.RegisteredClaims{Issuer: iss, Audience: aud, Subject: r.ann.ID,
			IssuedAt: jwt.NewNumericDate(now.Add(issued)), ExpiresAt: jwt.NewNumericDate(now.Add(time.Hour))}).SignedString([]byte(secret))
		require.NoError(t, err)
		return s
	}
	const iss = "https://login.example.org"
	for name, c := range map[string]struct {
		token, says string
	}{
		"right":          {sign(iss, []string{"atelier"}, 0), ""},
		"among several":  {sign(iss, []string{"other", "atelier"}, 0), ""},
		"a bit ahead":    {sign(iss, []string{"atelier"}, 59*time.Second), ""},
		"far ahead":      {sign(iss, []string{"atelier"}, 65*time.Second), "it is not valid yet"},
		"other issuer":   {sign("https://other.example.org", []string{"atelier"}, 0), "iss"},
		"no issuer":      {sign("", []string{"atelier"}, 0), "iss"},
		"other audience": {sign(iss, []string{"other"}, 0), "aud"},
		"no audience":    {sign(iss, nil, 0), "aud"},
		"its own":        {r.token(r.ann), ""},
		"made before":    {r.annToken, "iss"},
	} {
		a := r.tool(`{"tool":"ls","args":{}}`, "Authorization", "Bearer "+c.token)
		if c.says == "" {
			assert.Equal(t, 200, a.Status, "%s: %s", name, a.Body)
			continue
		}
		assert.Equal(t, 401, a.Status, name)
		assert.Contains(t, a.Body, c.says, name)
	}
}

// Settings for the runs of all members are made by the owner of the
// workspace.
func TestApprovalsBelongToTheOwner(t *testing.T) {
	r := newModelRig(t, `
-- model-1 --
{"call":{"id":"tc-1","name":"write_text_file","arguments":{"path":"a.txt","content":"x"}}}
-- model-2 --
{"text":"Done."}
`)
	_, err := r.accounts.AddMember(context.Background(), r.ws, r.eve.ID)
	require.NoError(t, err)
	path, eve := "/api/v1/workspaces/"+r.ws+"/approvals", []string{"Authorization", "Bearer " + r.eveToken}
	require.Equal(t, 200, r.request("PUT", path, `{"rules":[{"path":"*.txt","action":"ask"}]}`).Status)
	for _, body := range []string{`{"rules":[]}`, `{"granted":[{"tool":"write_text_file","path":"*"}]}`} {
		a := r.request("PUT", path, body, eve...)
		assert.Equal(t, 403, a.Status, a.Body)
		assert.Contains(t, a.Body, "owner")
	}
	assert.Equal(t, 200, r.request("GET", path, "", eve...).Status)
	put := lookupRef(decodeDoc(t, r), "#/paths").(object)["/api/v1/workspaces/{id}/approvals"].(object)["put"].(object)
	assert.Contains(t, put["description"], "For the workspace's owner.")

	run := r.startRun("write")
	var q sse
	r.follow(run, "", func(e sse) bool { q = e; return e.name == "question_pending" })
	answers := "/api/v1/workspaces/" + r.ws + "/questions/" + q.data.Data["question_id"].(string) + "/answers"
	a := r.request("POST", answers, `{"answers":{"approval":"always"}}`, eve...)
	assert.Equal(t, 403, a.Status, a.Body)
	assert.Equal(t, 200, r.request("POST", answers, `{"answers":{"approval":"once"}}`, eve...).Status)
	r.follow(run, "", nil)
	assert.Contains(t, r.request("GET", path, "").Body, `"granted":[]`)
}

// One user's slow uploads take neither the places of calls nor those of other
// users.
func TestSlowUploads(t *testing.T) {
	r := newRig(t, func(o *Options) { o.MaxCalls, o.Wait = 4, 10*time.Millisecond })
	_, err := r.accounts.AddMember(context.Background(), r.ws, r.eve.ID)
	require.NoError(t, err)
	type sent struct {
		status int
		err    error
	}
	upload := func(name, token string, body io.Reader) sent {
		req, err := http.NewRequest("PUT", r.http.URL+"/api/v1/workspaces/"+r.ws+"/files/content?path=/"+name, body)
		if err != nil {
			return sent{0, err}
		}
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return sent{0, err}
		}
		resp.Body.Close()
		return sent{resp.StatusCode, nil}
	}
	slow, write := io.Pipe()
	first := make(chan sent, 1)
	go func() { first <- upload("slow.txt", r.eveToken, slow) }()
	_, err = write.Write([]byte("begin"))
	require.NoError(t, err)
	require.Eventually(t, func() bool { // one of the four places of a user
		r.srv.uploads.mu.Lock()
		defer r.srv.uploads.mu.Unlock()
		return r.srv.uploads.all == 1
	}, 10*time.Second, 5*time.Millisecond)
	pipe, w := io.Pipe()
	go w.Close()
	assert.Equal(t, 429, upload("second.txt", r.eveToken, pipe).status)
	pipe, w = io.Pipe()
	go func() { fmt.Fprint(w, "words"); w.Close() }()
	assert.Equal(t, 200, upload("other.txt", r.annToken, pipe).status)
	assert.Equal(t, 200, r.tool(`{"tool":"ls","args":{}}`, "Authorization", "Bearer "+r.eveToken).Status)
	write.Close()
	assert.Equal(t, 200, (<-first).status)
	pipe, w = io.Pipe()
	go func() { fmt.Fprint(w, "words"); w.Close() }()
	assert.Equal(t, 200, upload("third.txt", r.eveToken, pipe).status)
}

// Uploads that wait for a change of the workspace end when their callers leave: they are not
// done afterwards, and the user has the places again.
func TestUploadsOfCallersThatLeft(t *testing.T) {
	r := newRig(t, func(o *Options) { o.MaxCalls = 8 })
	upload := func(ctx context.Context, name string) int {
		req, err := http.NewRequestWithContext(ctx, "PUT", r.http.URL+"/api/v1/workspaces/"+r.ws+"/files/content?path=/"+name, strings.NewReader(name))
		if err != nil {
			return 0
		}
		req.Header.Set("Authorization", "Bearer "+r.annToken)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return 0
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	require.Equal(t, 200, upload(t.Context(), "first.txt"))
	wb, err := r.engine.Home().Open(t.Context(), r.ws)
	require.NoError(t, err)
	held, free, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	end := sync.OnceFunc(func() { close(free) })
	defer end()
	go func() {
		ended <- wb.Hold(context.Background(), func() error { close(held); <-free; return nil })
	}()
	<-held
	ctx, leave := context.WithCancel(t.Context())
	var callers sync.WaitGroup
	for i := range 2 {
		callers.Go(func() { upload(ctx, fmt.Sprintf("left%d.txt", i)) })
	}
	require.Eventually(t, func() bool { return r.srv.uploads.taken() == 2 }, 10*time.Second, 5*time.Millisecond)
	require.Equal(t, 429, upload(t.Context(), "refused.txt"), "a user has two of the eight places")
	leave()
	callers.Wait()
	require.Eventually(t, func() bool { return r.srv.uploads.taken() == 0 }, 10*time.Second, 5*time.Millisecond)
	end()
	require.NoError(t, <-ended)
	require.Equal(t, 200, upload(t.Context(), "next.txt"))
	for i := range 2 {
		path := "/api/v1/workspaces/" + r.ws + fmt.Sprintf("/files/content?path=/left%d.txt", i)
		assert.Equal(t, 404, r.request("GET", path, "").Status)
	}
}

// A NUL in a pattern is an error of the caller.
func TestGlobWithNUL(t *testing.T) {
	r := newRig(t)
	r.opt.Tools = r.engine.Live()
	srv, err := New(r.opt)
	require.NoError(t, err)
	r.http.Config.Handler = srv.Handler()
	for _, args := range []map[string]any{{"pattern": "a\x00*"}, {"pattern": "*", "path": "/a\x00"}} {
		b, err := json.Marshal(map[string]any{"tool": "glob", "args": args})
		require.NoError(t, err)
		a := r.tool(string(b))
		assert.Equal(t, 400, a.Status, a.Body)
		assert.Contains(t, a.Body, "VALIDATION_ERROR")
	}
}
