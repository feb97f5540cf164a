package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/ipc/accounts"
)

// pageRig is a rig that serves the page.
type pageRig struct{ *rig }

func newPageRig(t *testing.T, change ...func(*Options)) *pageRig {
	r := newRig(t, append([]func(*Options){func(o *Options) { o.Page, o.Ping = true, 20*time.Millisecond }}, change...)...)
	return &pageRig{r}
}

// signIn returns the cookie of a session, nil with the status if it is refused.
func (r *pageRig) signIn(token string) (*http.Cookie, int) {
	r.t.Helper()
	b, err := json.Marshal(map[string]string{"token": token})
	require.NoError(r.t, err)
	req, err := http.NewRequest(http.MethodPost, r.http.URL+"/session", strings.NewReader(string(b)))
	require.NoError(r.t, err)
	req.Header.Set("Origin", r.http.URL)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(r.t, err)
	resp.Body.Close()
	for _, c := range resp.Cookies() {
		return c, resp.StatusCode
	}
	return nil, resp.StatusCode
}

// pageConn is the connection of a page.
type pageConn struct {
	t     *testing.T
	c     *websocket.Conn
	id    int
	hello map[string]any
	notes []string
}

func (r *pageRig) connect(cookie *http.Cookie) (*pageConn, error) {
	h := http.Header{"Origin": {r.http.URL}}
	if cookie != nil {
		h.Set("Cookie", cookie.Name+"="+cookie.Value)
	}
	c, _, err := websocket.Dial(context.Background(), "ws"+strings.TrimPrefix(r.http.URL, "http")+"/session/ws", &websocket.DialOptions{HTTPHeader: h})
	if err != nil {
		return nil, err
	}
	r.t.Cleanup(func() { c.CloseNow() })
	c.SetReadLimit(-1)
	p := &pageConn{t: r.t.(*testing.T), c: c}
	_, b, err := c.Read(context.Background())
	if err != nil {
		return nil, err
	}
	return p, json.Unmarshal(b, &p.hello)
}

func (r *pageRig) page(token string) *pageConn {
	r.t.Helper()
	cookie, status := r.signIn(token)
	require.Equal(r.t, http.StatusNoContent, status)
	p, err := r.connect(cookie)
	require.NoError(r.t, err)
	return p
}

type pageAnswer struct {
	ID     int
	Method string
	Result json.RawMessage
	Error  *struct {
		Message string
		Data    struct {
			ErrorCode string `json:"error_code"`
		}
	}
}

// call returns the result of a call, or the code and text of its error.
func (p *pageConn) call(method, params string) (result string, code string) {
	p.t.Helper()
	p.id++
	require.NoError(p.t, p.c.Write(context.Background(), websocket.MessageText, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, p.id, method, params)))
	for {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		_, b, err := p.c.Read(ctx)
		cancel()
		require.NoError(p.t, err)
		var a pageAnswer
		require.NoError(p.t, json.Unmarshal(b, &a))
		switch {
		case a.Method != "":
			p.notes = append(p.notes, string(b))
		case a.Error != nil:
			return a.Error.Message, a.Error.Data.ErrorCode
		default:
			return string(a.Result), ""
		}
	}
}

