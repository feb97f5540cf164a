package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/formats/formatstest"
	"atelier/ipc/accounts"
	"atelier/llm"
	"atelier/llm/replay"
	"atelier/workshop"
)

const secret = "a secret of no fewer than 32 characters"

// rig is a served engine with two users: ann owns a workspace, eve is a
// member of none.
type rig struct {
	t        testing.TB
	engine   *engine.Engine
	accounts *accounts.Store
	tokens   *Tokens
	srv      *Server
	http     *httptest.Server
	log      *syncBuffer
	clock    *clock

	ann, eve accounts.User
	annToken string
	eveToken string
	ws       string
	opt      Options
	tools    *scripted

	schemasOnce sync.Once
	schemas     []describedAnswers
}

// clock is a time that tests advance.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.at }

func (c *clock) advance(d time.Duration) { c.mu.Lock(); defer c.mu.Unlock(); c.at = c.at.Add(d) }

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string { b.mu.Lock(); defer b.mu.Unlock(); return b.b.String() }

// newRig serves the built-in model.
func newRig(t testing.TB, change ...func(*Options)) *rig {
	t.Helper()
	return newRigWith(t, engine.Options{Model: "pseudo"}, change...)
}

// newModelRig serves a model that replays a fixture of package replay.
func newModelRig(t testing.TB, fixture string, change ...func(*Options)) *rig {
	t.Helper()
	f, err := replay.Parse([]byte(fixture))
	require.NoError(t, err)
	srv, err := replay.NewServer(f, replay.Options{})
	require.NoError(t, err)
	t.Cleanup(srv.Close)
	return newRigWith(t, engine.Options{Model: "some-model", BaseURL: srv.URL}, change...)
}

func newRigWith(t testing.TB, opt engine.Options, change ...func(*Options)) *rig {
	t.Helper()
	ctx := context.Background()
	r := &rig{t: t, log: &syncBuffer{}, clock: &clock{at: time.Now()}, tools: &scripted{}}
	home := t.TempDir()
	var err error
	opt.Home = home
	formatstest.ShareCache(t, home)
	r.engine, err = engine.New(opt)
	require.NoError(t, err)
	t.Cleanup(func() { r.engine.Close() })
	r.tools.Live = r.engine.Live()
	r.accounts, err = accounts.Open(home, accounts.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { r.accounts.Close() })
	r.tokens, err = NewTokens(secret, 0, r.clock.now)
	require.NoError(t, err)
	r.ann, err = r.accounts.AddUser(ctx, "ann@example.org", "Ann")
	require.NoError(t, err)
	r.eve, err = r.accounts.AddUser(ctx, "eve@example.org", "")
	require.NoError(t, err)
	r.annToken, r.eveToken = r.token(r.ann), r.token(r.eve)
	r.ws = r.workspace("Contracts", r.ann)
	r.opt = Options{Engine: r.engine, Tools: r.tools, Accounts: r.accounts, Tokens: r.tokens, Rate: -1, Now: r.clock.now,
		Log: slog.New(slog.NewTextHandler(r.log, nil))}
	for _, f := range change {
		f(&r.opt)
	}
	r.srv, err = New(r.opt)
	require.NoError(t, err)
	t.Cleanup(r.srv.runs.stopAll)
	r.http = httptest.NewServer(r.srv.Handler())
	t.Cleanup(r.http.Close)
	return r
}

func (r *rig) token(u accounts.User) string {
	r.t.Helper()
	token, _, err := r.tokens.Mint(u, 0)
	require.NoError(r.t, err)
	return token
}

func (r *rig) workspace(name string, owner accounts.User) string {
	r.t.Helper()
	params, _ := json.Marshal(engine.WorkbenchCreateParams{Name: name})
	wb, err := r.engine.Call(context.Background(), "WorkbenchCreate", params)
	require.NoError(r.t, err)
	w, err := r.accounts.AddWorkspace(context.Background(), wb.(engine.WorkbenchCreated).WorkbenchID, name, owner.ID)
	require.NoError(r.t, err)
	return w.ID
}

// answer is the server's answer.
type answer struct {
	Status int
	Header http.Header
	Body   string
}