// TestPageRights: a member has the methods of the page in their workspace only,
// however another one is named, and not those of the owner or of the machine.
func TestPageRights(t *testing.T) {
	r := newPageRig(t)
	other := r.workspace("Eve's", r.eve)
	_, err := r.accounts.AddMember(context.Background(), r.ws, r.eve.ID)
	require.NoError(t, err)
	ann, eve := r.page(r.annToken), r.page(r.eveToken)
	require.Equal(t, "ann@example.org", ann.hello["user"].(map[string]any)["email"])

	list, code := ann.call("WorkbenchList", `{}`)
	require.Empty(t, code)
	require.Contains(t, list, r.ws)
	require.NotContains(t, list, other)
	opened, code := ann.call("WorkbenchOpen", fmt.Sprintf(`{"workbench_id":%q}`, r.ws))
	require.Empty(t, code)
	var o engine.WorkbenchOpened
	require.NoError(t, json.Unmarshal([]byte(opened), &o))
	require.Equal(t, o.Workbench.Name, o.Workbench.Root, "the path is the server's")

	mine := fmt.Sprintf(`"workbench_id":%q`, r.ws)
	for name, params := range map[string]string{
		"of another":      fmt.Sprintf(`{"workbench_id":%q}`, other),
		"unknown":         `{"workbench_id":"0198c0de-0000-7000-8000-000000000000"}`,
		"a path":          `{"workbench_id":"../` + other + `"}`,
		"a urn":           fmt.Sprintf(`{"workbench_id":"urn:uuid:%s"}`, other),
		"another as well": fmt.Sprintf(`{"Workbench_ID":%q,"WORKBENCH_ID":%q,"workbench_id":%q}`, r.ws, r.ws, other),
	} {
		text, code := ann.call("WorkbenchFilesList", params)
		assert.Equal(t, codeForbidden, code, "%s: %s", name, text)
		_, code = ann.call("EventsResume", params)
		assert.Equal(t, codeForbidden, code, name)
	}
	_, code = ann.call("WorkbenchFilesList", `{}`)
	require.Equal(t, engine.CodeValidationFailed, code)
	_, code = ann.call("WorkbenchFilesList", `[]`)
	require.NotEmpty(t, code)
	// The engine reads names in any case: only the checked one counts.
	_, code = ann.call("ToolCall", fmt.Sprintf(`{%s,"Workbench_ID":%q,"WORKBENCH_ID":%q,"workbench_Id":%q,"tool":"write_text_file","args":{"path":"mine.txt","content":"x\n"}}`, mine, other, other, other))
	require.Empty(t, code)
	files, code := eve.call("WorkbenchFilesList", fmt.Sprintf(`{"workbench_id":%q}`, other))
	require.Empty(t, code)
	require.NotContains(t, files, "mine.txt")

	for method, params := range map[string]string{
		"EgressGrantWorkshopConsent": `{` + mine + `,"provider_id":"x","model_id":"x","scope_hash":"x"}`,
		"WorkshopSetApprovals":       `{` + mine + `,"rules":[]}`,
		"SkillsDecide":               `{` + mine + `,"name":"x","decision":"approve"}`,
		"WorkshopAnswerQuestion":     `{` + mine + `,"question_id":"q","answers":{"approval":"always"}}`,
		"WorkshopSendUserMessage":    `{` + mine + `,"text":"x","attachments":[{"path":"/etc/passwd"}]}`,
		"WorkbenchFilesAdd":          `{` + mine + `,"source_paths":["/etc/passwd"]}`,
		"WorkbenchFilesExtract":      `{` + mine + `,"destination_dir":"/tmp"}`,
		"WorkbenchCreate":            `{"name":"x","root":"/"}`,
		"WorkbenchDelete":            `{` + mine + `}`,
		"WorkbenchAttach":            `{` + mine + `,"root":"/"}`,
		"ProvidersSetApiKey":         `{"provider_id":"openai","api_key":"x"}`,
		"ProvidersAdd":               `{"provider_id":"x","base_url":"http://127.0.0.1:1"}`,
		"SessionSetActiveFiles":      fmt.Sprintf(`{"session_id":%q,"files":[]}`, other),
		"UserSetConsentMode":         `{"mode":"allow_all"}`,
	} {
		text, code := eve.call(method, params)
		assert.Equal(t, codeForbidden, code, "%s: %s", method, text)
	}
	_, code = ann.call("WorkshopSetApprovals", `{`+mine+`,"rules":[]}`)
	require.Empty(t, code, "the owner may")
}

// TestPageRightsAreMethods: what the table names exists, and what needs a workspace
// names one.
func TestPageRightsAreMethods(t *testing.T) {
	known := map[string]bool{}
	for _, m := range engine.Methods() {
		known[m.Name] = true
		need := pageRights[m.Name]
		s, err := engine.ParamsSchema(m.Name)
		require.NoError(t, err)
		if need != 0 {
			assert.Equal(t, need != anyUser, s.Properties["workbench_id"] != nil, m.Name)
		}
	}
	for name := range pageRights {
		assert.True(t, known[name], name)
	}
}

// TestPageNotifications: a page gets those of the workspace that it asked for, and
// no more after the user has lost it.
func TestPageNotifications(t *testing.T) {
	r := newPageRig(t)
	_, err := r.accounts.AddMember(context.Background(), r.ws, r.eve.ID)
	require.NoError(t, err)
	ann, eve, silent := r.page(r.annToken), r.page(r.eveToken), r.page(r.eveToken)
	mine := fmt.Sprintf(`{"workbench_id":%q}`, r.ws)
	write := func() {
		_, code := ann.call("ToolCall", fmt.Sprintf(`{"workbench_id":%q,"tool":"write_text_file","args":{"path":"%d.txt","content":"x\n"}}`, r.ws, time.Now().UnixNano()))
		require.Empty(t, code)
	}
	_, code := eve.call("EventsResume", mine)
	require.Empty(t, code)
	write()
	require.Eventually(t, func() bool { eve.call("EngineGetInfo", `{}`); return len(eve.notes) > 0 }, time.Minute, time.Millisecond)
	silent.call("EngineGetInfo", `{}`)
	require.Empty(t, silent.notes)

	_, err = r.accounts.RemoveMember(context.Background(), r.ws, r.eve.ID)
	require.NoError(t, err)
	require.Equal(t, websocket.StatusGoingAway, eve.closed())
	write()
	again := r.page(r.eveToken)
	_, code = again.call("EventsResume", mine)
	require.Equal(t, codeForbidden, code)
}

// closed waits until the connection is closed and returns the status.
func (p *pageConn) closed() websocket.StatusCode {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		if _, _, err := p.c.Read(ctx); err != nil {
			return websocket.CloseStatus(err)
		}
	}
}