// request sends a request with ann's token; headers with an empty value are
// omitted.
func (r *rig) request(method, path, body string, headers ...string) answer {
	r.t.Helper()
	req, err := http.NewRequest(method, r.http.URL+path, strings.NewReader(body))
	require.NoError(r.t, err)
	req.Header.Set("Authorization", "Bearer "+r.annToken)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
		if headers[i+1] == "" {
			req.Header.Del(headers[i])
		}
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(r.t, err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	require.NoError(r.t, err)
	r.asDescribed(req, resp, b)
	return answer{resp.StatusCode, resp.Header, strings.TrimSuffix(string(b), "\n")}
}

// asDescribed checks that an answer in JSON is as the OpenAPI document says.
func (r *rig) asDescribed(req *http.Request, resp *http.Response, body []byte) {
	r.t.Helper()
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") || len(body) == 0 {
		return
	}
	r.schemasOnce.Do(func() { r.schemas = answerSchemas(r.t, r.srv.openAPI) })
	for _, s := range r.schemas {
		if s.method != req.Method || !s.path.MatchString(req.URL.Path) {
			continue
		}
		schema := s.answers[resp.StatusCode]
		if schema == nil && resp.StatusCode != http.StatusOK {
			schema = s.answers[0]
		}
		if schema == nil {
			return // the bytes of a file
		}
		var v any
		require.NoError(r.t, json.Unmarshal(body, &v))
		require.NoError(r.t, schema.Validate(v), "%s %s: %.500s", req.Method, req.URL.Path, body)
		return
	}
}

// describedAnswers are the schemas of an operation's answers in JSON, by
// status; 0 is that of errors.
type describedAnswers struct {
	method  string
	path    *regexp.Regexp
	answers map[int]*jsonschema.Resolved
}

func answerSchemas(t testing.TB, document []byte) (out []describedAnswers) {
	t.Helper()
	var doc object
	require.NoError(t, json.Unmarshal(document, &doc))
	resolve := func(schema any) *jsonschema.Resolved {
		b, err := json.Marshal(schema)
		require.NoError(t, err)
		var s jsonschema.Schema
		require.NoError(t, json.Unmarshal(b, &s))
		resolved, err := s.Resolve(nil)
		require.NoError(t, err)
		return resolved
	}
	failure := resolve(lookupRef(doc, "#/components/schemas/error"))
	for path, item := range doc["paths"].(object) {
		pattern := regexp.MustCompile("^" + regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(path, "[^/]+") + "$")
		for method, op := range item.(object) {
			d := describedAnswers{strings.ToUpper(method), pattern, map[int]*jsonschema.Resolved{0: failure}}
			content, _ := op.(object)["responses"].(object)["200"].(object)["content"].(object)
			if body, ok := content["application/json"].(object); ok {
				d.answers[http.StatusOK] = resolve(body["schema"])
			}
			out = append(out, d)
		}
	}
	// A name goes before a placeholder, as for the server.
	slices.SortFunc(out, func(a, b describedAnswers) int {
		return strings.Count(a.path.String(), "[^/]+") - strings.Count(b.path.String(), "[^/]+")
	})
	return out
}

func (r *rig) toolsPath() string { return "/api/v1/workspaces/" + r.ws + "/tools" }

func (r *rig) tool(body string, headers ...string) answer {
	r.t.Helper()
	return r.request("POST", r.toolsPath(), body, headers...)
}

// scripted is the engine's Live with tools that do what a test of the
// transport needs.
type scripted struct {
	*engine.Live
	mu   sync.Mutex
	last engine.LiveCall
	hold chan struct{} // the tool wait returns when it is closed
	held chan struct{} // receives one value for each waiting call of wait
}

func (s *scripted) Tools() []llm.Tool {
	tool := func(name, schema string) llm.Tool {
		return llm.Tool{Type: "function", Function: llm.FunctionDef{Name: name, Description: name, Parameters: json.RawMessage(schema)}}
	}
	none := `{"type":"object","properties":{}}`
	return []llm.Tool{
		tool("ls", `{"type":"object","properties":{"path":{"type":"string"}}}`),
		tool("read", `{"type":"object","required":["path"],"properties":{"path":{"type":"string"}}}`),
		tool("panic", none), tool("wait", none), tool("fault", `{"type":"object","properties":{"code":{"type":"string"}}}`),
	}
}

func (s *scripted) Call(ctx context.Context, c engine.LiveCall) (any, *workshop.Fault) {
	s.mu.Lock()
	s.last = c
	s.mu.Unlock()
	switch c.Tool {
	case "panic":
		panic("the secret of the handler")
	case "wait":
		s.held <- struct{}{}
		select {
		case <-s.hold:
		case <-ctx.Done():
			return nil, workshop.AsFault(ctx.Err())
		}
	case "fault":
		var f workshop.Fault
		json.Unmarshal(c.Args, &f)
		return nil, &f
	}
	return map[string]any{"tool": c.Tool, "workspace": c.Workspace, "user": c.User}, nil
}

func (s *scripted) call() engine.LiveCall { s.mu.Lock(); defer s.mu.Unlock(); return s.last }