// TestPageHosts: the page is at the server's own address and at the origins that it
// is told; it is protected, and absent without Options.Page.
func TestPageHosts(t *testing.T) {
	r := newPageRig(t, func(o *Options) { o.PageOrigins = []string{"https://atelier.example.org"} })
	get := func(host, path string) *http.Response {
		req, err := http.NewRequest(http.MethodGet, r.http.URL+path, nil)
		require.NoError(t, err)
		req.Host = host
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		resp.Body.Close()
		return resp
	}
	own := strings.TrimPrefix(r.http.URL, "http://")
	resp := get(own, "/")
	require.Equal(t, http.StatusOK, resp.StatusCode)
	policy := resp.Header.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'self'", "connect-src 'self' ws://" + own, "frame-ancestors 'none'", "require-trusted-types-for 'script'"} {
		require.Contains(t, policy, want)
	}
	require.Equal(t, http.StatusOK, get("atelier.example.org", "/app.js").StatusCode)
	require.Equal(t, http.StatusOK, get("localhost"+own[strings.LastIndex(own, ":"):], "/").StatusCode)
	for _, host := range []string{"evil.example", "localhost", "localhost:1", "atelier.example.org.evil.example", "x'; script-src *"} {
		resp := get(host, "/")
		require.Contains(t, []int{http.StatusMisdirectedRequest, http.StatusBadRequest}, resp.StatusCode, host)
		require.NotContains(t, resp.Header.Get("Content-Security-Policy"), "evil")
	}
	require.Equal(t, http.StatusNotFound, get(own, "/no.js").StatusCode)
	for _, bad := range []string{"atelier.example.org", "https://atelier.example.org/", "ftp://x", "*"} {
		o := r.opt
		o.PageOrigins = []string{bad}
		_, err := New(o)
		require.Error(t, err, bad)
	}
	o := r.opt
	o.Page = false
	srv, err := New(o)
	require.NoError(t, err)
	w := httptest.NewRecorder()
	srv.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	require.Equal(t, http.StatusNotFound, w.Code)
}

// TestRevokedTokens: the API refuses tokens that were taken back, and takes later ones.
func TestRevokedTokens(t *testing.T) {
	require.False(t, tokenClaims{issued: time.Unix(9, 0)}.taken(accounts.User{}))
	require.True(t, tokenClaims{issued: time.Unix(9, 0)}.taken(accounts.User{RevokedUntil: 9}))
	require.True(t, tokenClaims{}.taken(accounts.User{RevokedUntil: 9}), "a token that does not say when it was made")
	require.False(t, tokenClaims{issued: time.Unix(10, 0)}.taken(accounts.User{RevokedUntil: 9}))

	// Who takes them back has a clock that is an hour behind.
	ann := accounts.User{ID: "0190f3a2-7b1c-7d3e-9a54-2f6f0c3b8d11"}
	tokens, err := NewTokens(secret, 0, nil)
	require.NoError(t, err)
	claims := func() tokenClaims {
		t.Helper()
		token, _, err := tokens.Mint(ann, 0)
		require.NoError(t, err)
		c, err := tokens.read(token)
		require.NoError(t, err)
		return c
	}
	before := claims()
	require.False(t, before.taken(ann))
	ann.RevokedUntil, ann.Revocations = time.Now().Add(-time.Hour).Unix(), 1
	require.True(t, before.taken(ann))
	require.False(t, claims().taken(ann), "one that was made afterwards counts")
}

// TestPageWhenTheServerStops: a page is told, and the server does not wait for it.
func TestPageWhenTheServerStops(t *testing.T) {
	r := newPageRig(t, func(o *Options) { o.Drain = time.Minute })
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- r.srv.Serve(ctx, l) }()
	r.http.Close()
	r.http.URL = "http://" + l.Addr().String()
	p := r.page(r.annToken)
	_, code := p.call("EngineGetInfo", `{}`)
	require.Empty(t, code)
	stop()
	require.Equal(t, websocket.StatusGoingAway, p.closed())
	select {
	case err := <-served:
		require.NoError(t, err)
	case <-time.After(30 * time.Second):
		t.Fatal("the server waits for the page")
	}
}

// TestPageLimits: a user's calls wait for their turn, and those that would wait too
// long are refused; another user's are not.
func TestPageLimits(t *testing.T) {
	r := newPageRig(t, func(o *Options) { o.Rate = 1 })
	ann, eve := r.page(r.annToken), r.page(r.eveToken)
	r.srv.rates.of(r.ann.ID, r.clock.now()).ReserveN(r.clock.now(), 2) // two seconds' worth
	for range 20 {
		r.srv.rates.of(r.ann.ID, r.clock.now()).ReserveN(r.clock.now(), 1)
	}
	text, code := ann.call("EngineGetInfo", `{}`)
	require.Equal(t, codeRate, code, text)
	_, code = eve.call("EngineGetInfo", `{}`)
	require.Empty(t, code)
}
